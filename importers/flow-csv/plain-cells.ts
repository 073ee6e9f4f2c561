/**
 * Reads columns of a piece of a table whose cells are written in the usual way: all cells of one column, then all
 * of the next. Their positions are known beforehand, so that no cell has to wait until the previous one is read,
 * and each loop is short.
 *
 * Invariants: a cell written in any other way is left to `Cells.leave`, with nothing set, and an empty one has no
 * value. Up to `BEHIND` bytes after a line feed may be read, no more, and are ignored. Digits are read four at a
 * time: a loop over single digits ends after a different number of iterations in each row, which branch prediction
 * misses, and that takes longer than the digits.
 */
import type {
  NumberColumn,
  TextColumn,
  U16Column,
  U32Column,
  U8Column,
} from '../../engine/columns/columns.ts';
import { POWERS_OF_TEN } from '../shared/bytes.ts';

export const LF = 10;
export const CR = 13;
export const DASH = 45;
const SPACE = 32;
const DOT = 46;
const ZERO = 48;

/** Bytes after a line feed that may be read. */
export const BEHIND = 32;
/** Digits that a double holds exactly, whatever they are. */
const EXACT_DIGITS = 15;
/** A text of at least this many consecutive rows is copied to all of them at once. */
const LEAST_REPEATED = 6;

/** The cells of one column: cell n is in [starts[at + n * step] + 1, ends[endAt + n * endStep]). */
export interface Cells {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly rows: number;
  /** The row of the batch that the first one is. */
  readonly first: number;
  readonly starts: Int32Array;
  readonly at: number;
  readonly step: number;
  readonly ends: Int32Array;
  readonly endAt: number;
  readonly endStep: number;
  /** By cell: whether it is left to the general reader. */
  readonly left: Uint8Array;
}

// A word is four bytes of the text, the first one lowest, each less `0` (exclusive or): digits are 0 to 9.

export const ZEROS = 0x30303030;

/** The highest bit of each byte of a word that is not a digit; those after the first such may be wrong. */
export function othersOf(word: number): number {
  return ((word + 0x76767676) | 0 | word) & 0x80808080;
}

/** Eight for each digit before the first byte that is not one: the number of digit bits in the word. */
export function digitBits(others: number): number {
  return others === 0 ? 32 : 24 - Math.clz32(others & -others);
}

/** The number that the first `bits / 8` digits of a word make, one to four. */
export function numberOf(word: number, bits: number): number {
  return fourDigits(word << (32 - bits));
}

function fourDigits(digits: number): number {
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00ff00ff;
  return Math.imul(pairs & 255, 100) + (pairs >>> 16);
}

/** A whole number of up to eight digits; -1 for anything else. */
function shortWhole(view: DataView, start: number, digits: number): number {
  if (digits <= 4) {
    const word = (view.getInt32(start, true) ^ ZEROS) << (32 - (digits << 3));
    return othersOf(word) === 0 ? fourDigits(word) : -1;
  }
  const high = (view.getInt32(start, true) ^ ZEROS) << (64 - (digits << 3));
  const low = view.getInt32(start + digits - 4, true) ^ ZEROS;
  if ((othersOf(high) | othersOf(low)) !== 0) return -1;
  return Math.imul(fourDigits(high), 10_000) + fourDigits(low);
}

/** The same for up to 15 digits. */
function longWhole(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > EXACT_DIGITS) return -1;
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit >>> 0 > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** A number of up to 15 digits with an optional point between or after them; -1 for anything else. */
function decimal(bytes: Uint8Array, view: DataView, start: number, end: number): number {
  const size = end - start;
  if (size > 4 && size <= 8) {
    // `123.456`, or less before the point.
    const part = view.getInt32(end - 4, true) ^ ZEROS;
    const whole = (view.getInt32(start, true) ^ ZEROS) << (64 - (size << 3));
    const digits = part & ~255;
    if ((part & 255) === (DOT ^ ZERO) && (othersOf(digits) | othersOf(whole)) === 0)
      return (Math.imul(fourDigits(whole), 1000) + fourDigits(digits)) / 1000;
  }
  if (size > EXACT_DIGITS) return -1;
  let mantissa = 0;
  let point = end - 1;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    const digit = byte - ZERO;
    if (digit >>> 0 <= 9) mantissa = mantissa * 10 + digit;
    else if (byte === DOT && point === end - 1 && at > start) point = at;
    else return -1;
  }
  return mantissa / POWERS_OF_TEN[end - 1 - point]!;
}

/** Whether an unreadable cell means a missing value: a single dash, in all columns with a type. */
function isNothing(bytes: Uint8Array, start: number, size: number): boolean {
  return size === 1 && bytes[start] === DASH;
}

// Each of these functions sets the cells of its column, and returns how many it has left.

export function readAddresses(cells: Cells, column: U32Column): number {
  const { bytes, view, rows, first, starts, step, ends, endStep, left } = cells;
  const { values, present } = column;
  let { at, endAt } = cells;
  let others = 0;
  for (let row = first; row < first + rows; row++, at += step, endAt += endStep) {
    const start = starts[at]! + 1;
    const end = ends[endAt]!;
    if (start === end) continue;
    let address = 0;
    let from = start;
    let bad = 0;
    let behind = 0;
    for (let part = 0; part < 4; part++) {
      const word = view.getInt32(from, true) ^ ZEROS;
      const bits = digitBits(othersOf(word));
      const value = numberOf(word, bits);
      // No digits, or four and more; more than a byte; `01`.
      if ((bits - 8) >>> 0 > 16 || value > 255 || (bits > 8 && (word & 255) === 0)) {
        bad = 1;
        break;
      }
      address = (address << 8) | value;
      bad |= behind;
      behind = ((word >>> bits) & 255) ^ DOT ^ ZERO;
      from += (bits >>> 3) + 1;
    }
    if (bad === 0 && from === end + 1) {
      values[row] = address;
      present[row] = 1;
    } else if (!isNothing(bytes, start, end - start)) {
      left[at] = 1;
      others += 1;
    }
  }
  return others;
}

export function readPorts(cells: Cells, column: U16Column): number {
  const { bytes, view, rows, first, starts, step, ends, endStep, left } = cells;
  const { values, present } = column;
  let { at, endAt } = cells;
  let others = 0;
  for (let row = first; row < first + rows; row++, at += step, endAt += endStep) {
    const start = starts[at]! + 1;
    const size = ends[endAt]! - start;
    if (size === 0) continue;
    const value = size > 5 ? -1 : shortWhole(view, start, size);
    if (value >>> 0 <= 65_535) {
      values[row] = value;
      present[row] = 1;
    } else if (!isNothing(bytes, start, size)) {
      left[at] = 1;
      others += 1;
    }
  }
  return others;
}

export function readCounts(cells: Cells, column: NumberColumn): number {
  const { bytes, view, rows, first, starts, step, ends, endStep, left } = cells;
  const { values, present } = column;
  let { at, endAt } = cells;
  let others = 0;
  for (let row = first; row < first + rows; row++, at += step, endAt += endStep) {
    const start = starts[at]! + 1;
    const end = ends[endAt]!;
    const size = end - start;
    if (size === 0) continue;
    const value = size <= 8 ? shortWhole(view, start, size) : longWhole(bytes, start, end);
    if (value >= 0) {
      values[row] = value;
      present[row] = 1;
    } else if (!isNothing(bytes, start, size)) {
      left[at] = 1;
      others += 1;
    }
  }
  return others;
}

export function readDecimals(cells: Cells, column: NumberColumn): number {
  const { bytes, view, rows, first, starts, step, ends, endStep, left } = cells;
  const { values, present } = column;
  let { at, endAt } = cells;
  let others = 0;
  for (let row = first; row < first + rows; row++, at += step, endAt += endStep) {
    const start = starts[at]! + 1;
    const end = ends[endAt]!;
    if (start === end) continue;
    const value = decimal(bytes, view, start, end);
    if (value >= 0) {
      values[row] = value;
      present[row] = 1;
    } else if (!isNothing(bytes, start, end - start)) {
      left[at] = 1;
      others += 1;
    }
  }
  return others;
}

/** Codes for short texts of a column: names of protocols, flags as letters. There are few of them. */
export class ShortCodes {
  private readonly low = new Int32Array(CODES);
  private readonly high = new Int32Array(CODES);
  private readonly codes = new Uint16Array(CODES);
  private readonly read: (bytes: Uint8Array, start: number, end: number) => number;

  /** @param read parses a new text; -1 to leave it */
  constructor(read: (bytes: Uint8Array, start: number, end: number) => number) {
    this.read = read;
  }

  /** Like the readers above. */
  readColumn(cells: Cells, column: U8Column | U16Column): number {
    const { bytes, view, rows, first, starts, step, ends, endStep, left } = cells;
    const { values, present } = column;
    const { low, high, codes } = this;
    let { at, endAt } = cells;
    let others = 0;
    for (let row = first; row < first + rows; row++, at += step, endAt += endStep) {
      const start = starts[at]! + 1;
      const end = ends[endAt]!;
      const size = end - start;
      if (size === 0) continue;
      // With a byte of 0 at its end it would look like a shorter one.
      let slot = -1;
      if (size <= 8 && bytes[end - 1] !== 0) {
        const one = view.getInt32(start, true) & LOW_MASKS[size]!;
        const two = view.getInt32(start + 4, true) & HIGH_MASKS[size]!;
        slot = (Math.imul(one, 0x9e37_79b1) ^ Math.imul(two, 0x85eb_ca6b)) >>> 24;
        if (low[slot] !== one || high[slot] !== two) {
          const code = this.read(bytes, start, end);
          if (code >= 0) {
            low[slot] = one;
            high[slot] = two;
            codes[slot] = code;
          } else slot = -1;
        }
      }
      if (slot >= 0) {
        values[row] = codes[slot]!;
        present[row] = 1;
      } else if (!isNothing(bytes, start, size)) {
        left[at] = 1;
        others += 1;
      }
    }
    return others;
  }
}
const CODES = 256;
const LOW_MASKS = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1, -1, -1, -1, -1);
const HIGH_MASKS = Int32Array.of(0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, -1);

/**
 * Sets texts that are valid UTF-8 cut at character boundaries; a text equal to the previous row's is not copied
 * separately.
 * @param other handles a cell that is surrounded by blanks, or begins with a byte of
 *   `marks`
 * @param marks by byte: whether a text that begins with it may mean a missing value
 */
export function readTexts(
  cells: Cells,
  column: TextColumn,
  marks: Uint8Array,
  other: (row: number, start: number, end: number) => void,
): void {
  const { bytes, view, rows, first, starts, step, ends, endStep } = cells;
  let { at, endAt } = cells;
  // The text of the row before, and how many rows have it that are not set yet.
  let known = 0;
  let knownSize = -1;
  let waiting = 0;
  let row = first;
  for (; row < first + rows; row++, at += step, endAt += endStep) {
    const start = starts[at]! + 1;
    const end = ends[endAt]!;
    const size = end - start;
    if (size === knownSize && isSame(view, start, known, size)) {
      waiting += 1;
      continue;
    }
    if (waiting > 0) {
      repeat(column, row, waiting, bytes, known, knownSize);
      waiting = 0;
    }
    knownSize = -1;
    if (size === 0) continue;
    if (marks[bytes[start]!] === 1 || bytes[end - 1] === SPACE) other(row, start, end);
    else {
      column.set(row, bytes, start, end);
      known = start;
      knownSize = size;
    }
  }
  if (waiting > 0) repeat(column, row, waiting, bytes, known, knownSize);
}

function isSame(view: DataView, one: number, other: number, size: number): boolean {
  if (size <= 4)
    return ((view.getInt32(one, true) ^ view.getInt32(other, true)) & LOW_MASKS[size]!) === 0;
  // The last bytes change most often.
  const last = size - 4;
  if (view.getInt32(one + last, true) !== view.getInt32(other + last, true)) return false;
  let i = 0;
  while (i < last && view.getInt32(one + i, true) === view.getInt32(other + i, true)) i += 4;
  return i >= last;
}

/** Gives the `n` rows before `row` the text of the row before them. */
function repeat(
  column: TextColumn,
  row: number,
  n: number,
  bytes: Uint8Array,
  start: number,
  size: number,
): void {
  if (n >= LEAST_REPEATED) column.repeat(row - n, n);
  else for (let i = row - n; i < row; i++) column.set(i, bytes, start, start + size);
}
