/**
 * A list's text as rows of cells: CSV, TSV, values separated by `;`, NDJSON, or one value per line. The first line
 * may name the columns. Empty lines and those that begin with `#` are ignored.
 *
 * Invariants: every column has a cell for each row; an empty cell matches any event, and no row has only empty
 * cells.
 */
import { counted } from '../../contract/words/counted.ts';
import { LIST_LIMITS, ListError } from './list-error.ts';
import { LineReader, cellsOf, delimiterOf, jsonObject } from './list-lines.ts';

export interface CutList {
  /** Names of the columns as written; undefined: one column of values of any type. */
  readonly names: readonly string[] | undefined;
  /** By column, then by row. */
  readonly cells: readonly (readonly string[])[];
  /** Number of each row's line, from 1. */
  readonly lines: readonly number[];
}

interface CutOptions {
  /** Names of the columns, or of those of a header that count; undefined: the header's. */
  readonly fields: readonly string[] | undefined;
  /**
   * Instead of `fields`: the field of each column, by position (for NDJSON, of each key in the order of first
   * appearance); undefined, and columns after the last one: ignored.
   */
  readonly columns?: readonly (string | undefined)[] | undefined;
  /** With `columns`: whether the first line of a table only names the columns. */
  readonly header?: boolean | undefined;
  /** Whether a column with that name is a field by default. */
  isField(name: string): boolean;
  /** Whether a first line with this name may be a header. */
  isHeading(name: string): boolean;
}

const COUNT_HINT = 'say which columns to use, and for which fields';
const NAMES_HINT = 'name the columns to use with --list-field, as in --list-field src_ip,dst_port';

/** @throws ListError */
export function cutList(text: string, options: CutOptions): CutList {
  const reader = new LineReader(text);
  const first = reader.next();
  if (first === undefined)
    throw new ListError('usage', undefined, 'it holds no value', 'give one value per line, or CSV');
  const at = reader.number;
  if (first.trimStart().startsWith('{')) return cutJson(first, reader, options);
  const { columns } = options;
  const fields = columns === undefined ? options.fields : namesOf(columns);
  const delimiter = delimiterOf(first);
  const row = cellsOf(first, delimiter ?? ',', reader);
  const header = hasHeader(row, options) ? row : undefined;
  // A single name for lines without a header: each line is one value, whatever it contains.
  const named = (columns ?? fields)?.length ?? (delimiter === undefined ? 1 : undefined);
  if (header === undefined && named === 1) return byLine(text, fields);
  const width = row.length;
  const chosen = chosenColumns(header, width, options, at);
  const names = chosen.map(({ name }) => name);
  const rows = new Rows(chosen.length);
  const add = (cells: readonly string[], line: number): void => {
    if (cells.length !== width)
      throw new ListError(
        'usage',
        line,
        `${counted(cells.length, 'value')} for ${counted(width, 'column')}`,
      );
    rows.add(line, (i) => cells[chosen[i]!.at]!);
  };
  if (header === undefined) add(row, at);
  for (let line = reader.next(); line !== undefined; line = reader.next()) {
    const { number } = reader;
    add(cellsOf(line, delimiter ?? ',', reader), number);
  }
  return rows.cut(names);
}

/** Collects rows as they are read. */
class Rows {
  private readonly cells: string[][];
  private readonly lines: number[] = [];

  constructor(columns: number) {
    this.cells = Array.from({ length: columns }, () => []);
  }

  add(line: number, cell: (column: number) => string): void {
    const { cells, lines } = this;
    if (lines.length === LIST_LIMITS.rows)
      throw new ListError('limit-exceeded', line, `more than ${counted(LIST_LIMITS.rows, 'row')}`);
    let empty = true;
    for (let column = 0; column < cells.length; column++) {
      const given = cell(column);
      const value = isTrimmed(given) ? given : given.trim();
      if (value.length > LIST_LIMITS.value)
        throw new ListError(
          'limit-exceeded',
          line,
          `a value of ${value.length} characters, more than ${LIST_LIMITS.value}`,
        );
      const said = value === '*' || value === '-' ? '' : value;
      empty &&= said === '';
      cells[column]!.push(said);
    }
    if (empty) throw new ListError('usage', line, 'it has no value: every event would match');
    lines.push(line);
  }

  cut(names: readonly string[] | undefined): CutList {
    if (this.lines.length === 0)
      throw new ListError('usage', undefined, 'there is no row below the names of its columns');
    return { names, cells: this.cells, lines: this.lines };
  }
}

const BLANK = 0x20;

function isTrimmed(text: string): boolean {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  return first > BLANK && last > BLANK && first < 0x80 && last < 0x80;
}

function byLine(text: string, fields: readonly string[] | undefined): CutList {
  const reader = new LineReader(text);
  const rows = new Rows(1);
  for (let line = reader.next(); line !== undefined; line = reader.next()) {
    const value = line.trim();
    const whole = value.length > 1 && value.startsWith('"') && value.endsWith('"');
    const cell = whole ? value.slice(1, -1).replaceAll('""', '"') : value;
    rows.add(reader.number, () => cell);
  }
  return rows.cut(fields);
}

export const COLUMN_NAME = /^[@\w][\w.@ /-]*$/;

function hasHeader(cells: readonly string[], options: CutOptions): boolean {
  return options.columns === undefined ? isHeader(cells, options) : options.header === true;
}

/** @throws ListError if none of them is used, or too many are */
function namesOf(columns: NonNullable<CutOptions['columns']>): string[] {
  const names = columns.filter((name) => name !== undefined);
  if (names.length === 0)
    throw new ListError('usage', undefined, 'none of its columns is used', COUNT_HINT);
  if (names.length > LIST_LIMITS.columns)
    throw new ListError('limit-exceeded', undefined, counted(names.length, 'column'), COUNT_HINT);
  return names;
}

/** Whether the first line names columns: names in `fields`, or some field of events. */
export function isHeader(
  cells: readonly string[],
  { fields, isHeading }: Pick<CutOptions, 'fields' | 'isHeading'>,
): boolean {
  const names = cells.map((cell) => cell.trim());
  if (fields !== undefined)
    return fields.some((field) => names.some((name) => sameName(name, field)));
  return (
    names.every((name) => name === '' || (COLUMN_NAME.test(name) && !/^\d/.test(name))) &&
    names.some((name) => name !== '' && isHeading(name))
  );
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

interface Chosen {
  readonly name: string;
  readonly at: number;
}

function chosenColumns(
  header: readonly string[] | undefined,
  width: number,
  { fields, columns, isField }: CutOptions,
  line: number,
): Chosen[] {
  if (columns !== undefined) {
    if (columns.length > width)
      throw new ListError('usage', line, `${columnsText(width)}, but ${columns.length} were named`);
    return columns.flatMap((name, at) => (name === undefined ? [] : [{ name, at }]));
  }
  if (header === undefined) {
    if (fields === undefined)
      throw new ListError('usage', line, `${counted(width, 'column')} without a name`, NAMES_HINT);
    if (fields.length !== width)
      throw new ListError(
        'usage',
        line,
        `${columnsText(width)}, but ${fields.length} names were given`,
        'name every column of a list that has no header',
      );
    return fields.map((name, at) => ({ name, at }));
  }
  const names = header.map((name) => name.trim());
  if (names.length > LIST_LIMITS.columns && fields === undefined)
    throw new ListError('limit-exceeded', line, counted(names.length, 'column'), NAMES_HINT);
  if (fields !== undefined)
    return fields.map((field) => {
      const at = names.findIndex((name) => sameName(name, field));
      if (at < 0) throw new ListError('usage', line, `no column is named ${JSON.stringify(field)}`);
      return { name: names[at]!, at };
    });
  const other = names.filter((name) => name === '' || !isField(name));
  if (other.length > 0) throw unknownColumns(other, line);
  return names.map((name, at) => ({ name, at }));
}

function columnsText(width: number): string {
  return counted(width, 'column');
}

function unknownColumns(names: readonly string[], line: number): ListError {
  const firstNames = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 40)));
  const more = names.length > firstNames.length ? ', …' : '';
  const reason = names.length === 1 ? 'no field of events' : 'no fields of events';
  return new ListError(
    'unknown-field',
    line,
    `${firstNames.join(', ')}${more}: ${reason}`,
    NAMES_HINT,
  );
}

function cutJson(first: string, reader: LineReader, options: CutOptions): CutList {
  const { isField, columns } = options;
  if (columns !== undefined) namesOf(columns);
  const fields = columns === undefined ? options.fields : undefined;
  /** Keys in the order of appearance, as far as `columns` describes them. */
  const places = new Map<string, number>();
  const records: { line: number; values: ReadonlyMap<string, string> }[] = [];
  const names = new Map<string, string>();
  for (let line: string | undefined = first; line !== undefined; line = reader.next()) {
    const { number } = reader;
    if (records.length === LIST_LIMITS.rows)
      throw new ListError(
        'limit-exceeded',
        number,
        `more than ${counted(LIST_LIMITS.rows, 'row')}`,
      );
    const values = new Map<string, string>();
    for (const [name, value] of Object.entries(jsonObject(line, number))) {
      const key = name.toLowerCase();
      if (columns !== undefined) {
        const place = places.get(key) ?? places.size;
        if (place < columns.length) places.set(key, place);
        if (columns[place] === undefined) continue;
      }
      if (fields !== undefined && !fields.some((field) => sameName(field, name))) continue;
      if (value === null || value === '') continue;
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new ListError(
          'usage',
          number,
          `${JSON.stringify(name)} is neither text nor a number`,
        );
      if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
        throw new ListError(
          'usage',
          number,
          `${JSON.stringify(name)} is a number that JSON readers round`,
          'write it as text, in quotes',
        );
      if (!names.has(key)) {
        if ((columns ?? fields) === undefined && !isField(name))
          throw unknownColumns([name], number);
        if (names.size === LIST_LIMITS.columns)
          throw new ListError('limit-exceeded', number, 'too many columns', NAMES_HINT);
        names.set(key, name);
      }
      values.set(key, String(value));
    }
    records.push({ line: number, values });
  }
  const missing = fields?.find((field) => !names.has(field.toLowerCase()));
  if (missing !== undefined)
    throw new ListError('usage', undefined, `no object has a value of ${JSON.stringify(missing)}`);
  const keys = [...names.keys()];
  const rows = new Rows(keys.length);
  for (const { line, values } of records) rows.add(line, (i) => values.get(keys[i]!) ?? '');
  return rows.cut(keys.map((key) => columns?.[places.get(key) ?? -1] ?? names.get(key) ?? key));
}
