/**
 * Parses times as log lines write them, from bytes.
 *
 * `Stamp.parse` reads at one position of a line and stores the result in its own fields, so that nothing is
 * allocated per line. It accepts only valid dates and times.
 *
 * RFC 5424 section 6.2.3 and RFC 3339 for ISO times, RFC 3164 section 4.1.2 for `Mmm dd hh:mm:ss`,
 * https://cr.yp.to/libtai/tai64.html for TAI64N; the others as found in real logs.
 */

import type { DateOrder } from '../../../engine/contract/time/decisions.ts';
import { monthOf, weekdayOf } from './calendar-names.ts';
import {
  COLON,
  COMMA,
  DOT,
  MINUS,
  PLUS,
  SLASH,
  SPACE,
  TAB,
  digitRun,
  isAlnum,
  isLetter,
  nanosOf,
  numberAt,
  OPEN,
} from './characters.ts';
import { DatePlacer } from './date-order.ts';
import { TimeOfDay } from './time-of-day.ts';

/** The format that was found; it decides what may follow. */
export const SHAPE = {
  none: 0,
  /** `Oct 11 22:14:15`, with or without a year. */
  bsd: 1,
  /** `2003-10-11T22:14:15`. */
  isoT: 2,
  /** `2003-10-11 22:14:15` and other writings that begin with the year. */
  yearFirst: 3,
  /** `10/Oct/2000:13:55:36 -0700`, `22 Nov 2012 13:02:03`. */
  dayMonthName: 4,
  /** `Wed Oct 11 14:32:52 2000`. */
  weekday: 5,
  /** Seconds, ms, µs or ns since 1970, and TAI64N. */
  epoch: 6,
  /** Numbers whose order is a guess: `10/13/21 07:57:42`. */
  guessed: 7,
  /** Month and day as numbers, no year: `03-17 16:13:38.811`. */
  monthDay: 8,
  /** A time of day without a date. */
  timeOnly: 9,
} as const;

const DAYS = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export class Stamp extends TimeOfDay {
  shape: number = SHAPE.none;
  /** 0: none was stated. */
  year = 0;
  month = 0;
  day = 0;
  /** For `epoch`: whole seconds since 1970. */
  epochSeconds = 0;
  /** The stated weekday, 0 for Sunday; -1: none. */
  weekday = -1;
  /** The order of ambiguous dates; undefined: the one suggested by their punctuation. */
  order: DateOrder | undefined;
  /** Whether the date is numeric and ambiguous; if so, its numbers as written. */
  numeric = false;
  first = 0;
  second = 0;
  third = 0;
  thirdDigits = 0;
  /** The order that the marks between the numbers suggest. */
  usual: DateOrder = 'dmy';
  /** TS_BASIS bits of the order. */
  orderBasis = 0;
  private readonly placer = new DatePlacer();
  /** The last date in the form `2003-10-11T`: consecutive lines mostly have the same date. */
  private readonly lastDate = new Uint8Array(11);
  private lastYear = 0;
  private lastMonth = 0;
  private lastDay = 0;

  /** Tries to read a time at `at`; true when one was found. */
  parse(b: Uint8Array, at: number, end: number): boolean {
    if (at >= end) return false;
    this.year = 0;
    this.nanos = 0;
    this.digits = 0;
    this.zoned = false;
    this.offset = 0;
    this.weekday = -1;
    this.numeric = false;
    this.orderBasis = 0;
    const c = b[at]!;
    if (c >= 48 && c <= 57) {
      if (this.isLastDate(b, at, end)) {
        this.year = this.lastYear;
        this.month = this.lastMonth;
        this.day = this.lastDay;
        this.shape = SHAPE.isoT;
        return this.time(b, at + 11, end) && this.zoneAfter(b, end, false);
      }
      return this.fromDigits(b, at, end);
    }
    if (c === 64) return this.tai64n(b, at, end);
    return isLetter(c) && this.fromLetters(b, at, end);
  }

  /** Whether the last date is repeated here, as `2003-10-11T`. */
  private isLastDate(b: Uint8Array, at: number, end: number): boolean {
    const { lastDate } = this;
    if (at + lastDate.length > end) return false;
    // The day changes more often than the year.
    for (let i = lastDate.length - 1; i >= 0; i--) if (b[at + i] !== lastDate[i]) return false;
    return true;
  }

  private fromLetters(b: Uint8Array, at: number, end: number): boolean {
    if (at + 12 > end) return false;
    const x = b[at]!;
    const y = b[at + 1]!;
    const z = b[at + 2]!;
    if (monthOf(x, y, z) !== 0) return this.monthFirst(b, at, end, SHAPE.bsd);
    const weekday = weekdayOf(x, y, z);
    if (weekday >= 0) {
      this.weekday = weekday;
      let i = at + 3;
      while (i < end && i < at + 10 && isLetter(b[i]!)) i++;
      if (i < end && b[i] === COMMA) i++;
      if (i >= end || b[i] !== SPACE) return false;
      while (i < end && b[i] === SPACE) i++;
      if (i + 8 > end) return false;
      if (isLetter(b[i]!)) return this.monthFirst(b, i, end, SHAPE.weekday);
      return this.fromDigits(b, i, end) && this.shape === SHAPE.dayMonthName;
    }
    // glog: a severity letter, month and day, as in `I0517 15:04:22.619632`.
    if (digitRun(b, at + 1, end) === 4 && b[at + 5] === SPACE) {
      if (x !== 73 && x !== 87 && x !== 69 && x !== 70 && x !== 68) return false;
      this.month = numberAt(b, at + 1, 2);
      this.day = numberAt(b, at + 3, 2);
      this.shape = SHAPE.monthDay;
      return this.dateIsValid() && this.time(b, at + 6, end) && this.digits > 0;
    }
    // monit: `PDT Apr 16 21:05:29`.
    if (x < 91 && (b[at + 3] === SPACE || b[at + 4] === SPACE)) {
      const after = this.zoneName(b, at, end);
      if (after < 0) return false;
      const offset = this.offset;
      if (!this.monthFirst(b, after + 1, end, SHAPE.bsd)) return false;
      this.zoned = true;
      this.offset = offset;
      return true;
    }
    return false;
  }

  /** A month's name, a day, a time, and a year before or after the time or nowhere. */
  private monthFirst(b: Uint8Array, at: number, end: number, shape: number): boolean {
    if (at + 12 > end) return false;
    const month = monthOf(b[at]!, b[at + 1]!, b[at + 2]!);
    if (month === 0) return false;
    let i = at + 3;
    while (i < end && i < at + 10 && (isLetter(b[i]!) || b[i]! >= 128)) i++;
    if (b[i] === DOT) i++;
    const sep = b[i];
    if (sep !== SPACE && sep !== MINUS && sep !== SLASH) return false;
    i++;
    while (i < end && b[i] === SPACE) i++;
    const n = digitRun(b, i, end);
    if (n !== 1 && n !== 2) return false;
    this.month = month;
    this.day = numberAt(b, i, n);
    i += n;
    this.shape = shape;
    if (b[i] === COMMA) {
      // `Jan 2, 2026 8:34:08 PM`: no syslog, so no host follows.
      i++;
      this.shape = SHAPE.dayMonthName;
    }
    if (i >= end) return false;
    if (sep !== SPACE && b[i] === sep) {
      // `Apr-07-13 07:08:36`, `Apr/07/2013 …`.
      const m = digitRun(b, i + 1, end);
      if (m !== 2 && m !== 4) return false;
      this.shape = SHAPE.dayMonthName;
      this.year = this.fullYear(numberAt(b, i + 1, m), m);
      i += 1 + m;
      if (this.year === 0 || (b[i] !== SPACE && b[i] !== COLON)) return false;
      return this.dateIsValid() && this.time(b, i + 1, end) && this.zoneAfter(b, end, true);
    }
    if (b[i] !== SPACE) return false;
    while (i < end && b[i] === SPACE) i++;
    if (digitRun(b, i, end) === 4 && (b[i + 4] === SPACE || b[i + 4] === COMMA)) {
      this.year = this.fullYear(numberAt(b, i, 4), 4);
      if (this.year === 0) return false;
      i += 5;
      while (i < end && b[i] === SPACE) i++;
      // Kibana: `Nov 20, 2026 @ 22:00:01.123`.
      if (b[i] === 64 && b[i + 1] === SPACE) i += 2;
      if (!this.dateIsValid() || !this.time(b, i, end)) return false;
      const isHostless = this.shape === SHAPE.dayMonthName;
      return this.zoneAfter(b, end, isHostless) && this.zoneNameBeforeColon(b, end);
    }
    if (!this.dateIsValid() || !this.time(b, i, end)) return false;
    i = this.end;
    if (i >= end) return true;
    if (b[i] !== SPACE) return this.zoneAfter(b, end, false);
    // A host usually follows; a year or a zone only in these unambiguous forms.
    const next = b[i + 1]!;
    if (next >= 48 && next <= 57) {
      if (digitRun(b, i + 1, end) !== 4) return true;
      const after = i + 5 < end ? b[i + 5]! : SPACE;
      if (after !== SPACE && after !== COLON && after !== 93) return true;
      const year = numberAt(b, i + 1, 4);
      if (year < 1970 || year > 2199) return true;
      this.year = year;
      this.end = i + 5;
      // Oracle: `Wed Oct  7 11:58:08 2020 -04:00`.
      const sign = b[i + 5] === SPACE ? b[i + 6] : 0;
      if (sign === PLUS || sign === MINUS) this.zoneAfter(b, end, true);
      return this.dateIsValid();
    }
    if (next === PLUS || next === MINUS) {
      this.zoneAfter(b, end, true);
      return !this.zoned || this.yearAfter(b, end);
    }
    return next < 65 || next > 90 || this.zoneBeforeYear(b, i, end);
  }

  /**
   * Parses a zone's name after the blank at `i` if a year or a colon follows: otherwise it is a host. False if the
   * date is invalid.
   */
  private zoneBeforeYear(b: Uint8Array, i: number, end: number): boolean {
    // Java: `Wed Mar 04 05:06:07 GMT+02:00 2026`.
    if (this.offsetOfName(b, i + 1, end)) return this.yearAfter(b, end);
    const after = this.zoneName(b, i + 1, end);
    if (after >= 0) {
      if (b[after] === COLON) {
        this.zoned = true;
        this.end = after;
      } else {
        const { end: before } = this;
        this.end = after;
        if (!this.yearAfter(b, end)) return false;
        if (this.year !== 0) this.zoned = true;
        else this.end = before;
      }
    }
    if (!this.zoned) this.offset = 0;
    return true;
  }

  /**
   * Parses a year that follows a zone, as in `Wed Oct 11 14:32:52 +0200 2000`. False if the date is invalid in it.
   */
  private yearAfter(b: Uint8Array, end: number): boolean {
    const at = this.end + 1;
    if (b[at - 1] !== SPACE || digitRun(b, at, end) !== 4) return true;
    const year = numberAt(b, at, 4);
    if (year < 1970 || year > 2199) return true;
    this.year = year;
    this.end = at + 4;
    return this.dateIsValid();
  }

  private fromDigits(b: Uint8Array, at: number, end: number): boolean {
    const n = digitRun(b, at, end);
    const i = at + n;
    const c = i < end ? b[i]! : SPACE;
    switch (n) {
      case 4:
        return this.yearFirst(b, at, end, c);
      case 1:
      case 2:
        if (c === COLON) {
          this.shape = SHAPE.timeOnly;
          return this.time(b, at, end) && this.seconds >= 0 && this.end - at >= 7;
        }
        return this.smallFirst(b, at, n, end, c);
      case 8:
      case 14: {
        this.shape = SHAPE.yearFirst;
        this.year = numberAt(b, at, 4);
        this.month = numberAt(b, at + 4, 2);
        this.day = numberAt(b, at + 6, 2);
        if (this.year < 1970 || this.year > 2199 || !this.dateIsValid()) return false;
        if (n === 14) return this.packedTime(b, at + 8, end);
        if (c === DOT) return this.packedAfterDot(b, i + 1, end);
        if (c !== SPACE && c !== MINUS && c !== 84 && c !== 95 && c !== COLON) return false;
        if (c === 84) this.shape = SHAPE.isoT;
        if (c === MINUS && this.looseTime(b, i + 1, end)) return true;
        if (digitRun(b, i + 1, end) === 6) return this.packedTime(b, i + 1, end);
        return this.time(b, i + 1, end) && this.zoneAfter(b, end, true);
      }
      case 6:
        if (c !== SPACE) return false;
        this.shape = SHAPE.guessed;
        this.year = this.fullYear(numberAt(b, at, 2), 2);
        this.month = numberAt(b, at + 2, 2);
        this.day = numberAt(b, at + 4, 2);
        if (!this.dateIsValid()) return false;
        if (digitRun(b, i + 1, end) === 6) return this.packedTime(b, i + 1, end);
        return this.time(b, i + 1, end) && this.end - i >= 8 && this.zoneAfter(b, end, false);
      case 10:
      case 13:
      case 16:
      case 19:
        return this.epoch(b, at, n, end);
      default:
        return false;
    }
  }

  private yearFirst(b: Uint8Array, at: number, end: number, sep: number): boolean {
    const year = numberAt(b, at, 4);
    if (year < 1900 || year > 2199) return false;
    let i = at + 5;
    this.shape = SHAPE.yearFirst;
    if (sep === SPACE) {
      // `2003 Oct 11 22:14:15`.
      if (i < end && isLetter(b[i]!)) {
        if (!this.monthFirst(b, i, end, SHAPE.bsd)) return false;
        this.year = year;
        return this.dateIsValid();
      }
      // Barracuda: `2003 10 11 22:14:15 +00:00`.
      if (digitRun(b, i, end) !== 2 || digitRun(b, i + 3, end) !== 2) return false;
    } else if (sep !== MINUS && sep !== SLASH && sep !== DOT && sep !== COLON) return false;
    this.year = year;
    let n = digitRun(b, i, end);
    if (n === 3 && sep === MINUS && b[i + 3] === 84) {
      // ISO 8601 ordinal date.
      if (!this.fromOrdinal(year, numberAt(b, i, 3))) return false;
      this.shape = SHAPE.isoT;
      return this.time(b, i + 4, end) && this.zoneAfter(b, end, false);
    }
    if ((n !== 1 && n !== 2) || b[i + n] !== sep) return false;
    this.month = numberAt(b, i, n);
    i += n + 1;
    n = digitRun(b, i, end);
    if (n !== 1 && n !== 2) return false;
    this.day = numberAt(b, i, n);
    i += n;
    if (i >= end || !this.dateIsValid()) return false;
    let c = b[i]!;
    if (c === 84 || c === 116) {
      this.shape = SHAPE.isoT;
      if (c === 84 && i === at + 10) {
        for (let k = 0; k <= 10; k++) this.lastDate[k] = b[at + k]!;
        this.lastYear = year;
        this.lastMonth = this.month;
        this.lastDay = this.day;
      }
      return this.time(b, i + 1, end) && this.zoneAfter(b, end, false);
    }
    if (c === COMMA || c === 59 || c === 124) {
      i++;
      c = i < end ? b[i]! : 0;
      if (c !== SPACE && c !== TAB) i--;
    } else if (c === SPACE && b[i + 1] === MINUS && b[i + 2] === SPACE) i += 2;
    else if (c !== SPACE && c !== TAB && c !== 95 && c !== COLON && c !== MINUS && c !== SLASH) {
      return false;
    }
    const isTime = (c === MINUS && this.dottedTime(b, i + 1, end)) || this.time(b, i + 1, end);
    return isTime && (this.zoned || this.zoneAfter(b, end, true));
  }

  /** One or two digits first: a day or a month. */
  private smallFirst(b: Uint8Array, at: number, n: number, end: number, sep: number): boolean {
    let i = at + n + 1;
    if (i + 6 > end) return false;
    if (sep !== SLASH && sep !== MINUS && sep !== DOT && sep !== SPACE) return false;
    const first = numberAt(b, at, n);
    if (isLetter(b[i]!)) {
      const month = monthOf(b[i]!, b[i + 1]!, b[i + 2]!);
      if (month === 0) return false;
      const from = i;
      i += 3;
      while (i < end && i < from + 9 && isLetter(b[i]!)) i++;
      if (b[i] === DOT) i++;
      if (b[i] !== sep) return false;
      const m = digitRun(b, i + 1, end);
      if (m !== 4 && m !== 2) return false;
      this.shape = SHAPE.dayMonthName;
      this.day = first;
      this.month = month;
      if (sep === SPACE && m === 2 && b[i + 3] === COLON) {
        // `30 May 10:03:19`: no year, the hour follows.
        return this.dateIsValid() && this.time(b, i + 1, end) && this.end - i >= 9;
      }
      this.year = this.fullYear(numberAt(b, i + 1, m), m);
      if (this.year === 0) return false;
      i += 1 + m;
      if (b[i] === COMMA) i++;
      if (b[i] !== COLON && b[i] !== SPACE && b[i] !== 84 && b[i] !== TAB) return false;
      const isTime = this.time(b, i + 1, end) || this.dottedHalf(b, i + 1, end);
      return this.dateIsValid() && isTime && this.zoneAfter(b, end, true);
    }
    if (sep === SPACE) return false;
    let m = digitRun(b, i, end);
    if (m !== 1 && m !== 2) return false;
    const second = numberAt(b, i, m);
    i += m;
    if (b[i] !== sep || (sep === MINUS && b[i + 3] === COLON)) {
      // No year: `03-17 16:13:38.811`, `12/28-12:55:38.765402`, `10.30 16:49:06`.
      if (n !== 2 || m !== 2 || (b[i] !== SPACE && b[i] !== MINUS)) return false;
      this.month = first;
      this.day = second;
      this.shape = SHAPE.monthDay;
      const isOne = this.dateIsValid() && this.time(b, i + 1, end) && this.end - i >= 9;
      return isOne && this.zoneAfter(b, end, false);
    }
    i++;
    m = digitRun(b, i, end);
    if (m !== 2 && m !== 4) return false;
    this.shape = SHAPE.guessed;
    // The date of an access log, whose month is a name elsewhere: Proxmox's `[03/12/2026:10:00:00 +0100]`.
    const isAccess = sep === SLASH && m === 4 && b[i + 4] === COLON && b[at - 1] === OPEN;
    const year = numberAt(b, i, m);
    if (!this.orderDate(first, second, year, m, isAccess ? DOT : sep)) return false;
    i += m;
    if (b[i] === COMMA) {
      i++;
      if (b[i] !== SPACE) i--;
    } else if (b[i] === SPACE && b[i + 1] === MINUS && b[i + 2] === SPACE) i += 2;
    const c = b[i];
    if (c !== SPACE && c !== TAB && c !== MINUS && c !== COMMA && c !== COLON && c !== 84) {
      return false;
    }
    return this.time(b, i + 1, end) && this.zoneAfter(b, end, true);
  }

  /**
   * Three numbers in the order of the log; while that is unknown, in the one suggested by punctuation: dots and
   * dashes day first, slashes month first; for two-digit years slashes year first, dashes month first.
   */
  private orderDate(a: number, x: number, y: number, yDigits: number, sep: number): boolean {
    if (yDigits === 4 && this.fullYear(y, 4) === 0) return false;
    this.usual =
      yDigits === 4
        ? sep === SLASH
          ? 'mdy'
          : 'dmy'
        : sep === SLASH
          ? 'ymd'
          : sep === DOT
            ? 'dmy'
            : 'mdy';
    this.numeric = true;
    this.first = a;
    this.second = x;
    this.third = y;
    this.thirdDigits = yDigits;
    const { placer } = this;
    if (!placer.place(this.order ?? this.usual, a, x, y, yDigits)) return false;
    this.year = placer.year;
    this.month = placer.month;
    this.day = placer.day;
    this.orderBasis = placer.basis;
    return true;
  }

  private setDate(year: number, month: number, day: number): boolean {
    this.year = year;
    this.month = month;
    this.day = day;
    return year !== 0 && this.dateIsValid();
  }

  private epoch(b: Uint8Array, at: number, n: number, end: number): boolean {
    const seconds = numberAt(b, at, 10);
    // 2001 to 2100: other numbers of ten digits are identifiers.
    if (seconds < 1_000_000_000 || seconds > 4_102_444_800) return false;
    let i = at + n;
    let digits = n - 10;
    let fraction = digits > 0 ? numberAt(b, at + 10, digits) : 0;
    if (n === 10 && i + 1 < end && b[i] === DOT) {
      const m = digitRun(b, i + 1, end);
      if (m === 0) return false;
      digits = Math.min(m, 9);
      fraction = numberAt(b, i + 1, digits);
      i += 1 + m;
    }
    if (i < end) {
      const c = b[i]!;
      // A longer word, or the start of a date or of a version.
      if (isAlnum(c) || c === DOT || c === SLASH || c === 95 || c >= 128) return false;
    }
    this.shape = SHAPE.epoch;
    this.epochSeconds = seconds;
    this.digits = digits;
    this.nanos = nanosOf(fraction, digits);
    this.zoned = true;
    this.end = i;
    return true;
  }

  /** `@` and 24 hexadecimal digits. Leap seconds are not known: label 2^62 + 10 is 1970. */
  private tai64n(b: Uint8Array, at: number, end: number): boolean {
    if (at + 25 > end || (at + 25 < end && isAlnum(b[at + 25]!))) return false;
    let high = 0;
    let low = 0;
    let nanos = 0;
    for (let i = 1; i <= 24; i++) {
      const c = b[at + i]!;
      const value =
        c >= 48 && c <= 57 ? c - 48 : (c | 32) >= 97 && (c | 32) <= 102 ? (c | 32) - 87 : -1;
      if (value < 0) return false;
      if (i <= 8) high = high * 16 + value;
      else if (i <= 16) low = low * 16 + value;
      else nanos = nanos * 16 + value;
    }
    const seconds = (high - 0x40000000) * 4294967296 + low - 10;
    if (seconds < 0 || seconds > 7_258_118_400 || nanos > 999_999_999) return false;
    this.shape = SHAPE.epoch;
    this.epochSeconds = seconds;
    this.nanos = nanos;
    this.digits = 9;
    this.zoned = true;
    this.end = at + 25;
    return true;
  }

  /** Cisco: ` UTC:` after the time. Always true. */
  private zoneNameBeforeColon(b: Uint8Array, end: number): boolean {
    const i = this.end;
    if (this.zoned || i + 4 >= end || b[i] !== SPACE) return true;
    const after = this.zoneName(b, i + 1, end);
    if (after >= 0 && b[after] === COLON) {
      this.zoned = true;
      this.end = after;
    } else if (after >= 0) this.offset = 0;
    return true;
  }

  private fullYear(value: number, digits: number): number {
    if (digits === 2) return value < 70 ? 2000 + value : 1900 + value;
    return value >= 1900 && value <= 2199 ? value : 0;
  }

  private fromOrdinal(year: number, ordinal: number): boolean {
    const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    let left = ordinal;
    if (left < 1 || left > (leap ? 366 : 365)) return false;
    for (let month = 1; month <= 12; month++) {
      const days = month === 2 && !leap ? 28 : DAYS[month]!;
      if (left <= days) return this.setDate(year, month, left);
      left -= days;
    }
    return false;
  }

  private dateIsValid(): boolean {
    const { month, day, year } = this;
    if (month < 1 || month > 12 || day < 1 || day > DAYS[month]!) return false;
    if (year === 0 || month !== 2 || day !== 29) return true;
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  }
}
