/**
 * Slices of time in which many rows are read and sorted, one after the other, so that a list of any length needs
 * the memory of one slice. Slices are half-open, contiguous, and cover everything.
 */
import type { EpochMicros } from '../../contract/event.ts';
import type { TimeLookup } from '../../index/segment-indexes.ts';
import type { SegmentInfo } from '../../query/index.ts';

export interface TimeSlice {
  /** Undefined: open. */
  readonly from: EpochMicros | undefined;
  readonly to: EpochMicros | undefined;
}

/** Approximate maximum number of rows in a slice. */
const ROWS = 200_000;
/** Approximate size of a value while it is sorted. */
const VALUE_BYTES = 32;
/** Share of the memory for a slice. */
const SHARE = 1 / 8;
/** Number of positions per slice at which the time is looked up. */
const PROBES = 8;

/** Number of rows in a slice, by the number of columns read. */
export function sliceRows(memory: number, columns: number): number {
  return Math.max(1, Math.min(ROWS, sortableRows(memory, columns)));
}

/** Number of rows that one statement can sort in its share of the memory, by their number of columns. */
export function sortableRows(memory: number, columns: number): number {
  return Math.floor((memory * SHARE) / (VALUE_BYTES * Math.max(1, columns)));
}

/**
 * @param segments of days, not `undated`
 * @param timesOf times of a segment's rows, if known; otherwise they are assumed to be evenly spaced
 */
export function timeSlices(
  segments: readonly SegmentInfo[],
  timesOf: (segment: SegmentInfo) => TimeLookup | undefined,
  rows = ROWS,
): TimeSlice[] {
  const step = Math.max(1, Math.floor(rows / PROBES));
  const probes: { time: EpochMicros; rows: number }[] = [];
  for (const segment of segments) {
    const { minTs, maxTs } = segment;
    if (minTs === undefined || maxTs === undefined) continue;
    const times = timesOf(segment);
    for (let row = step; row < segment.rows; row += step) {
      const even = minTs + Math.floor(((maxTs - minTs) * row) / segment.rows);
      probes.push({ time: times?.timeOf(row) ?? even, rows: step });
    }
    probes.push({ time: maxTs, rows: segment.rows % step });
  }
  probes.sort((a, b) => a.time - b.time);
  const slices: TimeSlice[] = [];
  let from: EpochMicros | undefined;
  let gathered = 0;
  for (const probe of probes) {
    gathered += probe.rows;
    if (gathered < rows || probe.time === from) continue;
    slices.push({ from, to: probe.time });
    from = probe.time;
    gathered = 0;
  }
  slices.push({ from, to: undefined });
  return slices;
}
