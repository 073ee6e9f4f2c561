/** `where filter`: a filter of the rows so far, also on computed columns. */
import type { Stage } from '../syntax/ast.ts';
import { analyse } from '../plan/analyse.ts';
import { filterTable } from '../batch/table.ts';
import { both } from '../dialect/clickhouse.ts';
import { type Filter, filterClickHouse, compileFilter } from '../filters/filter.ts';
import type { Relation } from '../statements/relation.ts';
import { batchResolve } from './computed-columns.ts';
import type { StageOperator } from './operator.ts';

type WhereStage = Extract<Stage, { stage: 'where' }>;

export function whereRelation(relation: Relation, filter: Filter): Relation {
  const condition = compileFilter(filter, relation.scope);
  if (!('sql' in condition) && condition.value) return relation;
  const sql = 'sql' in condition ? condition.sql : 'FALSE';
  return { ...relation, sql: () => `SELECT * FROM (${relation.sql()}) AS r WHERE ${sql}` };
}

export const whereOperator: StageOperator<WhereStage> = {
  withFilters: (stage, change) => ({ ...stage, filter: change(stage.filter) }),
  condition: ({ filter }, resolve, around) => analyse(filter, resolve, around),
  relation: ({ filter }, relation, around) =>
    whereRelation(relation, analyse(filter, relation.resolve, around)),
  clickhouse: ({ filter }, rows) => ({
    ...rows,
    where: both([
      rows.where,
      filterClickHouse(analyse(filter, rows.resolve, rows.around), rows.scope),
    ]),
  }),
  batchTable: ({ filter }, table, around) =>
    filterTable(table, analyse(filter, batchResolve(table, around), around)),
};
