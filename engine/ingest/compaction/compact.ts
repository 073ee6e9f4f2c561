/**
 * Compaction: the many small segments that small sources and frequent commits leave are merged, copy
 * on write, so that a day costs a query few files, and days with few events are put together.
 */
import {
  SPAN_OF_DENSE,
  WIDE_COLUMNS,
  daysOf,
  denseRows,
  isUsual,
} from '../../util/segment-days.ts';
import type { SegmentOutline, SegmentRow } from '../../catalog/tables/segments.ts';
import { DaybookError } from '../../contract/errors.ts';
import { identifier } from '../../store/segment-builder.ts';
import { countValues } from '../../store/value-counts.ts';
import { memoryShare } from '../import-memory.ts';
import type { CaseWriter } from '../case/case-writer.ts';
import type { SegmentRewriter } from '../case/segment-rewriter.ts';
import { type RewriteOptions, type SwapOptions, rewriteSegments } from '../case/rewrite.ts';

/** A segment with fewer rows is small, if it has few bytes. */
const SMALL_ROWS = 250_000;
/** Rows at which a merged segment is large enough. Both are fewer where there is little memory: what is merged is indexed as a whole. */
const MERGED_ROWS = 1_000_000;
/**
 * A segment counts as one of as many rows as it has bytes divided by this: of logs, packets and flows a row has 20 to 50, of wide tables hundreds,
 * and the memory of a merge goes by bytes.
 */
const BYTES_A_ROW = 64;
/** Small segments of about one size that one day and kind may have before an import merges them. */
const TOLERATED = 4;
/**
 * The same while imports follow each other that somebody waits for: who tidies up merges them in a pause. Each costs
 * every list that is joined with events a table of its own: of 100,000 five-tuples 6 ms.
 */
export const TOLERATED_BRIEFLY = 8;
/** More are merged although imports go on: there was no pause. */
export const TOLERATED_BESIDE = 24;
/** More are merged by such an import itself: who was to do it does not keep up. */
export const TOLERATED_AT_MOST = 64;

/** More columns than `WIDE_COLUMNS` a merged segment may have if they are no more than so many times those of its widest part. */
const WIDER = 1.25;

/** Segments that are merged at once: each is a part of one statement. */
const MERGED_AT_ONCE = 200;

/**
 * Of so many rows each on average, more are tolerated where they are no more than this share of the segments of their
 * day: such are flows beside their packets. To merge them all took a third as long as the import of a large capture.
 */
const LARGISH_ROWS = 65_536;
const SHARE_OF_DAY = 1 / 4;

export interface CompactReport {
  before: number;
  after: number;
  /** Of the segments that are to be merged by who tidies up, how many are the most to be merged at once. */
  left: number;
}

/**
 * After an import: merges where a day and kind has become many small segments.
 * @param lowLatency only where they are so many that nobody seems to tidy up
 */
export async function compactSmall(
  writer: CaseWriter,
  importId: number,
  lowLatency: boolean,
): Promise<CompactReport> {
  return compact(writer, lowLatency ? TOLERATED_BRIEFLY : TOLERATED, { importId, lowLatency });
}

/** Merges all small segments, removes deleted rows from the files, and counts values where an earlier Daybook did not. */
export async function compactAll(writer: CaseWriter): Promise<CompactReport> {
  const report = await compact(writer, 1, {});
  await countMissingValues(writer);
  return report;
}

async function countMissingValues(writer: CaseWriter): Promise<void> {
  const { catalog, builder } = writer;
  const known = catalog.segments.valueCounts();
  for (const segment of catalog.segments.all()) {
    if (known.has(segment.id)) continue;
    try {
      const name = await writer.attach(segment);
      try {
        const counts = await countValues((sql) => builder.rows(sql), identifier(name), segment);
        catalog.transaction(() => catalog.segments.setValueCounts(segment.id, counts));
      } finally {
        await builder.detach(name);
      }
    } catch (error) {
      // Whoever reads a damaged segment is told; the others are to have their counts.
      if (!isDamaged(error)) throw error;
    }
  }
}

async function compact(
  writer: CaseWriter,
  tolerated: number,
  options: Pick<RewriteOptions & SwapOptions, 'importId' | 'lowLatency'>,
): Promise<CompactReport> {
  const before = writer.catalog.segments.outlines().length;
  let after = before;
  let left = 0;
  const runs = runsToMerge(writer, tolerated);
  const merge = async (run: readonly SegmentRow[]): Promise<void> => {
    if (options.lowLatency === true && run.length <= TOLERATED_AT_MOST) {
      left = Math.max(left, run.length);
      return;
    }
    const added = await rewriteSegments(writer, run, options);
    after += added.length - run.length;
  };
  // An import is not to fail for what was there before.
  await mergeRuns(runs, merge, options.importId !== undefined);
  return { before, after, left };
}

/**
 * Merges each run, in halves where all of it is too much for the memory that there is, or has a damaged segment.
 * @param leave what cannot be merged is left as it is: whoever reads a damaged segment is told
 */
export async function mergeRuns(
  runs: readonly (readonly SegmentRow[])[],
  merge: (run: readonly SegmentRow[]) => Promise<void>,
  leave: boolean,
): Promise<void> {
  const ahead = [...runs];
  for (let run = ahead.shift(); run !== undefined; run = ahead.shift()) {
    try {
      await merge(run);
    } catch (error) {
      const mayBeLeft = leave && isDamaged(error);
      if ((isTooMuch(error) || mayBeLeft) && run.length > 2) {
        const half = run.length >>> 1;
        ahead.unshift(run.slice(0, half), run.slice(half));
      } else if (!mayBeLeft && !(leave && isTooMuch(error))) throw error;
    }
  }
}

function isTooMuch(error: unknown): boolean {
  return error instanceof DaybookError && error.code === 'limit-exceeded';
}

/** Whether one of the segments cannot be read. */
function isDamaged(error: unknown): boolean {
  return (
    error instanceof DaybookError && (error.code === 'case-damaged' || error.code === 'not-found')
  );
}

/**
 * Segments that are to be merged with each other, by what the catalog has now.
 * @param tolerated small ones of about one size that a day and kind may have; 1: also what is deleted goes
 */
export function runsToMerge(
  { catalog, builder }: Pick<SegmentRewriter, 'catalog' | 'builder'>,
  tolerated = TOLERATED,
): SegmentRow[][] {
  const deleted = new Set(catalog.marks.deletedBySegment().keys());
  const groups = new Map<string, SegmentOutline[]>();
  const ofDay = new Map<string, number>();
  const segments = catalog.segments.outlines();
  const share = memoryShare(builder.memoryLimit);
  const dense = denseDays(segments.filter(({ rows }) => rows < SMALL_ROWS * share));
  for (const segment of segments) {
    ofDay.set(segment.day, (ofDay.get(segment.day) ?? 0) + 1);
    const ofSparseDays = isOfSparseDays(segment, dense);
    const mostRows = ofSparseDays ? (denseRows() * SPAN_OF_DENSE) / 2 : SMALL_ROWS * share;
    const small = sizeOf(segment) < SMALL_ROWS * share && segment.rows < mostRows;
    if (!small && !(tolerated === 1 && deleted.has(segment.id))) continue;
    const key = `${ofSparseDays ? '' : segment.day}/${segment.kind}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [segment]);
    else group.push(segment);
  }
  const out: SegmentOutline[][] = [];
  for (const all of groups.values()) {
    const group = tolerated === 1 ? all : ofOneSize(all);
    const holdsDeleted = tolerated === 1 && group.some((segment) => deleted.has(segment.id));
    const may = tolerated === 1 ? 1 : tolerable(group, ofDay.get(group[0]!.day)!, tolerated);
    if (group.length <= may && !holdsDeleted) continue;
    for (const run of runs(group, MERGED_ROWS * share)) {
      if (run.length === 1 && !(tolerated === 1 && deleted.has(run[0]!.id))) continue;
      out.push(run);
    }
  }
  if (out.length === 0) return [];
  const rows = new Map(catalog.segments.all().map((segment) => [segment.id, segment]));
  // Who has no lock may meet one that is gone since.
  return out
    .flatMap((run) => splitWide(run.flatMap(({ id }) => rows.get(id) ?? [])))
    .filter((run) => run.length > 1 || (tolerated === 1 && run.some(({ id }) => deleted.has(id))));
}

/**
 * Cuts a run where the columns of its segments together are many: a table takes memory and bytes by its columns, however
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

/** `DAY/KIND` of which small segments have so many events together that the day gets a segment of its own. */
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
 * How many small segments of one kind a day may have.
 * @param ofDay its segments of all kinds
 * @param tolerated where they are very small, or alone
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
 * Those of a group that are worth rewriting together: without what is larger than all that is smaller, which
 * would be written again each time that a few events come. So each event is written 3 to 5 times until its segment is
 * no longer small; taking in what has eight times as many rows it was 8 to 13 times, for one or two segments fewer.
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

/** In rows, of which wide ones count for several. */
export function sizeOf({ rows, bytes }: Pick<SegmentRow, 'rows' | 'bytes'>): number {
  return Math.max(rows, bytes / BYTES_A_ROW);
}

/** Cuts a group into runs of about so many rows. */
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
