/**
 * The years of times that state none.
 *
 * The months and days of a log, in the order of its lines, are cut into segments of one year each: a
 * step backwards of more than half a year is a new year (a smaller one is a late message), and a
 * step from the first days of January to the last of December goes back to the year before. The
 * last record's year is known or inferred, and the segments before it count down from there; one
 * that holds a 29 February goes on to the leap year before.
 *
 * Held always: the look-ahead (`YearScan`) and the reading (`YearCursor`) cut alike, because both
 * use `Segments` on the same dates in the same order. Memory is bounded whatever the dates are.
 */
import type { ReadOptions } from '../../engine/contract/importer.ts';

/** Days of a leap year before each month, so that 29 February has a place. */
const BEFORE_MONTH = [0, 0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335];
const HALF_A_YEAR = 183;
/** How late a message from the old year may come after the first of the new one. */
const LATE_DAYS = 7;
/** Turns of the year after which the dates are taken not to be in order, and no more are counted. */
const MAX_TURNS = 120;
const DAY_MS = 86_400_000;
/** When nothing tells the year: the first leap year that has times, and plainly none that is meant. */
export const UNKNOWN_YEAR = 1972;

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function dayOfYear(month: number, day: number): number {
  return BEFORE_MONTH[month]! + day;
}

/** Cuts a run of dates into years; `index` is the current year, counted from the first record's. */
class Segments {
  index = 0;
  private previous = 0;

  /** All that later dates depend on, as text. */
  get state(): string {
    return `${this.index},${this.previous}`;
  }

  /** @param state as `state` gave it */
  goOn(state: string): void {
    const [index, previous] = state.split(',').map(Number);
    this.index = index!;
    this.previous = previous!;
  }

  step(month: number, day: number): number {
    const today = dayOfYear(month, day);
    const delta = today - this.previous;
    if (this.previous !== 0) {
      if (delta < -HALF_A_YEAR) {
        if (this.index < MAX_TURNS) this.index++;
      } else if (delta > 366 - LATE_DAYS) {
        if (this.index > -MAX_TURNS) this.index--;
      }
    }
    this.previous = today;
    return this.index;
  }
}

/** What gave the last record its year. */
export type YearBasis = 'option' | 'newer member' | 'file time' | 'other lines' | 'nothing';

export interface YearPlan {
  /** The last record's year, or undefined when no record lacks one. */
  readonly year: number | undefined;
  readonly basis: YearBasis;
  /** Whether a 29 February moved the last record's year away from the one that was given. */
  readonly movedToLeapYear: boolean;
  /** The first date without a year, with the one it gets: what an older member of a set comes before. */
  readonly start:
    { readonly year: number; readonly month: number; readonly day: number } | undefined;
  /** Year by segment, from segment `first` on. */
  readonly years: readonly number[];
  readonly first: number;
}

/** The look-ahead: takes every date of a log in order, then plans the years. */
export class YearScan {
  private readonly segments = new Segments();
  private readonly leapDay = new Uint8Array(2 * MAX_TURNS + 1);
  private readonly latest = new Uint16Array(2 * MAX_TURNS + 1);
  private firstMonth = 0;
  private firstDay = 0;
  private lastMonth = 0;
  private lastDay = 0;
  private lastDatedYear = 0;

  /** What a cursor's `state` is that was given the same dates; empty before the first. */
  get state(): string {
    return this.lastMonth === 0 ? '' : this.segments.state;
  }

  /** A date without a year. */
  add(month: number, day: number): void {
    const at = this.segments.step(month, day) + MAX_TURNS;
    if (this.lastMonth === 0) {
      this.firstMonth = month;
      this.firstDay = day;
    }
    this.lastMonth = month;
    this.lastDay = day;
    if (month === 2 && day === 29) this.leapDay[at] = 1;
    const today = dayOfYear(month, day);
    if (today > this.latest[at]!) this.latest[at] = today;
  }

  /** A date that states its year: a hint for the others when nothing better is known. */
  addDated(year: number): void {
    this.lastDatedYear = year;
  }

  plan(options: Pick<ReadOptions, 'year' | 'before'>, modifiedMs: number | undefined): YearPlan {
    if (this.lastMonth === 0) {
      return {
        year: undefined,
        basis: 'nothing',
        movedToLeapYear: false,
        start: undefined,
        years: [],
        first: 0,
      };
    }
    const lastAt = this.segments.index + MAX_TURNS;
    const [wanted, basis] = this.lastYear(options, modifiedMs, this.latest[lastAt]!);
    let firstAt = lastAt;
    let topAt = lastAt;
    for (let at = 0; at < this.latest.length; at++) {
      if (this.latest[at] === 0) continue;
      firstAt = Math.min(firstAt, at);
      topAt = Math.max(topAt, at);
    }
    const years: number[] = [];
    let year = wanted + (topAt - lastAt);
    for (let at = topAt; at >= firstAt; at--) {
      if (this.leapDay[at] === 1) while (!isLeapYear(year)) year--;
      years[at - firstAt] = year;
      year--;
    }
    const last = years[lastAt - firstAt]!;
    return {
      year: last,
      basis,
      movedToLeapYear: last !== wanted,
      // The first record's segment is number 0.
      start: { year: years[MAX_TURNS - firstAt]!, month: this.firstMonth, day: this.firstDay },
      years,
      first: firstAt - MAX_TURNS,
    };
  }

  private lastYear(
    options: Pick<ReadOptions, 'year' | 'before'>,
    modifiedMs: number | undefined,
    latestOfLast: number,
  ): [number, YearBasis] {
    const { before, year } = options;
    if (before !== undefined) {
      const next = dayOfYear(before.month, before.day);
      const own = dayOfYear(this.lastMonth, this.lastDay);
      return [own <= next + LATE_DAYS ? before.year : before.year - 1, 'newer member'];
    }
    if (year !== undefined) return [year, 'option'];
    if (modifiedMs !== undefined && Number.isFinite(modifiedMs)) {
      const limit = new Date(Math.max(-8e15, Math.min(8e15, modifiedMs + DAY_MS)));
      const at = dayOfYear(limit.getUTCMonth() + 1, limit.getUTCDate());
      return [limit.getUTCFullYear() - (latestOfLast > at ? 1 : 0), 'file time'];
    }
    if (this.lastDatedYear !== 0) return [this.lastDatedYear, 'other lines'];
    return [UNKNOWN_YEAR, 'nothing'];
  }
}

/** Gives each date of the log, in the same order as it was scanned, its year. */
export class YearCursor {
  private readonly plan: YearPlan;
  private readonly segments = new Segments();

  /** @param state where another cursor of the same plan stood */
  constructor(plan: YearPlan, state = '') {
    this.plan = plan;
    if (state !== '') this.segments.goOn(state);
  }

  get state(): string {
    return this.segments.state;
  }

  next(month: number, day: number): number {
    const { years, first, year } = this.plan;
    return years[this.segments.step(month, day) - first] ?? year ?? UNKNOWN_YEAR;
  }
}
