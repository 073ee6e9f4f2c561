/**
 * `top N f1, f2 [by measure]`: the N largest groups, exactly, with their share of the whole.
 *
 * Order: descending by the measure, then ascending by the groups' values; a missing value forms a group, too, so
 * that groups and rest add up to `count`.
 */
import type { Stage } from '../syntax/ast.ts';
import {
  byValue,
  orderBy,
  valueShape,
  type Input,
  type Table,
  type TableColumn,
} from '../statements/relation.ts';
import { groupedRows, keptGroups } from '../statements/group-parts.ts';
import {
  type ClickHouseRows,
  type ClickHouseTable,
  firstRows,
  selectOf,
  subquery,
} from '../dialect/clickhouse-rows.ts';
import { byValues } from '../dialect/clickhouse-values.ts';
import { groupByClickHouse, keysClickHouse, groupKeys, keyList, keyedRows } from './group.ts';
import { compileMeasure, keepsAllValues, measureClickHouse } from './measure.ts';
import { nullOf } from '../dialect/duckdb.ts';
import type { RawValue } from '../values/raw-value.ts';
import { firstOf } from '../batch/first-of.ts';
import { Grouping } from '../batch/grouping.ts';
import { Counter } from '../batch/measures.ts';
import { byAll, compareValues, rowOrder } from '../batch/table.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { BatchContext, StageOperator } from './operator.ts';

export type TopStage = Extract<Stage, { stage: 'top' | 'rare' }>;

/** SQL names of the additional columns of `top`: totals of all groups, and of each. */
export const TOP_TOTALS = {
  count: 'total_count',
  measure: 'total_measure',
  groups: 'total_groups',
  groupCount: 'n',
} as const;

function topTable(stage: TopStage, input: Input): Table {
  const keys = groupKeys(stage.fields, input);
  const measure = compileMeasure(stage.by, input, 'm');
  const rows = keyedRows(keys, [measure], input);
  const list = keyList(keys);
  const additive = stage.by.fn === 'count' || stage.by.fn === 'sum';
  const measured: TableColumn = { name: measure.name, shape: measure.shape, aliases: ['m'] };
  const share: TableColumn = {
    name: 'share',
    shape: valueShape('share', 'real', 'DOUBLE'),
    aliases: ['share'],
  };
  const order = [{ sql: '"m"', descending: stage.stage === 'top' }, ...byValue(keys.columns)];
  const totalType = measure.shape.type === 'real' ? 'DOUBLE' : 'HUGEINT';
  const total = additive ? 'sum("m")' : nullOf(totalType);
  const shareSql = additive
    ? 'CAST(m AS DOUBLE) / nullif(CAST(total_measure AS DOUBLE), 0)'
    : nullOf('DOUBLE');
  const groups = groupedRows(
    input,
    `${list}, ${measure.aggregate} AS m, count(*) AS n`,
    rows,
    list,
  );
  const limit = input.params.bind(stage.limit, 'BIGINT');
  const sql = [
    `WITH g AS ${keptGroups(input)} (${groups})`,
    `SELECT ${list}, m, n, ${shareSql} AS share,`,
    `total_count, total_measure, total_groups FROM g,`,
    `(SELECT sum(n) AS total_count, ${total} AS total_measure, count(*) AS total_groups FROM g) AS t`,
    `ORDER BY ${orderBy(order)} LIMIT ${limit}`,
  ].join('\n');
  const columns = [...keys.columns, measured];
  return { columns: additive ? [...columns, share] : columns, order, sql };
}

function topClickHouse(stage: TopStage, rows: ClickHouseRows): ClickHouseTable {
  const { columns, list } = keysClickHouse(stage.fields, rows);
  const measure = measureClickHouse(stage.by, rows);
  const { count, measure: whole, groups: all, groupCount } = TOP_TOTALS;
  const { isShown } = rows;
  const counted = isShown ? [`count() AS ${groupCount}`] : [];
  const groups = selectOf(
    [...list, `${measure.sql} AS m`, ...counted].join(', '),
    rows,
    groupByClickHouse(columns),
  );
  const order = [{ sql: 'm', descending: stage.stage === 'top' }, ...byValues(columns)];
  const measured = { name: measure.shape.name, shape: measure.shape, aliases: ['m'] };
  const share = {
    name: 'share',
    shape: valueShape('share', 'real', 'Float64'),
    aliases: ['share'],
  };
  const additive = stage.by.fn === 'count' || stage.by.fn === 'sum';
  const first = firstRows(order, stage.limit);
  // The whole is that of all groups: it is known before the first are chosen.
  const total = additive ? 'sum(m) OVER ()' : 'NULL';
  const beside = [
    ...(additive ? [`toFloat64(m) / nullIf(toFloat64(sum(m) OVER ()), 0) AS share`] : []),
    ...(isShown ? [`sum(${groupCount}) OVER () AS ${count}`, `${total} AS ${whole}`] : []),
    ...(isShown ? [`count() OVER () AS ${all}`] : []),
  ];
  const sql =
    beside.length > 0
      ? `SELECT ${['*', ...beside].join(', ')}\nFROM ${subquery(groups)}\n${first}`
      : `${groups}\n${first}`;
  return {
    ...{ columns: [...columns, measured, ...(additive ? [share] : [])], order, sql },
    totals: isShown ? [count, whole, all, groupCount] : [],
  };
}

// -- rows of batches -------------------------------------------------------------------------------

function topBatches(stage: TopStage, context: BatchContext): BatchStage {
  const { columns } = context;
  const counting = stage.by.fn === 'count';
  const measures = counting ? [stage.by] : [stage.by, { ...stage.by, fn: 'count' as const }];
  const grouping = new Grouping(context, { by: stage.fields, measures });
  const additive = counting || stage.by.fn === 'sum';
  const keys = columns.slice(0, columns.length - (additive ? 2 : 1));
  const descending = stage.stage === 'top';
  const order = [{ alias: 'm', descending }, ...byAll(keys)];
  return {
    scoped: (batch) => grouping.scoped(batch),
    finish: () => {
      const [measure] = grouping.measures;
      const counts = grouping.measures.at(-1);
      if (measure === undefined || !(counts instanceof Counter))
        throw new TypeError('top measures and counts');
      const groups = Array.from({ length: grouping.size }, (_, group) => group);
      const byKeys = rowOrder(keys, byAll(keys));
      const chosen = firstOf(
        groups,
        stage.limit,
        (a, b) =>
          compareValues(measure.value(a), measure.value(b), descending) ||
          byKeys(grouping.values(a), grouping.values(b)),
      );
      let totalCount = 0n;
      let total: RawValue = null;
      for (const group of groups) {
        totalCount += BigInt(counts.value(group));
        if (additive) total = sum(total, measure.value(group));
      }
      const share = (value: RawValue): RawValue => {
        const whole = Number(total ?? 0);
        return value === null || value === undefined || whole === 0 ? null : Number(value) / whole;
      };
      const rows = chosen.map((group): RawValue[] => {
        const value = measure.value(group);
        const shown = [...grouping.values(group), value];
        return additive ? [...shown, share(value)] : shown;
      });
      const totals = [totalCount, total, BigInt(groups.length)];
      return {
        table: { columns, rows, order },
        raw: rows.map((row, i) => [...row, ...totals, BigInt(counts.value(chosen[i]!))]),
      };
    },
  };
}

/** Whole numbers stay exact. */
function sum(a: RawValue, b: RawValue): RawValue {
  if (a === null || a === undefined) return b;
  if (b === null || b === undefined) return a;
  if (typeof a === 'bigint' && typeof b === 'bigint') return a + b;
  return Number(a) + Number(b);
}

/** Faces of both. */
const LARGEST_OR_SMALLEST = {
  shape: 'top',
  table: topTable,
  clickhouse: topClickHouse,
  fieldsTaken: ({ fields, by }) => [...fields, ...(by.of === undefined ? [] : [by.of])],
  keepsValues: ({ by }) => keepsAllValues(by),
  batches: topBatches,
} satisfies Partial<StageOperator<TopStage>>;

export const topOperator: StageOperator<Extract<Stage, { stage: 'top' }>> = {
  ...LARGEST_OR_SMALLEST,
  groups: ({ fields, by, limit }) => ({ stage: 'top', fields, measures: [by], limit }),
};

export const rareOperator: StageOperator<Extract<Stage, { stage: 'rare' }>> = {
  ...LARGEST_OR_SMALLEST,
};
