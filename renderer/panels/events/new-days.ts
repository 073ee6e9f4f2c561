/** Rows of a list in the order of time whose day is not that of the row before, in the zone of the window. */
import { timeParts } from '../../panel-api.ts';

/**
 * @param timeOf UTC microseconds of a row; undefined while it is not known, or where it has no time
 * @returns those of the rows from `first` to `end`, excluding `end`; the first row of the list is none
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
