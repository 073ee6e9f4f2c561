/** Converts the result rows of an aggregating statement to the answer of its shape, as cli.md prints it. */
import type { Interval } from '../syntax/ast.ts';
import { type ShownRecord, formatNumber, formatTime, formatter } from './format.ts';
import type { Names } from '../filters/surroundings.ts';
import { bucketStart } from '../time/grid.ts';
import type { RawValue } from '../values/raw-value.ts';
import { type Plan, timelineOf } from '../plan/plan.ts';
import type { AnswerStatement as WholeStatement } from '../statements/statements.ts';

/** The parts of its statement that an answer needs. */
type AnswerStatement = Pick<WholeStatement, 'columns' | 'grid'>;

interface CountAnswer {
  readonly shape: 'count';
  readonly columns: readonly string[];
  readonly count: number | string;
}
interface TopAnswer {
  readonly shape: 'top';
  /** Names of the rows' values, in order. */
  readonly columns: readonly string[];
  readonly rows: readonly ShownRecord[];
  /** Totals of the other groups: events, groups, and the sum when `by sum(…)`. */
  readonly rest: ShownRecord;
  /** The whole: events, groups, and the sum. */
  readonly total: ShownRecord;
}
interface TimelineAnswer {
  readonly shape: 'timeline';
  /** Names of the buckets' values, in order. */
  readonly columns: readonly string[];
  /** As written (`1h`); undefined: equal buckets. */
  readonly interval: string | undefined;
  /** Half-open; undefined when no event has a time. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** `start`, `count` and, with `by`, `series`: counts by value; with `spread` or a measure, its number. */
  readonly buckets: readonly ShownRecord[];
}
interface TableAnswer {
  readonly shape: 'table' | 'stats' | 'values' | 'talkers';
  readonly columns: readonly string[];
  readonly rows: readonly ShownRecord[];
}
export type Answer = CountAnswer | TopAnswer | TimelineAnswer | TableAnswer;

/**
 * The answer of a plan whose shape is not `rows`. `rows` are empty for a count by catalog.
 * @param zone times are shown in it; UTC when left out
 */
export function shapeAnswer(
  plan: Plan,
  statement: AnswerStatement | undefined,
  rows: readonly (readonly RawValue[])[],
  names: Names,
  zone?: string,
): Answer {
  if (plan.catalogCount !== undefined) return countAnswer(plan.catalogCount);
  if (statement === undefined) throw new TypeError('an answer needs the statement it came from');
  const { columns } = statement;
  const { record } = formatter(names, zone);
  switch (plan.shape) {
    case 'count':
      return countAnswer(formatNumber(rows[0]?.[0] ?? 0) ?? 0);
    case 'top':
      return topAnswer(plan, statement, rows, names, zone);
    case 'timeline':
      return timelineAnswer(plan, statement, rows, names, zone);
    default:
      return {
        shape: plan.shape === 'rows' ? 'table' : plan.shape,
        columns: columns.map(({ name }) => name),
        rows: rows.map((row) => record(columns, row)),
      };
  }
}

export function countAnswer(count: number | string): CountAnswer {
  return { shape: 'count', columns: ['count'], count };
}

function topAnswer(
  plan: Plan,
  { columns }: AnswerStatement,
  rows: readonly (readonly RawValue[])[],
  names: Names,
  zone?: string,
): TopAnswer {
  const { record } = formatter(names, zone);
  const parts = columns.reduce((n, column) => n + column.parts.length, 0);
  const [first] = plan.stages;
  const by = first?.stage === 'top' || first?.stage === 'rare' ? first.by : undefined;
  const big = (value: RawValue): bigint =>
    typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value ?? 0)));
  const [count, measure, groups] = [0, 1, 2].map((i) => rows[0]?.[parts + i]);
  const shownCount = rows.reduce((n, row) => n + big(row[parts + 3]), 0n);
  const total: ShownRecord = { count: formatNumber(big(count)), groups: formatNumber(big(groups)) };
  const rest: ShownRecord = {
    count: formatNumber(big(count) - shownCount),
    groups: formatNumber(big(groups) - BigInt(rows.length)),
  };
  if (by?.fn === 'sum') {
    const at = columns.find(({ name }) => name === by.as)?.parts[0]?.at ?? 0;
    const values = rows.map((row) => row[at] ?? 0);
    const isFraction = (value: RawValue | undefined): boolean =>
      typeof value === 'number' && !Number.isInteger(value);
    total[by.as] = formatNumber(measure);
    // Fractions subtracted from each other do not leave exactly zero.
    if (big(groups) === BigInt(rows.length)) rest[by.as] = 0;
    else if (isFraction(measure) || values.some(isFraction))
      rest[by.as] = values.reduce((left: number, value) => left - Number(value), Number(measure));
    else
      rest[by.as] = formatNumber(
        values.reduce<bigint>((left, value) => left - big(value), big(measure)),
      );
  }
  return {
    shape: 'top',
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) => record(columns, row)),
    ...{ rest, total },
  };
}

function timelineAnswer(
  plan: Plan,
  { columns, grid }: AnswerStatement,
  rows: readonly (readonly RawValue[])[],
  names: Names,
  zone?: string,
): TimelineAnswer {
  const timeline = timelineOf(plan);
  const interval = timeline?.interval === undefined ? undefined : intervalText(timeline.interval);
  const by = timeline?.by === undefined ? [] : ['series'];
  const measured = timeline?.spread ?? timeline?.measure;
  const more = measured === undefined ? by : [columns.at(-1)!.name, ...by];
  const empty = { shape: 'timeline', columns: ['start', 'count', ...more], interval } as const;
  if (grid === undefined) return { ...empty, from: undefined, to: undefined, buckets: [] };
  const { value } = formatter(names, zone);
  const time = (micros: number) => formatTime(micros, 0, 6, zone);
  const count = columns.findIndex(({ name, parts }) => name === 'count' && parts.length === 1);
  const series = timeline?.by === undefined ? undefined : columns[0];
  const counted = columns[series === undefined ? Math.max(count, 0) : 1]!;
  const spread = measured === undefined ? undefined : columns.at(-1);
  // The sums of the series add up to that of the bucket; other measures do not.
  const adds = timeline?.measure === undefined || timeline.measure.fn === 'sum';
  const buckets: ShownRecord[] = [];
  for (let i = 0; i < grid.buckets; i++) {
    const bucket: ShownRecord = { start: time(bucketStart(grid, i)), count: 0 };
    if (spread !== undefined) bucket[spread.name] = timeline?.measure === undefined ? 0 : null;
    if (series !== undefined) bucket.series = {};
    buckets.push(bucket);
  }
  const add = (a: unknown, b: unknown) => Number(a ?? 0) + Number(b ?? 0);
  for (const row of rows) {
    const bucket = buckets[Number(row[0])];
    if (bucket === undefined) continue;
    const events = value(counted, row);
    bucket.count = add(bucket.count, events);
    if (spread !== undefined && series === undefined && !adds)
      bucket[spread.name] = value(spread, row);
    else if (spread !== undefined && adds) {
      const sum = value(spread, row);
      if (sum !== null) bucket[spread.name] = add(bucket[spread.name], sum);
    }
    if (series === undefined) continue;
    const name = value(series, row);
    const label = typeof name === 'string' || typeof name === 'number' ? String(name) : '';
    const shownSeries = bucket.series;
    if (typeof shownSeries !== 'object' || shownSeries === null || Array.isArray(shownSeries))
      continue;
    const shown = spread === undefined ? events : value(spread, row);
    Object.defineProperty(shownSeries, label, {
      value: shown,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return {
    ...empty,
    from: time(bucketStart(grid, 0)),
    to: time(bucketStart(grid, grid.buckets)),
    buckets,
  };
}

function intervalText({ count, unit }: Interval): string {
  return `${count}${unit}`;
}
