/**
 * The columns of a batch as all parts of an import have them: names, SQL types, sizes of values, and which columns
 * have values.
 */
import type { Column } from '../../columns/columns.ts';
import type { EventBatch } from '../../columns/event-batch.ts';
import { ATTRIBUTE_PREFIX } from '../../util/attribute-columns.ts';
import { type BatchRows, countPresent, valuesOf } from './batch-rows.ts';

/** Column for the JSON object of attributes beyond those that a batch has columns for. */
export const OVERFLOW_COLUMN = 'attrs';
/**
 * Packets are seldom truncated: the length of the record is then that of the packet plus its header, which is
 * constant.
 */
export const CAPTURED = 'captured';
export const RECORD = 'length';

export const SQL_TYPES: Readonly<Record<Column['type'], string>> = {
  u8: 'UTINYINT',
  u16: 'USMALLINT',
  u32: 'UINTEGER',
  i32: 'INTEGER',
  u64: 'BIGINT',
  i64: 'BIGINT',
  micros: 'TIMESTAMP',
  f64: 'DOUBLE',
  text: 'VARCHAR',
  ip6: 'UUID',
};

/** Bytes of a value as passed on; 0 for text, whose length is in its first four bytes. */
export const VALUE_BYTES: Readonly<Record<Column['type'], number>> = {
  u8: 1,
  u16: 4,
  u32: 4,
  i32: 4,
  u64: 8,
  i64: 8,
  micros: 8,
  f64: 8,
  ip6: 16,
  text: 0,
};

/** A longer text is stored in each row, even if it is the same in all. */
export const MAX_CONSTANT_TEXT = 256;

interface PresentColumn {
  readonly name: string;
  readonly column: Column;
  /** Number of rows with a value: at least one. */
  readonly count: number;
}

/** The columns with a value in some of the rows, in table order. */
export function* presentColumns(batch: EventBatch, rows: BatchRows): Generator<PresentColumn> {
  for (const [name, column] of batch.columns()) {
    const count = countPresent(column.present, rows);
    if (count > 0) yield { name, column, count };
  }
  for (const [name, column] of batch.attributes) {
    const count = countPresent(column.present, rows);
    if (count > 0) yield { name: ATTRIBUTE_PREFIX + name, column, count };
  }
  const count = countPresent(batch.overflow.present, rows);
  if (count > 0) yield { name: OVERFLOW_COLUMN, column: batch.overflow, count };
}

/** The bytes of the single value of all `count` `values`, each of `step` bytes; undefined if they differ. */
export function onlyValue(values: Uint8Array, step: number, count: number): Uint8Array | undefined {
  if (step * count !== values.length) return undefined;
  const moved = values.subarray(step);
  // If the bytes equal themselves shifted by one value, each value equals the one before.
  if (Buffer.compare(moved, values.subarray(0, moved.length)) !== 0) return undefined;
  return values.subarray(0, step);
}

/**
 * The difference between `length` and `captured` in all of these rows; undefined if it is not one number from 0 on.
 */
export function headerOf(
  { captured, record_length: length }: EventBatch,
  rows: BatchRows,
): number | undefined {
  const n = rows.to - rows.from;
  if (countPresent(captured.present, rows) < n || countPresent(length.present, rows) < n)
    return undefined;
  const more = valuesOf(length.values, rows);
  const less = valuesOf(captured.values, rows);
  const first = more[0]! - less[0]!;
  if (first < 0) return undefined;
  for (let i = 1; i < n; i++) if (more[i]! - less[i]! !== first) return undefined;
  return first;
}
