/** Lines of a list that match no event of a view, and what was not searched for them. */
import type { Result } from '../../contract/operations.ts';
import {
  type CaseSession,
  type GivenList,
  type View,
  askQuery,
  unmatchedLines,
} from '../../search/index.ts';
import { notSearched, notSearchedText } from './not-searched.ts';

/** @throws DaybookError query-syntax, unknown-field, usage, limit-exceeded, cancelled */
export async function unmatched(
  session: CaseSession,
  view: View & { list: GivenList },
  signal?: AbortSignal,
): Promise<Result<'list.unmatched'>> {
  const found = await unmatchedLines(session, view, signal);
  if (found.lines.length === 0) return { ...found, unsearched: [] };
  const { plan } = await askQuery(session, { ...view, text: view.query, signal });
  const left = notSearchedText(await notSearched(session, plan, signal));
  return { ...found, unsearched: left };
}
