/**
 * `top N f1, f2 [by measure]`: the N largest groups, exactly, with their share of the whole.
 *
 * Order: the measure from large to small, then the groups' values from small to large; a group
 * without a value is a group too, so that groups and rest add up to `count`.
 */
import type { Stage } from '../ast.ts';
import {
  byValue,
  orderBy,
  valueShape,
  type Input,
  type Table,
  type TableColumn,
} from '../relation.ts';
import { groupKeys, keyList, keyedRows } from './group.ts';
import { compileMeasure } from './measure.ts';
import { nullOf } from '../dialect/duckdb.ts';

export type TopStage = Extract<Stage, { stage: 'top' }>;

/** SQL names of what `top` gives beside its columns: of all groups, and of each. */
export const TOP_TOTALS = {
  count: 'total_count',
  measure: 'total_measure',
  groups: 'total_groups',
  groupCount: 'n',
} as const;

export function topStage(stage: TopStage, input: Input): Table {
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
  const order = [{ sql: '"m"', descending: true }, ...byValue(keys.columns)];
  const totalType = measure.shape.type === 'real' ? 'DOUBLE' : 'HUGEINT';
  const total = additive ? 'sum("m")' : nullOf(totalType);
  const shareSql = additive
    ? 'CAST(m AS DOUBLE) / nullif(CAST(total_measure AS DOUBLE), 0)'
    : nullOf('DOUBLE');
  const limit = input.params.bind(stage.limit, 'BIGINT');
  const sql = [
    `WITH g AS MATERIALIZED (SELECT ${list}, ${measure.aggregate} AS m, count(*) AS n FROM (${rows}) AS r GROUP BY ${list})`,
    `SELECT ${list}, m, n, ${shareSql} AS share,`,
    `total_count, total_measure, total_groups FROM g,`,
    `(SELECT sum(n) AS total_count, ${total} AS total_measure, count(*) AS total_groups FROM g) AS t`,
    `ORDER BY ${orderBy(order)} LIMIT ${limit}`,
  ].join('\n');
  const columns = [...keys.columns, measured];
  return { columns: additive ? [...columns, share] : columns, order, sql };
}
