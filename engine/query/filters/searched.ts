/** Columns of a token index, and when a look-up pays. */
import { SEARCHED_TEXTS } from '../../contract/event.ts';
import type { Ref } from '../names/fields.ts';
import type { IndexedPhrase, SegmentView } from '../plan/known-rows/index-view.ts';
import type { SegmentInfo } from '../plan/scope.ts';

/** Columns that an index distinguishes: for the others it only knows that a word is in one of them. */
const TOLD_APART: ReadonlySet<string> = new Set(['message', 'host', 'program', 'event_type']);
const OTHERS = SEARCHED_TEXTS.filter((name) => !TOLD_APART.has(name));

/** The column of a reference, if an index knows its words. */
export function searchedColumn(ref: Ref): string | undefined {
  return 'column' in ref && TOLD_APART.has(ref.column) ? ref.column : undefined;
}

/** Rows that have, or may have, a phrase in any of their texts; undefined: the index cannot tell. */
export function searchAll(
  phrase: IndexedPhrase,
  { columns }: SegmentInfo,
  { indexes: { text } }: SegmentView,
): ReturnType<NonNullable<typeof text>['search']> {
  if (text === undefined) return undefined;
  if (!text.hasAllTexts && OTHERS.some((name) => columns.has(name))) return undefined;
  return text.search(phrase);
}

/** Above this part of the rows, reading them all beats reading candidates. */
export const MOST_CANDIDATES = 1 / 4;
