/** Rows of a list ordered by time that begin a new day in the window's zone. */
import { timeParts } from '../../../panel-api.ts';

/**
 * @param timeOf UTC microseconds of a row; undefined while unknown, or if it has no time
 * @returns the rows from `first` to `end` (exclusive) that begin a day; the list's first row is not among them
 */
export function newDays(
  first: number,
  end: number,
  timeOf: (row: number) => number | undefined,
  zone: string,
): ReadonlySet<number> {
  const dayOf = (row: number): string | undefined => {
    const time = row < 0 ? undefined : timeOf(row);
    return time === undefined ? undefined : timeParts(time, zone, 0).date;
  };
  const found = new Set<number>();
  let before = dayOf(first - 1);
  for (let row = first; row < end; row++) {
    const day = dayOf(row);
    if (day !== undefined && before !== undefined && day !== before) found.add(row);
    before = day;
  }
  return found;
}
