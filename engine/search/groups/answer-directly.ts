/** Answers from what is known about a plan's events, without reading them. */
import {
  type AnswerStatement,
  type Filter,
  type FoundRows,
  type Plan,
  type SegmentInfo,
  countOf,
} from '../../query/index.ts';
import { type TimedRows, spansBuckets } from '../access-paths/timed-rows.ts';
import { directAnswer, directShape, directStarts } from '../access-paths/direct-answer.ts';
import { readsMessages } from '../access-paths/prune.ts';
import type { RowFinder } from '../rows/row-finder.ts';
import { rolledCount } from './rolled-count.ts';
import { SearchCost } from '../search-cost.ts';

interface DirectAnswer {
  readonly statement: AnswerStatement;
  readonly rows: readonly (readonly number[])[];
  readonly cost: SearchCost;
}

/**
 * The answer of a `count` or a plain `timeline`; undefined if rows must be read anyway.
 * @throws CancelledError, IndexDamaged, and whatever a statement throws
 */
export async function answerDirectly(
  finder: RowFinder,
  plan: Plan,
): Promise<DirectAnswer | undefined> {
  const shape = directShape(plan);
  if (shape === undefined || plan.events.node !== 'base') return undefined;
  const { filter } = plan.events;
  const { segmentsUsed: segments } = plan;
  const rolled = shape === 'count' ? await rolledCount(finder, plan) : undefined;
  if (rolled !== undefined) {
    const { statement } = directAnswer(plan, []);
    return { statement, rows: [[rolled.count]], cost: rolled.cost };
  }
  if (shape === 'timeline' && !finder.hasTimes(segments)) return undefined;
  const before = await finder.findAll(filter, segments);
  if (shape === 'count' && !countsByNumber(segments, before)) return undefined;
  const list = await timedRows(finder, plan, shape, filter);
  if (list === undefined) return undefined;
  const cost = new SearchCost(shape === 'timeline' ? 'index' : 'catalog');
  for (const segment of segments) cost.add(segment, before.get(segment.id));
  return { ...directAnswer(plan, list), cost };
}

/**
 * With the times that the answer needs: none for a count, for a timeline those of segments that extend over several
 * buckets.
 */
async function timedRows(
  finder: RowFinder,
  plan: Plan,
  shape: 'count' | 'timeline',
  filter: Filter,
): Promise<TimedRows[] | undefined> {
  const { segmentsUsed: segments } = plan;
  if (shape === 'count') return finder.timed(filter, segments, { times: false });
  // The buckets may depend on the first and last event.
  const ends = plan.needsRange ? await finder.timed(filter, segments, { times: () => false }) : [];
  if (ends === undefined) return undefined;
  const starts = directStarts(plan, ends);
  return finder.timed(filter, segments, { times: (one) => spansBuckets(one, starts) });
}

/** If a larger part of the rows must be read to decide which match, one counting statement is as fast. */
const MOST_READ = 0.1;

/** Whether a count follows from row numbers, apart from a few rows that must be read. */
export function countsByNumber(
  segments: readonly SegmentInfo[],
  found: ReadonlyMap<number, FoundRows>,
): boolean {
  let read = 0;
  let all = 0;
  for (const segment of segments) {
    const { id, rows } = segment;
    const known = found.get(id);
    all += rows;
    // Most messages stored as shapes are decided without being read.
    if (known !== undefined && (known.exact || readsMessages(segment, known))) continue;
    read += countOf(known?.rows ?? 'all', rows);
  }
  return read <= all * MOST_READ;
}
