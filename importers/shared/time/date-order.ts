/**
 * Numeric dates whose order is ambiguous, such as 3/4/2026 and 08-12-13: determines the order that a source uses,
 * and the date that each of them is.
 *
 * Invariants: one order for all dates of a source; a date that is invalid in it is read in an order in which it is
 * valid, always the same one.
 */
import {
  DATE_ORDERS,
  GIVEN,
  ORDER_NAMES,
  type DateOrder,
} from '../../../engine/contract/time/decisions.ts';
import { TS_BASIS } from '../../../engine/contract/event.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';

/** Orders for a date that does not fit the order of its source. `retime` uses the same. */
const OTHERWISE: readonly DateOrder[] = ['mdy', 'dmy', 'ymd'];
/** To be considered less likely, an order's dates must span this many times the days of another's. */
const CLEARLY_WIDER = 4;
const DAYS = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export interface FoundOrder {
  readonly order: DateOrder;
  readonly basis: string;
  readonly notes: readonly string[];
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month]!) return false;
  if (month !== 2 || day !== 29) return true;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Years of two digits: 1970 to 2069. */
function fullYear(value: number, digits: number): number {
  return digits === 2 ? (value < 70 ? 2000 : 1900) + value : value;
}

/** Reads three numbers as a date. Used for every line of a log: allocates nothing. */
export class DatePlacer {
  year = 0;
  month = 0;
  day = 0;
  /** TS_BASIS bits: the order used if another one would give a date, too; otherwise 0. */
  basis = 0;

  /** @param digits of `third`: a year of four digits is the last of the three */
  place(order: DateOrder, first: number, second: number, third: number, digits: number): boolean {
    this.basis = 0;
    let taken = this.set(order, first, second, third, digits) ? order : undefined;
    for (let i = 0; taken === undefined && i < OTHERWISE.length; i++) {
      if (this.set(OTHERWISE[i]!, first, second, third, digits)) taken = OTHERWISE[i]!;
    }
    if (taken === undefined) return false;
    const { year, month, day } = this;
    for (let i = 0; i < OTHERWISE.length; i++) {
      if (OTHERWISE[i] === taken || !this.set(OTHERWISE[i]!, first, second, third, digits))
        continue;
      this.basis = ORDER_BASIS[taken] | (digits === 2 ? TS_BASIS.twoDigitYear : 0);
      break;
    }
    this.year = year;
    this.month = month;
    this.day = day;
    return true;
  }

  /** Whether the numbers are a date in this order, which they are read in then. */
  set(order: DateOrder, first: number, second: number, third: number, digits: number): boolean {
    switch (order) {
      case 'ymd':
        if (digits !== 2) return false;
        this.year = fullYear(first, 2);
        this.month = second;
        this.day = third;
        break;
      case 'mdy':
        this.year = fullYear(third, digits);
        this.month = first;
        this.day = second;
        break;
      default:
        this.year = fullYear(third, digits);
        this.month = second;
        this.day = first;
    }
    return isDate(this.year, this.month, this.day);
  }
}

const ORDER_BASIS: Readonly<Record<DateOrder, number>> = {
  dmy: TS_BASIS.dayFirst,
  mdy: TS_BASIS.monthFirst,
  ymd: TS_BASIS.dayFirst | TS_BASIS.monthFirst,
};

/** Looks at all dates of a source, in any order, and finds the one they are written in. */
export class DateOrderScan {
  private readonly placer = new DatePlacer();
  private readonly fits: Record<DateOrder, number> = { dmy: 0, mdy: 0, ymd: 0 };
  /** Dates that fit one order only. */
  private readonly states: Record<DateOrder, number> = { dmy: 0, mdy: 0, ymd: 0 };
  /** Days that the dates span in each order, while they fit it. */
  private readonly first: Record<DateOrder, number> = {
    dmy: Infinity,
    mdy: Infinity,
    ymd: Infinity,
  };
  private readonly last: Record<DateOrder, number> = { dmy: 0, mdy: 0, ymd: 0 };
  private dates = 0;
  private usual: DateOrder | undefined;

  /** @param usual the usual order of such a date, by its punctuation */
  add(first: number, second: number, third: number, digits: number, usual: DateOrder): void {
    let orders = 0;
    let only: DateOrder = usual;
    for (let i = 0; i < DATE_ORDERS.length; i++) {
      const order = DATE_ORDERS[i]!;
      if (!this.placer.set(order, first, second, third, digits)) continue;
      this.fits[order]++;
      const { year, month, day } = this.placer;
      const at = (year * 12 + month) * 31 + day;
      if (at < this.first[order]) this.first[order] = at;
      if (at > this.last[order]) this.last[order] = at;
      orders++;
      only = order;
    }
    if (orders === 0) return;
    this.dates++;
    this.usual ??= usual;
    if (orders === 1) this.states[only]++;
  }

  /** Whether some date can be read one way only. */
  get stated(): boolean {
    return this.states.dmy + this.states.mdy + this.states.ymd > 0;
  }

  /** Undefined if there are no such dates. */
  found(asked: DateOrder | undefined): FoundOrder | undefined {
    const { usual, fits, dates } = this;
    if (usual === undefined) return undefined;
    const by = (counts: Record<DateOrder, number>): DateOrder =>
      DATE_ORDERS.reduce((best, order) => (counts[order] > counts[best] ? order : best), usual);
    const all = DATE_ORDERS.filter((one) => fits[one] === dates);
    const closest = this.closest(all);
    const order = asked ?? closest ?? by(fits);
    const notes: string[] = [];
    const others = dates - fits[order];
    if (others > 0)
      notes.push(
        `${others} of ${dates} dates cannot be ${ORDER_NAMES[order]} and were read in the order that fits them: the source contradicts itself, or another order is right`,
      );
    if (asked !== undefined) return { order, basis: GIVEN, notes };
    if (all.length === 1 || (all.length === 0 && this.stated))
      return {
        order,
        basis:
          all.length === 1
            ? STATED
            : `stated by ${fits[order]} of ${dates} dates, the others contradict`,
        notes,
      };
    const why = closest === undefined ? '' : ', in which they lie closest together';
    notes.push(
      `dates such as 3/4/2026 could be read either way: taken as ${ORDER_NAMES[order]}${why} (change it with --date-order)`,
    );
    return {
      order,
      basis: `guessed: every date can be read in more than one order${why}`,
      notes,
    };
  }

  /**
   * Among several orders that fit all dates, the one in which they are clearly closest together: numbers that
   * change from date to date are days rather than months.
   */
  private closest(orders: readonly DateOrder[]): DateOrder | undefined {
    const days = (order: DateOrder): number => this.last[order] - this.first[order];
    const [best, next] = orders.toSorted((a, b) => days(a) - days(b));
    if (best === undefined || next === undefined) return undefined;
    return days(next) > CLEARLY_WIDER * Math.max(days(best), 1) ? best : undefined;
  }
}

const STATED = 'stated by dates that can be read one way only';

export function tellDateOrder(sink: EventSink, { order, basis, notes }: FoundOrder): void {
  sink.decide({ dateOrder: order, dateOrderBasis: basis });
  for (const note of notes) sink.note(note);
}
