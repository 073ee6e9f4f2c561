/** Statements about groups of events that an earlier statement found. */
import { type Name } from '../syntax/ast.ts';
import { boundList, eachOf, micros, nullOf, numbersBelow, Params } from '../dialect/duckdb.ts';
import type { RawValue } from '../values/raw-value.ts';
import type { Plan } from '../plan/plan.ts';
import { eventContext, inputOf } from '../plan/plan-tables.ts';
import { type InputColumn, inputColumns } from './relation.ts';
import { TRUE } from '../plan/scope.ts';
import type { EvenGrid } from './stacked-timeline.ts';
import { groupKeys, keyList, keyedRows } from '../stages/group.ts';
import { compileMeasure } from '../stages/measure.ts';
import { type Statement, outputsOf } from './statements.ts';
import { type Variant, combine } from '../values/values.ts';

/**
 * Rows of columns as a table that is bound, one list per column. `values[row][column]` are as results
 * carry them: times as microseconds.
 */
export function boundTable(
  columns: readonly InputColumn[],
  values: readonly (readonly RawValue[])[],
  params: Params,
): string {
  const lists = columns.map(({ alias, sqlType }, at) => {
    const texts = values.map((row) => {
      const value = row[at];
      return value === null || value === undefined ? null : String(value);
    });
    return `${eachOf(boundList(texts, sqlType, params))} AS "${alias}"`;
  });
  const ranks = `${eachOf(numbersBelow(params.bind(values.length, 'BIGINT')))} AS rank`;
  return `SELECT ${[ranks, ...lists].join(', ')}`;
}

/** Rows `rank` (from 0), bucket, events: of the groups of `by` with these values. */
export function compileSparklines(
  plan: Plan,
  by: readonly Name[],
  groups: readonly (readonly RawValue[])[],
  grid: EvenGrid,
): Statement {
  const params = new Params();
  const input = inputOf(plan.events, eventContext(plan, plan.segmentsUsed, params));
  const keys = groupKeys(by, input);
  const columns = inputColumns(keys.columns);
  const rows = input.rows([...columns, { alias: 't', sqlType: 'TIMESTAMP' }], (scope) => {
    const time: Variant = { parts: [scope.column('ts') ?? nullOf('TIMESTAMP')], also: TRUE };
    return combine([keys.values(scope), [time]]).map(({ parts, also }) => ({
      select: parts,
      also,
    }));
  });
  const same = columns.map(({ alias }) => `r."${alias}" IS NOT DISTINCT FROM g."${alias}"`);
  const bucket = `(${micros('r.t')} - ${params.bind(grid.from, 'BIGINT')}) // ${params.bind(grid.width, 'BIGINT')}`;
  const sql = [
    `WITH g AS MATERIALIZED (${boundTable(columns, groups, params)})`,
    `SELECT g.rank, ${bucket} AS i, count(*) AS n FROM (${rows}) AS r JOIN g ON ${same.join(' AND ')}`,
    `WHERE r.t IS NOT NULL GROUP BY g.rank, i ORDER BY g.rank, i`,
  ].join('\n');
  return { ...params.finish(sql), columns: [] };
}

/** One row: the times of the plan's first and last dated event, in microseconds. */
export function compileTimeSpan(plan: Plan): Statement {
  const params = new Params();
  const input = inputOf(plan.events, eventContext(plan, plan.segmentsUsed, params));
  const rows = input.rows([{ alias: 't', sqlType: 'TIMESTAMP' }], (scope) => [
    { select: [scope.column('ts') ?? nullOf('TIMESTAMP')], also: TRUE },
  ]);
  const sql = `SELECT ${micros('min(r.t)')}, ${micros('max(r.t)')} FROM (${rows}) AS r`;
  return { ...params.finish(sql), columns: [] };
}

/** For every group of `by`: its values, its number of events, and sums of columns. */
export function compileGroups(plan: Plan, by: readonly Name[], sums: readonly string[]): Statement {
  const params = new Params();
  const input = inputOf(plan.events, eventContext(plan, plan.segmentsUsed, params));
  const keys = groupKeys(by, input);
  const place = { start: 0, end: 0 };
  const measures = sums.map((name, i) =>
    compileMeasure({ fn: 'sum', of: { name, ...place }, as: name, ...place }, input, `m${i}_`),
  );
  const rows = keyedRows(keys, measures, input);
  const { sql: values, outputs } = outputsOf(keys.columns, 0);
  const computed = ['count(*)', ...measures.map(({ aggregate }) => aggregate)];
  const list = keyList(keys);
  const grouped = list === '' ? '' : ` GROUP BY ${list}`;
  const sql = `SELECT ${[...values, ...computed].map((one, i) => `${one} AS o${i}`).join(', ')} FROM (${rows}) AS r${grouped}`;
  return { ...params.finish(sql), columns: outputs };
}
