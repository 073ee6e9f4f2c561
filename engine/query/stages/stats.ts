/** `stats count(), sum(bytes) as b by f, …`: a table; without `by` it has exactly one row. */
import type { Stage } from '../syntax/ast.ts';
import { byValue, type Input, type Table, type TableColumn } from '../statements/relation.ts';
import { QueryError, shown } from '../syntax/query-error.ts';
import { groupedRows } from '../statements/group-parts.ts';
import { type ClickHouseRows, type ClickHouseTable, selectOf } from '../dialect/clickhouse-rows.ts';
import { byValues } from '../dialect/clickhouse-values.ts';
import { groupByClickHouse, keysClickHouse, groupKeys, keyList, keyedRows } from './group.ts';
import {
  type CompiledMeasure,
  compileMeasure,
  keepsAllValues,
  measureClickHouse,
} from './measure.ts';
import type { RawValue } from '../values/raw-value.ts';
import { ROW_BYTES } from '../batch/budget.ts';
import { Grouping } from '../batch/grouping.ts';
import { byAll } from '../batch/table.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { BatchContext, StageOperator } from './operator.ts';

type StatsStage = Extract<Stage, { stage: 'stats' }>;

function statsTable(stage: StatsStage, input: Input): Table {
  const keys = groupKeys(stage.by, input);
  const measures = stage.measures.map((one, i) => compileMeasure(one, input, `m${i}_`));
  const taken = new Set(keys.columns.map(({ name }) => name));
  const clash = stage.measures.find(({ as }) => taken.has(as));
  if (clash !== undefined) {
    throw new QueryError(
      'query-syntax',
      `a second column named ${shown(clash.as)} (column ${clash.start + 1})`,
      clash.start,
    );
  }
  const grouped = measures.map((_, i) => measureColumn(measures, i));
  const list = keyList(keys);
  const rows = keyedRows(keys, measures, input);
  const computed = measures.map((measure, i) => `${measure.aggregate} AS s${i}`);
  const selected = [...(list === '' ? [] : [list]), ...computed].join(', ');
  return {
    columns: [...keys.columns, ...grouped],
    order: keys.columns.length > 0 ? byValue(keys.columns) : [{ sql: '"s0"', descending: false }],
    sql: groupedRows(input, selected, rows, list),
  };
}

function measureColumn(measures: readonly CompiledMeasure[], i: number): TableColumn {
  const { name, shape } = measures[i]!;
  return { name, shape, aliases: [`s${i}`] };
}

function statsClickHouse({ by, measures }: StatsStage, rows: ClickHouseRows): ClickHouseTable {
  const keys = keysClickHouse(by, rows);
  const measured = measures.map((one) => measureClickHouse(one, rows));
  const computed = measured.map(({ sql }, i) => `${sql} AS s${i}`);
  return {
    columns: [
      ...keys.columns,
      ...measured.map(({ shape }, i) => ({ name: shape.name, shape, aliases: [`s${i}`] })),
    ],
    order: byValues(keys.columns),
    sql: selectOf([...keys.list, ...computed].join(', '), rows, groupByClickHouse(keys.columns)),
  };
}

function statsBatches(stage: StatsStage, context: BatchContext): BatchStage {
  const { by, measures } = stage;
  const { columns, budget } = context;
  const grouping = new Grouping(context, { by, measures });
  const keys = columns.slice(0, columns.length - measures.length);
  return {
    scoped: (batch) => grouping.scoped(batch),
    finish: () => {
      // Without fields there is one row, even for no events at all.
      const groups = by.length === 0 ? 1 : grouping.size;
      budget.take(groups * ROW_BYTES);
      const rows: RawValue[][] = [];
      for (let group = 0; group < groups; group++) {
        const row = by.length === 0 ? [] : grouping.values(group);
        for (const measure of grouping.measures) row.push(measure.value(group));
        rows.push(row);
      }
      const order = keys.length > 0 ? byAll(keys) : [{ alias: 's0', descending: false }];
      return { table: { columns, rows, order } };
    },
  };
}

export const statsOperator: StageOperator<StatsStage> = {
  shape: 'stats',
  table: statsTable,
  clickhouse: statsClickHouse,
  fieldsTaken: ({ by, measures }) => [...by, ...measures.flatMap(({ of }) => of ?? [])],
  keepsValues: ({ measures }) => measures.some(keepsAllValues),
  groups: ({ by, measures }) => ({ stage: 'stats', fields: by, measures, limit: Infinity }),
  batches: statsBatches,
};
