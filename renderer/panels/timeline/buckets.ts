/** The buckets of an answer: their range, names and counts. */
import { counted, formatCount, formatRange, timeParts } from '../../panel-api.ts';
import { REST_COLOR, seriesColor } from '../../widgets/series-color.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import { seriesKey, type Series } from './chart/stacks.ts';

/** From (inclusive), to (exclusive); UTC microseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface Buckets {
  /** Start of each bucket; UTC microseconds. */
  readonly starts: Float64Array;
  /** Of each bucket, in microseconds. */
  readonly width: number;
  /** The field whose values the series are; empty when there is one series for all events. */
  readonly field: string;
  readonly series: readonly Series[];
  /** Keys of the series that are not shown. */
  readonly hidden: ReadonlySet<string>;
  /** Events of the series that are shown, in each bucket. */
  readonly sums: Float64Array;
  readonly zone: string;
}

/** Events within less than this are seen as one instant. */
const INSTANT = 1e6;
const AROUND_INSTANT = 60e6;

/** The chart's range: the view's, or that of the buckets if the view has none. */
export function shownRange(
  { starts, width }: Pick<Buckets, 'starts' | 'width'>,
  from: number | undefined,
  to: number | undefined,
): readonly [number, number] {
  const first = starts[0];
  const last = starts[starts.length - 1];
  const low = from ?? first ?? 0;
  const high = to ?? (last === undefined ? undefined : last + width) ?? low + 1e6;
  // One instant would fill the chart from side to side: it is shown with the minutes around it.
  if (from === undefined && to === undefined && high - low < INSTANT) {
    return [low - AROUND_INSTANT, high + AROUND_INSTANT];
  }
  return high > low ? [low, high] : [low, low + 1];
}

/** The range of the buckets between two, both included, in either order. */
export function rangeBetween({ starts, width }: Buckets, one: number, other: number): Range {
  return {
    from: starts[Math.min(one, other)] ?? 0,
    to: (starts[Math.max(one, other)] ?? 0) + width,
  };
}

/** When a bucket is, in words. */
export function bucketTime({ starts, width, zone }: Buckets, at: number): string {
  const start = starts[at] ?? 0;
  if (width >= 60e6) return formatRange(start, start + width, zone);
  const digits = width >= 1e6 ? 0 : width >= 1e3 ? 3 : 6;
  const low = timeParts(start, zone, digits);
  return `${low.date} ${low.time} – ${timeParts(start + width, zone, digits).time}`;
}

export function seriesName(one: Pick<Series, 'value' | 'rest'>, field: string): string {
  if (one.rest) return 'all others';
  if (one.value === null) return field === '' ? 'events' : `no ${visibleText(field, 40)}`;
  return visibleText(String(one.value), 40);
}

/** A CSS colour for the series at `index`. */
export function colorOf(one: Series, field: string, index: number): string {
  return one.rest ? REST_COLOR : seriesColor(field, one.value, index);
}

interface SeriesCount {
  readonly one: Series;
  /** Of the series among all. */
  readonly index: number;
  readonly n: number;
}

/** The series that have events in a bucket. */
export function countsOf({ series, hidden }: Buckets, at: number): SeriesCount[] {
  return series
    .map((one, index) => ({
      ...{ one, index },
      n: hidden.has(seriesKey(one)) ? 0 : (one.counts[at] ?? 0),
    }))
    .filter(({ n }) => n > 0);
}

/** Regardless of the query. */
export function findingsText(n: number): string {
  return `${formatCount(n)} tagged or noted in the case`;
}

/** A bucket for a screen reader: its time, its events by series, its findings. */
export function spokenBucket(buckets: Buckets, at: number, findings = 0): string {
  const { series, sums, field } = buckets;
  const parts =
    series.length > 1
      ? countsOf(buckets, at).map(({ one, n }) => `${seriesName(one, field)} ${n}`)
      : [];
  if (findings > 0) parts.push(findingsText(findings));
  return [bucketTime(buckets, at), counted(sums[at] ?? 0, 'event'), ...parts].join(', ');
}
