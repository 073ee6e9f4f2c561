/** The table that a stage made of batches: rows in the engine's order, which is total, missing values last. */
import { type Column, TextColumn } from '../../columns/columns.ts';
import type { RawValue } from '../values/raw-value.ts';
import { type TableColumn, inputColumns } from '../statements/relation.ts';
import { type Filter, filterColumns } from '../filters/filter.ts';
import { compareTexts } from '../values/text-order.ts';
import { type RowScope, columnOf, setValue, tableColumns } from './row-scope.ts';

export type Row = readonly RawValue[];

interface OrderPart {
  /** SQL name of a column's part. */
  readonly alias: string;
  readonly descending: boolean;
}

export interface BatchTable {
  readonly columns: readonly TableColumn[];
  /** A value for each SQL name of the columns, in their order. */
  readonly rows: readonly Row[];
  readonly order: readonly OrderPart[];
}

/** Missing values are last, also when descending. */
export function compareValues(a: RawValue, b: RawValue, descending: boolean): number {
  if (typeof a === 'number' && typeof b === 'number')
    return a === b ? 0 : a < b === descending ? 1 : -1;
  if (a === null || a === undefined || b === null || b === undefined)
    return Number(a === null || a === undefined) - Number(b === null || b === undefined);
  const order =
    typeof a === 'string' && typeof b === 'string'
      ? compareTexts(a, b)
      : a < b
        ? -1
        : a > b
          ? 1
          : 0;
  return descending ? -order : order;
}

/** Compares rows by an order. */
export function rowOrder(
  columns: readonly TableColumn[],
  order: readonly OrderPart[],
): (a: Row, b: Row) => number {
  const aliases = inputColumns(columns).map(({ alias }) => alias);
  const parts = order.map(({ alias, descending }) => ({ at: aliases.indexOf(alias), descending }));
  return (a, b) => {
    for (let i = 0; i < parts.length; i++) {
      const { at, descending } = parts[i]!;
      const found = compareValues(a[at], b[at], descending);
      if (found !== 0) return found;
    }
    return 0;
  };
}

/** All values, ascending. */
export function byAll(columns: readonly TableColumn[]): OrderPart[] {
  return inputColumns(columns).map(({ alias }) => ({ alias, descending: false }));
}

export function sorted(table: BatchTable): BatchTable {
  const compare = rowOrder(table.columns, table.order);
  const rows = byFirstNumber(table) ?? [...table.rows];
  return { ...table, rows: rows.sort(compare) };
}

/**
 * Rows in ascending order of a first number, if all are whole and below 2^32: nearly sorted numbers are sorted
 * faster this way than by a comparison function. Undefined: in no order.
 */
function byFirstNumber({ columns, rows, order }: BatchTable): Row[] | undefined {
  const [first] = order;
  if (first === undefined || first.descending || rows.length >= MOST_PACKED) return undefined;
  const at = inputColumns(columns).findIndex(({ alias }) => alias === first.alias);
  // The number, and after it where its row is: both in the 53 bits of a double.
  const packed = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const value = rows[i]![at];
    if (typeof value !== 'number' || value >>> 0 !== value) return undefined;
    packed[i] = value * MOST_PACKED + i;
  }
  packed.sort();
  return Array.from(packed, (key) => rows[key % MOST_PACKED]!);
}

const MOST_PACKED = 2 ** 21;

/** Rows keep their order: it may depend on columns that are removed. */
export function project(table: BatchTable, columns: readonly TableColumn[]): BatchTable {
  const aliases = inputColumns(table.columns).map(({ alias }) => alias);
  const at = inputColumns(columns).map(({ alias }) => aliases.indexOf(alias));
  return { columns, rows: table.rows.map((row) => at.map((one) => row[one])), order: [] };
}

/** The columns of a table, for filters and expressions. */
export function tableScopeOf({ columns, rows }: BatchTable): RowScope {
  const filled = new Map<string, Column>();
  const texts: TextColumn[] = [];
  for (const [at, { alias, sqlType }] of inputColumns(columns).entries()) {
    const column = columnOf(sqlType, Math.max(1, rows.length));
    for (const [row, values] of rows.entries()) setValue(column, row, values[at]);
    filled.set(alias, column);
    if (column instanceof TextColumn) texts.push(column);
  }
  return tableColumns(filled, texts, Math.max(1, rows.length));
}

/** The rows that a filter takes. */
export function filterTable(table: BatchTable, filter: Filter): BatchTable {
  const { rows } = table;
  const keep = filterColumns(filter, tableScopeOf(table));
  const numbers = Int32Array.from(rows, (_, i) => i);
  const n = keep(numbers, rows.length);
  return { ...table, rows: Array.from(numbers.subarray(0, n), (row) => rows[row]!) };
}
