/** Rows by the host or the program that they name: an index knows every distinct one. */
import type { Ref } from '../names/fields.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { rowsOf } from '../plan/known-rows/rows.ts';

/** Rows by their texts, if every distinct text is known: a filter is evaluated once for each. */
export function namedTextRows(
  ref: Ref,
  { indexes }: SegmentView,
  test: (text: string) => boolean,
): CandidateRows | undefined {
  if (!('column' in ref) || (ref.column !== 'host' && ref.column !== 'program')) return undefined;
  const found = indexes.values?.rowsOfText(ref.column, test);
  return found && { rows: rowsOf(found), exact: true };
}
