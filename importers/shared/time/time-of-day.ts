/**
 * Parses times of a day and zones as log lines write them, from bytes: what `Stamp` does after the date.
 */
import { zoneSecondsOf } from './calendar-names.ts';
import {
  COLON,
  COMMA,
  DOT,
  MINUS,
  PLUS,
  SPACE,
  digitRun,
  isAlnum,
  isLetter,
  nanosOf,
  numberAt,
} from './characters.ts';

/** Whether an unambiguous zone begins at `at`: `Z`, `+02:00`, `-0330`. */
function isZone(b: Uint8Array, at: number, end: number): boolean {
  if (at >= end) return false;
  const c = b[at]!;
  if (c === 90) return at + 1 >= end || !isAlnum(b[at + 1]!);
  const n = c === PLUS || c === MINUS ? digitRun(b, at + 1, end) : 0;
  // Zones differ by quarters of an hour, up to 14 hours; other numbers are not four digits of a zone.
  if (n === 4) return numberAt(b, at + 1, 2) <= 14 && numberAt(b, at + 3, 2) % 15 === 0;
  return n === 2 && b[at + 3] === COLON;
}

/**
 * The end of one white-space character at `at`: a blank, or a non-breaking one (U+00A0, also as Latin-1, U+202F).
 */
function blankEnd(b: Uint8Array, at: number): number {
  const c = b[at]!;
  if (c === SPACE || c === 0xa0) return at + 1;
  if (c === 0xc2 && b[at + 1] === 0xa0) return at + 2;
  return c === 0xe2 && b[at + 1] === 0x80 && b[at + 2] === 0xaf ? at + 3 : at;
}

/** The end of `AM`, `p.m.` or `p. m.` at `at`; `at` if there is none. */
function halfEnd(b: Uint8Array, at: number, end: number): number {
  const isDotted = b[at + 1] === DOT;
  let i = isDotted ? blankEnd(b, at + 2) : at + 1;
  const isApart = isDotted && i > at + 2;
  if (i >= end || (b[i]! | 32) !== 109) return at;
  i++;
  if (isDotted && b[i] === DOT) i++;
  else if (isApart) return at;
  return i < end && isAlnum(b[i]!) && !isZone(b, i, end) ? at : i;
}

export class TimeOfDay {
  /** Start of the text after the time. */
  end = 0;
  /** Of the day; 86,400 for a leap second at its end. */
  seconds = 0;
  nanos = 0;
  /** Digits of the fraction, at most 9. */
  digits = 0;
  /** Whether an offset from UTC was stated. */
  zoned = false;
  /** Seconds east of UTC, when stated. */
  offset = 0;

  /** `[h]h:mm[:ss][fraction][ AM]`; a space may replace the hour's first digit. */
  protected time(b: Uint8Array, at: number, end: number): boolean {
    let i = at;
    if (i < end && b[i] === SPACE) i++;
    if (i + 4 > end) return false;
    let hour = b[i]! - 48;
    if (hour < 0 || hour > 9) return false;
    i++;
    let c = b[i]! - 48;
    if (c >= 0 && c <= 9) {
      hour = hour * 10 + c;
      i++;
    }
    if (b[i] !== COLON || i + 3 > end) return false;
    const m1 = b[i + 1]! - 48;
    const m2 = b[i + 2]! - 48;
    if (hour > 23 || m1 < 0 || m1 > 5 || m2 < 0 || m2 > 9) return false;
    i += 3;
    let seconds = 0;
    c = i < end ? b[i]! : SPACE;
    if (c === COLON) {
      if (i + 3 > end) return false;
      const s1 = b[i + 1]! - 48;
      const s2 = b[i + 2]! - 48;
      if (s1 < 0 || s1 > 6 || s2 < 0 || s2 > 9 || s1 * 10 + s2 > 60) return false;
      seconds = s1 * 10 + s2;
      i += 3;
      c = i < end ? b[i]! : SPACE;
      if (c >= 48 && c <= 57) return false;
      if (c === DOT || c === COMMA || c === COLON) {
        const n = digitRun(b, i + 1, end);
        // After a comma or a colon a number may begin something else, unless a zone follows it.
        const isUsual = c === DOT || n === 3 || (c === COMMA && (n === 6 || n === 9));
        if (n > 0 && (isUsual || (c === COMMA && isZone(b, i + 1 + n, end)))) {
          const used = n > 9 ? 9 : n;
          this.digits = used;
          this.nanos = nanosOf(numberAt(b, i + 1, used), used);
          i += 1 + n;
        }
      }
    } else if ((isAlnum(c) && !isZone(b, i, end)) || c === DOT) return false;
    this.seconds = hour * 3600 + (m1 * 10 + m2) * 60 + seconds;
    this.end = i;
    if (i + 1 < end && hour >= 1 && hour <= 12) this.takeHalf(b, hour, end);
    return true;
  }

  /** Takes `AM` or `PM` after the time of an hour from 1 to 12. Whether it is there. */
  protected takeHalf(b: Uint8Array, hour: number, end: number): boolean {
    const at = blankEnd(b, this.end);
    const half = b[at]! | 32;
    const after = half === 97 || half === 112 ? halfEnd(b, at, end) : at;
    if (after === at) return false;
    this.seconds += ((hour % 12) + (half === 112 ? 12 : 0) - hour) * 3600;
    this.end = after;
    return true;
  }

  /** DB2: `15.42.50.675872`, with three digits of minutes east of UTC right after it (`-300`), or without. */
  protected dottedTime(b: Uint8Array, at: number, end: number): boolean {
    if (at + 8 > end || b[at + 2] !== DOT || b[at + 5] !== DOT) return false;
    if (digitRun(b, at, end) !== 2 || digitRun(b, at + 3, end) !== 2) return false;
    if (digitRun(b, at + 6, end) !== 2) return false;
    const hour = numberAt(b, at, 2);
    const minute = numberAt(b, at + 3, 2);
    const second = numberAt(b, at + 6, 2);
    if (hour > 23 || minute > 59 || second > 60) return false;
    this.seconds = hour * 3600 + minute * 60 + second;
    this.end = at + 8;
    this.fraction(b, at + 8, end, false);
    const sign = b[this.end];
    const n = sign === PLUS || sign === MINUS ? digitRun(b, this.end + 1, end) : 0;
    const minutes = n === 3 ? numberAt(b, this.end + 1, n) : Infinity;
    if (minutes <= 14 * 60) {
      this.zoned = true;
      this.offset = (sign === MINUS ? -60 : 60) * minutes;
      this.end += 1 + n;
    }
    return true;
  }

  /** Oracle: `10.00.01.123456 PM`. */
  protected dottedHalf(b: Uint8Array, at: number, end: number): boolean {
    if (!this.dottedTime(b, at, end)) return false;
    const hour = numberAt(b, at, 2);
    return hour >= 1 && hour <= 12 && this.takeHalf(b, hour, end);
  }

  /** `h:m:s:ms` without leading zeros, as in `20171223-22:16:0:119`. */
  protected looseTime(b: Uint8Array, at: number, end: number): boolean {
    let i = at;
    let seconds = 0;
    for (let k = 0; k < 3; k++) {
      const n = digitRun(b, i, end);
      if (n !== 1 && n !== 2) return false;
      const value = numberAt(b, i, n);
      if (value > (k === 0 ? 23 : 59)) return false;
      seconds = seconds * 60 + value;
      i += n;
      if (i >= end || b[i] !== COLON) return false;
      i++;
    }
    const n = digitRun(b, i, end);
    if (n < 1 || n > 3) return false;
    this.seconds = seconds;
    // A count of milliseconds, not a fraction's digits.
    this.nanos = numberAt(b, i, n) * 1e6;
    this.digits = 3;
    this.end = i + n;
    return true;
  }

  /** `hhmmss[.fraction]` of six digits that are there. */
  protected packedTime(b: Uint8Array, at: number, end: number): boolean {
    const hour = numberAt(b, at, 2);
    const minute = numberAt(b, at + 2, 2);
    const second = numberAt(b, at + 4, 2);
    if (hour > 23 || minute > 59 || second > 60) return false;
    this.seconds = hour * 3600 + minute * 60 + second;
    this.end = at + 6;
    this.fraction(b, at + 6, end, false);
    return this.zoneAfter(b, end, false);
  }

  /** `20120702.102240,672`. */
  protected packedAfterDot(b: Uint8Array, at: number, end: number): boolean {
    if (digitRun(b, at, end) !== 6 || !this.packedTime(b, at, end)) return false;
    if (this.digits === 0 && !this.zoned) this.fraction(b, at + 6, end, true);
    return this.digits > 0;
  }

  /** A fraction at `at`, after a point (or a comma), if there is one: sets it and `end`. */
  protected fraction(b: Uint8Array, at: number, end: number, comma: boolean): void {
    if (at + 1 >= end || (b[at] !== DOT && !(comma && b[at] === COMMA))) return;
    const n = digitRun(b, at + 1, end);
    if (n === 0) return;
    const used = n > 9 ? 9 : n;
    this.digits = used;
    this.nanos = nanosOf(numberAt(b, at + 1, used), used);
    this.end = at + 1 + n;
  }

  /** Parses a fraction of the second that is separated from the time; returns its end. */
  fractionAt(b: Uint8Array, at: number, end: number): number {
    const n = b[at] === DOT ? Math.min(9, digitRun(b, at + 1, end)) : 0;
    if (n === 0) return at;
    this.digits = n;
    this.nanos = nanosOf(numberAt(b, at + 1, n), n);
    return at + 1 + n;
  }

  /** Takes a zone that follows the time; `loose` also after a space and as a name. Always true. */
  protected zoneAfter(b: Uint8Array, end: number, loose: boolean): boolean {
    let i = this.end;
    if (i >= end) return true;
    let c = b[i]!;
    if ((c === 90 || c === 122) && (i + 1 >= end || !isAlnum(b[i + 1]!))) {
      this.zoned = true;
      this.end = i + 1;
      return true;
    }
    if (c === SPACE) {
      if (i + 1 >= end) return true;
      i++;
      c = b[i]!;
      if (c >= 65 && c <= 90) {
        if (c === 90 && (i + 1 >= end || b[i + 1] === SPACE)) {
          this.zoned = true;
          this.end = i + 1;
        } else if (loose || this.isBareUtc(b, i, end)) this.namedZone(b, i, end);
        else this.offsetOfName(b, i, end);
        return true;
      }
    }
    if (c === PLUS || c === MINUS) this.signedZone(b, i, end, i !== this.end);
    // U+2212, the minus sign of ISO 8601.
    else if (c === 0xe2 && b[i + 1] === 0x88 && b[i + 2] === 0x92)
      this.signedZone(b, i + 2, end, i !== this.end);
    return true;
  }

  /**
   * Parses an offset from UTC at `i`; if it is separated from the time (`apart`), only one that cannot be another
   * number.
   */
  protected signedZone(b: Uint8Array, at: number, end: number, apart: boolean): void {
    let i = at;
    const c = b[i]!;
    let n = digitRun(b, i + 1, end);
    let hours = 0;
    let minutes = 0;
    if (n === 4) {
      hours = numberAt(b, i + 1, 2);
      minutes = numberAt(b, i + 3, 2);
      i += 5;
    } else if (n === 2) {
      hours = numberAt(b, i + 1, 2);
      i += 3;
      if (b[i] === COLON) {
        n = digitRun(b, i + 1, end);
        if (n !== 2) return;
        minutes = numberAt(b, i + 1, 2);
        i += 3;
      } else if (apart) return;
    } else if (n === 1 && isLetter(b[at - 1]!)) {
      // `GMT+2`.
      hours = numberAt(b, i + 1, 1);
      i += 2;
    } else return;
    if (hours > 15 || minutes > 59 || (i < end && isAlnum(b[i]!))) return;
    this.zoned = true;
    this.offset = (hours * 3600 + minutes * 60) * (c === PLUS ? 1 : -1);
    this.end = i;
  }

  /** Parses a zone by its name at `at`, and the offset in `UTC+02:00` and `GMT-0330`. */
  protected namedZone(b: Uint8Array, at: number, end: number): void {
    const after = this.zoneName(b, at, end);
    if (after < 0) return;
    const { offset } = this;
    this.offset = 0;
    const sign = after + 1 < end ? b[after]! : 0;
    const isSigned = (sign === PLUS || sign === MINUS) && digitRun(b, after + 1, end) > 0;
    if (isSigned) {
      // For another zone the meaning would be unknown.
      if (offset === 0) this.signedZone(b, after, end, false);
      return;
    }
    this.zoned = true;
    this.offset = offset;
    this.end = after;
  }

  /** Parses a zone's name or an offset that is a whole word at `at`; returns the end of a known one. */
  takeZone(b: Uint8Array, at: number, end: number): number | undefined {
    const { end: before } = this;
    if (b[at] === PLUS || b[at] === MINUS) this.signedZone(b, at, end, false);
    else this.namedZone(b, at, end);
    const { end: after } = this;
    this.end = before;
    const next = after < end ? b[after]! : SPACE;
    if (this.zoned && (next === SPACE || next === 9 || next === 34 || next === 44)) return after;
    this.zoned = false;
    this.offset = 0;
    return undefined;
  }

  /**
   * Parses `GMT+02:00` where a name alone is usually a host: no host has such a name. Returns whether it is there.
   */
  protected offsetOfName(b: Uint8Array, at: number, end: number): boolean {
    const after = this.zoneName(b, at, end);
    if (after < 0) return false;
    const isUtc = this.offset === 0;
    this.offset = 0;
    const n = digitRun(b, after + 1, end);
    const isOffset = b[after] === PLUS || n === 4 || (n === 2 && b[after + 3] === COLON);
    if (!isUtc || !isOffset || (b[after] !== PLUS && b[after] !== MINUS)) return false;
    this.signedZone(b, after, end, false);
    return this.zoned;
  }

  /** Whether UTC or GMT is a whole word at `at`: no host has such a name either. */
  protected isBareUtc(b: Uint8Array, at: number, end: number): boolean {
    const c = b[at];
    if ((c !== 85 && c !== 71) || (at + 3 < end && b[at + 3] !== SPACE)) return false;
    return this.zoneName(b, at, end) === at + 3;
  }

  /** Sets `offset` from a zone's name at `at`; returns its end, or -1 if it is unknown. */
  protected zoneName(b: Uint8Array, at: number, end: number): number {
    let n = 0;
    while (at + n < end && n < 5 && b[at + n]! >= 65 && b[at + n]! <= 90) n++;
    if (n !== 3 && n !== 4) return -1;
    if (at + n < end && isAlnum(b[at + n]!)) return -1;
    const found = zoneSecondsOf(b[at]!, b[at + 1]!, b[at + 2]!, n === 4 ? b[at + 3]! : 0);
    if (found === undefined) return -1;
    this.offset = found;
    return at + n;
  }
}
