/** Answers `count` and plain `timeline` from the catalog, rollups and indexes, without reading events. */
import {
  type AnswerStatement,
  type Filter,
  type FoundRows,
  type Plan,
  type SegmentInfo,
  countOf,
} from '../../query/index.ts';
import { gridOf } from '../../query/plan/plan-tables.ts';
import { timelineOf } from '../../query/plan/plan.ts';
import { type Grid, bucketStart } from '../../query/time/grid.ts';
import {
  type TimedRows,
  bucketCounts,
  eventsIn,
  rangeOf,
  spansBuckets,
} from '../access-paths/timed-rows.ts';
import { readsMessages } from '../access-paths/prune.ts';
import type { RowFinder } from '../rows/row-finder.ts';
import { rolledCount } from './rolled-count.ts';
import { SearchCost } from '../search-cost.ts';

/** The question of a plan that row numbers can answer; undefined if events must be read. */
export function directShape(plan: Plan): 'count' | 'timeline' | undefined {
  if (plan.events.node !== 'base') return undefined;
  if (plan.shape === 'count') return 'count';
  const timeline = timelineOf(plan);
  const plain =
    timeline?.by === undefined && timeline?.spread === undefined && timeline?.measure === undefined;
  return plan.shape === 'timeline' && plain ? 'timeline' : undefined;
}

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

/** Where the buckets of a `timeline` begin and the last one ends; `list` as in `directAnswer`. */
function directStarts(plan: Plan, list: readonly TimedRows[]): Float64Array {
  const grid = directGrid(plan, list);
  return grid === undefined ? new Float64Array(0) : startsOf(grid);
}

function directGrid(plan: Plan, list: readonly TimedRows[]): Grid | undefined {
  return gridOf(plan, plan.needsRange ? rangeOf(list) : undefined);
}

function startsOf(grid: Grid): Float64Array {
  return Float64Array.from({ length: grid.buckets + 1 }, (_, i) => bucketStart(grid, i));
}

/** The same answer that the plan's statement would give. */
function directAnswer(
  plan: Plan,
  list: readonly TimedRows[],
): { readonly statement: AnswerStatement; readonly rows: number[][] } {
  const column = (at: number) =>
    ({ name: 'count', type: 'integer', parts: [{ role: 'value', at }] }) as const;
  if (plan.shape === 'count')
    return {
      statement: { sql: '', params: [], columns: [column(0)], grid: undefined },
      rows: [[eventsIn(list)]],
    };
  const grid = directGrid(plan, list);
  const rows: number[][] = [];
  if (grid !== undefined) {
    bucketCounts(list, startsOf(grid)).forEach((n, i) => {
      if (n > 0) rows.push([i, n]);
    });
  }
  return { statement: { sql: '', params: [], columns: [column(1)], grid }, rows };
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
