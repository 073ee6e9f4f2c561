/**
 * Rows as columns: how results cross from the engine to a window. Numbers are one Float64Array per column (NaN: no
 * value), texts one block of UTF-8 with offsets, so that a batch of any size costs a handful of objects and a cell
 * becomes a string only when it is read.
 *
 * Invariants: every column has `rows` values; offsets ascend; an empty text differs from a missing one.
 */

/** Whole numbers are exact up to 2^53; larger ones come as text. */
interface NumberColumn {
  readonly name: string;
  readonly type: 'number';
  /** NaN where there is no value. */
  readonly values: Float64Array;
}

interface TextColumn {
  readonly name: string;
  readonly type: 'text';
  /** UTF-8 of all values, concatenated. */
  readonly bytes: Uint8Array;
  /** `rows + 1` positions in `bytes`. */
  readonly offsets: Uint32Array;
  /** 1 where there is no value; absent if every row has one. */
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

/** The column with that name, if the batch has one. */
export function columnOf(batch: ColumnBatch, name: string): BatchColumn | undefined {
  return batch.columns.find((column) => column.name === name);
}

/** One row as an object, without the columns in which it has no value. */
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

/** Makes a column of `rows` values: numeric if every value is a number, otherwise text. */
export function makeColumn(
  name: string,
  rows: number,
  value: (row: number) => CellValue | undefined,
): BatchColumn {
  const made = new ColumnMaker();
  for (let row = 0; row < rows; row++) made.add(row, value(row));
  return made.finish(name, rows);
}

/** Builds a column by visiting only the rows that have a value. */
export class ColumnMaker {
  /** Rows with a value, ascending, and their values. */
  private readonly rows: number[] = [];
  private readonly values: (string | number)[] = [];
  private isNumeric = true;

  /** @param row greater than every row added before */
  add(row: number, value: CellValue | undefined): void {
    if (value === null || value === undefined) return;
    if (typeof value === 'string') this.isNumeric = false;
    this.rows.push(row);
    this.values.push(value);
  }

  /** @param rows number of rows of the batch */
  finish(name: string, rows: number): BatchColumn {
    return this.isNumeric ? this.numbers(name, rows) : this.texts(name, rows);
  }

  private numbers(name: string, rows: number): NumberColumn {
    const values = new Float64Array(rows).fill(NaN);
    this.rows.forEach((row, i) => void (values[row] = Number(this.values[i])));
    return { name, type: 'number', values };
  }

  private texts(name: string, rows: number): TextColumn {
    const offsets = new Uint32Array(rows + 1);
    const text = new Utf8Writer();
    let row = 0;
    this.rows.forEach((next, i) => {
      offsets.fill(text.size, row + 1, next + 1);
      text.write(String(this.values[i]));
      row = next + 1;
      offsets[row] = text.size;
    });
    offsets.fill(text.size, row + 1);
    if (this.rows.length === rows) return { name, type: 'text', bytes: text.take(), offsets };
    const absent = new Uint8Array(rows).fill(1);
    for (const present of this.rows) absent[present] = 0;
    return { name, type: 'text', bytes: text.take(), offsets, absent };
  }
}

/** Concatenates texts as UTF-8. */
class Utf8Writer {
  size = 0;
  private bytes = new Uint8Array(4096);

  write(text: string): void {
    const most = this.size + text.length * 3;
    if (most > this.bytes.length) {
      const bigger = new Uint8Array(Math.max(most, this.bytes.length * 2));
      bigger.set(this.bytes.subarray(0, this.size));
      this.bytes = bigger;
    }
    // Most texts are short and ASCII, for which calling the encoder costs more than copying.
    const { bytes, size } = this;
    const { length } = text;
    if (length <= 32) {
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 127) break;
        bytes[size + i] = code;
      }
      if (i === length) {
        this.size += length;
        return;
      }
    }
    this.size += encoder.encodeInto(text, bytes.subarray(size)).written;
  }

  take(): Uint8Array {
    return this.bytes.slice(0, this.size);
  }
}
