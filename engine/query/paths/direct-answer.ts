/** Answers that need no event to be read, once it is known which they are: `count` and `timeline`. */
import { bucketStart } from '../grid.ts';
import { type Plan, gridOf, timelineOf } from '../plan.ts';
import type { AnswerStatement } from '../statements.ts';
import { type TimedRows, bucketCounts, eventsIn, rangeOf } from './timed-rows.ts';

/** What a plan asks that its rows' numbers answer; undefined: nothing, its events must be read. */
export function directShape(plan: Plan): 'count' | 'timeline' | undefined {
  if (plan.events.node !== 'base') return undefined;
  if (plan.shape === 'count') return 'count';
  const timeline = timelineOf(plan);
  const plain = timeline?.by === undefined && timeline?.spread === undefined;
  return plan.shape === 'timeline' && plain ? 'timeline' : undefined;
}

/** The answer as a statement of the plan would give it. */
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
  const grid = gridOf(plan, plan.needsRange ? rangeOf(list) : undefined);
  const rows: number[][] = [];
  if (grid !== undefined) {
    const starts = Float64Array.from({ length: grid.buckets + 1 }, (_, i) => bucketStart(grid, i));
    bucketCounts(list, starts).forEach((n, i) => {
      if (n > 0) rows.push([i, n]);
    });
  }
  return { statement: { sql: '', params: [], columns: [column(1)], grid }, rows };
}
