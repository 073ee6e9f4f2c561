/**
 * Days whose events one statement reads: one day, or a run of small ones, since a statement costs
 * milliseconds for each segment however few rows it has. The first run is short, so that rows come soon.
 */
import type { SegmentInfo } from '../../query/index.ts';

/** Rows and segments of a run of several days: so many at first, doubled until the most. */
const FIRST_ROWS = 4096;
const MOST_ROWS = 131_072;
const FIRST_SEGMENTS = 8;
const MOST_SEGMENTS = 64;

/** Segments in runs of whole days, in the order given. */
export function dayRuns(segments: readonly SegmentInfo[]): SegmentInfo[][] {
  const runs: SegmentInfo[][] = [];
  let most = { rows: FIRST_ROWS, segments: FIRST_SEGMENTS };
  let run: SegmentInfo[] = [];
  let rows = 0;
  for (const day of Map.groupBy(segments, (segment) => segment.day).values()) {
    const own = day.reduce((sum, segment) => sum + segment.rows, 0);
    if (run.length > 0 && (rows + own > most.rows || run.length + day.length > most.segments)) {
      runs.push(run);
      most = {
        rows: Math.min(most.rows * 2, MOST_ROWS),
        segments: Math.min(most.segments * 2, MOST_SEGMENTS),
      };
      run = [];
      rows = 0;
    }
    run.push(...day);
    rows += own;
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/** Segments times columns of a statement that reads rows: each has a value for all columns of all others. */
const MOST_CELLS = 1500;

/** A run in parts of whole days whose rows one statement should read, in order. */
export function readTogether(run: readonly SegmentInfo[]): SegmentInfo[][] {
  const parts: SegmentInfo[][] = [];
  let part: SegmentInfo[] = [];
  let columns = new Set<string>();
  for (const day of Map.groupBy(run, (segment) => segment.day).values()) {
    const own = new Set(day.flatMap((segment) => [...segment.columns]));
    const together = new Set([...columns, ...own]);
    if (part.length > 0 && (part.length + day.length) * together.size > MOST_CELLS) {
      parts.push(part);
      part = [];
      columns = own;
    } else columns = together;
    part.push(...day);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** Whether a run has several days. */
export function isRun(segments: readonly SegmentInfo[]): boolean {
  return segments.some(({ day }) => day !== segments[0]?.day);
}
