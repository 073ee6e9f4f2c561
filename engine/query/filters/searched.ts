/** Columns of a token index, and when it is worth asking. */
import type { Ref } from '../fields.ts';
import { SEARCHED_COLUMNS } from '../scope.ts';

const SEARCHED: ReadonlySet<string> = new Set(SEARCHED_COLUMNS);

/** The column of a reference, where words are searched in it. */
export function searchedColumn(ref: Ref): string | undefined {
  return 'column' in ref && SEARCHED.has(ref.column) ? ref.column : undefined;
}

/** Above this part of the rows, reading them all beats reading candidates. */
export const MOST_CANDIDATES = 1 / 4;
