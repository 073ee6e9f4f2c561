/** Answers that follow from row numbers alone, without reading events: `count` and `timeline`. */
import { type Grid, bucketStart } from '../../query/time/grid.ts';
import { type Plan, timelineOf } from '../../query/plan/plan.ts';
import { gridOf } from '../../query/plan/plan-tables.ts';
import type { AnswerStatement } from '../../query/statements/statements.ts';
import { type TimedRows, bucketCounts, eventsIn, rangeOf } from './timed-rows.ts';

/** The question of a plan that row numbers can answer; undefined if events must be read. */
export function directShape(plan: Plan): 'count' | 'timeline' | undefined {
  if (plan.events.node !== 'base') return undefined;
  if (plan.shape === 'count') return 'count';
  const timeline = timelineOf(plan);
  const plain =
    timeline?.by === undefined && timeline?.spread === undefined && timeline?.measure === undefined;
  return plan.shape === 'timeline' && plain ? 'timeline' : undefined;
}

/** Where the buckets of a `timeline` begin and the last one ends; `list` as in `directAnswer`. */
export function directStarts(plan: Plan, list: readonly TimedRows[]): Float64Array {
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
export function directAnswer(
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
