/** Counts the events of a filter if the rollups of all segments can evaluate its conditions. */
import type { RollupGroups } from '../../index/rollup/rollup-groups.ts';
import { COUNT } from '../access-paths/group-question.ts';
import type { FoundRows, Plan } from '../../query/index.ts';
import { groupsInSegment } from '../access-paths/group-sources.ts';
import { isCountedByRollup } from '../access-paths/restrictions.ts';
import { nodeGroups } from '../access-paths/group-nodes.ts';
import type { RowFinder } from '../rows/row-finder.ts';
import { SearchCost } from '../search-cost.ts';

interface RolledCount {
  readonly count: number;
  readonly cost: SearchCost;
}

/**
 * Undefined if its rows must be found.
 * @throws CancelledError, IndexDamaged
 */
export async function rolledCount(finder: RowFinder, plan: Plan): Promise<RolledCount | undefined> {
  if (plan.events.node !== 'base' || !isCountedByRollup(plan.events.filter)) return undefined;
  const { filter } = plan.events;
  const rolled: FoundRows = { rows: 'all', exact: true, rest: filter, by: 'rollup' };
  const cost = new SearchCost('rollup');
  const merged = nodeGroups(COUNT, filter, plan.segmentsUsed, finder.nodes());
  let count = merged.groups.reduce((sum, groups) => sum + countIn(groups), 0);
  for (const segment of merged.segments) cost.add(segment, rolled);
  for (const segment of merged.rest) {
    await finder.breathe();
    const groups = groupsInSegment(COUNT, filter, segment, finder.known(segment));
    if (groups === undefined) return undefined;
    count += groups.reduce((sum, one) => sum + countIn(one), 0);
    if (groups.length > 0) cost.add(segment, rolled);
  }
  return { count, cost };
}

function countIn({ counts }: RollupGroups): number {
  let count = 0;
  for (const rows of counts) count += rows;
  return count;
}
