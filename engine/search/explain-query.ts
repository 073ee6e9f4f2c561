/** Explains how a query would be answered: the access path, how each segment's events are found, and why. */
import { counted } from '../contract/words/counted.ts';
import { IndexDamaged } from '../index/segment-indexes.ts';
import { type Explained, type Plan, explain, listRows } from '../query/index.ts';
import { groupQuestion } from './access-paths/group-question.ts';
import { pathOf, rowsRead } from '../query/plan/plan-reads.ts';
import { countsByNumber, directShape } from './groups/answer-directly.ts';
import { rollUp } from './groups/answer-groups.ts';
import type { RowFinder } from './rows/row-finder.ts';
import { rolledCount } from './groups/rolled-count.ts';
import { SearchCost } from './search-cost.ts';

/**
 * Lines of text. Damaged side files are ignored, as when the query is answered.
 * @param finder undefined: no index may be used
 * @throws CancelledError
 */
export async function explainPlan(plan: Plan, finder: RowFinder | undefined): Promise<string[]> {
  if (plan.path === 'catalog' || finder === undefined) return explain(plan, undefined);
  for (;;) {
    try {
      return explain(plan, await howAnswered(plan, finder));
    } catch (error) {
      // Each damaged side file is detected once.
      if (!(error instanceof IndexDamaged)) throw error;
    }
  }
}

async function howAnswered(plan: Plan, finder: RowFinder): Promise<Explained> {
  const restricted = await finder.prune(plan, plan.segmentsUsed, 'none');
  const why = listLines(plan, finder);
  const direct = directShape(plan);
  const rolledUp = direct === 'count' ? await rolledCount(finder, plan) : undefined;
  if (rolledUp !== undefined) {
    const { path, rowsExamined, segments } = rolledUp.cost.summary;
    why.push(`counted by rollup: ${segmentCount(segments)}`);
    return { restricted, path, rowsExamined, why, runs: false };
  }
  if (direct !== undefined && plan.events.node === 'base') {
    const found = await finder.findAll(plan.events.filter, plan.segmentsUsed);
    const cost = new SearchCost(direct === 'timeline' ? 'index' : 'catalog');
    for (const segment of plan.segmentsUsed) cost.add(segment, found.get(segment.id));
    const { path, rowsExamined } = cost.summary;
    if (direct === 'timeline') {
      if (finder.hasTimes(plan.segmentsUsed))
        return { restricted, path, rowsExamined, why, runs: false };
      why.push('no counting of row numbers: a segment has no index of its times');
    } else if (countsByNumber(plan.segmentsUsed, found))
      return { restricted, path, rowsExamined, why, runs: false };
    else why.push('no counting of row numbers: some rows must be compared with the query');
  }
  if (plan.shape !== 'rows' && direct === undefined) {
    const rolled = await rollUp(finder, plan);
    if (typeof rolled !== 'string') {
      const { path, rowsExamined, segments } = rolled.cost.summary;
      const { nodes, segments: merged } = rolled.merged;
      const within = nodes === 0 ? '' : `, ${merged.length} of them in ${nodes} merged`;
      why.push(`groups by rollup: ${segmentCount(segments - rolled.read.length)}${within}`);
      if (rolled.read.length > 0)
        why.push(`groups by rows that no rollup has: ${segmentCount(rolled.read.length)}`);
      return { restricted, path, rowsExamined, why, runs: false };
    }
    if (groupQuestion(plan) !== undefined || plan.stages.length === 1)
      why.push(`no rollup: ${rolled}`);
  }
  return {
    restricted,
    path: pathOf(restricted),
    rowsExamined: rowsRead(restricted),
    why,
    runs: true,
  };
}

/** How a list is compared with the events of each segment. */
function listLines({ context: { list }, segmentsUsed }: Plan, finder: RowFinder): string[] {
  if (list === undefined || list.groups.length === 0) return [];
  const how = { whole: 0, partly: 0, joined: 0 };
  for (const segment of segmentsUsed) {
    const found = listRows({ filter: 'list', list }, segment, finder.known(segment).indexes.values);
    how[found === undefined ? 'joined' : found.exact ? 'whole' : 'partly'] += 1;
  }
  const { whole, partly, joined } = how;
  return [
    ...(whole > 0 ? [`list looked up by index: ${segmentCount(whole)}`] : []),
    ...(partly > 0
      ? [`list looked up by index, and joined with the rows found: ${segmentCount(partly)}`]
      : []),
    ...(joined > 0 ? [`list joined with all rows: ${segmentCount(joined)}`] : []),
  ];
}

function segmentCount(n: number): string {
  return counted(n, 'segment');
}
