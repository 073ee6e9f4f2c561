/** Data and positions of the chart: buckets, brushed ranges, counts on its axis. */
import type { Range } from '../buckets.ts';
import type { Stack } from './stacks.ts';

/** Tagged or noted events, some at each time, in the order of time. */
export interface Findings {
  readonly times: readonly number[];
  readonly counts: readonly number[];
}

/** The number of findings in a range, excluding its end. */
export function findingsIn({ times, counts }: Findings, { from, to }: Range): number {
  return times.reduce(
    (sum, time, at) => (time >= from && time < to ? sum + (counts[at] ?? 0) : sum),
    0,
  );
}

export interface ChartData {
  /** Start of each bucket. */
  readonly starts: Float64Array;
  readonly width: number;
  readonly stacks: readonly Stack[];
  /** Sums of all stacks shown. */
  readonly sums: Float64Array;
  /** Visible range: from, to. */
  readonly range: readonly [number, number];
  readonly logarithmic: boolean;
  readonly zone: string;
  /** A time that is marked. */
  readonly marked: number | undefined;
  readonly findings: Findings;
}

/** The bucket that a time is in. */
export function bucketAt(
  { starts, width }: Pick<ChartData, 'starts' | 'width'>,
  time: number,
): number | undefined {
  const first = starts[0];
  if (first === undefined) return undefined;
  const at = Math.floor((time - first) / width);
  return at >= 0 && at < starts.length ? at : undefined;
}

/** A range out to the edges of buckets. */
export function wholeBuckets(
  { starts, width }: Pick<ChartData, 'starts' | 'width'>,
  { from, to }: Range,
): Range {
  const first = starts[0];
  if (first === undefined) return { from, to };
  const edge = (time: number, round: (n: number) => number): number =>
    first + round((time - first) / width) * width;
  return { from: edge(from, Math.floor), to: edge(to, Math.ceil) };
}

/** Counts labelled on the y axis: the largest count of a bar, and half of it where there is room. */
export function countMarks(
  { sums, logarithmic }: Pick<ChartData, 'sums' | 'logarithmic'>,
  hasRoom: boolean,
): number[] {
  const most = Math.max(0, ...sums);
  if (most < 1) return [];
  const half = logarithmic ? Math.round(Math.sqrt(most)) : Math.round(most / 2);
  return hasRoom && half > 0 && half < most ? [most, half] : [most];
}

/** Short enough for the margin next to the bars: `4,015`, `123k`, `1.2M`. */
export function shortCount(n: number): string {
  if (n < 1e5) return n.toLocaleString('en-US');
  return n < 1e6 ? `${Math.round(n / 1e3)}k` : `${(n / 1e6).toPrecision(3)}M`;
}
