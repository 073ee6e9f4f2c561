/**
 * Days whose events one statement reads: one day, or a run of small ones, since a statement costs milliseconds for
 * each segment however few rows it has. The first run is short, so that the first rows arrive soon.
 */
import {
  dayEnd,
  dayStart,
  daysOf,
  disjointGroups,
  isUsual,
  lastDayOf,
} from '../../util/segment-days.ts';
import type { EpochMicros } from '../../contract/event.ts';
import type { SegmentInfo } from '../../query/index.ts';

/**
 * Limits of a run of several days in rows and segments: they start at the first number and double up to the second.
 */
const FIRST_ROWS = 4096;
const MOST_ROWS = 131_072;
const FIRST_SEGMENTS = 8;
const MOST_SEGMENTS = 64;

/** Consecutive whole days, and the segments with their events. `undated` is always alone. */
export interface DayRun {
  readonly segments: SegmentInfo[];
  readonly first: string;
  readonly last: string;
}

/**
 * All days of these segments in runs, in order of time. A day whose name does not sort among the others (`undated`,
 * years with more digits) is a run by itself, so that each run of several days has a first and a last moment.
 */
export function dayRuns(segments: readonly SegmentInfo[]): DayRun[] {
  const runs: DayRun[] = [];
  let most = { rows: FIRST_ROWS, segments: FIRST_SEGMENTS };
  let run = new Set<SegmentInfo>();
  let days: string[] = [];
  let rows = 0;
  const end = () => {
    const [first] = days;
    if (first !== undefined) runs.push({ segments: [...run], first, last: days.at(-1)! });
    run = new Set();
    days = [];
    rows = 0;
  };
  for (const [day, ofDay] of byDay(segments)) {
    const more = ofDay.reduce((sum, one) => sum + one.rows, 0);
    const isAlone = !isUsual(day) || (days.length > 0 && !isUsual(days[0]!));
    const together = run.size + ofDay.filter(({ segment }) => !run.has(segment)).length;
    if (days.length > 0 && (isAlone || rows + more > most.rows || together > most.segments)) {
      end();
      most = {
        rows: Math.min(most.rows * 2, MOST_ROWS),
        segments: Math.min(most.segments * 2, MOST_SEGMENTS),
      };
    }
    for (const { segment } of ofDay) run.add(segment);
    days.push(day);
    rows += more;
  }
  end();
  return runs;
}

/** Each day as a run. */
export function singleDays(segments: readonly SegmentInfo[]): DayRun[] {
  return Array.from(byDay(segments), ([day, ofDay]) => ({
    ...{ first: day, last: day },
    segments: ofDay.map(({ segment }) => segment),
  }));
}

function byDay(
  segments: readonly SegmentInfo[],
): [string, { segment: SegmentInfo; rows: number }[]][] {
  const days = new Map<string, { segment: SegmentInfo; rows: number }[]>();
  for (const segment of segments)
    for (const { day, rows } of daysOf(segment)) {
      const ofDay = days.get(day);
      if (ofDay === undefined) days.set(day, [{ segment, rows }]);
      else ofDay.push({ segment, rows });
    }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether a segment also has events of other days. */
export function goesBeyond(segment: SegmentInfo, { first, last }: DayRun): boolean {
  return segment.day < first || lastDayOf(segment) > last;
}

/** The time range of a run, if a segment extends beyond it. */
export function boundsOfRun(run: DayRun): { from: EpochMicros; to: EpochMicros } | undefined {
  if (!run.segments.some((segment) => goesBeyond(segment, run))) return undefined;
  return { from: dayStart(run.first), to: dayEnd(run.last) };
}

/** Those that may have events between two times. */
export function withinTime<S extends Pick<SegmentInfo, 'minTs' | 'maxTs'>>(
  segments: readonly S[],
  { from, to }: { readonly from?: EpochMicros | undefined; readonly to?: EpochMicros | undefined },
): S[] {
  return segments.filter(
    ({ minTs, maxTs }) =>
      (to === undefined || minTs === undefined || minTs < to) &&
      (from === undefined || maxTs === undefined || maxTs >= from),
  );
}

/**
 * Limit of segments times columns for a statement that reads rows: each segment has a value for all columns of all
 * others.
 */
const MOST_CELLS = 1500;

/** Splits the segments of a run into parts, in order, each of which one statement should read. */
export function readTogether(run: readonly SegmentInfo[]): SegmentInfo[][] {
  const parts: SegmentInfo[][] = [];
  let part: SegmentInfo[] = [];
  let columns = new Set<string>();
  for (const day of disjointGroups(run)) {
    const dayColumns = new Set(day.flatMap((segment) => [...segment.columns]));
    const together = new Set([...columns, ...dayColumns]);
    if (part.length > 0 && (part.length + day.length) * together.size > MOST_CELLS) {
      parts.push(part);
      part = [];
      columns = dayColumns;
    } else columns = together;
    part.push(...day);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
