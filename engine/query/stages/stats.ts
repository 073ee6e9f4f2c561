/** `stats count(), sum(bytes) as b by f, …`: a table; without `by` it has exactly one row. */
import type { Stage } from '../ast.ts';
import { byValue, type Input, type Table, type TableColumn } from '../relation.ts';
import { QueryError, shown } from '../query-error.ts';
import { groupKeys, keyList, keyedRows } from './group.ts';
import { type CompiledMeasure, compileMeasure } from './measure.ts';

export type StatsStage = Extract<Stage, { stage: 'stats' }>;

export function statsStage(stage: StatsStage, input: Input): Table {
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
  const by = list === '' ? '' : ` GROUP BY ${list}`;
  const selected = [...(list === '' ? [] : [list]), ...computed].join(', ');
  return {
    columns: [...keys.columns, ...grouped],
    order: keys.columns.length > 0 ? byValue(keys.columns) : [{ sql: '"s0"', descending: false }],
    sql: `SELECT ${selected} FROM (${rows}) AS r${by}`,
  };
}

function measureColumn(measures: readonly CompiledMeasure[], i: number): TableColumn {
  const { name, shape } = measures[i]!;
  return { name, shape, aliases: [`s${i}`] };
}
