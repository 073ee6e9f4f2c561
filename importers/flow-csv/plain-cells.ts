/**
 * Cells as nearly every export writes them. Each of these reads the one that begins at `at`, sets it, and
 * says where it ends: at a delimiter or at what may be a line's end. It gives -1, and has set nothing, if
 * the cell is written in any other way or is empty.
 *
 * Held always: up to `BEHIND` bytes behind a line feed are read, no more, and mean nothing. Digits are taken
 * four at a time: a loop over them ends after another number of turns in each row, which the processor
 * guesses wrongly, and that takes longer than the digits.
 */
import type {
  NumberColumn,
  TextColumn,
  U16Column,
  U32Column,
} from '../../engine/contract/event-batch.ts';
import { POWERS_OF_TEN } from '../shared/bytes.ts';
import { FLAG_BITS } from './numbers.ts';

export const LF = 10;
export const CR = 13;
const SPACE = 32;
const DASH = 45;
const DOT = 46;
const ZERO = 48;

/** Bytes behind a line feed that may be read. */
export const BEHIND = 32;
/** Digits that a double holds exactly, whatever they are. */
const EXACT_DIGITS = 15;
const MOST_FLAGS = 32;
/** Texts of more bytes are copied in one go. */
const SHORT_TEXT = 64;

/** Whether a cell ends before this byte; a carriage return that ends no line is for others to refuse. */
export function isEnd(byte: number, delimiter: number): boolean {
  return byte === delimiter || byte === LF || byte === CR;
}

// A word is four bytes of the text, the first one lowest, each less `0` (exclusive or): digits are 0 to 9.

export const ZEROS = 0x30303030;

/** In the bytes of a word that are no digits the highest bit; those behind the first such may be wrong. */
export function othersOf(word: number): number {
  return ((word + 0x76767676) | 0 | word) & 0x80808080;
}

/** Eight for each digit before the first byte that is none: the bits of a word that are digits. */
export function digitBits(others: number): number {
  return others === 0 ? 32 : 24 - Math.clz32(others & -others);
}

/** The number that the first `bits / 8` digits of a word make, one to four. */
export function numberOf(word: number, bits: number): number {
  const digits = word << (32 - bits);
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00ff00ff;
  return Math.imul(pairs & 255, 100) + (pairs >>> 16);
}

export function readIp4(
  view: DataView,
  at: number,
  delimiter: number,
  column: U32Column,
  row: number,
): number {
  let address = 0;
  let from = at;
  let behind = DOT;
  for (let part = 0; part < 4; part++) {
    if (behind !== DOT) return -1;
    const word = view.getInt32(from, true) ^ ZEROS;
    const bits = digitBits(othersOf(word));
    // None, or four and more.
    if (bits === 0 || bits === 32) return -1;
    const value = numberOf(word, bits);
    // `01` is no part of an address.
    if (value > 255 || (bits > 8 && (word & 255) === 0)) return -1;
    address = (address << 8) | value;
    behind = ((word >>> bits) & 255) ^ ZERO;
    from += (bits >>> 3) + 1;
  }
  if (!isEnd(behind, delimiter)) return -1;
  column.values[row] = address;
  column.present[row] = 1;
  return from - 1;
}

export function readPort(
  view: DataView,
  at: number,
  delimiter: number,
  column: U16Column,
  row: number,
): number {
  const word = view.getInt32(at, true) ^ ZEROS;
  const bits = digitBits(othersOf(word));
  if (bits === 0) return -1;
  let value = numberOf(word, bits);
  let end = at + (bits >>> 3);
  let behind = bits === 32 ? view.getUint8(end) : ((word >>> bits) & 255) ^ ZERO;
  const fifth = behind - ZERO;
  if (fifth >>> 0 <= 9) {
    value = value * 10 + fifth;
    if (value > 65_535) return -1;
    end += 1;
    behind = view.getUint8(end);
  }
  if (!isEnd(behind, delimiter)) return -1;
  column.values[row] = value;
  column.present[row] = 1;
  return end;
}

export function readCount(
  view: DataView,
  at: number,
  delimiter: number,
  column: NumberColumn,
  row: number,
): number {
  const word = view.getInt32(at, true) ^ ZEROS;
  const bits = digitBits(othersOf(word));
  if (bits === 0) return -1;
  let value = numberOf(word, bits);
  let end = at + (bits >>> 3);
  let behind = ((word >>> bits) & 255) ^ ZERO;
  if (bits === 32) {
    const more = view.getInt32(end, true) ^ ZEROS;
    const moreBits = digitBits(othersOf(more));
    if (moreBits === 32) {
      const eight = Math.imul(value, 10_000) + numberOf(more, 32);
      return readLong(view, at, eight, delimiter, column, row);
    }
    behind = ((more >>> moreBits) & 255) ^ ZERO;
    if (moreBits > 0) {
      const digits = moreBits >>> 3;
      value = Math.imul(value, SMALL_POWERS[digits]!) + numberOf(more, moreBits);
      end += digits;
    }
  }
  if (!isEnd(behind, delimiter)) return -1;
  column.values[row] = value;
  column.present[row] = 1;
  return end;
}
const SMALL_POWERS = Int32Array.of(1, 10, 100, 1000);

/** A count of which the first eight digits are known. */
function readLong(
  view: DataView,
  at: number,
  eight: number,
  delimiter: number,
  column: NumberColumn,
  row: number,
): number {
  let value = eight;
  for (let end = at + 8; end - at <= EXACT_DIGITS; end++) {
    const byte = view.getUint8(end);
    const digit = byte - ZERO;
    if (digit >>> 0 <= 9) {
      value = value * 10 + digit;
      continue;
    }
    if (!isEnd(byte, delimiter)) return -1;
    column.values[row] = value;
    column.present[row] = 1;
    return end;
  }
  return -1;
}

export function readDecimal(
  view: DataView,
  at: number,
  delimiter: number,
  column: NumberColumn,
  row: number,
): number {
  const word = view.getInt32(at, true) ^ ZEROS;
  const bits = digitBits(othersOf(word));
  if (bits === 0) return -1;
  // `123.456`, or less of it.
  if (bits < 32 && ((word >>> bits) & 255) === (DOT ^ ZERO)) {
    const from = at + (bits >>> 3) + 1;
    const part = view.getInt32(from, true) ^ ZEROS;
    const partBits = digitBits(othersOf(part));
    if (partBits > 0 && partBits < 32) {
      if (!isEnd(((part >>> partBits) & 255) ^ ZERO, delimiter)) return -1;
      const digits = partBits >>> 3;
      const mantissa =
        Math.imul(numberOf(word, bits), SMALL_POWERS[digits]!) + numberOf(part, partBits);
      column.values[row] = mantissa / POWERS_OF_TEN[digits]!;
      column.present[row] = 1;
      return from + digits;
    }
  }
  return readLongDecimal(view, at, delimiter, column, row);
}

function readLongDecimal(
  view: DataView,
  at: number,
  delimiter: number,
  column: NumberColumn,
  row: number,
): number {
  let mantissa = 0;
  let point = -1;
  let end = at;
  for (; end - at <= EXACT_DIGITS; end++) {
    const byte = view.getUint8(end);
    const digit = byte - ZERO;
    if (digit >>> 0 <= 9) mantissa = mantissa * 10 + digit;
    else if (byte === DOT && point < 0 && end > at) point = end;
    else if (isEnd(byte, delimiter)) {
      column.values[row] = point < 0 ? mantissa : mantissa / POWERS_OF_TEN[end - point - 1]!;
      column.present[row] = 1;
      return end;
    } else return -1;
  }
  return -1;
}

export function readFlags(
  bytes: Uint8Array,
  at: number,
  delimiter: number,
  column: U16Column,
  row: number,
): number {
  // Digits are a number, and a dash alone is nothing.
  const first = bytes[at]!;
  if ((first - ZERO) >>> 0 <= 9 || first === DASH) return -1;
  let flags = 0;
  let end = at;
  for (; end - at <= MOST_FLAGS; end++) {
    const byte = bytes[end]!;
    if (isEnd(byte, delimiter)) {
      column.values[row] = flags;
      column.present[row] = 1;
      return end;
    }
    const bit = FLAG_BITS[byte]!;
    // Blanks at the end are no part of the cell.
    if (bit < 0 || byte === SPACE) return -1;
    flags |= bit;
  }
  return -1;
}

/** Where the cell at `at` ends, whatever is in it; quotes are bytes as others are. */
export function endOf(bytes: Uint8Array, at: number, delimiter: number): number {
  let end = at;
  for (; ; end++) {
    const byte = bytes[end]!;
    if (byte === delimiter) return end;
    if (byte === LF) return end > at && bytes[end - 1] === CR ? end - 1 : end;
  }
}

/** Copies a cell while looking for its end, and does not count it as set; as the others. */
export function copyText(
  bytes: Uint8Array,
  at: number,
  delimiter: number,
  column: TextColumn,
): number {
  const from = column.room(SHORT_TEXT) + 4 - at;
  const { data } = column;
  const most = at + SHORT_TEXT;
  for (let end = at; end < most; end++) {
    const byte = bytes[end]!;
    if (byte === delimiter) return end;
    if (byte === LF) return end > at && bytes[end - 1] === CR ? end - 1 : end;
    data[from + end] = byte;
  }
  return -1;
}
