/** Answers from what is known of a plan's events, without reading them. */
import { type AnswerStatement, type Plan, directAnswer, directShape } from '../query/index.ts';
import type { RowFinder } from './row-finder.ts';
import { SearchCost } from './search-cost.ts';

export interface DirectAnswer {
  readonly statement: AnswerStatement;
  readonly rows: readonly (readonly number[])[];
  readonly cost: SearchCost;
}

/**
 * The answer of a `count` or a plain `timeline`; undefined when its rows must be read anyway.
 * @throws CancelledError, IndexDamaged, and what a statement throws
 */
export async function answerDirectly(
  finder: RowFinder,
  plan: Plan,
): Promise<DirectAnswer | undefined> {
  const shape = directShape(plan);
  if (shape === undefined || plan.events.node !== 'base') return undefined;
  const { filter } = plan.events;
  const { segmentsUsed: segments } = plan;
  if (shape === 'timeline' && !finder.hasTimes(segments)) return undefined;
  const before = await finder.findAll(filter, segments);
  // To count what must be read, one statement that counts is as good.
  if (shape === 'count' && segments.some(({ id }) => before.get(id)?.exact !== true))
    return undefined;
  const list = await finder.timed(filter, segments, { times: shape === 'timeline' });
  if (list === undefined) return undefined;
  const cost = new SearchCost(shape === 'timeline' ? 'index' : 'catalog');
  for (const segment of segments) cost.add(segment, before.get(segment.id));
  return { ...directAnswer(plan, list), cost };
}
