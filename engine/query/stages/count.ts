/** `count`: one number. */
import type { Stage } from '../syntax/ast.ts';
import { type Input, type Table, type TableColumn, valueShape } from '../statements/relation.ts';
import { type ClickHouseRows, type ClickHouseTable, selectOf } from '../dialect/clickhouse-rows.ts';
import { TRUE } from '../plan/scope.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { StageOperator } from './operator.ts';

type CountStage = Extract<Stage, { stage: 'count' }>;

const COUNT_COLUMN: TableColumn = {
  name: 'count',
  shape: valueShape('count', 'integer', 'BIGINT'),
  aliases: ['n'],
};

export function countTable(input: Input): Table {
  const rows = input.rows([], () => [{ select: [], also: TRUE }]);
  return {
    columns: [COUNT_COLUMN],
    order: [{ sql: '"n"', descending: false }],
    sql: `SELECT count(*) AS n FROM (${rows}) AS r`,
  };
}

function countClickHouse(rows: ClickHouseRows): ClickHouseTable {
  return {
    columns: [COUNT_COLUMN],
    order: [],
    sql: selectOf('count() AS n', rows),
  };
}

// -- rows of batches -------------------------------------------------------------------------------

function countBatches(columns: readonly TableColumn[]): BatchStage {
  let count = 0;
  return {
    scoped: () => (_, n) => {
      count += n;
    },
    finish: () => ({
      table: { columns, rows: [[count]], order: [{ alias: 'n', descending: false }] },
    }),
  };
}

export const countOperator: StageOperator<CountStage> = {
  shape: 'count',
  table: (_, input) => countTable(input),
  clickhouse: (_, rows) => countClickHouse(rows),
  batches: (_, { columns }) => countBatches(columns),
  batchTable: (_, { rows }) => ({
    columns: [COUNT_COLUMN],
    rows: [[rows.length]],
    order: [{ alias: 'n', descending: false }],
  }),
};
