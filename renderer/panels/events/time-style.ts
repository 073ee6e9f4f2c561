/** How much of a date the rows of a list need to be distinguishable. */
import { offsetText, timeParts } from '../../panel-api.ts';
import type { TimeStyle } from './event-row.tsx';

interface Extent {
  /** Earliest and latest possible time, in UTC microseconds. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** UTC days that were read. */
  readonly days: number;
}

export function timeStyle({ from, to, days }: Extent, zone: string): TimeStyle {
  if (from === undefined || to === undefined) return { zone, date: 'full' };
  const first = timeParts(from, zone, 0).date;
  const last = timeParts(Math.max(from, to - 1), zone, 0).date;
  if (first === last) return { zone, date: 'none' };
  // One UTC day is one day on the clock only if the clock shows UTC.
  if (days <= 1 && zone === 'UTC') return { zone, date: 'none' };
  return { zone, date: first.slice(0, 4) === last.slice(0, 4) ? 'day' : 'full' };
}

/**
 * The heading of the times: the part of the date that they leave out, and the zone. `at`: the time of a row.
 * `2026-03-22, UTC`, `2026, UTC+01:00`, `time, UTC`.
 */
export function timeHeading({ date, zone }: TimeStyle, at: number | undefined): string {
  const clock = zone === 'UTC' ? 'UTC' : at === undefined ? zone : `UTC${offsetText(at, zone)}`;
  if (date === 'full' || at === undefined) return `time, ${clock}`;
  const day = timeParts(at, zone, 0).date;
  return `${date === 'none' ? day : day.slice(0, -6)}, ${clock}`;
}

/** Characters of the longest time. */
export function timeCharacters({ date }: TimeStyle, digits: number): number {
  const time = 8 + (digits === 0 ? 0 : digits + 1);
  return time + (date === 'full' ? 11 : date === 'day' ? 7 : 0);
}
