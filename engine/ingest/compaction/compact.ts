/**
 * Compaction: merges the many small segments that small sources and frequent commits leave, copy on write, so that
 * a query opens few files a day, and puts days with few events together. `policy.ts` decides which segments and
 * when.
 */
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { hasCode, messageOfError } from '../../contract/errors.ts';
import { identifier } from '../../store/segment-builder.ts';
import { countValues } from '../../store/value-counts.ts';
import { memoryShare } from '../import-memory.ts';
import type { CaseWriter } from '../case/case-writer.ts';
import type { SegmentRewriter } from '../case/segment-rewriter.ts';
import { type RewriteOptions, type SwapOptions, rewriteSegments } from '../case/rewrite.ts';
import { recordFallbacks } from './fallbacks.ts';
import { TOLERATED, isOverdue, segmentsToMerge, splitWide } from './policy.ts';

export interface CompactReport {
  before: number;
  after: number;
  /** The largest number of segments in one merge that is left to background maintenance. */
  left: number;
}

/**
 * After an import: merges a day and kind that consists of many small segments.
 * @param lowLatency only where maintenance has fallen behind
 */
export async function compactSmall(
  writer: CaseWriter,
  importId: number,
  lowLatency: boolean,
): Promise<CompactReport> {
  return compact(writer, lowLatency ? TOLERATED.pause : TOLERATED.import, { importId, lowLatency });
}

/**
 * Merges all small segments, removes deleted rows from files, and counts values of segments by earlier versions
 * that lack counts.
 */
export async function compactAll(writer: CaseWriter): Promise<CompactReport> {
  const report = await compact(writer, TOLERATED.command, {});
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
      // Readers of a damaged segment get an error; the others still get their counts.
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
    if (options.lowLatency === true && !isOverdue(run.length)) {
      left = Math.max(left, run.length);
      return;
    }
    const added = await rewriteSegments(writer, run, options);
    after += added.length - run.length;
  };
  // An import must not fail because of older data.
  const problems = await mergeRuns(runs, merge, options.importId !== undefined);
  recordFallbacks(writer.catalog, 'case.compact', problems);
  return { before, after, left };
}

/**
 * Merges each run, bisecting it if it does not fit in memory or has a damaged segment.
 * @param leave segments that cannot be merged stay as they are
 * @returns why segments were left
 */
export async function mergeRuns(
  runs: readonly (readonly SegmentRow[])[],
  merge: (run: readonly SegmentRow[]) => Promise<void>,
  leave: boolean,
): Promise<string[]> {
  const problems: string[] = [];
  const waiting = [...runs];
  for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
    try {
      await merge(run);
    } catch (error) {
      const isExpected = hasCode(error, 'limit-exceeded') || (leave && isDamaged(error));
      if (isExpected && run.length > 2) {
        const half = run.length >>> 1;
        waiting.unshift(run.slice(0, half), run.slice(half));
      } else if (isExpected && leave) {
        const ids = run.map(({ id }) => id).join(', ');
        problems.push(`segments ${ids} were not merged: ${messageOfError(error)}`);
      } else throw error;
    }
  }
  return problems;
}

/** Whether one of the segments cannot be read. */
function isDamaged(error: unknown): boolean {
  return hasCode(error, 'case-damaged', 'not-found');
}

/**
 * Segments to merge, according to the catalog's current state.
 * @param tolerated see `TOLERATED`
 */
export function runsToMerge(
  { catalog, builder }: Pick<SegmentRewriter, 'catalog' | 'builder'>,
  tolerated: number,
): SegmentRow[][] {
  const deleted = new Set(catalog.marks.deletedBySegment().keys());
  const share = memoryShare(builder.memoryLimit);
  const planned = segmentsToMerge(catalog.segments.outlines(), deleted, share, tolerated);
  if (planned.length === 0) return [];
  const rows = new Map(catalog.segments.all().map((segment) => [segment.id, segment]));
  const losesRows = ({ id }: SegmentRow) => tolerated === TOLERATED.command && deleted.has(id);
  // Without the lock, one of them may be gone already.
  return planned
    .flatMap((run) => splitWide(run.flatMap(({ id }) => rows.get(id) ?? [])))
    .filter((run) => run.length > 1 || run.some(losesRows));
}
