/**
 * Local times of a time zone, as arithmetic that SQL and JavaScript share.
 *
 * The zone's rules are those of 1970 to 2070; earlier and later times have the first and the last of their offsets.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { type Interval, intervalMicros } from '../syntax/ast.ts';
import { modulo } from '../dialect/clickhouse.ts';
import { once, onceClickHouse } from '../dialect/once.ts';
import { micros, timeFromMicros } from '../dialect/duckdb.ts';
import { constantPeriods, FIRST_MONDAY } from './grid.ts';

const LAST = Date.UTC(2070, 0, 1) * 1000;
const HOUR = 3600e6;
const DAY = 86_400e6;

/** The times from which each offset is valid, in microseconds; the first from the beginning. */
interface Offsets {
  readonly from: readonly number[];
  readonly offsets: readonly number[];
}

interface Rules {
  /** By UTC, and by local time: a time that occurs twice means its first occurrence. */
  readonly utc: Offsets;
  readonly local: Offsets;
}

/** Finding the changes of a zone takes a tenth of a second, and always gives the same result. */
const known = new Map<string, Rules>();

function rulesOf(zone: string): Rules {
  let rules = known.get(zone);
  if (rules === undefined) {
    const periods = constantPeriods(0, LAST, zone);
    const offsets = periods.map(({ offset }) => offset * 1e6);
    const later = (i: number): number => Math.max(offsets[i - 1] ?? 0, offsets[i] ?? 0);
    rules = {
      utc: { from: periods.map(({ from }) => from), offsets },
      local: { from: periods.map(({ from }, i) => from + later(i)), offsets },
    };
    known.set(zone, rules);
  }
  return rules;
}

function offsetAt({ from, offsets }: Offsets, at: number): number {
  let low = 0;
  let high = from.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (from[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return offsets[low]!;
}

function isUtc({ offsets }: Offsets): boolean {
  return offsets.every((one) => one === 0);
}

/** Range in which the times are known to be. */
export interface TimeRange {
  readonly minTs: number | undefined;
  readonly maxTs: number | undefined;
}

/** The offsets that a range needs: of a segment's days they are one or two. */
function within({ from, offsets }: Offsets, { minTs, maxTs }: TimeRange): Offsets {
  if (minTs === undefined || maxTs === undefined) return { from, offsets };
  // One day more on either side: local times differ by no more than that.
  const low = from.findLastIndex((at) => at <= minTs - DAY);
  const high = from.findLastIndex((at) => at <= maxTs + DAY);
  return {
    from: from.slice(Math.max(0, low), high + 1),
    offsets: offsets.slice(Math.max(0, low), high + 1),
  };
}

const ANY_TIME: TimeRange = { minTs: undefined, maxTs: undefined };

/**
 * The offset at a time in microseconds, by bisection: SQL makes as few comparisons as needed, not one per change.
 */
function offsetSql({ from, offsets }: Offsets, at: string, low = 0, high = from.length): string {
  if (high - low === 1) return `CAST(${offsets[low]} AS BIGINT)`;
  const middle = (low + high) >>> 1;
  const first = offsetSql({ from, offsets }, at, low, middle);
  const second = offsetSql({ from, offsets }, at, middle, high);
  return first === second
    ? first
    : `CASE WHEN ${at} < ${from[middle]} THEN ${first} ELSE ${second} END`;
}

/** More offsets than this are looked up: ClickHouse computes every branch of a bisection, for each row. */
const FEW_OFFSETS = 4;

/** The same in ClickHouse. */
function offsetClickHouse({ from, offsets }: Offsets, at: string): string {
  if (offsets.length <= FEW_OFFSETS) return offsetSql({ from, offsets }, at);
  const times = `CAST([${from.join()}], 'Array(Int64)')`;
  const found = `roundDown(toInt64(${at}), ${times})`;
  return `transform(${found}, ${times}, CAST([${offsets.join()}], 'Array(Int64)'), toInt64(0))`;
}

export class ZoneClock {
  private readonly rules: Rules;

  constructor(zone: string) {
    this.rules = rulesOf(zone);
  }

  /** Microseconds since 1970 that the clock shows. */
  local(utc: EpochMicros): number {
    return utc + offsetAt(this.rules.utc, utc);
  }

  /** SQL: the local time of a TIMESTAMP, as a TIMESTAMP. */
  localSql(ts: string, range: TimeRange = ANY_TIME): string {
    const utc = within(this.rules.utc, range);
    return once(micros(ts), (us) => timeFromMicros(`${us} + ${offsetSql(utc, us)}`));
  }

  /**
   * The same for microseconds in ClickHouse; and the inverse, where a time that occurs twice means its first
   * occurrence.
   */
  localMicros(us: string, range: TimeRange = ANY_TIME): string {
    const offsets = within(this.rules.utc, range);
    return isUtc(offsets)
      ? us
      : onceClickHouse(us, (utc) => `${utc} + ${offsetClickHouse(offsets, utc)}`, 'u');
  }
  utcMicros(local: string, range: TimeRange = ANY_TIME): string {
    const offsets = within(this.rules.local, range);
    return isUtc(offsets)
      ? local
      : onceClickHouse(local, (clock) => `${clock} - ${offsetClickHouse(offsets, clock)}`, 'u');
  }

  /** Like `binStartSql`, for microseconds in ClickHouse. */
  binStartMicros(us: string, interval: Interval, range: TimeRange = ANY_TIME): string {
    const step = intervalMicros(interval);
    const anchor = interval.unit === 'w' ? FIRST_MONDAY : 0;
    if (step <= HOUR)
      return onceClickHouse(
        us,
        (at) => `${at} - ${modulo(`${this.localMicros(at, range)} - ${anchor}`, step)}`,
        'b',
      );
    const { minTs } = range;
    const earlier = { ...range, minTs: minTs === undefined ? minTs : minTs - step };
    const start = onceClickHouse(
      this.localMicros(us, range),
      (clock) => `${clock} - ${modulo(`${clock} - ${anchor}`, step)}`,
      'c',
    );
    return onceClickHouse(start, (at) => this.utcMicros(at, earlier), 'd');
  }

  /** The offsets in a range, in microseconds, in order. */
  offsets(range: TimeRange): readonly number[] {
    return within(this.rules.utc, range).offsets;
  }

  /** The first instant of the interval that a time is in. */
  binStart(utc: EpochMicros, interval: Interval): EpochMicros {
    const step = intervalMicros(interval);
    const anchor = interval.unit === 'w' ? FIRST_MONDAY : 0;
    const offset = offsetAt(this.rules.utc, utc);
    const start = Math.floor((utc + offset - anchor) / step) * step + anchor;
    // Days of 23 and 25 hours are days; an hour that occurs twice counts as two.
    return start - (step > HOUR ? offsetAt(this.rules.local, start) : offset);
  }

  binStartSql(ts: string, interval: Interval, range: TimeRange = ANY_TIME): string {
    const step = intervalMicros(interval);
    const anchor = interval.unit === 'w' ? FIRST_MONDAY : 0;
    const utc = within(this.rules.utc, range);
    // A bin begins up to its length before.
    const { minTs } = range;
    const local = within(this.rules.local, {
      ...range,
      minTs: minTs === undefined ? minTs : minTs - step,
    });
    // Division cuts towards zero: times before the anchor are brought after it.
    const floor = (us: string): string =>
      once(
        `${us} - ${anchor}`,
        (from) => `${from} - ((${from} % ${step}) + ${step}) % ${step} + ${anchor}`,
      );
    return once(micros(ts), (us) => {
      const offset = offsetSql(utc, us);
      const start = floor(`${us} + ${offset}`);
      if (step <= HOUR) return timeFromMicros(`${start} - ${offset}`);
      return once(start, (at) => timeFromMicros(`${at} - ${offsetSql(local, at)}`));
    });
  }
}
