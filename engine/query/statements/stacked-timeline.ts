/**
 * Events over time in equal buckets, stacked by the largest values of a field, in one pass over the events: for the
 * timeline above a list.
 *
 * Invariant: buckets start at multiples of their width; every event with a time is in one of them.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { keptWhere, micros, nullOf, Params } from '../dialect/duckdb.ts';
import type { Plan } from '../plan/plan.ts';
import { eventContext, inputOf } from '../plan/plan-tables.ts';
import { type InputColumn, byValue, inputColumns, orderBy } from './relation.ts';
import { TRUE } from '../plan/scope.ts';
import { groupKeys, keyList } from '../stages/group.ts';
import type { OutputColumn } from './outputs.ts';
import { type Statement, outputsOf } from './statements.ts';
import { type Variant, combine } from '../values/values.ts';

const MS = 1000;
const SECOND = 1e6;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Widths that people know, in microseconds. */
const WIDTHS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => n * MS),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 7].map((n) => n * DAY),
];

export interface EvenGrid {
  /** A multiple of `width`. */
  readonly from: EpochMicros;
  readonly width: number;
  readonly buckets: number;
}

/** The finest grid of a round width that covers `[from, to)` with at most `most` buckets. */
export function evenGrid(from: EpochMicros, to: EpochMicros, most: number): EvenGrid {
  const fit = (width: number): EvenGrid => {
    const start = Math.floor(from / width) * width;
    return { from: start, width, buckets: Math.max(1, Math.ceil((to - start) / width)) };
  };
  for (const width of WIDTHS) {
    const grid = fit(width);
    if (grid.buckets <= most) return grid;
  }
  let width = 14 * DAY;
  // A range that crosses a multiple of every width takes two buckets however wide they are.
  while (fit(width).buckets > Math.max(2, most)) width *= 2;
  return fit(width);
}

/**
 * Rows `i` (NULL: no time), the series' rank from 1 (NULL: the rest), the series' value, the events,
 * the first and the last time.
 */
export function compileStackedTimeline(
  plan: Plan,
  grid: EvenGrid,
  by: string | undefined,
  most: number,
): Statement {
  const params = new Params();
  const input = inputOf(plan.events, eventContext(plan, plan.segmentsUsed, params));
  const keys = groupKeys(by === undefined ? [] : [{ name: by, start: 0, end: 0 }], input);
  const columns: InputColumn[] = [
    ...inputColumns(keys.columns),
    { alias: 't', sqlType: 'TIMESTAMP' },
  ];
  const rows = input.rows(columns, (scope) => {
    const time: Variant = { parts: [scope.column('ts') ?? nullOf('TIMESTAMP')], also: TRUE };
    return combine([keys.values(scope), [time]]).map(({ parts, also }) => ({
      select: parts,
      also,
    }));
  });
  const bucket = `(${micros('t')} - ${params.bind(grid.from, 'BIGINT')}) // ${params.bind(grid.width, 'BIGINT')}`;
  const ends = `${micros('min(lo)')} AS lo, ${micros('max(hi)')} AS hi`;
  const list = keyList(keys);
  if (list === '') {
    const sql = `SELECT ${bucket} AS i, CAST(1 AS BIGINT) AS rank, count(*) AS n, ${micros('min(t)')} AS lo, ${micros('max(t)')} AS hi FROM (${rows}) AS r GROUP BY i ORDER BY i NULLS LAST`;
    return { ...params.finish(sql), columns: [] };
  }
  const same = inputColumns(keys.columns)
    .map(({ alias }) => `g."${alias}" IS NOT DISTINCT FROM s."${alias}"`)
    .join(' AND ');
  const order = orderBy([{ sql: 'sum(n)', descending: true }, ...byValue(keys.columns)]);
  const { sql: values, outputs } = outputsOf(keys.columns, 2);
  const sql = [
    `WITH g AS MATERIALIZED (SELECT ${bucket} AS i, ${list}, count(*) AS n, min(t) AS lo, max(t) AS hi FROM (${rows}) AS r GROUP BY i, ${list}),`,
    `s AS MATERIALIZED (SELECT ${list}, row_number() OVER (ORDER BY ${order}) AS rank FROM g WHERE i IS NOT NULL GROUP BY ${list} ${keptWhere(`rank <= ${params.bind(most, 'BIGINT')}`)}),`,
    `j AS (SELECT g.i, s.rank, ${inputColumns(keys.columns)
      .map(({ alias }) => `s."${alias}"`)
      .join(', ')}, n, lo, hi FROM g LEFT JOIN s ON ${same})`,
    `SELECT i, rank, ${values.join(', ')}, CAST(sum(n) AS BIGINT) AS n, ${ends} FROM j GROUP BY i, rank, ${list} ORDER BY i NULLS LAST, rank NULLS LAST`,
  ].join('\n');
  return { ...params.finish(sql), columns: outputs };
}

/** Indexes of `n`, `lo` and `hi` in the rows of `compileStackedTimeline`. */
export function afterColumns(columns: readonly OutputColumn[]): number {
  return 2 + columns.reduce((n, column) => n + column.parts.length, 0);
}
