/**
 * A list's text as rows of cells: CSV, TSV, values separated by `;`, NDJSON, or one value a line. The
 * first line may name the columns. Lines that are empty or begin with `#` are no rows.
 *
 * Holds always: every column has a cell for each row; an empty cell says nothing about an event, and no
 * row has only such.
 */
import { LIST_LIMITS, ListError } from './list-error.ts';

export interface CutList {
  /** Names of the columns as they were written; undefined: one column of values of any type. */
  readonly names: readonly string[] | undefined;
  /** By column, then by row. */
  readonly cells: readonly (readonly string[])[];
  /** Number of each row's line, from 1. */
  readonly lines: readonly number[];
}

export interface CutOptions {
  /** Names of the columns, or of those of a header that count; undefined: the header's. */
  readonly fields: readonly string[] | undefined;
  /** Whether events can have a field of that name. */
  isField(name: string): boolean;
}

const NAMES_HINT =
  'name the columns that count with --list-field, as in --list-field src_ip,dst_port';

/** @throws ListError */
export function cutList(text: string, options: CutOptions): CutList {
  const reader = new LineReader(text);
  const first = reader.next();
  if (first === undefined)
    throw new ListError('usage', undefined, 'it holds no value', 'give one value a line, or CSV');
  const at = reader.number;
  if (first.trimStart().startsWith('{')) return cutJson(first, reader, options);
  const { fields } = options;
  const delimiter = delimiterOf(first);
  const row = cellsOf(first, delimiter ?? ',', reader);
  const header = isHeader(row, options) ? row : undefined;
  // A single name for lines that are no header: each line is one value, whatever is in it.
  if (header === undefined && (delimiter === undefined || fields?.length === 1))
    return byLine(text, fields);
  const width = row.length;
  const chosen = chosenColumns(header, width, options, at);
  const names = chosen.map(({ name }) => name);
  const rows = new Rows(chosen.length);
  const add = (cells: readonly string[], line: number): void => {
    if (cells.length !== width)
      throw new ListError(
        'usage',
        line,
        `${cells.length === 1 ? '1 value' : `${cells.length} values`} for ${width} columns`,
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

/** Rows as they are read. */
class Rows {
  private readonly cells: string[][];
  private readonly lines: number[] = [];

  constructor(columns: number) {
    this.cells = Array.from({ length: columns }, () => []);
  }

  add(line: number, cell: (column: number) => string): void {
    const { cells, lines } = this;
    if (lines.length === LIST_LIMITS.rows)
      throw new ListError('limit-exceeded', line, `more than ${LIST_LIMITS.rows} rows`);
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

/** Lines one after the other; none that are empty or a remark. */
class LineReader {
  /** Of the line that was read last, from 1. */
  number = 0;
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
    if (text.startsWith('\u{feff}')) this.at = 1;
  }

  next(): string | undefined {
    for (let line = this.raw(); line !== undefined; line = this.raw())
      if (line !== '' && line[0] !== '#' && line.trim() !== '') return line;
    return undefined;
  }

  /** The next line, whatever it holds. */
  raw(): string | undefined {
    const { text, at } = this;
    if (at >= text.length) return undefined;
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    this.at = end + 1;
    this.number += 1;
    const last = end > at && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
    return text.slice(at, last);
  }
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

/** What separates the values of a line; undefined: it has one value. */
function delimiterOf(line: string): string | undefined {
  const plain = line.replace(/"(?:[^"]|"")*"/g, '');
  return ['\t', ',', ';'].find((one) => plain.includes(one));
}

/** Values in quotes may hold separators, quotes (`""`) and ends of lines, which are read on for. */
function cellsOf(line: string, delimiter: string, reader: LineReader): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const from = reader.number;
  const cells: string[] = [];
  let rest = line;
  for (let at = 0; ;) {
    if (rest[at] !== '"') {
      const end = rest.indexOf(delimiter, at);
      cells.push(end < 0 ? rest.slice(at) : rest.slice(at, end));
      if (end < 0) return cells;
      at = end + 1;
      continue;
    }
    let cell = '';
    for (at += 1; ;) {
      const quote = rest.indexOf('"', at);
      if (quote < 0) {
        cell += `${rest.slice(at)}\n`;
        const more = cell.length > LIST_LIMITS.value ? undefined : reader.raw();
        if (more === undefined) throw new ListError('usage', from, 'a quote " that is not closed');
        rest = more;
        at = 0;
      } else if (rest[quote + 1] === '"') {
        cell += rest.slice(at, quote + 1);
        at = quote + 2;
      } else {
        cell += rest.slice(at, quote);
        at = quote + 1;
        break;
      }
    }
    cells.push(cell);
    if (at >= rest.length) return cells;
    if (rest[at] !== delimiter) throw new ListError('usage', from, 'text behind a value in quotes');
    at += 1;
  }
}

const NAME = /^[@\w][\w.@ /-]*$/;

/** Whether the first line names columns: what `fields` names, or some field of events. */
function isHeader(cells: readonly string[], { fields, isField }: CutOptions): boolean {
  const names = cells.map((cell) => cell.trim());
  if (fields !== undefined)
    return fields.some((field) => names.some((name) => sameName(name, field)));
  return (
    names.every((name) => name === '' || (NAME.test(name) && !/^\d/.test(name))) &&
    names.some((name) => name !== '' && isField(name))
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
  { fields, isField }: CutOptions,
  line: number,
): Chosen[] {
  if (header === undefined) {
    if (fields === undefined)
      throw new ListError('usage', line, `${width} columns without a name`, NAMES_HINT);
    if (fields.length !== width)
      throw new ListError(
        'usage',
        line,
        `${width} columns, but ${fields.length} names were given`,
        'name every column of a list that has no header',
      );
    return fields.map((name, at) => ({ name, at }));
  }
  const names = header.map((name) => name.trim());
  if (names.length > LIST_LIMITS.columns && fields === undefined)
    throw new ListError('limit-exceeded', line, `${names.length} columns`, NAMES_HINT);
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

function unknownColumns(names: readonly string[], line: number): ListError {
  const some = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 40)));
  const more = names.length > some.length ? ', …' : '';
  const what = names.length === 1 ? 'no field of events' : 'no fields of events';
  return new ListError('unknown-field', line, `${some.join(', ')}${more}: ${what}`, NAMES_HINT);
}

function cutJson(first: string, reader: LineReader, { fields, isField }: CutOptions): CutList {
  const records: { line: number; values: ReadonlyMap<string, string> }[] = [];
  const names = new Map<string, string>();
  for (let line: string | undefined = first; line !== undefined; line = reader.next()) {
    const { number } = reader;
    if (records.length === LIST_LIMITS.rows)
      throw new ListError('limit-exceeded', number, `more than ${LIST_LIMITS.rows} rows`);
    const values = new Map<string, string>();
    for (const [name, value] of Object.entries(jsonObject(line, number))) {
      const key = name.toLowerCase();
      if (fields !== undefined && !fields.some((field) => sameName(field, name))) continue;
      if (value === null || value === '') continue;
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new ListError('usage', number, `${JSON.stringify(name)} is no text or number`);
      if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
        throw new ListError(
          'usage',
          number,
          `${JSON.stringify(name)} is a number that JSON readers round`,
          'write it as a text, in quotes',
        );
      if (!names.has(key)) {
        if (fields === undefined && !isField(name)) throw unknownColumns([name], number);
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
  return rows.cut([...names.values()]);
}

function jsonObject(line: string, number: number): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw new ListError('usage', number, 'no JSON object', 'NDJSON has one object a line');
}
