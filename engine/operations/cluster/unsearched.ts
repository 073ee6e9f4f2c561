/** Data that a view of a case on a cluster did not search. */
import type { Result } from '../../contract/operations.ts';
import { clickhouseMatchedLines } from '../../query/index.ts';
import type { GivenList, View } from '../../search/index.ts';
import { hintsWhenEmpty } from '../query/empty-hints.ts';
import { notSearchedText } from '../query/not-searched.ts';
import type { ClusterSession } from './session.ts';
import { askOnCluster, type ClusterView } from './view.ts';

/**
 * For a view without events: what it does not search. @throws DaybookError query-syntax, unknown-field, usage,
 * cancelled
 */
export function unsearchedOn(
  session: ClusterSession,
  view: View,
): Promise<Result<'query.unsearched'>> {
  return askOnCluster(session, 'query.unsearched', view, async (asked) => ({
    ...{ quarantined: NOTHING, unread: NOTHING, undated: undatedLeft(asked) },
    lines: linesLeft(asked),
    hints: hintsWhenEmpty(asked.plan),
  }));
}

/**
 * Lines of a view's list that match none of its events. @throws DaybookError query-syntax, unknown-field, usage,
 * cancelled
 */
export function unmatchedOn(
  session: ClusterSession,
  view: View & { list: GivenList },
): Promise<Result<'list.unmatched'>> {
  return askOnCluster(session, 'list.unmatched', view, async (asked) => {
    const { plan, options } = asked;
    const { list } = plan.context;
    if (list === undefined) throw new TypeError('the view has a list');
    const matched = new Set<number>();
    if (plan.segmentsUsed.length > 0)
      for (const statement of clickhouseMatchedLines(plan, list, options))
        for (const [line] of await asked.rows(statement)) matched.add(Number(line));
    const lines = list.lines.filter((line) => !matched.has(line));
    const unsearched = lines.length === 0 ? [] : linesLeft(asked);
    return { lines: Float64Array.from(lines), of: list.lines.length, unsearched };
  });
}

/** The cluster has no quarantined records, and no files. */
const NOTHING = { count: 0, matching: 0, looked: 0 };
const ONLY_THERE =
  'quarantined records and files that were not read are in the case only, and are not searched';

/** Number of events without a time, if a time range excludes them. */
function undatedLeft({ plan, session }: ClusterView): number {
  if (plan.range.from === undefined && plan.range.to === undefined) return 0;
  const undated = session.context.segments.filter(({ day }) => day === 'undated');
  return undated.reduce((sum, { rows }) => sum + rows, 0);
}

/** The same in words. */
function linesLeft(asked: ClusterView): string[] {
  const left = { quarantined: NOTHING, unread: NOTHING, undated: undatedLeft(asked) };
  return [...notSearchedText({ ...left, packetsBeneath: asked.plan.packetsBeneath }), ONLY_THERE];
}
