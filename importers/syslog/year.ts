/**
 * The years of times that state none.
 *
 * The months and days of a log, in the order of its lines, are cut into segments of one year each: a step backwards
 * of more than half a year starts a new year (a smaller one is a late message), and a step from the first days of
 * January to the last of December returns to the previous year. The last record's year is given, or stated by dates
 * and weekdays in the log, or guessed from the file's time, and the segments before it count down from there; one
 * that contains a 29 February moves on to the previous leap year.
 *
 * Invariants: the look-ahead (`YearScan`) and the reading (`YearCursor`) form the same segments, because both use
 * `Segments` on the same dates in the same order. Memory is bounded, whatever the dates are.
 */
import { GIVEN } from '../../engine/contract/time/decisions.ts';
import type { ReadOptions } from '../../engine/evidence/importer.ts';

/** Days of a leap year before each month, so that 29 February has a number. */
const BEFORE_MONTH = [0, 0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335];
const HALF_A_YEAR = 183;
/** How late a message from the old year may arrive after the first of the new one. */
const LATE_DAYS = 7;
/** With more turns of the year the dates are assumed not to be in order, and counting stops. */
const MAX_TURNS = 120;
const DAY_MS = 86_400_000;
/** Used if nothing tells the year: the first leap year with times, and obviously not a real one. */
export const UNKNOWN_YEAR = 1972;
/** Kinds of years by the weekday of their first day, common years and leap years. */
const YEAR_KINDS = 14;
/** Years back from the latest possible one in which every kind of year has occurred. */
const KINDS_REPEAT = 40;
/** The share of a log's weekdays that must fit a year: clocks and copies are sometimes wrong. */
const FITTING_SHARE = 0.9;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function dayOfYear(month: number, day: number): number {
  return BEFORE_MONTH[month]! + day;
}

/** Whether two days of a year are equal or adjacent, even across the turn of the year. */
export function isSameDay(month: number, day: number, month2: number, day2: number): boolean {
  const apart = Math.abs(dayOfYear(month, day) - dayOfYear(month2, day2));
  return apart <= 1 || apart >= 365;
}

function kindOfYear(year: number): number {
  return (isLeapYear(year) ? 7 : 0) + new Date(Date.UTC(year, 0, 1)).getUTCDay();
}

/** Cuts a run of dates into years; `index` is the current year, counted from the first record's. */
class Segments {
  index = 0;
  private previous = 0;

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

export interface YearPlan {
  /** The last record's year, or undefined when no record lacks one. */
  readonly year: number | undefined;
  /** The reason for the year, as in `Decisions.yearBasis`. */
  readonly basis: string;
  /** Notes for people: contradictions, above all. */
  readonly notes: readonly string[];
  /** The first date without a year, with the one it gets: the upper bound for an older member of a set. */
  readonly start:
    { readonly year: number; readonly month: number; readonly day: number } | undefined;
  /** Year by segment, from segment `first` on. */
  readonly years: readonly number[];
  readonly first: number;
}

interface LastYear {
  readonly year: number;
  readonly basis: string;
}

/** The look-ahead: takes every date of a log in order, then plans the years. */
export class YearScan {
  private readonly segments = new Segments();
  private readonly leapDay = new Uint8Array(2 * MAX_TURNS + 1);
  private readonly latest = new Uint16Array(2 * MAX_TURNS + 1);
  /** By segment and kind of year, the weekdays that fit it. */
  private readonly weekdays = new Uint32Array((2 * MAX_TURNS + 1) * YEAR_KINDS);
  private weekdayCount = 0;
  /** Number of dates in the log that put the first record's segment in each year. */
  private readonly stated = new Map<number, number>();
  private statedCount = 0;
  private firstStated = Infinity;
  private lastStated = 0;
  private firstMonth = 0;
  private firstDay = 0;
  private lastMonth = 0;
  private lastDay = 0;
  private lastDatedYear = 0;
  private headingYear = 0;
  private headingDay = 0;

  /**
   * A date without a year.
   * @param weekday 0 for Sunday; -1 if none was stated
   */
  add(month: number, day: number, weekday = -1): void {
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
    if (weekday < 0) return;
    this.weekdayCount++;
    const inCommonYear = today - 1 - (month > 2 ? 1 : 0);
    this.weekdays[at * YEAR_KINDS + ((weekday + 371 - inCommonYear) % 7)]!++;
    this.weekdays[at * YEAR_KINDS + 7 + ((weekday + 371 - (today - 1)) % 7)]!++;
  }

  /** The date that was added last is of this year, as the same record states elsewhere. */
  addStated(year: number): void {
    const first = year - this.segments.index;
    this.stated.set(first, (this.stated.get(first) ?? 0) + 1);
    this.statedCount++;
    this.firstStated = Math.min(this.firstStated, year);
    this.lastStated = Math.max(this.lastStated, year);
  }

  /** A date with its year, on a line of its own. */
  addDated(year: number, month: number, day: number): void {
    this.lastDatedYear = year;
    if (this.lastMonth === 0) return;
    const apart = dayOfYear(month, day) - dayOfYear(this.lastMonth, this.lastDay);
    if (Math.abs(apart) <= LATE_DAYS) this.addStated(year);
  }

  /** A full date in the heading of the log: its first record follows, within months at most. */
  addHeading(year: number, month: number, day: number): void {
    if (this.lastMonth === 0 && this.headingDay === 0) {
      this.headingYear = year;
      this.headingDay = dayOfYear(month, day);
    }
  }

  plan(options: Pick<ReadOptions, 'year' | 'before'>, modifiedMs: number | undefined): YearPlan {
    if (this.lastMonth === 0)
      return { year: undefined, basis: '', notes: [], start: undefined, years: [], first: 0 };
    const lastAt = this.segments.index + MAX_TURNS;
    const notes: string[] = [];
    const { year: wanted, basis } = this.lastYear(options, modifiedMs, notes);
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
    if (last !== wanted)
      notes.push(`the log has a 29 February: ${last} is taken as the year of its last record`);
    return {
      year: last,
      basis,
      notes,
      // The first record's segment is number 0.
      start: { year: years[MAX_TURNS - firstAt]!, month: this.firstMonth, day: this.firstDay },
      years,
      first: firstAt - MAX_TURNS,
    };
  }

  private lastYear(
    options: Pick<ReadOptions, 'year' | 'before'>,
    modifiedMs: number | undefined,
    notes: string[],
  ): LastYear {
    const stated = this.statedYear();
    const latest = this.latestYear(options, modifiedMs);
    const chosen = this.choose(options, stated, latest, notes);
    if (stated === undefined && this.statedCount > 0)
      notes.push(
        `full dates in the log are from ${this.firstStated} to ${this.lastStated}, without a majority for one year: ${chosen.year} is taken as the year of its last record`,
      );
    if (stated !== undefined && stated !== chosen.year)
      notes.push(`full dates in the log say that its last record is from ${stated}`);
    if (stated !== undefined && chosen.year === stated && latest !== undefined)
      if (latest.year !== stated)
        notes.push(
          `${latest.source} would make it ${latest.year}, full dates in the log ${stated}`,
        );
    if (this.weekdayCount > 0 && !this.fits(chosen.year)) {
      const years = this.fittingYears(Math.max(chosen.year, latest?.year ?? 0));
      notes.push(
        years.length === 0
          ? `the weekdays in the log fit no single year; ${chosen.year} is taken`
          : `the weekdays in the log are not those of ${chosen.year} but of ${years.slice(0, 3).join(', ')}`,
      );
    }
    return chosen;
  }

  private choose(
    options: Pick<ReadOptions, 'year' | 'before'>,
    stated: number | undefined,
    latest: (LastYear & { source: string }) | undefined,
    notes: string[],
  ): LastYear {
    if (options.year !== undefined && options.before === undefined)
      return { year: options.year, basis: GIVEN };
    if (stated !== undefined) return { year: stated, basis: 'stated by full dates in the log' };
    if (latest === undefined) {
      if (this.lastDatedYear !== 0)
        return { year: this.lastDatedYear, basis: 'stated by other lines of the log' };
      notes.push(
        `nothing indicates the year of the log's times: ${UNKNOWN_YEAR} is used until one is set`,
      );
      return { year: UNKNOWN_YEAR, basis: 'guessed: nothing indicates it' };
    }
    if (this.lastDatedYear !== 0 && Math.abs(this.lastDatedYear - latest.year) > 1) {
      notes.push(
        `${latest.source} would make it ${latest.year}, other lines of the log ${this.lastDatedYear}`,
      );
      return { year: this.lastDatedYear, basis: 'stated by other lines of the log' };
    }
    if (this.weekdayCount === 0) return latest;
    const [year] = this.fittingYears(latest.year);
    if (year === undefined) return latest;
    if (year !== latest.year)
      notes.push(
        `${latest.source} would make it ${latest.year}, which the weekdays in the log contradict: ${year} is the latest year that fits`,
      );
    return { year, basis: `guessed from the weekdays in the log and ${latest.source}` };
  }

  /** The latest possible year of the last record, by information from outside the log. */
  private latestYear(
    { before }: Pick<ReadOptions, 'before'>,
    modifiedMs: number | undefined,
  ): (LastYear & { source: string }) | undefined {
    if (before !== undefined) {
      const next = dayOfYear(before.month, before.day);
      const lastDay = dayOfYear(this.lastMonth, this.lastDay);
      const source = 'the next newer file of its rotated set';
      const year = lastDay <= next + LATE_DAYS ? before.year : before.year - 1;
      return { year, basis: `guessed from ${source}`, source };
    }
    if (modifiedMs === undefined || !Number.isFinite(modifiedMs)) return undefined;
    const bounded = Math.max(-8e15, Math.min(8e15, modifiedMs));
    const limit = new Date(bounded + DAY_MS);
    const at = dayOfYear(limit.getUTCMonth() + 1, limit.getUTCDate());
    const later = this.latest[this.segments.index + MAX_TURNS]! > at;
    const source = `the file's date of ${new Date(bounded).toISOString().slice(0, 10)}`;
    const year = limit.getUTCFullYear() - (later ? 1 : 0);
    return { year, basis: `guessed from ${source}`, source };
  }

  /** The last record's year by most of the full dates that are of the days of the log. */
  private statedYear(): number | undefined {
    for (const [first, count] of this.stated) {
      if (count * 2 > this.statedCount) return first + this.segments.index;
    }
    if (this.headingYear === 0) return undefined;
    // The first record is of the heading's day or later.
    const first = dayOfYear(this.firstMonth, this.firstDay);
    const turned = first + 1 < this.headingDay ? 1 : 0;
    return this.headingYear + turned + this.segments.index;
  }

  /** Years up to `latest` whose weekdays are the log's, the latest first. */
  private fittingYears(latest: number): number[] {
    const years: number[] = [];
    for (let year = latest; year > latest - KINDS_REPEAT; year--) {
      if (this.fits(year)) years.push(year);
    }
    return years;
  }

  /** Whether the weekdays of the log fit its years if its last one is `year`. */
  private fits(year: number): boolean {
    const lastAt = this.segments.index + MAX_TURNS;
    let fitting = 0;
    for (let at = 0; at < this.latest.length; at++) {
      if (this.latest[at] === 0) continue;
      fitting += this.weekdays[at * YEAR_KINDS + kindOfYear(year + at - lastAt)]!;
    }
    return fitting >= this.weekdayCount * FITTING_SHARE;
  }
}

/** Gives each date of the log, in the same order as it was scanned, its year. */
export class YearCursor {
  private readonly plan: YearPlan;
  private readonly segments = new Segments();

  constructor(plan: YearPlan) {
    this.plan = plan;
  }

  next(month: number, day: number): number {
    const { years, first, year } = this.plan;
    return years[this.segments.step(month, day) - first] ?? year ?? UNKNOWN_YEAR;
  }
}
