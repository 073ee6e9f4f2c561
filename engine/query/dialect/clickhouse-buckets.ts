/** The buckets of a timeline in ClickHouse, as in grid.ts; open ends are computed by ClickHouse. */
import { type Interval, intervalMicros } from '../syntax/ast.ts';
import { EVEN_BUCKETS, FIRST_MONDAY } from '../time/grid.ts';
import { ZoneClock } from '../time/zone-clock.ts';
import { microsOf, modulo, untranslated } from './clickhouse.ts';
import { type ClickHouseRows, selectOf, subquery } from './clickhouse-rows.ts';

const MILLISECOND = 1e3;
const SECOND = 1e6;
const HOUR = 3600e6;

export interface ClickHouseBuckets {
  /** Bucket of a time in microseconds. */
  of(us: string): string;
  /** Start of a bucket, in microseconds of UTC. */
  start(bucket: string): string;
  /** Difference between the numbers of adjacent buckets. */
  readonly step: number;
  /** Last bucket of an event from `a` to `z`, in microseconds. */
  last(a: string, z: string): string;
}

/** Even buckets. `span` is SQL of a tuple: start, end and number of buckets. */
export function evenClickHouse(
  dated: ClickHouseRows,
  ends: string,
): { span: string; buckets: ClickHouseBuckets } {
  const { from, to } = dated.range;
  const isNamed = from !== undefined && to !== undefined;
  const found = isNamed
    ? `SELECT toInt64(${from}) AS a, toInt64(${to}) AS z, 1 AS c`
    : selectOf(
        `toInt64(${from ?? `min(${microsOf('ts')})`}) AS a, toInt64(${to ?? `max(${ends}) + 1`}) AS z, count() AS c`,
        dated,
      );
  // Open ends are moved outwards, to whole seconds or milliseconds.
  const least = 60 * EVEN_BUCKETS;
  const unit = `multiIf(z - a >= ${least * SECOND}, ${SECOND}, z - a >= ${least * MILLISECOND}, ${MILLISECOND}, 0) AS unit`;
  const whole = (length: string): string =>
    `intDiv(${length} + unit * ${EVEN_BUCKETS} - 1, unit * ${EVEN_BUCKETS}) * unit * ${EVEN_BUCKETS}`;
  const first =
    from !== undefined
      ? 'a'
      : to === undefined
        ? 'if(unit = 0, a, a - positiveModulo(a, unit))'
        : `if(unit = 0, a, z - ${whole('z - a')})`;
  const last = to === undefined ? `if(unit = 0, z, f + ${whole('z - f')})` : 'z';
  const moved = `SELECT c, toInt64(${first}) AS f, toInt64(${last}) AS l\nFROM ${subquery(`SELECT *, ${unit}\nFROM ${subquery(found)}`)}`;
  const count = `if(c = 0 OR f >= l, 0, least(${EVEN_BUCKETS}, l - f))`;
  const of = (us: string): string =>
    `toInt64(intDiv((${us} - span.1) * span.3, greatest(span.2 - span.1, 1)))`;
  return {
    span: subquery(`SELECT (f, l, toInt64(${count}))\nFROM ${subquery(moved)}`),
    buckets: {
      ...{ of, step: 1 },
      start: (b) => `span.1 + intDiv(${b} * (span.2 - span.1) + span.3 - 1, greatest(span.3, 1))`,
      last: (a, z) => of(`greatest(${a}, least(${z}, span.2) - 1)`),
    },
  };
}

/**
 * Buckets aligned to midnight of the zone. The number of a bucket is its start, in microseconds of UTC or of local
 * time.
 * @param isFilled with empty buckets
 * @param longest maximum duration of a spread event, in microseconds; undefined: an event counts where it starts
 */
export function bucketsClickHouse(
  interval: Interval,
  { around: { zone }, range, scope }: ClickHouseRows,
  isFilled: boolean,
  longest: number | undefined,
): ClickHouseBuckets & { readonly fill: string } {
  const step = intervalMicros(interval);
  const clock = new ZoneClock(zone);
  const { minTs, maxTs } = scope.times;
  const lasts = maxTs === undefined ? maxTs : maxTs + (longest ?? 0);
  const times = { minTs: leastOf(range.from, minTs), maxTs: mostOf(range.to, lasts) };
  const offsets = times.minTs === undefined ? [0] : clock.offsets(times);
  const first = offsets[0] ?? 0;
  const weeks = interval.unit === 'w' ? FIRST_MONDAY : 0;
  const floorOf = (anchor: number) => ({
    sql: (at: string) => `${at} - ${modulo(anchor === 0 ? at : `${at} - (${anchor})`, step)}`,
    of: (at: number) => Math.floor((at - anchor) / step) * step + anchor,
  });
  const bucketsOf = (
    of: (us: string) => string,
    bucket: (at: number) => number,
    to: number | undefined,
  ) => ({
    ...{ of, step },
    fill: [
      'ORDER BY b WITH FILL',
      ...(range.from === undefined ? [] : [`FROM ${bucket(range.from)}`]),
      ...(to === undefined ? [] : [`TO ${to}`]),
      `STEP ${step}`,
    ].join(' '),
    last: (a: string, z: string) => {
      if (range.to !== undefined)
        return `least(${of(`greatest(${a}, ${z} - 1)`)}, ${bucket(range.to - 1)})`;
      // If an event ends exactly with a bucket, the next one is filled, too.
      return of(isFilled ? z : `greatest(${a}, ${z} - 1)`);
    },
  });
  if (offsets.every((one) => (one - first) % step === 0 && step <= HOUR) || offsets.length === 1) {
    const floor = floorOf(weeks - first);
    return { ...bucketsOf(floor.sql, floor.of, range.to), start: (b) => b };
  }
  if (step <= HOUR || offsets.some((one) => Math.abs(one - first) >= step))
    throw untranslated(
      `timeline ${interval.count}${interval.unit} in ${zone}, whose clocks are changed within a bucket,`,
      'use --tz UTC, or name a range in which they are not',
    );
  // Days with a daylight-saving change have 23 or 25 hours: buckets are in local time.
  const floor = floorOf(weeks);
  const earlier = { ...times, minTs: times.minTs === undefined ? undefined : times.minTs - step };
  const later =
    longest === undefined || times.maxTs === undefined
      ? earlier
      : { ...earlier, maxTs: times.maxTs + step };
  return {
    ...bucketsOf(
      (us) => floor.sql(clock.localMicros(us, times)),
      (at) => floor.of(clock.local(at)),
      range.to === undefined ? undefined : clock.local(range.to),
    ),
    start: (b) => clock.utcMicros(b, later),
  };
}

function leastOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
function mostOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
