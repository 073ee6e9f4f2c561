/**
 * `src_ip = dst_ip`, `len(message) > 100`, `match(host, /^web/)`: computed values, compared. Texts are the same whatever
 * their case, as everywhere; they are less or more by their bytes. With a missing value nothing is true.
 */
import { foldText } from '../../util/fold.ts';
import type { CompareOp } from '../syntax/ast.ts';
import { type RowFilter, each } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import { sameText } from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { foldedText } from '../dialect/duckdb.ts';
import { type Cell, type Value, valueClickHouse, onePart } from '../expressions/value.ts';
import type { Predicate, Scope } from '../plan/scope.ts';
import { compareTexts } from '../values/text-order.ts';
import type { FilterOperator } from './operator.ts';

export interface ComparisonFilter {
  readonly filter: 'comparison';
  readonly left: Value;
  /** Undefined: `left` is a condition by itself. */
  readonly op: CompareOp | undefined;
  /** Of the type of `left`. */
  readonly right: Value | undefined;
  /** As written. */
  readonly written: string;
}

function comparisonSql({ left, op, right }: ComparisonFilter, scope: Scope): Predicate {
  if (op === undefined || right === undefined) return { sql: onePart(left, scope) };
  const [a, b] = [left.sql(scope), right.sql(scope)];
  switch (left.type) {
    case 'address': {
      const same = a.map((part, i) => `${part} IS NOT DISTINCT FROM ${b[i]}`);
      return { sql: `(${same.join(' AND ')} AND (${a[0]} IS NOT NULL OR ${a[1]} IS NOT NULL))` };
    }
    case 'text':
      return {
        sql: op === '=' ? `${foldedText(a[0]!)} = ${foldedText(b[0]!)}` : `${a[0]} ${op} ${b[0]}`,
      };
    default:
      return { sql: `${a[0]} ${op} ${b[0]}` };
  }
}

function comparisonClickHouse(
  { left, op, right }: ComparisonFilter,
  scope: ClickHouseScope,
): string {
  const a = valueClickHouse(left, scope);
  if (op === undefined || right === undefined) return a;
  const b = valueClickHouse(right, scope);
  return left.type === 'text' && op === '=' ? sameText(a, b) : `(${a} ${op} ${b})`;
}

function comparisonColumns({ left, op, right }: ComparisonFilter, scope: RowScope): RowFilter {
  return each(() => {
    const readLeft = left.reader(scope);
    if (op === undefined || right === undefined) return (row) => readLeft(row) === 1;
    const readRight = right.reader(scope);
    const order = orderOf(left.type, op);
    return (row) => {
      const [a, b] = [readLeft(row), readRight(row)];
      return a !== null && b !== null && holds(op, order(a, b));
    };
  });
}

function orderOf(
  type: Value['type'],
  op: CompareOp,
): (a: NonNullable<Cell>, b: NonNullable<Cell>) => number {
  if (type === 'address') return (a, b) => (a === b ? 0 : 1);
  if (type !== 'text') return (a, b) => Number(a) - Number(b);
  if (op === '=') return (a, b) => (foldText(String(a)) === foldText(String(b)) ? 0 : 1);
  return (a, b) => compareTexts(String(a), String(b));
}

function holds(op: CompareOp, order: number): boolean {
  switch (op) {
    case '=':
      return order === 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

export const comparisonOperator: FilterOperator<ComparisonFilter> = {
  describe: ({ written }) => written,
  sql: comparisonSql,
  clickhouse: comparisonClickHouse,
  sqlCost: 'medium',
  lookUpCost: () => 0,
  columns: comparisonColumns,
};
