/** `tail N`: the last rows. */
import type { Stage } from '../syntax/ast.ts';
import { sorted } from '../batch/table.ts';
import { chosen, firstRows } from '../dialect/clickhouse-rows.ts';
import { limited } from './limited.ts';
import type { StageOperator } from './operator.ts';

type TailStage = Extract<Stage, { stage: 'tail' }>;

export const tailOperator: StageOperator<TailStage> = {
  takes: ({ limit }) => ({ end: 'last', count: limit }),
  relation: ({ limit }, relation) => limited(relation, limit, true),
  clickhouse: ({ limit }, rows) => chosen(rows, firstRows(rows.order, limit, true)),
  batchTable: ({ limit }, table) => ({
    ...table,
    rows: sorted(table).rows.slice(Math.max(0, table.rows.length - limit)),
  }),
  needsAllEvents: () => 'tail of events',
};
