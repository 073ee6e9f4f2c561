/**
 * The file of `lookup`: CSV, TSV, values separated by `;`, or NDJSON, whose first line (or keys) names the columns.
 * It is read once and cached by its bytes.
 *
 * Invariants: every column has a cell for each row; an empty cell is a missing value. Of rows with the same key the
 * first counts.
 */
import { counted } from '../../contract/words/counted.ts';
import { DaybookError } from '../../contract/errors.ts';
import { foldText } from '../../util/fold.ts';
import { type AddressRange, parseAddress } from '../values/address.ts';
import { macDigits, macTexts } from '../values/mac-text.ts';
import { LineReader, cellsOf, delimiterOf, jsonObject } from '../lists/list-lines.ts';

/** A file as given. */
export interface GivenFile {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** Hash of the bytes, in hexadecimal. */
  readonly sha256: string;
}

export const LOOKUP_LIMITS = {
  bytes: 16 << 20,
  rows: 200_000,
  columns: 64,
  /** Number of different block lengths: each needs its own look-up. */
  prefixes: 40,
} as const;

export interface LookupFile {
  readonly name: string;
  readonly sha256: string;
  readonly names: readonly string[];
  /** By column, then by row. */
  readonly cells: readonly (readonly (string | null)[])[];
  /** Number of each row's line, from 1. */
  readonly lines: readonly number[];
}

const known = new WeakMap<Uint8Array, LookupFile>();

/** @throws DaybookError usage, limit-exceeded */
function lookupFile(given: GivenFile): LookupFile {
  const file = known.get(given.bytes) ?? read(given);
  known.set(given.bytes, file);
  return file;
}

/** @throws DaybookError usage, limit-exceeded */
export function lookupFiles(
  given: ReadonlyMap<string, GivenFile>,
): ReadonlyMap<string, LookupFile> {
  return new Map([...given].map(([path, file]) => [path, lookupFile(file)]));
}

function read({ bytes, name, sha256 }: GivenFile): LookupFile {
  const wrong = (problem: string, line?: number): DaybookError =>
    new DaybookError(
      'usage',
      `${name}${line === undefined ? '' : `, line ${line}`}: ${problem}`,
      'a lookup reads CSV or TSV with a line of names, or NDJSON',
    );
  const tooMuch = (limit: string): DaybookError =>
    new DaybookError(
      'limit-exceeded',
      `${name}: more than ${limit}`,
      'leave out what is not needed',
    );
  if (bytes.length > LOOKUP_LIMITS.bytes) throw tooMuch('16 MB');
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes);
  if (text.includes('\0')) throw wrong('it is not text');
  const reader = new LineReader(text);
  const first = reader.next();
  if (first === undefined) throw wrong('it is empty');
  const names: string[] = [];
  const cells: (string | null)[][] = [];
  const lines: number[] = [];
  const add = (line: number): void => {
    if (lines.length === LOOKUP_LIMITS.rows) throw tooMuch(counted(LOOKUP_LIMITS.rows, 'row'));
    lines.push(line);
  };
  const addColumn = (column: string): number => {
    if (names.length === LOOKUP_LIMITS.columns)
      throw tooMuch(counted(LOOKUP_LIMITS.columns, 'column'));
    cells.push(lines.map(() => null));
    return names.push(column) - 1;
  };
  if (first.trimStart().startsWith('{')) {
    for (let line: string | undefined = first; line !== undefined; line = reader.next()) {
      const object = jsonObject(line, reader.number);
      add(reader.number);
      for (const column of cells) column.push(null);
      for (const [key, value] of Object.entries(object)) {
        const known = names.indexOf(key);
        const at = known < 0 ? addColumn(key) : known;
        cells[at]![lines.length - 1] = cellOf(value);
      }
    }
  } else {
    const delimiter = delimiterOf(first) ?? ',';
    for (const name of cellsOf(first, delimiter, reader)) {
      const column = name.trim();
      if (column === '' || names.includes(column))
        throw wrong(column === '' ? 'a column without a name' : `two columns named ${column}`, 1);
      addColumn(column);
    }
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      const { number } = reader;
      const row = cellsOf(line, delimiter, reader);
      if (row.length !== names.length)
        throw wrong(
          `${counted(row.length, 'value')} for ${counted(names.length, 'column')}`,
          number,
        );
      add(number);
      for (const [at, cell] of row.entries()) cells[at]!.push(cellOf(cell.trim()));
    }
  }
  if (lines.length === 0) throw wrong('there is no row below the names of its columns');
  return { name, sha256, names, cells, lines };
}

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.toWellFormed().replaceAll('\0', '');
}

/** Type of a column: number if every cell is a number in its usual spelling. */
export function columnType(cells: readonly (string | null)[]): 'number' | 'text' {
  const isNumber = (cell: string | null) => cell === null || NUMBER.test(cell);
  return cells.every(isNumber) && cells.some((cell) => cell !== null) ? 'number' : 'text';
}
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

// -- keys ------------------------------------------------------------------------------------------

/** Rows by their keys, those of one form together; of addresses the longest blocks first. */
export type LookupKeys =
  | { readonly type: 'text'; readonly rows: ReadonlyMap<string, number> }
  | { readonly type: 'number'; readonly rows: ReadonlyMap<number, number> }
  | { readonly type: 'address'; readonly blocks: readonly Blocks[] };

export interface Blocks {
  readonly version: 4 | 6;
  readonly prefix: number;
  /** By first address: a number, or a bigint for version 6. */
  readonly rows: ReadonlyMap<number | bigint, number>;
}

/** Whether all keys are addresses or blocks of them. */
export function hasAddresses(cells: readonly (string | null)[]): boolean {
  const there = cells.filter((cell) => cell !== null);
  return there.length > 0 && there.every((cell) => parseAddress(cell) !== undefined);
}

export function textKeys(cells: readonly (string | null)[]): LookupKeys {
  const rows = new Map<string, number>();
  for (const [row, cell] of cells.entries()) {
    if (cell === null) continue;
    const mac = macDigits(cell);
    for (const text of mac === undefined ? [cell] : macTexts(mac)) {
      const key = foldText(text);
      if (!rows.has(key)) rows.set(key, row);
    }
  }
  return { type: 'text', rows };
}

/** @throws DaybookError usage for the first cell that is not one */
export function numberKeys(
  { cells, lines, name }: LookupFile,
  column: number,
  numberOf: (text: string) => number | undefined,
): LookupKeys {
  const rows = new Map<number, number>();
  for (const [row, cell] of cells[column]!.entries()) {
    if (cell === null) continue;
    const key = numberOf(cell);
    if (key === undefined)
      throw new DaybookError(
        'usage',
        `${name}, line ${lines[row]}: ${JSON.stringify(cell)} is not a number`,
      );
    if (!rows.has(key)) rows.set(key, row);
  }
  return { type: 'number', rows };
}

/** @throws DaybookError usage for the first cell that is not one; limit-exceeded */
export function addressKeys({ cells, lines, name }: LookupFile, column: number): LookupKeys {
  const forms = new Map<
    string,
    { version: 4 | 6; prefix: number; rows: Map<number | bigint, number> }
  >();
  for (const [row, cell] of cells[column]!.entries()) {
    if (cell === null) continue;
    const range = parseAddress(cell.replaceAll('[.]', '.'));
    const block = range && blockOf(range);
    if (block === undefined)
      throw new DaybookError(
        'usage',
        `${name}, line ${lines[row]}: ${JSON.stringify(cell)} is neither an address nor a block of addresses`,
      );
    const { version, prefix, low } = block;
    const form = forms.get(`${version} ${prefix}`) ?? { version, prefix, rows: new Map() };
    forms.set(`${version} ${prefix}`, form);
    if (!form.rows.has(low)) form.rows.set(low, row);
  }
  if (forms.size > LOOKUP_LIMITS.prefixes)
    throw new DaybookError(
      'limit-exceeded',
      `${name}: blocks of ${forms.size} lengths, more than ${LOOKUP_LIMITS.prefixes}`,
      'split the file',
    );
  return { type: 'address', blocks: [...forms.values()].sort((a, b) => b.prefix - a.prefix) };
}

/** Undefined for a range that is not a block. */
function blockOf(
  range: AddressRange,
): { version: 4 | 6; prefix: number; low: number | bigint } | undefined {
  const bits = range.version === 4 ? 32 : 128;
  const size = BigInt(range.high) - BigInt(range.low) + 1n;
  const host = size.toString(2).length - 1;
  if (size !== 1n << BigInt(host) || BigInt(range.low) % size !== 0n) return undefined;
  return { version: range.version, prefix: bits - host, low: range.low };
}
