/** Finds the lines of a list that no event of a view matches. */
import {
  MatchList,
  choosesAmong,
  compileMatchedLines,
  compileMatchedText,
  compileSomeEvent,
  planQuery,
} from '../../query/index.ts';
import { askView } from '../ask-view.ts';
import { type View, type ViewScope } from '../asker.ts';
import type { GivenList } from './case-lists.ts';
import type { CaseSession } from '../session/case-session.ts';

interface UnmatchedLines {
  /** Numbers of lines, from 1, ascending. */
  readonly lines: Float64Array<ArrayBuffer>;
  /** Number of lines with values in the list. */
  readonly of: number;
}

/** @throws DaybookError query-syntax, unknown-field, usage, limit-exceeded, cancelled */
export async function unmatchedLines(
  session: CaseSession,
  view: View & { list: GivenList },
  signal?: AbortSignal,
): Promise<UnmatchedLines & ViewScope> {
  return askView(
    session,
    'list.unmatched',
    view,
    signal,
    async (asked) => {
      const { plan } = asked;
      const { list } = plan.context;
      if (list === undefined) throw new TypeError('the view has a list');
      const matched = new Set<number>();
      const pruned = await asked.pruned();
      if (plan.segmentsUsed.length > 0)
        for (const group of list.groups)
          for (const [line] of await pruned.rows(compileMatchedLines(pruned.plan, group)))
            matched.add(Number(line));
      const chooses = choosesAmong(plan);
      for (const [number, text] of list.texts.entries()) {
        if (chooses) {
          if (plan.segmentsUsed.length === 0) continue;
          const met = await pruned.rows(compileMatchedText(pruned.plan, text));
          if (met.length > 0) matched.add(text.line);
          continue;
        }
        // Every event with the text is in the view: an index finds it without the rest of the list.
        const digest = `${list.digest}t${number}`;
        const alone = new MatchList({ ...list, digest, groups: [], texts: [text] });
        const one = planQuery(plan.ast, { ...plan.context, list: alone });
        if (one.segmentsUsed.length === 0) continue;
        const prunedView = await asked.on(one).pruned();
        const found = await prunedView.rows(compileSomeEvent(prunedView.plan));
        if (found.length > 0) matched.add(text.line);
      }
      const lines = list.lines.filter((line) => !matched.has(line));
      return { lines: Float64Array.from(lines), of: list.lines.length };
    },
    [],
    false,
  );
}
