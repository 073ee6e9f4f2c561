/**
 * Times as flow tools write them, from bytes to UTC microseconds.
 *
 * Understood: epoch seconds, milliseconds, microseconds and nanoseconds (by size, with a fraction),
 * `2026-11-21 00:00:00.123`, `2026/11/21T00:00:00.123`, ISO 8601 with a zone
 * (https://www.rfc-editor.org/rfc/rfc3339), `21/11/2026 0:00[:00] [AM] [+00:00]`, .NET's `/Date(1795219200000)/`, and
 * all forms with a year that log lines have (`Stamp`). Held always: a time is read
 * whole or refused, and a time without a zone is local time of `zone`.
 */
import type { DateOrder } from '../../engine/contract/time/decisions.ts';
import { daysFromCivil, isDate } from '../shared/bytes.ts';
import { DatePlacer } from '../shared/time/date-order.ts';
import { Stamp } from '../shared/time/stamp.ts';
import { UTC, type Zone } from '../../engine/contract/time/zone.ts';
import { digitBits, numberOf, othersOf, ZEROS } from './plain-cells.ts';

const MICROS = 1_000_000;
const DAY_MICROS = 86_400 * MICROS;
/** Epoch numbers from here on are milliseconds, microseconds, nanoseconds: the year 5138 in seconds. */
const LEAST_MILLIS = 1e11;
const LEAST_MICROS = 1e14;
const LEAST_NANOS = 1e18;
/**
 * 18 digits are not nanoseconds of these decades but units of 100 ns since 1601 or 0001, as in Windows and .NET.
 */
const LEAST_HUNDREDS = 1e17;
const MOST_MICROS = Number.MAX_SAFE_INTEGER;

/** More than any date of two-digit pairs is worth. */
const NO_PAIR = 100_000_000;

/** Two digits as a number; NO_PAIR or more for anything else. */
function pair(bytes: Uint8Array, at: number): number {
  const high = bytes[at]! - 48;
  const low = bytes[at + 1]! - 48;
  return high >>> 0 > 9 || low >>> 0 > 9 ? NO_PAIR : high * 10 + low;
}

/** Days from 1970-01-01 to a day of the Gregorian calendar; NaN if there is no such day. */
function dayNumber(year: number, month: number, day: number): number {
  return isDate(year, month, day) ? daysFromCivil(year, month, day) : Number.NaN;
}

/** JavaScript's, with the name of a zone. */
const LONGEST = 80;
/** `1-Jan-26 3:04`, `2026/1/2 3:04`. */
const LEAST_WRITTEN = 13;
/** The name of a zone that JavaScript, Java and Go append to an offset; Go also appends its monotonic clock. */
const ZONE_NAME =
  /(?: \([^()]+\)|\[[\w/+-]+\]|(?<= [+-]\d{4}) (?:[A-Z]{3,5}|[+-]\d\d(?:\d\d)?)(?: m=[+-][\d.]+)?)$/;
/**
 * .NET, including PowerShell's `ConvertTo-Json`: milliseconds in UTC, and an offset that says where it was written.
 */
const NET_DATE = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/;
const SLASH = 47;
/** Zeros after a text, which `Stamp` may read. */
const PADDING = 16;
/** `20261121000000`: as milliseconds it would be of the year 2612. */
const PACKED_DIGITS = 14;

export class StampReader {
  /** The result of `read`: UTC, unless there was no date. */
  micros = 0;
  nanos = 0;
  /** Digits of the fraction of a second. */
  digits = 0;
  /** Whether `zone` was used, and the seconds that were subtracted. */
  zoned = false;
  /** Whether it was used for any time so far. */
  zoneUsed = false;
  offset = 0;

  /** TS_BASIS bits of the order of the date's numbers, and whether any date so far had some. */
  orderBasis = 0;
  orderUsed = false;

  private readonly zone: Zone;
  private readonly order: DateOrder;
  private readonly placer = new DatePlacer();
  private readonly stamp = new Stamp();
  private readonly written = new Uint8Array(LONGEST + PADDING);
  private dateWord = -1;
  private dateMicros = 0;
  private at = 0;
  /**
   * The minute that `readPlain` was in last: its text, four bytes each, and its local time. At first
   * `1970-01-01T00:00`, which is 0: any other text could be a cell.
   */
  private minute0 = 0x30373931;
  private minute1 = 0x2d31302d;
  private minute2 = 0x30543130;
  private minute3 = 0x30303a30;
  private minuteMicros = 0;

  constructor(zone: Zone = UTC, order: DateOrder = 'dmy') {
    this.zone = zone;
    this.order = order;
  }

  /** Like `read`, for a look at what may be read later: uses no zone and no order of dates. */
  peek(bytes: Uint8Array, start: number, end: number): boolean {
    const { zoneUsed, orderUsed } = this;
    const found = this.read(bytes, start, end);
    this.zoneUsed = zoneUsed;
    this.orderUsed = orderUsed;
    return found;
  }

  /** Reads the whole of [start, end); false if it is not a time. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    const size = end - start;
    this.orderBasis = 0;
    if (size < 1 || size > LONGEST) return false;
    return this.readUsual(bytes, start, end) || this.readWritten(bytes, start, end);
  }

  /** Like `read`, but a time without a zone is UTC, which is no decision. */
  readUtc(bytes: Uint8Array, start: number, end: number): boolean {
    const { zoneUsed } = this;
    if (!this.read(bytes, start, end)) return false;
    if (this.zoned) this.micros += this.offset * MICROS;
    this.zoned = false;
    this.offset = 0;
    this.zoneUsed = zoneUsed;
    return true;
  }

  /** Reads the forms of most tables. */
  private readUsual(bytes: Uint8Array, start: number, end: number): boolean {
    const size = end - start;
    if (size >= 10) {
      const mark = bytes[start + 4]!;
      if ((mark === 45 || mark === SLASH) && bytes[start + 7] === mark) {
        return this.readYearFirst(bytes, start, end);
      }
    }
    for (let i = 1; i <= 2 && i < size; i++) {
      const mark = bytes[start + i]!;
      if (
        mark === SLASH ||
        (mark === 45 && bytes[start] !== 45) ||
        (mark === 46 && size > 6 && this.isDotted(bytes, start + i + 1, end))
      )
        return this.readYearLast(bytes, start, end);
    }
    return this.readEpoch(bytes, start, end);
  }

  /** Reads a time in one of the forms of logs, with a year; in .NET's, too. */
  private readWritten(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start < LEAST_WRITTEN) return false;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    if (text[0] === SLASH) return this.readNetDate(text.toString('latin1'));
    const name = ZONE_NAME.exec(text.toString('latin1'))?.[0] ?? '';
    const size = text.length - name.length;
    const { stamp, written } = this;
    written.fill(0).set(text.subarray(0, size));
    stamp.order = this.order;
    if (!stamp.parse(written, 0, size) || stamp.year === 0) return false;
    let { end: after } = stamp;
    if (after < size && !stamp.zoned && written[after] === 32)
      after = stamp.takeZone(written, after + 1, size) ?? after;
    if (after !== size || (name !== '' && !stamp.zoned)) return false;
    const { year, month, day, seconds, nanos, digits, zoned, orderBasis } = stamp;
    const local =
      daysFromCivil(year, month, day) * DAY_MICROS + seconds * MICROS + Math.floor(nanos / 1000);
    this.zoned = !zoned;
    this.zoneUsed ||= !zoned;
    this.offset = zoned ? stamp.offset : (this.zone.fixed ?? this.zone.offsetSecondsAtLocal(local));
    this.micros = local - this.offset * MICROS;
    this.nanos = nanos % 1000;
    this.digits = digits;
    this.orderBasis = orderBasis;
    this.orderUsed ||= orderBasis !== 0;
    return true;
  }

  private readNetDate(text: string): boolean {
    const millis = NET_DATE.exec(text)?.[1];
    const micros = Number(millis) * 1000;
    if (millis === undefined || Math.abs(micros) > MOST_MICROS) return false;
    this.micros = micros;
    this.nanos = 0;
    this.digits = 3;
    this.zoned = false;
    this.offset = 0;
    return true;
  }

  /**
   * Reads `2026-11-21 00:00:00[.123]`, with a T or a blank in it, from `at` to `stop`; up to 32 bytes from `at` on
   * are read. False for a time in any other form. Most are in the same minute as the previous one.
   */
  readPlain(bytes: Uint8Array, view: DataView, at: number, stop: number): boolean {
    if (
      (view.getInt32(at, true) !== this.minute0 ||
        view.getInt32(at + 4, true) !== this.minute1 ||
        view.getInt32(at + 8, true) !== this.minute2 ||
        view.getInt32(at + 12, true) !== this.minute3) &&
      !this.readMinute(bytes, view, at)
    )
      return false;
    const word = view.getInt32(at + 16, true) ^ ZEROS;
    const tens = (word >>> 8) & 255;
    const ones = (word >>> 16) & 255;
    const second = tens * 10 + ones;
    if ((word & 255) !== (58 ^ 48) || tens > 9 || ones > 9 || second > 60) return false;
    let end = at + 19;
    let behind = (word >>> 24) ^ 48;
    let micros = 0;
    let nanos = 0;
    let digits = 0;
    if (behind === 46) {
      end += 1;
      const part = view.getInt32(end, true) ^ ZEROS;
      const bits = digitBits(othersOf(part));
      if (bits === 0) return false;
      digits = bits >>> 3;
      micros = numberOf(part, bits);
      end += digits;
      behind = view.getUint8(end);
      for (; digits < 9 && (behind - 48) >>> 0 <= 9; digits++) {
        if (digits < 6) micros = micros * 10 + behind - 48;
        else nanos = nanos * 10 + behind - 48;
        end += 1;
        behind = view.getUint8(end);
      }
      for (let left = digits; left < 6; left++) micros *= 10;
      if (digits > 6) for (let left = digits; left < 9; left++) nanos *= 10;
    }
    if (end !== stop) return false;
    const local = this.minuteMicros + (second * MICROS + micros);
    this.zoned = true;
    this.zoneUsed = true;
    this.offset = this.zone.fixed ?? this.zone.offsetSecondsAtLocal(local);
    this.micros = local - this.offset * MICROS;
    this.nanos = nanos;
    this.digits = digits;
    return true;
  }

  /** Reads `2026-11-21 00:00`. */
  private readMinute(bytes: Uint8Array, view: DataView, at: number): boolean {
    const separator = bytes[at + 10]!;
    if (
      bytes[at + 4] !== 45 ||
      bytes[at + 7] !== 45 ||
      (separator !== 32 && separator !== 84) ||
      bytes[at + 13] !== 58
    )
      return false;
    const word =
      pair(bytes, at) * 1_000_000 +
      pair(bytes, at + 2) * 10_000 +
      pair(bytes, at + 5) * 100 +
      pair(bytes, at + 8);
    const hour = pair(bytes, at + 11);
    const minute = pair(bytes, at + 14);
    // No pair of digits is a number far above others.
    if (word >= NO_PAIR || hour > 23 || minute > 59) return false;
    if (word !== this.dateWord) {
      const days = dayNumber(Math.floor(word / 10_000), Math.floor(word / 100) % 100, word % 100);
      if (Number.isNaN(days)) return false;
      this.dateWord = word;
      this.dateMicros = days * DAY_MICROS;
    }
    this.minuteMicros = this.dateMicros + (hour * 60 + minute) * 60 * MICROS;
    this.minute0 = view.getInt32(at, true);
    this.minute1 = view.getInt32(at + 4, true);
    this.minute2 = view.getInt32(at + 8, true);
    this.minute3 = view.getInt32(at + 12, true);
    return true;
  }

  /** Whether a second dot follows at most two digits on: `21.11.2026`, no number. */
  private isDotted(bytes: Uint8Array, at: number, end: number): boolean {
    return (at + 1 < end && bytes[at + 1] === 46) || (at + 2 < end && bytes[at + 2] === 46);
  }

  private readEpoch(bytes: Uint8Array, start: number, end: number): boolean {
    const negative = bytes[start] === 45;
    let at = negative ? start + 1 : start;
    const first = at;
    let whole = 0;
    for (; at < end; at++) {
      const digit = bytes[at]! - 48;
      if (digit < 0 || digit > 9) break;
      whole = whole * 10 + digit;
    }
    if (at === first || at - first > 19 || at - first === PACKED_DIGITS) return false;
    let nanos = 0;
    let digits = 0;
    if (at < end) {
      if (bytes[at] !== 46) return false;
      let scale = 100_000_000;
      for (at += 1; at < end; at++) {
        const digit = bytes[at]! - 48;
        if (digit < 0 || digit > 9) return false;
        nanos += digit * scale;
        scale = Math.floor(scale / 10);
        digits += 1;
      }
    }
    this.nanos = 0;
    let micros: number;
    if (whole < LEAST_MILLIS) {
      micros = whole * MICROS + Math.floor(nanos / 1000);
      this.nanos = nanos % 1000;
    } else if (whole < LEAST_MICROS) {
      micros = whole * 1000 + Math.floor(nanos / 1_000_000);
      this.nanos = Math.floor(nanos / 1000) % 1000;
      digits += 3;
    } else if (whole < LEAST_HUNDREDS) {
      micros = whole;
      this.nanos = Math.floor(nanos / 1_000_000);
      digits += 6;
    } else {
      if (whole < LEAST_NANOS) return false;
      // Too large for a double to hold exactly: the last three digits are read apart.
      micros = this.wholeOf(bytes, first, first + this.wholeDigits(bytes, first, end) - 3);
      this.nanos = this.wholeOf(bytes, first + this.wholeDigits(bytes, first, end) - 3, first + 19);
      digits += 9;
    }
    if (negative) {
      micros = -micros;
      if (this.nanos > 0) {
        micros -= 1;
        this.nanos = 1000 - this.nanos;
      }
    }
    if (Math.abs(micros) > MOST_MICROS) return false;
    this.micros = micros;
    this.digits = digits > 9 ? 9 : digits;
    this.zoned = false;
    this.offset = 0;
    return true;
  }

  private wholeDigits(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && bytes[at]! >= 48 && bytes[at]! <= 57) at += 1;
    return at - start;
  }

  private wholeOf(bytes: Uint8Array, start: number, end: number): number {
    let value = 0;
    for (let at = start; at < end; at++) {
      const digit = (bytes[at] ?? 0) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    return value;
  }

  private readYearFirst(bytes: Uint8Array, start: number, end: number): boolean {
    let word = 0;
    for (let i = 0; i < 10; i++) {
      if (i === 4 || i === 7) continue;
      const digit = bytes[start + i]! - 48;
      if (digit < 0 || digit > 9) return false;
      word = word * 10 + digit;
    }
    if (word !== this.dateWord) {
      const days = dayNumber(Math.floor(word / 10_000), Math.floor(word / 100) % 100, word % 100);
      if (Number.isNaN(days)) return false;
      this.dateWord = word;
      this.dateMicros = days * DAY_MICROS;
    }
    return this.readClock(bytes, start + 10, end);
  }

  private readYearLast(bytes: Uint8Array, start: number, end: number): boolean {
    this.at = start;
    const first = this.number(bytes, end, 2);
    const mark = bytes[this.at]!;
    this.at += 1;
    const second = this.number(bytes, end, 2);
    if (first < 0 || second < 0 || bytes[this.at] !== mark) return false;
    const yearAt = this.at + 1;
    this.at = yearAt;
    const third = this.number(bytes, end, 4);
    const digits = this.at - yearAt;
    if (third < 0 || (digits !== 2 && digits !== 4)) return false;
    const { placer } = this;
    if (!placer.place(this.order, first, second, third, digits)) return false;
    const days = dayNumber(placer.year, placer.month, placer.day);
    if (Number.isNaN(days)) return false;
    this.dateWord = -1;
    this.dateMicros = days * DAY_MICROS;
    if (!this.readClock(bytes, this.at, end)) return false;
    this.orderBasis = placer.basis;
    this.orderUsed ||= placer.basis !== 0;
    return true;
  }

  /** Up to `most` digits at `this.at`, which advances; -1 if there are none. */
  private number(bytes: Uint8Array, end: number, most: number): number {
    const from = this.at;
    let value = 0;
    let at = from;
    for (; at < end && at - from < most; at++) {
      const digit = bytes[at]! - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.at = at;
    return at === from ? -1 : value;
  }

  /** What follows a date: nothing, or a separator, the time of day and an optional zone. */
  private readClock(bytes: Uint8Array, start: number, end: number): boolean {
    let seconds = 0;
    let fraction = 0;
    let digits = 0;
    let at = start;
    if (at < end) {
      const separator = bytes[at]!;
      if (separator !== 32 && separator !== 84 && separator !== 116 && separator !== 95) {
        return false;
      }
      at += 1;
      while (at < end && bytes[at] === 32) at += 1;
      this.at = at;
      let hour = this.number(bytes, end, 2);
      if (hour < 0 || hour > 23 || bytes[this.at] !== 58 || this.at >= end) return false;
      this.at += 1;
      const minute = this.number(bytes, end, 2);
      if (minute < 0 || minute > 59) return false;
      let second = 0;
      if (this.at < end && bytes[this.at] === 58) {
        this.at += 1;
        second = this.number(bytes, end, 2);
        // 60 is a leap second: it is the first of the next minute.
        if (second < 0 || second > 60) return false;
        if (this.at < end && (bytes[this.at] === 46 || bytes[this.at] === 44)) {
          at = this.at + 1;
          let scale = 100_000_000;
          for (; at < end; at++) {
            const digit = bytes[at]! - 48;
            if (digit < 0 || digit > 9) break;
            fraction += digit * scale;
            scale = Math.floor(scale / 10);
            digits += 1;
          }
          this.at = at;
          if (digits === 0) return false;
        }
      }
      at = this.at;
      const half = this.halfOfDay(bytes, end);
      if (half >= 0) {
        if (hour < 1 || hour > 12) return false;
        hour = (hour % 12) + half;
        at = this.at;
      }
      seconds = hour * 3600 + minute * 60 + second;
    }
    const micros = this.dateMicros + seconds * MICROS + Math.floor(fraction / 1000);
    let offset = 0;
    this.zoned = at === end;
    if (this.zoned) {
      this.zoneUsed = true;
      offset = this.zone.fixed ?? this.zone.offsetSecondsAtLocal(micros);
    } else {
      offset = this.readOffset(bytes, at, end);
      if (Number.isNaN(offset)) return false;
    }
    const utc = micros - offset * MICROS;
    if (Math.abs(utc) > MOST_MICROS) return false;
    this.micros = utc;
    this.nanos = fraction % 1000;
    this.digits = digits > 9 ? 9 : digits;
    this.offset = offset;
    return true;
  }

  /** 0 for AM, 12 for PM at `this.at`, which moves on; -1 for neither. */
  private halfOfDay(bytes: Uint8Array, end: number): number {
    let at = this.at;
    while (at < end && bytes[at] === 32) at += 1;
    if (end - at < 2 || (bytes[at + 1]! | 32) !== 109) return -1;
    const letter = bytes[at]! | 32;
    if (letter !== 97 && letter !== 112) return -1;
    this.at = at + 2;
    return letter === 97 ? 0 : 12;
  }

  /** Seconds east of UTC from `Z`, `UTC`, `+hh`, `+hhmm`, `+hh:mm` or these after `UTC` or `GMT`; NaN for anything else. */
  private readOffset(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    let isNamed = false;
    while (at < end && bytes[at] === 32) at += 1;
    if (end - at === 1 && (bytes[at]! | 32) === 122) return 0;
    if (end - at >= 3) {
      const word = ((bytes[at]! | 32) << 16) | ((bytes[at + 1]! | 32) << 8) | (bytes[at + 2]! | 32);
      if (word === 0x757463 || word === 0x676d74) {
        at += 3;
        if (at === end) return 0;
        // `GMT+2`.
        isNamed = true;
      }
    }
    const sign = bytes[at];
    if (sign !== 43 && sign !== 45) return Number.NaN;
    this.at = at + 1;
    const hours = this.number(bytes, end, 2);
    const isOne = isNamed && this.at - at === 2 && this.at === end;
    if (hours < 0 || hours > 18 || (this.at - at !== 3 && !isOne)) return Number.NaN;
    let minutes = 0;
    if (this.at < end) {
      if (bytes[this.at] === 58) this.at += 1;
      const from = this.at;
      minutes = this.number(bytes, end, 2);
      if (minutes < 0 || minutes > 59 || this.at - from !== 2) return Number.NaN;
    }
    if (this.at !== end) return Number.NaN;
    const size = hours * 3600 + minutes * 60;
    return sign === 45 ? -size : size;
  }
}
