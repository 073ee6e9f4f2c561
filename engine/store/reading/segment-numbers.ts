/**
 * Reads whole number columns of segments into typed arrays.
 *
 * Invariant: element `row` of an array belongs to the row with this number; if it has no value, `nulls` says so.
 */
import {
  DuckDBIntegerVector,
  DuckDBUIntegerVector,
  DuckDBUSmallIntVector,
  DuckDBUTinyIntVector,
  type DuckDBDataChunk,
  type DuckDBVector,
} from '@duckdb/node-api';
import { identifier } from '../segment-builder.ts';

type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array;

interface NumberColumn {
  readonly values: NumberArray;
  /** 1 for each row without a value; undefined: all rows have one. */
  nulls: Uint8Array | undefined;
}

export interface NumberedSegment {
  readonly id: number;
  readonly rows: number;
  /** Whether messages are stored as shapes and variables. */
  readonly cut?: boolean | undefined;
}

/** A column's name and SQL type. */
export interface NumberColumnName {
  readonly name: string;
  readonly type: string;
}

const ARRAYS: Readonly<Record<string, (rows: number) => NumberArray>> = {
  UTINYINT: (rows) => new Uint8Array(rows),
  USMALLINT: (rows) => new Uint16Array(rows),
  UINTEGER: (rows) => new Uint32Array(rows),
  INTEGER: (rows) => new Int32Array(rows),
};

/** Bytes per row of a column; undefined for types that are not read. */
export function bytesOfNumber(type: string): number | undefined {
  return ARRAYS[type]?.(0).BYTES_PER_ELEMENT;
}

/** A statement on attached segments whose chunks `collectNumbers` takes. */
export function numbersSql(
  segments: readonly NumberedSegment[],
  columns: readonly NumberColumnName[],
): string {
  const names = columns.map(({ name }) => `, ${identifier(name)}`).join('');
  return segments
    .map(({ id, cut }) => {
      const table = `${identifier(`seg_${id}`)}.${cut === true ? 'stored' : 'events'}`;
      return `SELECT CAST(${id} AS INTEGER) AS segment, CAST(rowid AS INTEGER) AS row${names} FROM ${table}`;
    })
    .join('\nUNION ALL\n');
}

/** By segment, then in the order of the columns. */
export type SegmentNumbers = ReadonlyMap<number, readonly NumberColumn[]>;

/** Stores chunks of `numbersSql` in their places, in whatever order they arrive. */
export class NumberCollector {
  readonly numbers: SegmentNumbers;
  private readonly left: Map<number, number>;

  constructor(segments: readonly NumberedSegment[], columns: readonly NumberColumnName[]) {
    this.numbers = new Map(
      segments.map(({ id, rows }) => [
        id,
        columns.map(({ type }) => ({ values: arrayOf(type, rows), nulls: undefined })),
      ]),
    );
    this.left = new Map(segments.map(({ id, rows }) => [id, rows]));
  }

  add(chunk: DuckDBDataChunk): void {
    const count = chunk.rowCount;
    const segments = itemsOf(chunk.getColumnVector(0), count);
    const rows = itemsOf(chunk.getColumnVector(1), count);
    for (let from = 0; from < count;) {
      const segment = segments[from]!;
      let to = from + 1;
      while (to < count && segments[to] === segment) to += 1;
      const columns = this.numbers.get(segment);
      if (columns === undefined) throw new TypeError(`rows of segment ${segment}`);
      const run = isRun(rows, from, to);
      columns.forEach((column, at) => {
        put(column, chunk.getColumnVector(at + 2), count, rows, from, to, run);
      });
      this.left.set(segment, this.left.get(segment)! - (to - from));
      from = to;
    }
  }

  /** Whether exactly all rows have arrived. */
  get whole(): boolean {
    return this.left.values().every((left) => left === 0);
  }
}

/** Whether each number is the previous one plus 1. */
function isRun(rows: NumberArray, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) if (rows[at] !== rows[at - 1]! + 1) return false;
  return true;
}

function put(
  column: NumberColumn,
  vector: DuckDBVector,
  count: number,
  rows: NumberArray,
  from: number,
  to: number,
  isRun: boolean,
): void {
  const { values } = column;
  const items = itemsOf(vector, count);
  // Rows in sequence. A damaged segment's rows may exceed the expected number: they are only counted.
  if (isRun && rows[from]! + to - from <= values.length)
    values.set(items.subarray(from, to), rows[from]);
  else for (let at = from; at < to; at++) values[rows[at]!] = items[at]!;
  const valid = validityOf(vector);
  if (valid === 'all') return;
  for (let at = from; at < to; at++) {
    if (((valid[at >>> 3]! >>> (at & 7)) & 1) === 1) continue;
    column.nulls ??= new Uint8Array(values.length);
    column.nulls[rows[at]!] = 1;
  }
}

function arrayOf(type: string, rows: number): NumberArray {
  const array = ARRAYS[type]?.(rows);
  if (array === undefined) throw new TypeError(`no numbers of type ${type}`);
  return array;
}

/**
 * The values of a vector. The library returns them one by one, which takes ten times as long as processing them:
 * they are read from its internal array, if it still has one.
 */
function itemsOf(vector: DuckDBVector, count: number): NumberArray {
  if (
    !(vector instanceof DuckDBUTinyIntVector) &&
    !(vector instanceof DuckDBUSmallIntVector) &&
    !(vector instanceof DuckDBUIntegerVector) &&
    !(vector instanceof DuckDBIntegerVector)
  )
    throw new TypeError('a vector of other values');
  const kept: object = vector;
  if ('items' in kept && isNumbers(kept.items)) return kept.items;
  const out = arrayOf(String(vector.type), count);
  for (let at = 0; at < count; at++) out[at] = vector.getItem(at) ?? 0;
  return out;
}

function isNumbers(items: unknown): items is NumberArray {
  return (
    items instanceof Uint8Array ||
    items instanceof Uint16Array ||
    items instanceof Uint32Array ||
    items instanceof Int32Array
  );
}

/** One bit for each item: whether there is a value. */
function validityOf(vector: DuckDBVector): Uint8Array | 'all' {
  const kept: object = vector;
  if ('validity' in kept && typeof kept.validity === 'object' && kept.validity !== null) {
    const { validity } = kept;
    if ('data' in validity) {
      const { data } = validity;
      if (data === null) return 'all';
      if (data instanceof BigUint64Array)
        return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    }
  }
  const bits = new Uint8Array(Math.ceil(vector.itemCount / 8));
  for (let at = 0; at < vector.itemCount; at++)
    if (vector.getItem(at) !== null) bits[at >>> 3]! |= 1 << (at & 7);
  return bits;
}
