/**
 * The days of a segment's events. Most segments hold one UTC day; if days have few events, one segment holds
 * several of them.
 *
 * Invariants: rows are in order of time, so each day is one run of rows; all rows of a segment with several days
 * have a time.
 */
import { layoutLimit } from './layout-limit.ts';

export interface DayCount {
  /** `2026-11-21` or `undated`. */
  readonly day: string;
  readonly rows: number;
}

export interface OfDays extends DayCount {
  /** In order, beginning with `day`; undefined: all rows are of `day`. */
  readonly days?: readonly DayCount[] | undefined;
}

const DAY_MICROS = 86_400e6;

/**
 * A day with this many events of a kind has its own segment; smaller days are combined, up to four times as many
 * rows: physically deleting a day rewrites these.
 */
const DENSE_ROWS = 32_768;

export function denseRows(): number {
  return layoutLimit('DAYBOOK_DENSE_ROWS', DENSE_ROWS);
}

/** Columns from which on a table of several days or segments takes no more that has others: see `splitWide`. */
export const WIDE_COLUMNS = 512;

/** Each day of a segment with its rows, in order. */
export function daysOf(segment: OfDays): readonly DayCount[] {
  return segment.days ?? [segment];
}

export function lastDayOf(segment: OfDays): string {
  return segment.days?.at(-1)?.day ?? segment.day;
}

/** The rows of a segment that are of days from `first` to `last`. */
export function rowsOfDays(
  segment: OfDays,
  first: string,
  last: string,
): { from: number; to: number } {
  let from = 0;
  let to = 0;
  for (const { day, rows } of daysOf(segment)) {
    if (day < first) from += rows;
    if (day <= last) to += rows;
  }
  return { from: Math.min(from, to), to };
}

/** The first microsecond of a day. */
export function dayStart(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) * 1000;
}

/** The first microsecond after a day. */
export function dayEnd(day: string): number {
  return dayStart(day) + DAY_MICROS;
}

/** Days of segments, `undated` last. */
export function daysOfAll(segments: readonly OfDays[]): string[] {
  return [...new Set(segments.flatMap((one) => daysOf(one).map(({ day }) => day)))].sort();
}

/**
 * Segments in groups that share no day, in order of time: every event of a group precedes those of the next.
 * `undated` is a separate group, the last.
 */
export function disjointGroups<S extends OfDays>(segments: readonly S[]): S[][] {
  const out: S[][] = [];
  let last: string | undefined;
  for (const segment of [...segments].sort(byDayName)) {
    if (last === undefined || segment.day > last) out.push([segment]);
    else out.at(-1)!.push(segment);
    const end = lastDayOf(segment);
    if (last === undefined || end > last) last = end;
  }
  return out;
}

/** A segment with several days has at most this many times the rows at which a day gets its own segment. */
export const SPAN_OF_DENSE = 4;

/**
 * Days as segments should hold them: each dense one alone, the others together as far as they are consecutive.
 * @param dense rows at which a day gets its own segment
 */
export function spansOf(counts: readonly DayCount[], dense: number): DayCount[][] {
  const out: DayCount[][] = [];
  let span: DayCount[] = [];
  let rows = 0;
  for (const one of [...counts].sort(byDayName)) {
    if (one.rows >= dense || !isUsual(one.day)) {
      out.push([one]);
      continue;
    }
    if (rows + one.rows > dense * SPAN_OF_DENSE) {
      out.push(span);
      span = [];
      rows = 0;
    }
    span.push(one);
    rows += one.rows;
  }
  if (span.length > 0) out.push(span);
  return out.sort((a, b) => byDayName(a[0]!, b[0]!));
}

/** Whether the names of days sort by time: none before year 0 or after 9999, and not `undated`. */
export function isUsual(day: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(day);
}

function byDayName(a: DayCount, b: DayCount): number {
  return a.day < b.day ? -1 : a.day > b.day ? 1 : 0;
}
