/**
 * Ticks of a time axis: at round times of the clock in a zone, so that days begin at its midnight and ticks stay on
 * the hour across daylight saving changes. Times are UTC microseconds.
 */
import { timeParts, zoneOf } from '../../../panel-api.ts';

const SECOND = 1e6;
const MINUTE = 60 * SECOND;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 4, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14].map((n) => n * DAY),
];
/** Steps longer than weeks are counted in months. */
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 600, 1200, 6000, 12_000];
const MONTH_DAYS = 30.44;

export interface TimeMark {
  readonly at: number;
  readonly label: string;
}

/** At most `most` ticks within [from, to], with their labels. */
export function timeMarks(from: number, to: number, most: number, zone: string): TimeMark[] {
  const span = to - from;
  if (!(span > 0) || most < 1) return [];
  const step = STEPS.find((one) => span / one <= most);
  const times =
    step === undefined ? monthTimes(from, to, most, zone) : evenTimes(from, to, step, zone);
  let before: string | undefined;
  return times.map((at) => {
    const label = labelOf(at, before, step ?? MONTH_DAYS * DAY, zone);
    before = timeParts(at, zone, 0).date;
    return { at, label };
  });
}

/** Multiples of a step on the clock of the zone. A local time that is skipped has no tick. */
function evenTimes(from: number, to: number, step: number, zone: string): number[] {
  const clock = zoneOf(zone);
  const local = (at: number): number => at + clock.offsetSecondsAtUtc(at) * SECOND;
  const times: number[] = [];
  if (step <= QUARTER) {
    // Zones differ by whole quarters of an hour: shorter steps have the same ticks.
    const shift = local(from) - from;
    for (let at = Math.ceil((from + shift) / step) * step - shift; at <= to; at += step) {
      times.push(at);
    }
    return times;
  }
  // Weeks begin on Monday; 1970-01-01 was a Thursday.
  const origin = step % (7 * DAY) === 0 ? 4 * DAY : 0;
  const first = Math.ceil((local(from) - origin - 2 * HOUR) / step) * step + origin;
  const end = local(to) + 2 * HOUR;
  for (let at = first; at <= end; at += step) {
    const utc = at - clock.offsetSecondsAtLocal(at) * SECOND;
    if (utc < from || utc > to || local(utc) !== at) continue;
    const last = times[times.length - 1];
    if (last === undefined || utc > last) times.push(utc);
  }
  return times;
}

function monthTimes(from: number, to: number, most: number, zone: string): number[] {
  const clock = zoneOf(zone);
  const months = (to - from) / DAY / MONTH_DAYS;
  const step = MONTHS.find((one) => months / one <= most) ?? 12_000;
  const start = timeParts(from, zone, 0).date;
  const parts = /^([+-]?\d+)-(\d\d)/.exec(start);
  if (parts === null) return [];
  const times: number[] = [];
  const first = Number(parts[1]) * 12 + Number(parts[2]) - 1;
  for (let month = Math.ceil(first / step) * step; ; month += step) {
    const local = Date.UTC(Math.floor(month / 12), month % 12) * 1000;
    if (Number.isNaN(local)) return times;
    const utc = local - clock.offsetSecondsAtLocal(local) * SECOND;
    if (utc > to) return times;
    if (utc >= from) times.push(utc);
  }
}

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The clock; the day where one begins and at the first mark. */
function labelOf(at: number, before: string | undefined, step: number, zone: string): string {
  const digits = step >= SECOND ? 0 : Math.ceil(6 - Math.log10(step) - 1e-9);
  const { date, time } = timeParts(at, zone, digits);
  const [year = '', month = '', day = ''] = date.split('-');
  const sameYear = before?.slice(0, 4) === year;
  const dayName = `${Number(day)} ${NAMES[Number(month) - 1] ?? month}`;
  const dayOfYear = sameYear ? dayName : `${dayName} ${year}`;
  if (step >= 28 * DAY) return sameYear ? (NAMES[Number(month) - 1] ?? month) : monthYear();
  if (step >= DAY) return dayOfYear;
  const clock = step >= MINUTE ? time.slice(0, 5) : time;
  if (before === date) return clock;
  const midnight = /^00:00(?::00(?:\.0*)?)?$/.test(time);
  return midnight && before !== undefined ? dayOfYear : `${dayOfYear} ${clock}`;

  function monthYear(): string {
    return `${NAMES[Number(month) - 1] ?? month} ${year}`;
  }
}

const UNITS: readonly (readonly [number, string])[] = [
  [7 * DAY, 'week'],
  [DAY, 'day'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
  [1e3, 'ms'],
  [1, 'µs'],
];

/** `15 min`, `1 day`, `250 ms`. */
export function durationWords(micros: number): string {
  for (const [size, name] of UNITS) {
    const n = micros / size;
    if (n < 1 || (size > 1 && Math.abs(n * 4 - Math.round(n * 4)) > 1e-9)) continue;
    if (name === 'week' && !Number.isInteger(n)) continue;
    const many = (name === 'day' || name === 'week') && n !== 1;
    return `${n} ${name}${many ? 's' : ''}`;
  }
  return `${micros} µs`;
}

/** About how long, for people: `3.2 h`. */
export function roughDuration(micros: number): string {
  for (const [size, name] of UNITS) {
    const n = micros / size;
    if (name === 'week' || n < 1) continue;
    const shown = n >= 100 || Number.isInteger(n) ? Math.round(n) : Number(n.toFixed(1));
    return `${shown} ${name === 'day' && shown !== 1 ? 'days' : name}`;
  }
  return `${micros} µs`;
}
