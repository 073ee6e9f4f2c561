/**
 * Rows as columns: how results cross from the engine to a window. Numbers are one Float64Array per
 * column (NaN: no value), texts one block of UTF-8 with offsets, so that a batch of any size costs a
 * handful of objects and a cell becomes a string only when it is looked at.
 *
 * Holds always: every column has `rows` values; offsets ascend; an empty text and no text differ.
 */

/** Whole numbers are exact up to 2^53; larger ones come as text. */
export interface NumberColumn {
  readonly name: string;
  readonly type: 'number';
  /** NaN where there is no value. */
  readonly values: Float64Array;
}

export interface TextColumn {
  readonly name: string;
  readonly type: 'text';
  /** UTF-8 of all values, one after the other. */
  readonly bytes: Uint8Array;
  /** `rows + 1` positions in `bytes`. */
  readonly offsets: Uint32Array;
  /** 1 where there is no value; left out when every row has one. */
  readonly absent?: Uint8Array | undefined;
}

export type BatchColumn = NumberColumn | TextColumn;

export interface ColumnBatch {
  readonly rows: number;
  readonly columns: readonly BatchColumn[];
}

export type CellValue = string | number | null;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** The value of `row` (from 0) in `column`; null when it has none. */
export function cell(column: BatchColumn, row: number): CellValue {
  if (column.type === 'number') {
    const value = column.values[row];
    return value === undefined || Number.isNaN(value) ? null : value;
  }
  if (column.absent?.[row] === 1) return null;
  const from = column.offsets[row];
  const to = column.offsets[row + 1];
  if (from === undefined || to === undefined) return null;
  return decoder.decode(column.bytes.subarray(from, to));
}

/** The column of that name, if the batch has one. */
export function columnOf(batch: ColumnBatch, name: string): BatchColumn | undefined {
  return batch.columns.find((column) => column.name === name);
}

/** One row by names, without the columns in which it has no value. */
export function rowOf(batch: ColumnBatch, row: number): Record<string, string | number> {
  const out: Record<string, string | number> = {};
  for (const column of batch.columns) {
    const value = cell(column, row);
    if (value === null) continue;
    Object.defineProperty(out, column.name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out;
}

/** A column from `rows` values: of numbers if every value is one, otherwise of texts. */
export function makeColumn(
  name: string,
  rows: number,
  value: (row: number) => CellValue | undefined,
): BatchColumn {
  const values: (CellValue | undefined)[] = [];
  let numeric = true;
  for (let row = 0; row < rows; row++) {
    const one = value(row);
    values.push(one);
    if (typeof one === 'string') numeric = false;
  }
  if (numeric) {
    return {
      name,
      type: 'number',
      values: Float64Array.from(values, (one) => (typeof one === 'number' ? one : NaN)),
    };
  }
  const offsets = new Uint32Array(rows + 1);
  const absent = new Uint8Array(rows);
  let anyAbsent = false;
  const parts: Uint8Array[] = [];
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const one = values[row];
    if (one === null || one === undefined) {
      absent[row] = 1;
      anyAbsent = true;
    } else {
      const part = encoder.encode(String(one));
      parts.push(part);
      at += part.length;
    }
    offsets[row + 1] = at;
  }
  const bytes = new Uint8Array(at);
  let to = 0;
  for (const part of parts) {
    bytes.set(part, to);
    to += part.length;
  }
  return { name, type: 'text', bytes, offsets, absent: anyAbsent ? absent : undefined };
}
