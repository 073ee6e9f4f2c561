/**
 * Offsets of time zones, from the runtime's own copy of the IANA database.
 *
 * Zones are IANA names, `UTC`, or fixed offsets (`+02:00`). All times are epoch microseconds.
 */
import { DaybookError } from '../contract/errors.ts';
import type { EpochMicros } from '../contract/event.ts';

const FIXED = /^([+-])(\d{2}):?(\d{2})$/;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    try {
      format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      throw new DaybookError(
        'usage',
        `unknown time zone "${zone.slice(0, 64)}"`,
        'use an IANA name (Europe/Rome), UTC or an offset (+02:00)',
      );
    }
    formats.set(zone, format);
  }
  return format;
}

/** Seconds that `zone` is ahead of UTC at the instant `utc`. Throws DaybookError `usage`. */
export function zoneOffsetAt(zone: string, utc: EpochMicros): number {
  if (zone === 'UTC' || zone === 'Z') return 0;
  const fixed = FIXED.exec(zone);
  if (fixed !== null) {
    const seconds = Number(fixed[2]) * 3600 + Number(fixed[3]) * 60;
    return fixed[1] === '-' ? -seconds : seconds;
  }
  // Before 1900 and after 2255 a zone is as it was, or will be, then.
  const seconds = Math.floor(Math.min(Math.max(utc, -2.2e15), 9e15) / 1e6);
  let year = 0;
  let month = 1;
  let day = 1;
  let hour = 0;
  let minute = 0;
  let second = 0;
  for (const { type, value } of formatOf(zone).formatToParts(seconds * 1000)) {
    if (type === 'year') year = Number(value);
    else if (type === 'month') month = Number(value);
    else if (type === 'day') day = Number(value);
    else if (type === 'hour') hour = Number(value);
    else if (type === 'minute') minute = Number(value);
    else if (type === 'second') second = Number(value);
  }
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() / 1000 - seconds;
}

/**
 * Seconds that `zone` is ahead of UTC when its clocks show `local`. Of a time that occurs twice the
 * first is meant; one that is skipped is read with the offset before the gap.
 */
export function zoneOffset(zone: string, local: EpochMicros): number {
  const before = zoneOffsetAt(zone, local - 86_400e6);
  const after = zoneOffsetAt(zone, local + 86_400e6);
  if (before === after) return before;
  if (zoneOffsetAt(zone, local - before * 1e6) === before) return before;
  if (zoneOffsetAt(zone, local - after * 1e6) === after) return after;
  return before;
}
