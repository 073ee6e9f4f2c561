/**
 * Some rows of a batch in an order: a contiguous span, or a list. Writers read columns through these functions, so
 * that a span costs nothing per row.
 */
import type { TextColumn } from '../../columns/columns.ts';
import { countOnes } from './presence.ts';

export interface BatchRows {
  /** Rows `from` to `to` of the batch, or of `list`. */
  readonly from: number;
  readonly to: number;
  readonly list: Uint32Array | undefined;
}

export type BatchNumbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

export function rowSpan(from: number, to: number): BatchRows {
  return { from, to, list: undefined };
}

export function rowList(list: Uint32Array): BatchRows {
  return { from: 0, to: list.length, list };
}

/** Number of rows with a value. */
export function countPresent(present: Uint8Array, { from, to, list }: BatchRows): number {
  let count = 0;
  if (list !== undefined) {
    for (let i = from; i < to; i++) count += present[list[i]!]!;
    return count;
  }
  // Nearly every column has a value in all rows or in none, which is detected at the speed of memory.
  const span = Buffer.from(present.buffer, present.byteOffset + from, to - from);
  const absent = span.indexOf(0);
  if (absent < 0) return to - from;
  if (absent === 0 && span.indexOf(1) < 0) return 0;
  return countOnes(present.subarray(from, to));
}

/** The rows' values: a view for a span, a copy for a list. */
export function valuesOf<T extends BatchNumbers>(values: T, rows: BatchRows): T {
  const { from, to, list } = rows;
  if (list === undefined) return values.subarray(from, to) as T;
  const out = values.slice(0, to - from) as T;
  for (let i = from; i < to; i++) out[i - from] = values[list[i]!]!;
  return out;
}

/** The same for values of `width` bytes. */
export function wideValuesOf(values: Uint8Array, width: number, rows: BatchRows): Uint8Array {
  const { from, to, list } = rows;
  if (list === undefined) return values.subarray(from * width, to * width);
  const out = new Uint8Array((to - from) * width);
  for (let i = from; i < to; i++) {
    const at = list[i]! * width;
    out.set(values.subarray(at, at + width), (i - from) * width);
  }
  return out;
}

/** The rows' texts, concatenated as in `TextColumn.data`: a view for a span, a copy for a list. */
export function textBytesOf(column: TextColumn, rows: BatchRows): Uint8Array {
  const { from, to, list } = rows;
  const { data, starts, present } = column;
  if (list === undefined) {
    const first = present.indexOf(1, from);
    if (first < 0 || first >= to) return data.subarray(0, 0);
    const behind = present.indexOf(1, to);
    return data.subarray(starts[first], behind < 0 ? column.size : starts[behind]);
  }
  let size = 0;
  for (let i = from; i < to; i++) {
    const row = list[i]!;
    if (present[row] === 1) size += 4 + textLength(data, starts[row]!);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (let i = from; i < to; i++) {
    const row = list[i]!;
    if (present[row] === 0) continue;
    const start = starts[row]!;
    const length = 4 + textLength(data, start);
    out.set(data.subarray(start, start + length), at);
    at += length;
  }
  return out;
}

/**
 * Where each row's text begins in the result of `textBytesOf`; arbitrary for rows without one.
 * @param out one element for each row
 */
export function textStartsOf(
  column: TextColumn,
  rows: BatchRows,
  out: Uint32Array = new Uint32Array(rows.to - rows.from),
): Uint32Array {
  const { from, to, list } = rows;
  const { data, starts, present } = column;
  if (list === undefined) {
    const first = present.indexOf(1, from);
    const before = first < 0 || first >= to ? 0 : starts[first]!;
    for (let i = from; i < to; i++) out[i - from] = starts[i]! - before;
    return out;
  }
  let at = 0;
  for (let i = from; i < to; i++) {
    const row = list[i]!;
    if (present[row] === 0) continue;
    out[i - from] = at;
    at += 4 + textLength(data, starts[row]!);
  }
  return out;
}

/** Length in bytes of the text whose length word is at `at`. */
export function textLength(data: Uint8Array, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
}
