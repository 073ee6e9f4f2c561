/**
 * Times and durations as people write them, in a query and in the window.
 *
 * An incomplete time means the span that it names: `2026-11` is that month, `2026-11-21T12:00` that minute. Format:
 * https://www.rfc-editor.org/rfc/rfc3339, with `T` or a space.
 */
import type { EpochMicros } from '../event.ts';

/** Half-open. */
export interface TimeSpan {
  readonly from: EpochMicros;
  readonly to: EpochMicros;
}
export type ZoneOffset = (zone: string, localMicros: EpochMicros) => number;

const TIME =
  /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?)?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;
const EPOCH = /^\d{9,10}(?:\.\d{1,6})?$/;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d|w)$/i;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1e3,
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
  w: 604_800e6,
};

function utcMicros(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() * 1000;
}

/** The span that `text` names; undefined if it is not a time. Accepts seconds since 1970, too. */
export function parseTime(text: string, zone: string, offset: ZoneOffset): TimeSpan | undefined {
  const trimmed = text.trim();
  if (EPOCH.test(trimmed)) {
    const [whole, fraction = ''] = trimmed.split('.');
    const from = Number(whole) * 1e6 + Number(fraction.padEnd(6, '0'));
    return { from, to: from + 10 ** (6 - fraction.length) };
  }
  const m = TIME.exec(trimmed);
  if (m === null) return undefined;
  const year = Number(m[1]);
  const month = m[2] === undefined ? 1 : Number(m[2]);
  const day = m[3] === undefined ? 1 : Number(m[3]);
  const hour = Number(m[4] ?? 0);
  const minute = Number(m[5] ?? 0);
  const second = Number(m[6] ?? 0);
  if (month < 1 || month > 12 || day < 1 || hour > 24 || minute > 59 || second > 60)
    return undefined;
  const date = utcMicros(year, month, day);
  if (new Date(date / 1000).getUTCDate() !== day) return undefined;
  const digits = m[7]?.slice(0, 6);
  const start =
    date +
    hour * 3600e6 +
    minute * 60e6 +
    second * 1e6 +
    (digits === undefined ? 0 : Number(digits.padEnd(6, '0')));
  let end: number;
  if (m[2] === undefined) end = utcMicros(year + 1, 1, 1);
  else if (m[3] === undefined) end = utcMicros(month === 12 ? year + 1 : year, (month % 12) + 1, 1);
  else if (m[4] === undefined) end = start + 86_400e6;
  else if (m[5] === undefined) end = start + 3600e6;
  else if (m[6] === undefined) end = start + 60e6;
  else if (digits === undefined) end = start + 1e6;
  else end = start + 10 ** (6 - digits.length);
  const stated = m[8]?.toUpperCase();
  const toUtc = (local: number): number => local - offset(stated ?? zone, local) * 1e6;
  return { from: toUtc(start), to: toUtc(end) };
}

/** Microseconds of `24h`, `90m`, `1.5d`; undefined if it is not a duration. */
export function parseDuration(text: string): number | undefined {
  const m = DURATION.exec(text.trim());
  return m === null ? undefined : Math.round(Number(m[1]) * UNITS[m[2]!.toLowerCase()]!);
}

/**
 * Number of fractional digits to show, 0 to 9: as many as the source stated, or more if the clock correction
 * (contract/time/clock.ts) has more.
 */
export function shownDigits(micros: EpochMicros, stated: number): number {
  let digits = stated;
  while (digits < 6 && micros % 10 ** (6 - digits) !== 0) digits += 1;
  return digits;
}
