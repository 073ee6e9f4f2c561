/**
 * Outlines the beginning of a list for a person who assigns its columns: any text, even one that cannot be parsed
 * as a list.
 */
import { isAddress } from './list-columns.ts';
import { COLUMN_NAME, isHeader } from './cut-list.ts';
import { ListError } from './list-error.ts';
import { LineReader, cellsOf, delimiterOf, jsonObject } from './list-lines.ts';

interface ListGlance {
  /** `values`: one a line. */
  readonly form: 'values' | 'table' | 'json';
  /** Whether the first line of a table names the columns. */
  readonly header: boolean;
  /** Names of the columns, if they have any; for keys, in the order of first appearance. */
  readonly names: readonly (string | undefined)[];
  /** Cells of the first rows, each with one for each column. */
  readonly rows: readonly (readonly string[])[];
}

interface GlanceOptions {
  /** Whether the first line is a header; undefined: as it looks. */
  readonly header?: boolean | undefined;
  /** Maximum number of rows. */
  readonly most: number;
  /** Whether a first line with this name may be a header. */
  isHeading(name: string): boolean;
}

/** Most columns that are described. */
const MOST_COLUMNS = 100;
/** Characters of a cell. */
const MOST_TEXT = 200;

export function glanceList(text: string, options: GlanceOptions): ListGlance {
  const reader = new LineReader(text);
  const first = reader.next();
  if (first === undefined) return { form: 'values', header: false, names: [undefined], rows: [] };
  if (first.trimStart().startsWith('{')) return glanceJson(first, reader, options);
  const delimiter = delimiterOf(first);
  const lines: string[][] = [];
  for (let line: string | undefined = first; line !== undefined; line = reader.next()) {
    const cells = delimiter === undefined ? [line] : cellsAsFarAs(line, delimiter, reader);
    lines.push(cells.slice(0, MOST_COLUMNS).map((cell) => cell.trim().slice(0, MOST_TEXT)));
    if (lines.length > options.most) break;
  }
  const named = lines[0]!;
  const header = options.header ?? looksLikeHeader(lines, options);
  return {
    form: delimiter === undefined && !header ? 'values' : 'table',
    header,
    names: named.map((name) => (header && name !== '' ? name : undefined)),
    rows: rowsOf(header ? lines.slice(1) : lines, named.length, options.most),
  };
}

/** Names that are not fields are names all the same if the line below has something that cannot be a name. */
function looksLikeHeader(lines: readonly (readonly string[])[], options: GlanceOptions): boolean {
  const [first = [], second] = lines;
  if (isHeader(first, { fields: undefined, isHeading: (name) => options.isHeading(name) }))
    return true;
  const isName = (cell: string): boolean =>
    cell === '' || (COLUMN_NAME.test(cell) && !/^\d/.test(cell) && !isAddress(cell));
  return first.length > 1 && first.every(isName) && second?.every(isName) === false;
}

function cellsAsFarAs(line: string, delimiter: string, reader: LineReader): string[] {
  try {
    return cellsOf(line, delimiter, reader);
  } catch (error) {
    if (error instanceof ListError) return line.split(delimiter);
    throw error;
  }
}

function glanceJson(first: string, reader: LineReader, { most }: GlanceOptions): ListGlance {
  const names = new Map<string, string>();
  const rows: string[][] = [];
  for (let line: string | undefined = first; line !== undefined; line = reader.next()) {
    const cells: string[] = [];
    for (const [name, value] of entriesOf(line, reader.number)) {
      const key = name.toLowerCase();
      if (!names.has(key) && names.size < MOST_COLUMNS) names.set(key, name);
      const at = [...names.keys()].indexOf(key);
      if (at >= 0) cells[at] = shownOf(value).slice(0, MOST_TEXT);
    }
    rows.push(Array.from(cells, (cell: string | undefined) => cell ?? ''));
    if (rows.length === most) break;
  }
  const all = [...names.values()];
  return { form: 'json', header: true, names: all, rows: rowsOf(rows, all.length, most) };
}

function shownOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Its content is nested too deeply.
    if (error instanceof RangeError) return '…';
    throw error;
  }
}

function entriesOf(line: string, number: number): [string, unknown][] {
  try {
    return Object.entries(jsonObject(line, number));
  } catch (error) {
    if (error instanceof ListError) return [];
    throw error;
  }
}

function rowsOf(rows: readonly (readonly string[])[], width: number, most: number): string[][] {
  return rows
    .slice(0, most)
    .map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ''));
}
