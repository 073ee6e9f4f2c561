/** `values f`: the distinct values of a field with the number of events that have each. */
import type { Measure, Stage } from '../syntax/ast.ts';
import { byValue, valueShape, type Input, type Table } from '../statements/relation.ts';
import { groupedRows } from '../statements/group-parts.ts';
import { type ClickHouseRows, type ClickHouseTable, selectOf } from '../dialect/clickhouse-rows.ts';
import { byValues } from '../dialect/clickhouse-values.ts';
import { groupByClickHouse, keysClickHouse, groupKeys, keyList, keyedRows } from './group.ts';
import { ROW_BYTES } from '../batch/budget.ts';
import { Grouping } from '../batch/grouping.ts';
import { byAll } from '../batch/table.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { BatchContext, StageOperator } from './operator.ts';

type ValuesStage = Extract<Stage, { stage: 'values' }>;

function valuesTable({ field }: ValuesStage, input: Input): Table {
  const keys = groupKeys([field], input);
  const list = keyList(keys);
  const rows = keyedRows(keys, [], input);
  const present = list
    .split(', ')
    .map((one) => `${one} IS NOT NULL`)
    .join(' OR ');
  return {
    columns: [
      ...keys.columns,
      { name: 'count', shape: valueShape('count', 'integer', 'BIGINT'), aliases: ['n'] },
    ],
    order: [{ sql: '"n"', descending: true }, ...byValue(keys.columns)],
    sql: groupedRows(
      input,
      `${list}, count(*) AS n`,
      `SELECT * FROM (${rows}) AS v WHERE ${present}`,
      list,
    ),
  };
}

function valuesClickHouse({ field }: ValuesStage, rows: ClickHouseRows): ClickHouseTable {
  const { columns, list } = keysClickHouse([field], rows);
  const present = columns.flatMap(({ aliases }) => aliases.map((one) => `${one} IS NOT NULL`));
  const count = valueShape('count', 'integer', 'UInt64');
  return {
    columns: [...columns, { name: 'count', shape: count, aliases: ['n'] }],
    order: [{ sql: 'n', descending: true }, ...byValues(columns)],
    sql: selectOf(
      [...list, 'count() AS n'].join(', '),
      rows,
      `${groupByClickHouse(columns)}\nHAVING ${present.join(' AND ')}`,
    ),
  };
}

function valuesBatches(stage: ValuesStage, context: BatchContext): BatchStage {
  const { start, end, field } = stage;
  const { columns, budget } = context;
  const count: Measure = { fn: 'count', of: undefined, as: 'count', start, end };
  const grouping = new Grouping(context, { by: [field], measures: [count] });
  const keys = columns.slice(0, -1);
  return {
    scoped: (batch) => grouping.scoped(batch),
    finish: () => {
      budget.take(grouping.size * ROW_BYTES);
      const rows = Array.from({ length: grouping.size }, (_, group) => grouping.values(group))
        .map((values, group) => [...values, grouping.measures[0]!.value(group)])
        .filter((row) => row.slice(0, -1).some((value) => value !== null));
      return {
        table: { columns, rows, order: [{ alias: 'n', descending: true }, ...byAll(keys)] },
      };
    },
  };
}

export const valuesOperator: StageOperator<ValuesStage> = {
  shape: 'values',
  table: valuesTable,
  clickhouse: valuesClickHouse,
  fieldsTaken: ({ field }) => [field],
  groups: ({ field }) => ({ stage: 'values', fields: [field], measures: [], limit: Infinity }),
  batches: valuesBatches,
};
