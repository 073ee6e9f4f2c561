/** Detects times that are not dates: they count from the beginning of a recording, not from 1970. */
import type { EpochMicros } from '../../contract/event.ts';

/** Evidence of computers is more recent: such times do not count from 1970. */
const YEAR_1971 = Date.UTC(1971) * 1000;

/**
 * A note for people about times from `first` to `last`; undefined if they are dates.
 * @param which names the times in the sentence
 */
export function relativeTimesNote(
  first: EpochMicros | undefined,
  last: EpochMicros | undefined,
  which = 'all its times',
): string | undefined {
  if (first === undefined || first < 0 || last === undefined || last >= YEAR_1971) return undefined;
  return `${which} are in 1970: they seem to count from the start of a recording instead of being dates`;
}
