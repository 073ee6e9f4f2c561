/** The time range of a request, as people write it. */
import { DaybookError } from '../../contract/errors.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { parseTime } from '../../contract/time/time-text.ts';
import { zoneOffset } from '../../query/time/zone.ts';

/**
 * The half-open range that a request names: dates and times, or a span back from nothing.
 * @throws DaybookError usage
 */
export function requestRange(
  from: string | undefined,
  to: string | undefined,
  zone: string,
): { from: EpochMicros | undefined; to: EpochMicros | undefined } {
  const time = (name: string, text: string | undefined): EpochMicros | undefined => {
    if (text === undefined) return undefined;
    const span = parseTime(text, zone, zoneOffset);
    if (span === undefined) {
      throw new DaybookError(
        'usage',
        `--${name}: ${JSON.stringify(text)} is not a time`,
        'give 2026-11-21, 2026-11-21T12:00 or 2026-11-21T12:00:00.5Z',
      );
    }
    return span.from;
  };
  const range = { from: time('from', from), to: time('to', to) };
  if (range.from !== undefined && range.to !== undefined && range.to <= range.from) {
    throw new DaybookError(
      'usage',
      '--to is not after --from',
      'a range includes its start and excludes its end',
    );
  }
  return range;
}
