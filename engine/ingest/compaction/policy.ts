/**
 * Compaction policy: which segments are merged, and when. Pure functions of what the catalog says; `compact.ts`
 * merges, and engine/operations/evidence/background-maintenance.ts waits for the moment.
 *
 * - Small segments of one kind are merged within their day, and those of days with few events across days.
 * - A day and kind keeps a few small ones (`tolerable`), and only those of about one size are merged (`ofOneSize`):
 *   an
 *   event is written 3 to 5 times until its segment is no longer small.
 * - An import that somebody waits for (`isSmallImport`) merges nothing unless segments are `isOverdue`. Otherwise
 *   background maintenance merges once nothing has been imported for `PAUSE_MS`, or beside imports if they are
 *   `isUrgent`, and does everything else after `IDLE_MS`.
 */
import {
  SPAN_OF_DENSE,
  WIDE_COLUMNS,
  daysOf,
  denseRows,
  isUsual,
} from '../../util/segment-days.ts';
import type { SegmentOutline, SegmentRow } from '../../catalog/tables/segments.ts';

/** Bytes of evidence up to which an import into an open case defers maintenance: a minute of a busy log. */
const SMALL_IMPORT_BYTES = 16 << 20;
/** Pause after an import until small segments are merged if there are too many. */
export const PAUSE_MS = 300;
/** Pause after the last import until all deferred work is done. */
export const IDLE_MS = 3_000;

/** Number of small segments of about one size that a day and kind may have, by who merges. */
export const TOLERATED = {
  /** `daybook compact`: merges all, and removes deleted rows. */
  command: 1,
  /** An import that nobody waits for, and maintenance after the last import. */
  import: 4,
  /**
   * Maintenance in a pause between imports. Each segment costs every list that is joined with events a table of its
   * own: 6 ms for 100,000 five-tuples.
   */
  pause: 8,
} as const;
/** With more small segments than this, they are merged while imports go on: there was no pause. */
export const MOST_BESIDE = 24;
/** With more small segments than this, an import merges them itself: maintenance has fallen behind. */
export const MOST_DEFERRED = 64;

/** A segment with fewer rows and few bytes is small. */
const SMALL_ROWS = 250_000;
/**
 * Number of rows at which a merged segment is large enough. Both limits are lower with little memory, since a
 * merged segment is indexed as a whole.
 */
const MERGED_ROWS = 1_000_000;
/**
 * Minimum bytes of a row in computing a segment's size in rows: rows of logs, packets and flows have 20 to 50
 * bytes, of wide tables hundreds, and the memory of a merge depends on bytes.
 */
const BYTES_A_ROW = 64;
/**
 * A merged segment with more than `WIDE_COLUMNS` columns has at most this many times the columns of its widest
 * part.
 */
const WIDER = 1.25;
/** Number of segments that are merged at once: each is a part of one statement. */
const MERGED_AT_ONCE = 200;
/**
 * Segments with this many rows on average are tolerated up to this share of their day's rows: flows next to their
 * packets. Merging them all took a third as long as the import of a large capture.
 */
const LARGISH_ROWS = 65_536;
const SHARE_OF_DAY = 1 / 4;

export function isSmallImport(bytes: number): boolean {
  return bytes <= SMALL_IMPORT_BYTES;
}

/** Whether this many small segments are merged while imports go on. */
export function isUrgent(small: number): boolean {
  return small > MOST_BESIDE;
}

/** Whether this many small segments are merged by the next import itself. */
export function isOverdue(small: number): boolean {
  return small > MOST_DEFERRED;
}

/**
 * Segments to merge.
 * @param deleted segments with deleted rows
 * @param share of the memory for which Daybook is made, at most 1
 */
export function segmentsToMerge(
  segments: readonly SegmentOutline[],
  deleted: ReadonlySet<number>,
  share: number,
  tolerated: number,
): SegmentOutline[][] {
  const groups = new Map<string, SegmentOutline[]>();
  const ofDay = new Map<string, number>();
  const dense = denseDays(segments.filter(({ rows }) => rows < SMALL_ROWS * share));
  const losesRows = ({ id }: SegmentOutline) => tolerated === TOLERATED.command && deleted.has(id);
  for (const segment of segments) {
    ofDay.set(segment.day, (ofDay.get(segment.day) ?? 0) + 1);
    const ofSparseDays = isOfSparseDays(segment, dense);
    const mostRows = ofSparseDays ? (denseRows() * SPAN_OF_DENSE) / 2 : SMALL_ROWS * share;
    const small = sizeOf(segment) < SMALL_ROWS * share && segment.rows < mostRows;
    if (!small && !losesRows(segment)) continue;
    const key = `${ofSparseDays ? '' : segment.day}/${segment.kind}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [segment]);
    else group.push(segment);
  }
  const out: SegmentOutline[][] = [];
  for (const all of groups.values()) {
    const takesAll = tolerated === TOLERATED.command;
    const group = takesAll ? all : ofOneSize(all);
    const most = takesAll ? 1 : tolerable(group, ofDay.get(group[0]!.day)!, tolerated);
    if (group.length <= most && !group.some(losesRows)) continue;
    for (const run of runs(group, MERGED_ROWS * share))
      if (run.length > 1 || losesRows(run[0]!)) out.push(run);
  }
  return out;
}

/**
 * Splits a run whose segments have many columns together: a table costs memory and bytes for each column, however
 * few rows have a value. Segments with mostly the same columns stay together.
 */
export function splitWide<S extends Pick<SegmentRow, 'columns'>>(run: readonly S[]): S[][] {
  const out: S[][] = [];
  let columns = new Set<string>();
  let widest = 0;
  for (const segment of run) {
    const together = new Set([...columns, ...segment.columns]);
    widest = Math.max(widest, segment.columns.length);
    if (out.length > 0 && together.size <= Math.max(WIDE_COLUMNS, widest * WIDER)) {
      out.at(-1)!.push(segment);
      columns = together;
    } else {
      out.push([segment]);
      columns = new Set(segment.columns);
      widest = segment.columns.length;
    }
  }
  return out;
}

/** `DAY/KIND` whose small segments together have enough events for a segment of that day alone. */
function denseDays(segments: readonly SegmentOutline[]): ReadonlySet<string> {
  const rows = new Map<string, number>();
  for (const segment of segments)
    for (const one of daysOf(segment)) {
      const key = `${one.day}/${segment.kind}`;
      rows.set(key, (rows.get(key) ?? 0) + one.rows);
    }
  return new Set([...rows].flatMap(([key, n]) => (n >= denseRows() ? key : [])));
}

/** Whether a segment is merged with those of other days. */
function isOfSparseDays(
  { day, days, kind, rows }: SegmentOutline,
  dense: ReadonlySet<string>,
): boolean {
  if (days !== undefined) return true;
  return isUsual(day) && rows < denseRows() && !dense.has(`${day}/${kind}`);
}

/**
 * Number of small segments of one kind that a day may have.
 * @param ofDay its segments of all kinds
 * @param tolerated the number if they are very small, or alone
 */
export function tolerable(
  group: readonly Pick<SegmentRow, 'rows'>[],
  ofDay: number,
  tolerated: number,
): number {
  const rows = group.reduce((sum, segment) => sum + segment.rows, 0);
  if (rows < LARGISH_ROWS * group.length) return tolerated;
  return Math.max(tolerated, ofDay * SHARE_OF_DAY);
}

/**
 * The segments of a group that are worth rewriting together: excludes any that is larger than all smaller ones
 * together, which would be rewritten whenever a few events arrive. Each event is thus written 3 to 5 times until
 * its segment is no longer small; including segments up to eight times as large it was 8 to 13 times, for one or
 * two segments fewer.
 */
export function ofOneSize<S extends Pick<SegmentRow, 'rows'>>(group: readonly S[]): S[] {
  const bySize = [...group].sort((a, b) => a.rows - b.rows);
  let rows = bySize.reduce((sum, segment) => sum + segment.rows, 0);
  let many = bySize.length;
  while (many > 1) {
    const largest = bySize[many - 1]!.rows;
    if (largest <= rows - largest) break;
    rows -= largest;
    many -= 1;
  }
  const chosen = new Set(bySize.slice(0, many));
  return group.filter((segment) => chosen.has(segment));
}

/** Size in rows; wide rows count several times. */
export function sizeOf({ rows, bytes }: Pick<SegmentRow, 'rows' | 'bytes'>): number {
  return Math.max(rows, bytes / BYTES_A_ROW);
}

/** Splits a group into runs of about this many rows. */
export function runs<S extends Pick<SegmentRow, 'rows' | 'bytes'>>(
  group: readonly S[],
  most: number,
): S[][] {
  const out: S[][] = [];
  let run: S[] = [];
  let rows = 0;
  for (const segment of group) {
    if (rows >= most || run.length === MERGED_AT_ONCE) {
      out.push(run);
      run = [];
      rows = 0;
    }
    run.push(segment);
    rows += sizeOf(segment);
  }
  if (run.length > 0) out.push(run);
  return out;
}
