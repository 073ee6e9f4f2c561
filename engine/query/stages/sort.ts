/** `sort f [desc], …`: rows in another order; of equals, in the order that they had. */
import type { SortKey, Stage } from '../syntax/ast.ts';
import type { OrderKey, Relation } from '../statements/relation.ts';
import { firstValue } from '../dialect/clickhouse-rows.ts';
import { orderOf } from '../dialect/clickhouse-values.ts';
import type { StageOperator } from './operator.ts';
import { namedColumns, valueParts } from './value-parts.ts';

type SortStage = Extract<Stage, { stage: 'sort' }>;

export function sortRelation(relation: Relation, keys: readonly SortKey[]): Relation {
  const order: OrderKey[] = [];
  for (const { by, descending } of keys) {
    const parts = valueParts(relation, by);
    for (const sql of parts) order.push({ sql, descending });
  }
  const known = new Set(order.map(({ sql }) => sql));
  return { ...relation, order: [...order, ...relation.order.filter(({ sql }) => !known.has(sql))] };
}

export const sortOperator: StageOperator<SortStage> = {
  sortsBy: ({ keys }) => keys,
  relation: ({ keys }, relation) => sortRelation(relation, keys),
  clickhouse: ({ keys }, rows) => {
    const order = keys.flatMap(({ by, descending }) => {
      const { shape, sql } = firstValue(by, rows);
      return orderOf(shape, sql, descending);
    });
    const known = new Set(order.map(({ sql }) => sql));
    return { ...rows, order: [...order, ...rows.order.filter(({ sql }) => !known.has(sql))] };
  },
  batchTable: ({ keys }, table) => {
    const order = keys.flatMap(({ by, descending }) =>
      namedColumns([by], table.columns).flatMap(({ aliases }) =>
        aliases.map((alias) => ({ alias, descending })),
      ),
    );
    const known = new Set(order.map(({ alias }) => alias));
    return { ...table, order: [...order, ...table.order.filter(({ alias }) => !known.has(alias))] };
  },
  needsAllEvents: () => 'sort of events',
};
