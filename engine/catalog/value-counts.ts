/** The value counts of a segment in the catalog's form: `[120,120,7,0,0]`. */
import { DaybookError } from '../contract/errors.ts';

/** Counts of addresses follow those of columns. */
const ADDRESSES = 2;

/**
 * @param columns of the segment
 * @param rows of the segment
 * @throws DaybookError case-damaged if they cannot be those of such a segment
 */
export function valueCountsIn(text: unknown, columns: number, rows: number): readonly number[] {
  let list: unknown;
  try {
    list = JSON.parse(String(text));
  } catch {
    throw damaged();
  }
  if (!Array.isArray(list) || list.length !== columns + ADDRESSES) throw damaged();
  const counts: number[] = [];
  for (const n of list as unknown[]) {
    if (typeof n !== 'number' || !Number.isSafeInteger(n) || n < 0 || n > rows) throw damaged();
    counts.push(n);
  }
  return counts;
}

function damaged(): DaybookError {
  return new DaybookError(
    'case-damaged',
    'the catalog has counts of values of a segment that cannot be right',
    'restore case.sqlite from a copy of the case',
  );
}
