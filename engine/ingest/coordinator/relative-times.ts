/** Times that are no dates: they count from the beginning of a recording, not from 1970. */
import type { EpochMicros } from '../../contract/event.ts';

/** Evidence of computers is younger: such times count from something else than 1970. */
const YEAR_1971 = Date.UTC(1971) * 1000;

/**
 * What a person should know about times from `first` to `last`; undefined where they are dates.
 * @param which the times, as the sentence calls them
 */
export function relativeTimesNote(
  first: EpochMicros | undefined,
  last: EpochMicros | undefined,
  which = 'all its times',
): string | undefined {
  if (first === undefined || first < 0 || last === undefined || last >= YEAR_1971) return undefined;
  return `${which} are of 1970: they seem to count from the beginning of a recording, not to be dates`;
}
