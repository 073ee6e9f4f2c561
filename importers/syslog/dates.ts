/**
 * What all dates of a log together determine: the years of those that state none, and the order of numeric ones.
 * Computed once, at the first such date, by a pass over the whole content.
 */
import type { EventSink, ReadOptions, SourceInput } from '../../engine/evidence/importer.ts';
import { piecesOf } from '../../engine/evidence/pieces.ts';
import { DateOrderScan, tellDateOrder, type FoundOrder } from '../shared/time/date-order.ts';
import { LineReader } from '../shared/lines.ts';
import { isDirective } from './continuation.ts';
import { isAlnum } from './header/bytes.ts';
import { Header } from './header/header.ts';
import { parseHeader } from './header/parse-header.ts';
import { framesOf, MAX_LINE, type Layout } from './layout.ts';
import { SHAPE, type Stamp } from '../shared/time/stamp.ts';
import { isSameDay, YearScan, type YearPlan } from './year.ts';

/** Records whose texts are searched for full dates: the first ones, then every n-th. */
const QUOTES_FIRST = 2000;
const QUOTES_EACH = 64;
const QUOTES_BYTES = 400;
/** Number of first lines that may be a heading with a date, as in glog's `Log file created at: …`. */
const HEADING_LINES = 20;

export interface DatesPlan {
  readonly years: YearPlan;
  readonly order: FoundOrder | undefined;
}

/** Whether a line's time lacks its year. */
export function lacksYear(h: Header): boolean {
  return h.dated && h.stamp.year === 0 && h.stamp.shape !== SHAPE.epoch;
}

class DatesScan {
  readonly years = new YearScan();
  readonly order = new DateOrderScan();
  /** Whether there is any date that needs a plan. */
  needed = false;
  private readonly quoted = new Header().stamp;
  private yearless = 0;
  private lines = 0;

  /** A line, with its header as it was read without a plan. */
  add(h: Header, b: Uint8Array, end: number): void {
    const { stamp } = h;
    this.lines++;
    if (!h.dated) {
      if (this.lines <= HEADING_LINES) this.heading(b, h.messageStart, end);
      return;
    }
    if (stamp.numeric) {
      this.needed = true;
      this.order.add(stamp.first, stamp.second, stamp.third, stamp.thirdDigits, stamp.usual);
      return;
    }
    if (!lacksYear(h)) {
      if (stamp.shape !== SHAPE.epoch && h.tellsYear)
        this.years.addDated(stamp.year, stamp.month, stamp.day);
      return;
    }
    this.needed = true;
    const { month, day } = stamp;
    this.years.add(month, day, stamp.weekday);
    this.yearless++;
    if (this.yearless > QUOTES_FIRST && this.yearless % QUOTES_EACH !== 0) return;
    const year = this.fullDate(b, stamp.end, end, month, day);
    if (year !== 0) this.years.addStated(year);
  }

  plan(
    options: Pick<ReadOptions, 'year' | 'before' | 'dateOrder'>,
    modifiedMs: number | undefined,
  ): DatesPlan {
    return {
      years: this.years.plan(options, modifiedMs),
      order: this.order.found(options.dateOrder),
    };
  }

  /** A heading's date precedes the first record's: it has the same year if that is within a week. */
  private heading(b: Uint8Array, start: number, end: number): void {
    if (this.fullDate(b, start, end) === 0) return;
    const { year, month, day } = this.quoted;
    this.years.addHeading(year, month, day);
  }

  /** The year of the first full date in a text (of this day, if one is given); 0 if there is none. */
  private fullDate(b: Uint8Array, start: number, end: number, month = 0, day = 0): number {
    const limit = Math.min(end, start + QUOTES_BYTES);
    const stamp = this.quoted;
    let before = 0;
    for (let i = start; i + 10 < limit; i++) {
      const c = b[i]!;
      const begins = isAlnum(c) && !isAlnum(before) && before !== 46 && before !== 45;
      before = c;
      if (!begins || !stamp.parse(b, i, end) || !isFull(stamp)) continue;
      if (month === 0 || isSameDay(stamp.month, stamp.day, month, day)) return stamp.year;
    }
    return 0;
  }
}

/** Whether a date is stated with its year, in a form that leaves no doubt. */
function isFull({ shape, year }: Stamp): boolean {
  if (year === 0) return false;
  return shape >= SHAPE.bsd && shape <= SHAPE.weekday;
}

/** The look-ahead. */
export async function scanDates(input: SourceInput, found: Layout): Promise<DatesScan> {
  const { shape, records } = found;
  const scan = new DatesScan();
  const reader =
    framesOf(found, () => input.blocks()) ??
    new LineReader(piecesOf(input), { maxLine: MAX_LINE, size: input.size });
  const h = new Header();
  h.timesOnly = true;
  h.places = shape.places;
  try {
    while (await reader.nextBlock()) {
      while (reader.next()) {
        const { buffer, lineStart, lineEnd } = reader;
        if (reader instanceof LineReader) {
          if (reader.lost || reader.truncated || isDirective(buffer, lineStart, lineEnd)) continue;
        } else if (reader.bad !== undefined) continue;
        if (lineStart === lineEnd || records?.isOne(buffer, lineStart, lineEnd) === true) continue;
        parseHeader(h, buffer, lineStart, lineEnd);
        scan.add(h, buffer, lineEnd);
      }
    }
  } catch {
    // The main pass gets and reports the same error; the dates up to there are all there are.
  }
  return scan;
}

/** Reports decisions and their reasons. */
export function tellDates(sink: EventSink, { years, order }: DatesPlan): void {
  if (years.year !== undefined) {
    sink.decide({ year: years.year, yearBasis: years.basis });
    sink.metadata('first_date', years.start);
    for (const note of years.notes) sink.note(note);
  }
  if (order !== undefined) tellDateOrder(sink, order);
}
