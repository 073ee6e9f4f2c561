/** Positions of a time axis's labels: at round times, as short as the span allows. */

interface Tick {
  /** In intervals from the start of the axis, not always whole. */
  readonly place: number;
  readonly label: string;
}

/** Labels that one axis has at most. */
const MOST = 5;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Intervals in milliseconds, or months, with the characters of an ISO time that distinguish them. */
const STEPS: readonly {
  readonly ms?: number;
  readonly months?: number;
  readonly digits: number;
}[] = [
  ...[1, 2, 5, 10, 30].map((n) => ({ ms: n * SECOND, digits: 19 })),
  ...[1, 2, 5, 10, 30].map((n) => ({ ms: n * MINUTE, digits: 16 })),
  ...[1, 2, 6, 12].map((n) => ({ ms: n * HOUR, digits: 16 })),
  ...[1, 2, 5, 10].map((n) => ({ ms: n * DAY, digits: 10 })),
  ...[1, 3, 6].map((months) => ({ months, digits: 7 })),
  ...[1, 2, 5, 10, 20, 50, 100, 1000].map((years) => ({ months: 12 * years, digits: 4 })),
];

/** @param starts of the intervals, RFC 3339, in order; labels are in their local time */
export function axisTicks(starts: readonly string[]): Tick[] {
  const local = starts.map((start) => Date.parse(`${start.slice(0, 19)}Z`));
  const first = local[0];
  const last = local.at(-1);
  if (first === undefined || last === undefined || Number.isNaN(last - first)) return [];
  for (const step of STEPS) {
    const times = roundTimes(first, last, step);
    if (times === undefined) continue;
    // A span without a round time in it is labelled at its start.
    if (times.length === 0) break;
    return times.map((at) => ({ place: placeOf(local, at), label: labelOf(at, step.digits) }));
  }
  return [{ place: 0, label: labelOf(first, last - first < 10 * MINUTE ? 19 : 16) }];
}

/** The round times of a span; undefined if there are too many. */
function roundTimes(
  first: number,
  last: number,
  { ms, months = 1 }: (typeof STEPS)[number],
): number[] | undefined {
  const times: number[] = [];
  if (ms !== undefined) {
    const from = Math.ceil(first / ms);
    if (Math.floor(last / ms) - from >= MOST) return undefined;
    for (let n = from; n * ms <= last; n++) times.push(n * ms);
    return times;
  }
  const month = (n: number): number => new Date(0).setUTCFullYear(0, n * months, 1);
  const { year, month: within } = monthOf(first);
  let n = Math.floor((year * 12 + within) / months);
  if (month(n) < first) n += 1;
  for (; month(n) <= last; n++) {
    if (times.length === MOST) return undefined;
    times.push(month(n));
  }
  return times;
}

function monthOf(at: number): { year: number; month: number } {
  const date = new Date(at);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() };
}

/** Between the starts of two intervals in proportion: the clock may have been changed in one. */
function placeOf(local: readonly number[], at: number): number {
  const after = local.findIndex((start) => start > at);
  const index = (after === -1 ? local.length : after) - 1;
  const start = local[index];
  const end = local[index + 1];
  return start === undefined || end === undefined
    ? Math.max(0, index)
    : index + (at - start) / (end - start);
}

function labelOf(at: number, digits: number): string {
  return new Date(at).toISOString().slice(0, digits).replace('T', ' ');
}
