/** Hours and minutes of rows that are in the order of time: found by their ends, not row by row. */
import { HOUR, MAX_HOURS, MAX_MINUTES, MINUTE } from './sets.ts';

export interface Hours {
  /** Hours since 1970 that there is something in. */
  readonly numbers: Float64Array;
  /** The first of each, then of undated rows where there are any, then their number. */
  readonly starts: Uint32Array;
  readonly undated: boolean;
}

/** Dated rows by minute. */
export interface Minutes {
  /** Minutes since 1970 of the first count; the last is not 0 either. */
  readonly first: number;
  readonly counts: Uint32Array;
}

/**
 * Undefined when there are too many.
 * @param times UTC microseconds, ascending, NaN last
 */
export function hoursOf(times: Float64Array, dated: number): Hours | undefined {
  const numbers: number[] = [];
  const starts: number[] = [];
  for (let row = 0; row < dated;) {
    if (numbers.length === MAX_HOURS) return undefined;
    const hour = Math.floor(times[row]! / HOUR);
    numbers.push(hour);
    starts.push(row);
    row = firstFrom(times, undefined, (hour + 1) * HOUR, row, dated);
  }
  const undated = dated < times.length;
  if (undated) starts.push(dated);
  starts.push(times.length);
  return { numbers: Float64Array.from(numbers), starts: Uint32Array.from(starts), undated };
}

/** The same of entries, where `entryOf` is that of each row and entries of two hours are not one. */
export function hoursOfEntries(hours: Hours, entryOf: Uint32Array, entries: number): Hours {
  const last = hours.starts.length - 1;
  const starts = hours.starts.map((row, part) => (part === last ? entries : entryOf[row]!));
  return { ...hours, starts };
}

/** Of some of what there is in `hours`, whose places ascend; those that none is in are left out. */
export function hoursAmong({ numbers, starts, undated }: Hours, some: Uint32Array): Hours {
  const own = { numbers: [] as number[], starts: [] as number[] };
  const parts = starts.length - 1;
  let at = 0;
  let late = false;
  for (let part = 0; part < parts; part++) {
    const from = at;
    while (at < some.length && some[at]! < starts[part + 1]!) at += 1;
    if (at === from) continue;
    own.starts.push(from);
    if (undated && part === parts - 1) late = true;
    else own.numbers.push(numbers[part]!);
  }
  own.starts.push(some.length);
  return {
    numbers: Float64Array.from(own.numbers),
    starts: Uint32Array.from(own.starts),
    undated: late,
  };
}

/**
 * Undefined when there are too many.
 * @param times UTC microseconds, ascending, NaN last
 * @param rows some of them, ascending; all when left out
 */
export function minutesOf(times: Float64Array, rows?: Uint32Array): Minutes | undefined {
  const all = rows?.length ?? times.length;
  const dated = firstFrom(times, rows, Infinity, 0, all);
  if (dated === 0) return { first: 0, counts: new Uint32Array(0) };
  const minuteAt = (i: number): number =>
    Math.floor(times[rows === undefined ? i : rows[i]!]! / MINUTE);
  const first = minuteAt(0);
  const last = minuteAt(dated - 1);
  if (last - first >= MAX_MINUTES) return undefined;
  const counts = new Uint32Array(last - first + 1);
  for (let from = 0; from < dated;) {
    const minute = minuteAt(from);
    const to = firstFrom(times, rows, (minute + 1) * MINUTE, from, dated);
    counts[minute - first] = to - from;
    from = to;
  }
  return { first, counts };
}

/** What is left of minutes without some of their rows. */
export function minutesWithout({ first, counts }: Minutes, some: Minutes): Minutes {
  const left = counts.slice();
  some.counts.forEach((count, i) => (left[some.first - first + i]! -= count));
  let from = 0;
  let to = left.length;
  while (from < to && left[from] === 0) from += 1;
  while (to > from && left[to - 1] === 0) to -= 1;
  return { first: from === to ? 0 : first + from, counts: left.subarray(from, to) };
}

/** The first of `rows` from `from` on whose time is not before `end`; `to` where there is none. */
function firstFrom(
  times: Float64Array,
  rows: Uint32Array | undefined,
  end: number,
  from: number,
  to: number,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[rows === undefined ? middle : rows[middle]!]! < end) low = middle + 1;
    else high = middle;
  }
  return low;
}
