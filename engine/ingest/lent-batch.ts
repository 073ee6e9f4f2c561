/** A batch of events as another thread is lent it: copies of the columns that have values, in shared memory. */
import { type Column, EventBatch, TextColumn } from '../contract/event-batch.ts';
import type { Kind } from '../contract/event.ts';
import { type BatchNumbers, rowSpan } from '../store/batch-rows.ts';
import { ATTRIBUTE_PREFIX, OVERFLOW_COLUMN, presentColumns } from '../store/column-types.ts';
import { lentCopy } from './shared-memory.ts';

interface LentColumn {
  /** As it is stored. */
  readonly name: string;
  /** Left out where all rows have a value, as nearly always. */
  readonly present: Uint8Array | undefined;
  readonly content:
    | { readonly values: BatchNumbers }
    /** As a `TextColumn` has them. */
    | { readonly data: Uint8Array; readonly size: number; readonly starts: Uint32Array };
}

export interface LentBatch {
  readonly kind: Kind;
  readonly length: number;
  /** Rows that it has room for. */
  readonly capacity: number;
  readonly columns: readonly LentColumn[];
  /** Of all values. */
  readonly bytes: number;
}

export function lend(batch: EventBatch): LentBatch {
  const n = batch.length;
  const columns: LentColumn[] = [];
  let bytes = 0;
  for (const { name, column, count } of presentColumns(batch, rowSpan(0, n))) {
    const present = count === n ? undefined : lentCopy(column.present.subarray(0, n));
    if (column.type === 'text') {
      const { size } = column;
      const data = lentCopy(column.data.subarray(0, size));
      const starts = lentCopy(column.starts.subarray(0, n));
      columns.push({ name, present, content: { data, size, starts } });
      bytes += size;
    } else {
      const values = lentCopy(column.values.subarray(0, column.type === 'ip6' ? n * 16 : n));
      columns.push({ name, present, content: { values } });
      bytes += values.byteLength;
    }
  }
  return { kind: batch.kind, length: n, capacity: batch.capacity, columns, bytes };
}

/** The memory of a batch that is shared; the rest of it is copied when it is sent. */
export function memoryOf({ columns }: LentBatch): SharedArrayBuffer[] {
  return columns
    .flatMap(({ present, content }) => [
      ...(present === undefined ? [] : [present]),
      ...('data' in content ? [content.data, content.starts] : [content.values]),
    ])
    .map(({ buffer }) => buffer)
    .filter((one) => one instanceof SharedArrayBuffer);
}

/** The batch that was lent, its columns where they lie. Nothing may be added to it. */
export function borrowed({ kind, length, capacity, columns }: LentBatch): EventBatch {
  // Its columns are replaced.
  const batch = Object.assign(new EventBatch(kind, () => undefined, 0), { length, capacity });
  const known = new Map<string, Column>(batch.columns());
  known.set(OVERFLOW_COLUMN, batch.overflow);
  for (const column of known.values()) blank(column, length);
  for (const { name, present, content } of columns) {
    let column = known.get(name);
    if (column === undefined) {
      column = new TextColumn(0);
      batch.attributes.set(name.slice(ATTRIBUTE_PREFIX.length), column);
    }
    Object.assign(column, { present: present ?? sameBytes(1, length), ...content });
  }
  return batch;
}

/** Makes `column` one of which no row has a value. */
function blank(column: Column, rows: number): void {
  const present = sameBytes(0, rows);
  if (column.type === 'text') {
    Object.assign(column, { present, starts: numbersOf(column.starts, rows) });
  } else {
    const n = column.type === 'ip6' ? rows * 16 : rows;
    Object.assign(column, { present, values: numbersOf(column.values, n) });
  }
}

/** For all that ask, since nobody writes to it: by value, as many of it as were ever asked for. */
const same = [new Uint8Array(0), new Uint8Array(0)];

function sameBytes(value: 0 | 1, n: number): Uint8Array {
  let bytes = same[value]!;
  if (bytes.length < n) same[value] = bytes = new Uint8Array(n).fill(value);
  return bytes;
}

/** `n` numbers of the type of `like` that are 0. */
function numbersOf(like: BatchNumbers, n: number): BatchNumbers {
  const { buffer } = sameBytes(0, n * like.BYTES_PER_ELEMENT);
  const Typed = like.constructor as new (
    buffer: ArrayBufferLike,
    at: number,
    n: number,
  ) => BatchNumbers;
  return new Typed(buffer, 0, n);
}
