/**
 * The buckets of a timeline: a partition of a time range, as arithmetic that SQL and JavaScript share.
 *
 * Without an interval: equal buckets over the range. With one: aligned to midnight (weeks to Monday) of the zone.
 * Intervals of up to an hour always have that length, except that a change of the zone's offset cuts one short;
 * longer ones follow the wall clock, so that a day is a day even if it has 23 or 25 hours.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { INTERVAL_UNITS, intervalMicros, type Interval } from '../syntax/ast.ts';
import type { Params } from '../dialect/duckdb.ts';
import { QueryError } from '../syntax/query-error.ts';
import type { TimeSpan, ZoneOffset } from './time.ts';
import { zoneOffsetAt } from './zone.ts';

/** Epoch microseconds of the first and last matched event, when known. */
export interface MatchedRange {
  readonly low: EpochMicros | undefined;
  readonly high: EpochMicros | undefined;
}

export const EVEN_BUCKETS = 30;
/** Buckets of one timeline. */
const MAX_BUCKETS = 100_000;

/** `count` buckets of `step` from `from`; the first has number `index`, the last may be cut short. */
interface Run {
  readonly from: EpochMicros;
  readonly step: number;
  readonly count: number;
  readonly index: number;
}
export type Grid =
  | {
      readonly type: 'even';
      readonly from: EpochMicros;
      readonly to: EpochMicros;
      readonly buckets: number;
    }
  | {
      readonly type: 'runs';
      readonly runs: readonly Run[];
      readonly to: EpochMicros;
      readonly buckets: number;
    };

const HOUR = 3600e6;
/** 1970-01-05 was a Monday: its midnight in UTC, in microseconds. */
export const FIRST_MONDAY = 4 * 86_400e6;

/** Buckets that cover `range`, which is not empty. Throws QueryError if there are too many. */
export function makeGrid(
  range: TimeSpan,
  interval: Interval | undefined,
  zone: string,
  zoneOffset: ZoneOffset,
): Grid {
  const { from, to } = range;
  if (interval === undefined) {
    return { type: 'even', from, to, buckets: Math.min(EVEN_BUCKETS, to - from) };
  }
  const step = intervalMicros(interval);
  if ((to - from) / step > MAX_BUCKETS) {
    throw new QueryError(
      'limit-exceeded',
      `${interval.count}${interval.unit} over that range makes more than ${MAX_BUCKETS} buckets`,
      interval.start,
      'choose a longer interval or a shorter range',
    );
  }
  const anchor = interval.unit === 'w' ? FIRST_MONDAY : 0;
  const floor = (local: number) => Math.floor((local - anchor) / step) * step + anchor;
  const periods = constantPeriods(from, to, zone);
  const runs: Run[] = [];
  let index = 0;
  const add = (start: number, end: number, width: number) => {
    const count = Math.ceil((end - start) / width);
    if (count <= 0) return;
    runs.push({ from: start, step: width, count, index });
    index += count;
  };
  if (periods.length === 1) {
    const offset = periods[0]!.offset * 1e6;
    add(floor(from + offset) - offset, to, step);
  } else if (step <= HOUR) {
    periods.forEach((period, i) => {
      const offset = period.offset * 1e6;
      const end = Math.min(periods[i + 1]?.from ?? to, to);
      const aligned = floor(period.from + offset) - offset;
      if (i === 0 || aligned === period.from) return add(aligned, end, step);
      const next = Math.min(aligned + step, end);
      add(period.from, next, next - period.from);
      add(next, end, step);
    });
  } else {
    const startOf = (local: number) => local - zoneOffset(zone, local) * 1e6;
    let local = floor(from + periods[0]!.offset * 1e6);
    while (startOf(local) > from) local -= step;
    while (startOf(local + step) <= from) local += step;
    let start = startOf(local);
    while (start < to) {
      local += step;
      const next = startOf(local);
      if (next <= start) continue;
      const width = next - start;
      const last = runs.at(-1);
      if (last !== undefined && last.step === width) {
        runs[runs.length - 1] = { ...last, count: last.count + 1 };
      } else runs.push({ from: start, step: width, count: 1, index });
      index += 1;
      start = next;
    }
  }
  const last = runs.at(-1)!;
  return { type: 'runs', runs, to: last.from + last.step * last.count, buckets: index };
}

interface Period {
  readonly from: EpochMicros;
  /** Seconds. */
  readonly offset: number;
}

/** Spans of one offset of a zone, in order. */
export function constantPeriods(from: EpochMicros, to: EpochMicros, zone: string): Period[] {
  const out: Period[] = [{ from, offset: zoneOffsetAt(zone, from) }];
  if (zone === 'UTC' || /^[Z+-]/.test(zone)) return out;
  const stride = 2 * INTERVAL_UNITS.d;
  for (let at = from; at < to; at += stride) {
    const end = Math.min(at + stride, to);
    const before = out.at(-1)!.offset;
    if (zoneOffsetAt(zone, end) === before) continue;
    let low = Math.floor(at / 1e6);
    let high = Math.ceil(end / 1e6);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (zoneOffsetAt(zone, middle * 1e6) === before) low = middle;
      else high = middle;
    }
    if (high * 1e6 < to) out.push({ from: high * 1e6, offset: zoneOffsetAt(zone, high * 1e6) });
  }
  return out;
}

/** First instant of bucket `i`; of the number of buckets: the end of the last. */
export function bucketStart(grid: Grid, i: number): EpochMicros {
  if (grid.type === 'even') {
    const n = BigInt(grid.buckets);
    const width = BigInt(grid.to - grid.from);
    return grid.from + Number((BigInt(i) * width + n - 1n) / n);
  }
  if (i >= grid.buckets) return grid.to;
  let low = 0;
  let high = grid.runs.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (grid.runs[middle]!.index <= i) low = middle;
    else high = middle - 1;
  }
  const run = grid.runs[low]!;
  return run.from + (i - run.index) * run.step;
}

/** SQL: the bucket of a time in epoch microseconds, which is in the grid. */
export function bucketSql(grid: Grid, us: string, params: Params): string {
  const bind = (value: number) => params.bind(value, 'BIGINT');
  if (grid.type === 'even') {
    const width = bind(grid.to - grid.from);
    return `((${us} - ${bind(grid.from)}) * ${bind(grid.buckets)}) // ${width}`;
  }
  const one = (run: Run) => `(${us} - ${bind(run.from)}) // ${bind(run.step)} + ${bind(run.index)}`;
  return pick(
    grid.runs.map((run) => ({
      below: `${us} < ${bind(run.from + run.step * run.count)}`,
      sql: one(run),
    })),
  );
}

/** SQL: the first instant of bucket `i`, in epoch microseconds. */
export function startSql(grid: Grid, i: string, params: Params): string {
  const bind = (value: number) => params.bind(value, 'BIGINT');
  if (grid.type === 'even') {
    const n = bind(grid.buckets);
    return `${bind(grid.from)} + (${i} * ${bind(grid.to - grid.from)} + ${n} - CAST(1 AS BIGINT)) // ${n}`;
  }
  return pick(
    grid.runs.map((run) => ({
      below: `${i} < ${bind(run.index + run.count)}`,
      sql: `${bind(run.from)} + (${i} - ${bind(run.index)}) * ${bind(run.step)}`,
    })),
  );
}

function pick(cases: readonly { below: string; sql: string }[]): string {
  const last = cases.at(-1)!.sql;
  if (cases.length === 1) return last;
  const whens = cases.slice(0, -1).map(({ below, sql }) => `WHEN ${below} THEN ${sql}`);
  return `CASE ${whens.join(' ')} ELSE ${last} END`;
}
