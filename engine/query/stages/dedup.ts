/** `dedup f, …`: the first row, in the order so far, of each combination of values. */
import { chosen, firstValue, ordered } from '../dialect/clickhouse-rows.ts';
import { firstOfEach } from '../dialect/duckdb.ts';
import type { Stage } from '../syntax/ast.ts';
import { type Relation, orderBy } from '../statements/relation.ts';
import type { StageOperator } from './operator.ts';
import { valueParts } from './value-parts.ts';

type DedupStage = Extract<Stage, { stage: 'dedup' }>;

function dedupRelation({ fields }: DedupStage, relation: Relation): Relation {
  const keys = fields.flatMap((field) => valueParts(relation, field));
  const { order } = relation;
  return {
    ...relation,
    sql: () => `SELECT * FROM (${relation.sql()}) AS r ${firstOfEach(keys, orderBy(order))}`,
  };
}

export const dedupOperator: StageOperator<DedupStage> = {
  relation: dedupRelation,
  clickhouse: ({ fields }, rows) => {
    const keys = fields.map((field) => firstValue(field, rows).sql);
    return chosen(rows, `${ordered(rows.order)}\nLIMIT 1 BY ${keys.join(', ')}`);
  },
  needsAllEvents: () => 'dedup of events',
};
