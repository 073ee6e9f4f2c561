/**
 * The rule that packets are the layer beneath flows: leaves out packets that belong to a flow. It is
 * part of every query that does not mention `kind`.
 */
import { KEEP, type RowFilter, each } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import { rowsOf } from '../plan/known-rows/rows.ts';
import { both, either } from './logic.ts';
import type { FilterOperator } from './operator.ts';
import { FALSE, type Predicate, type Scope } from '../plan/scope.ts';

export interface UnflowedFilter {
  readonly filter: 'unflowed';
}
export const UNFLOWED: UnflowedFilter = { filter: 'unflowed' };

export function isUnflowed({ filter }: { readonly filter: string }): boolean {
  return filter === UNFLOWED.filter;
}

function unflowedSql(_filter: UnflowedFilter, scope: Scope): Predicate {
  const { segment } = scope;
  const flow = scope.column('flow_id');
  if (segment !== undefined) {
    if (segment.kind !== 'packet' || flow === undefined) return { value: true, reason: 'kind' };
    if (segment.unflowedPackets === 0) return { value: false, reason: 'kind' };
    if (segment.unflowedPackets === segment.rows) return { value: true, reason: 'kind' };
    return { sql: `${flow} IS NULL` };
  }
  const isPacket = `${scope.kind()} = ${scope.params.text('packet')}`;
  return either([
    { sql: `(${isPacket}) IS NOT TRUE` },
    flow === undefined ? FALSE : both([{ sql: `${flow} IS NULL` }]),
  ]);
}

function unflowedColumns(_filter: UnflowedFilter, scope: RowScope): RowFilter {
  if (scope.kind !== 'packet') return KEEP;
  const column = scope.peek('flow_id');
  return each(() => (row) => column?.present[row] !== 1);
}

export const unflowedOperator: FilterOperator<UnflowedFilter> = {
  describe: () => 'no packets of flows',
  sql: unflowedSql,
  clickhouse: () => `(kind != 'packet' OR flow_id IS NULL)`,
  sqlCost: 'low',
  rows: (_filter, _segment, { indexes }) => {
    const found = indexes.values?.unflowed();
    return found && { rows: rowsOf(found), exact: true };
  },
  lookUpCost: () => 2,
  columns: unflowedColumns,
};
