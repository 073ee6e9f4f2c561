/**
 * Counts over time from row numbers alone: the rows of a segment are in order of time, so the events before a time
 * are those numbered below the first row at that time.
 */
import type { EpochMicros } from '../../contract/event.ts';
import type { TimeLookup } from '../../index/segment-indexes.ts';
import type { SegmentInfo } from '../../query/plan/scope.ts';
import { type Rows, countOf, endsOf, rankOf, sliceOf } from '../../query/plan/known-rows/rows.ts';

/** Events of one segment, and their times. */
export interface TimedRows {
  readonly segment: SegmentInfo;
  readonly rows: Rows;
  /** Undefined: events of the segment have no time. */
  readonly time: TimeLookup | undefined;
}

/** Number of the first row at or after `ts`, without a look-up if the segment's time range decides it. */
export function rowAt({ segment, time }: TimedRows, ts: EpochMicros): number {
  const { minTs, maxTs, rows } = segment;
  if (time === undefined || (maxTs !== undefined && ts > maxTs)) return rows;
  return minTs !== undefined && ts <= minTs ? 0 : time.rowAt(ts);
}

/**
 * Whether counting in these buckets needs the times of single events: the segment is not within one bucket, nor
 * outside all of them.
 * @param starts as in `bucketCounts`
 */
export function spansBuckets({ minTs, maxTs }: SegmentInfo, starts: Float64Array): boolean {
  if (minTs === undefined || maxTs === undefined) return true;
  return bucketAt(starts, minTs) !== bucketAt(starts, maxTs);
}

/** Times that the catalog knows of a segment whose events all match: the first and the last. */
export function timesOfEnds({ minTs, maxTs, rows }: SegmentInfo): TimeLookup {
  return {
    rowAt: (ts) => (minTs === undefined || ts <= minTs ? 0 : rows),
    timeOf: (row) => (row === 0 ? minTs : row === rows - 1 ? maxTs : undefined),
  };
}

export function eventsIn(list: readonly TimedRows[]): number {
  return list.reduce((sum, { rows, segment }) => sum + countOf(rows, segment.rows), 0);
}

/** Times of the first and the last event; undefined if none has a time. */
export function rangeOf(
  list: readonly TimedRows[],
): { low: EpochMicros; high: EpochMicros } | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (const { rows, segment, time } of list) {
    const ends = endsOf(rows, segment.rows);
    if (ends === undefined || time === undefined) continue;
    low = Math.min(low, time.timeOf(ends.first) ?? Infinity);
    high = Math.max(high, time.timeOf(ends.last) ?? -Infinity);
  }
  return low <= high ? { low, high } : undefined;
}

/** @param starts ascending; the last one is the end of the last bucket */
export function bucketCounts(list: readonly TimedRows[], starts: Float64Array): Float64Array {
  const counts = new Float64Array(Math.max(0, starts.length - 1));
  for (const one of list) {
    const { rows, segment, time } = one;
    const found = countOf(rows, segment.rows);
    const { minTs, maxTs } = segment;
    if (found === 0 || time === undefined || minTs === undefined || maxTs === undefined) continue;
    const from = Math.max(0, bucketAt(starts, minTs));
    const to = Math.min(counts.length, bucketAt(starts, maxTs) + 1);
    if (found < to - from) {
      for (const row of sliceOf(rows, segment.rows, 0, found)) {
        const at = bucketAt(starts, time.timeOf(row) ?? NaN);
        if (at >= 0 && at < counts.length) counts[at]! += 1;
      }
      continue;
    }
    let before = from < to ? rankOf(rows, rowAt(one, starts[from]!)) : 0;
    for (let i = from; i < to; i++) {
      const next = rankOf(rows, rowAt(one, starts[i + 1]!));
      counts[i]! += next - before;
      before = next;
    }
  }
  return counts;
}

/** Index of the last start that is not after `ts`; -1 if there is none, or no time. */
function bucketAt(starts: Float64Array, ts: EpochMicros): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= ts) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
