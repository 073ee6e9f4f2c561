/**
 * Parses numbers, addresses and dates from bytes, for loops that must not allocate per record. All functions read
 * `bytes[start, end)` and nothing beyond; invalid input gives -1, NaN or false.
 */

const ZERO = 48;
const DOT = 46;
const COLON = 58;

/** Powers of ten that a double holds exactly. */
export const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, n) => Number(`1e${n}`));
const decimalText = new TextDecoder('latin1');

/**
 * A decimal number (`-12`, `+1.5`, `.5`, `1e-3`), equal to the result of `Number`; NaN if it is not one. Blanks,
 * `Infinity` and hexadecimal are not accepted. Allocates only beyond 15 digits or 22 decimals.
 */
export function parseDecimal(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  let negative = false;
  if (at < end && (bytes[at] === 45 || bytes[at] === 43)) {
    negative = bytes[at] === 45;
    at += 1;
  }
  let mantissa = 0;
  let digits = 0;
  let significant = 0;
  let scale = 0;
  let point = false;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    const digit = byte - ZERO;
    if (digit >>> 0 <= 9) {
      digits += 1;
      if (significant > 0 || digit > 0) significant += 1;
      if (significant <= 15) mantissa = mantissa * 10 + digit;
      if (point) scale -= 1;
    } else if (byte === DOT && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (digits === 0) return NaN;
  if (at < end) {
    if ((bytes[at]! | 32) !== 101) return NaN;
    at += 1;
    let down = false;
    if (at < end && (bytes[at] === 45 || bytes[at] === 43)) {
      down = bytes[at] === 45;
      at += 1;
    }
    if (at >= end) return NaN;
    let exponent = 0;
    for (; at < end; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit >>> 0 > 9) return NaN;
      if (exponent < 100_000) exponent = exponent * 10 + digit;
    }
    scale += down ? -exponent : exponent;
  }
  // Exact operands and one rounding give the nearest double; anything else is left to the engine.
  if (significant <= 15 && scale >= -22 && scale <= 22) {
    const value = scale < 0 ? mantissa / POWERS_OF_TEN[-scale]! : mantissa * POWERS_OF_TEN[scale]!;
    return negative ? -value : value;
  }
  return Number(decimalText.decode(bytes.subarray(start, end)));
}

/** Hexadecimal digits without `0x`, up to 2^53 - 1; otherwise -1. */
export function parseHex(bytes: Uint8Array, start: number, end: number): number {
  if (end <= start) return -1;
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = hexDigit(bytes[at]!);
    if (digit < 0) return -1;
    value = value * 16 + digit;
    if (value > Number.MAX_SAFE_INTEGER) return -1;
  }
  return value;
}

function hexDigit(byte: number): number {
  const digit = byte - ZERO;
  if (digit >>> 0 <= 9) return digit;
  const letter = (byte | 32) - 97;
  return letter >>> 0 <= 5 ? letter + 10 : -1;
}

/** `192.0.2.1` as 0 to 2^32 - 1; -1 if it is not an address. Leading zeros are refused: some read them as octal. */
export function parseIpv4(bytes: Uint8Array, start: number, end: number): number {
  const size = end - start;
  if (size < 7 || size > 15) return -1;
  let address = 0;
  let part = -1;
  let dots = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit >>> 0 <= 9) {
      if (part === 0) return -1;
      part = part < 0 ? digit : part * 10 + digit;
      if (part > 255) return -1;
    } else if (bytes[at] === DOT) {
      if (part < 0 || dots === 3) return -1;
      address = (address << 8) | part;
      part = -1;
      dots += 1;
    } else {
      return -1;
    }
  }
  return part < 0 || dots !== 3 ? -1 : ((address << 8) | part) >>> 0;
}

/**
 * An IPv6 address (RFC 4291, 2.2; a zone after `%` is ignored) as 16 bytes at `out[at]`; false if it is not one,
 * with arbitrary bytes there.
 */
export function parseIpv6(
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
): boolean {
  let stop = start;
  while (stop < end && bytes[stop] !== 37) stop += 1;
  if (stop < end && stop + 1 === end) return false;
  for (let zone = stop + 1; zone < end; zone++) {
    const byte = bytes[zone]!;
    const letter = (byte | 32) - 97;
    if (letter >>> 0 > 25 && (byte < 45 || byte > COLON) && byte !== 95) return false;
    // Among digits and an interface's `-.` characters is the slash of a prefix.
    if (byte === 47) return false;
  }
  if (stop - start < 2 || stop - start > 45) return false;
  let written = 0;
  let gap = -1;
  let from = start;
  if (bytes[from] === COLON) {
    if (bytes[from + 1] !== COLON) return false;
    gap = 0;
    from += 2;
  }
  while (from < stop) {
    if (written >= 16) return false;
    let group = 0;
    let next = from;
    while (next < stop) {
      const digit = hexDigit(bytes[next]!);
      if (digit < 0) break;
      if (next - from === 4) return false;
      group = (group << 4) | digit;
      next += 1;
    }
    if (next < stop && bytes[next] === DOT) {
      const last = parseIpv4(bytes, from, stop);
      if (last < 0 || written > 12) return false;
      out[at + written] = last >>> 24;
      out[at + written + 1] = last >>> 16;
      out[at + written + 2] = last >>> 8;
      out[at + written + 3] = last;
      written += 4;
      from = stop;
      break;
    }
    if (next === from) return false;
    out[at + written] = group >>> 8;
    out[at + written + 1] = group;
    written += 2;
    from = next;
    if (from === stop) break;
    if (bytes[from] !== COLON) return false;
    from += 1;
    if (from < stop && bytes[from] === COLON) {
      if (gap >= 0) return false;
      gap = written;
      from += 1;
    } else if (from === stop) {
      return false;
    }
  }
  if (gap < 0) return written === 16;
  // `::` replaces at least one group.
  if (written > 14) return false;
  const tail = written - gap;
  out.copyWithin(at + 16 - tail, at + gap, at + written);
  out.fill(0, at + gap, at + 16 - tail);
  return true;
}

/** Days since 1970-01-01 of a date in the Gregorian calendar; month 1-12, day 1-31, not checked. */
export function daysFromCivil(year: number, month: number, day: number): number {
  // The year begins in March, so that the leap day is its last.
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = (((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) | 0) + day - 1;
  const dayOfEra = yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

const DAYS_OF_MONTH = Uint8Array.of(0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);

/** Whether the date is one of the Gregorian calendar. */
export function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= DAYS_OF_MONTH[month]! + (leap ? 1 : 0);
}
