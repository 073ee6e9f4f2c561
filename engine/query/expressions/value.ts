/**
 * Values computed from events and from rows of tables, and conversions between kinds of values.
 *
 * Invariant: SQL defines the meaning; `reader` gives the same for rows in memory, which values.test.ts checks. What
 * cannot be computed is missing (NULL), never an error of one row.
 */
import type { RowScope } from '../batch/row-scope.ts';
import { untranslated } from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { IP6_TYPE } from '../dialect/duckdb.ts';
import { expressionText } from '../names/fields.ts';
import type { Scope } from '../plan/scope.ts';

export type ValueType = 'text' | 'number' | 'time' | 'address' | 'condition';

/**
 * The value of one row: text; a number; a time in microseconds; an IPv4 address as a number, an IPv6 one as UUID
 * text; truth as 1 and
 * 0. `null`: missing.
 */
export type Cell = string | number | null;
export type CellReader = (row: number) => Cell;

export interface Value {
  readonly type: ValueType;
  /** As written, with names replaced by their definitions: two values with the same text are the same. */
  readonly text: string;
  /** One part; of an address that of IPv4 and that of IPv6. */
  sql(scope: Scope): readonly string[];
  /**
   * The same in ClickHouse, in one part: addresses are texts, numbers have 64 bits, conditions are never missing.
   * Absent: it is refused. Throws DaybookError `usage`.
   */
  clickhouse?(scope: ClickHouseScope): string;
  /** Call it once per batch. */
  reader(scope: RowScope): CellReader;
  /** The value of a literal. */
  readonly literal?: string | number | null;
}

/** The only part of a value that is not an address. */
export function onePart(value: Value, scope: Scope): string {
  return value.sql(scope)[0]!;
}

/** SQL of a value in ClickHouse. @throws DaybookError usage */
export function valueClickHouse(value: Value, scope: ClickHouseScope): string {
  const sql = value.clickhouse?.(scope);
  if (sql === undefined) throw untranslated(`the expression ${expressionText(value.text)}`);
  return sql;
}

/** The SQL types of a value's parts. */
export const PART_TYPES: Readonly<Record<ValueType, readonly string[]>> = {
  text: ['VARCHAR'],
  number: ['DOUBLE'],
  time: ['TIMESTAMP'],
  address: ['UINTEGER', IP6_TYPE],
  condition: ['BOOLEAN'],
};
