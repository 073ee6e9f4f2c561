/** `head N`: the first rows. */
import type { Stage } from '../syntax/ast.ts';
import { sorted } from '../batch/table.ts';
import { chosen, firstRows } from '../dialect/clickhouse-rows.ts';
import { limited } from './limited.ts';
import type { StageOperator } from './operator.ts';

type HeadStage = Extract<Stage, { stage: 'head' }>;

export const headOperator: StageOperator<HeadStage> = {
  takes: ({ limit }) => ({ end: 'first', count: limit }),
  relation: ({ limit }, relation) => limited(relation, limit, false),
  clickhouse: ({ limit }, rows) => chosen(rows, firstRows(rows.order, limit)),
  batchTable: ({ limit }, table) => ({ ...table, rows: sorted(table).rows.slice(0, limit) }),
};
