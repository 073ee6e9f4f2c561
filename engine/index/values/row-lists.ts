/**
 * The rows of several values of a column, as concatenated lists of bits: the number of rows of each value, and the
 * gaps between them in the shorter code for each list (see `text/row-list.ts`). Not compressed further: lists of
 * rows have no other regularity, and zstd costs more than all of this.
 *
 * Sections of older side files have the gaps as byte planes: `GapLists` reads those.
 */
import { BitReader, BitWriter } from '../../util/bit-codec.ts';
import { readRows, writeRows } from '../text/format/row-list.ts';
import { Damaged, type PackReader } from './packing.ts';
import type { Grouped } from './radix.ts';

/** The widest order of a code. */
const ORDER_BITS = 5;
const TWO_32 = 4_294_967_296;

/** Lists of rows that are read in sequence. */
export interface RowLists {
  /** Number of rows of each value, minus one. */
  readonly counts: Uint32Array;
  /** The rows of the next value, `count` of them, ascending, into `out`. @throws DaybookError, Damaged */
  read(count: number, out: Uint32Array<ArrayBuffer>): void;
  /** Goes past them. */
  pass(count: number): void;
}

const bits = new BitWriter();

/**
 * Lists of `n` values from code `first` on, preceded by the differences of the values if they have some.
 * @param total rows of the segment
 */
export function codedLists(
  { starts, rows }: Grouped,
  first: number,
  n: number,
  total: number,
  steps: Uint32Array,
): Uint8Array {
  bits.clear();
  putNumbers(bits, steps);
  putNumbers(bits, countsOf(starts, first, n));
  for (let code = first; code < first + n; code++)
    writeRows(bits, rows, starts[code]!, starts[code + 1]!, total);
  return bits.bytes();
}

/** Rows less one of each of `n` values from code `first` on. */
function countsOf(starts: Uint32Array, first: number, n: number): Uint32Array {
  const out = new Uint32Array(n);
  for (let i = 0; i < n; i++) out[i] = starts[first + i + 1]! - starts[first + i]! - 1;
  return out;
}

/** Numbers in exponential Golomb codes of the order that their mean length suggests. */
function putNumbers(out: BitWriter, numbers: Uint32Array): void {
  if (numbers.length === 0) return;
  let length = 0;
  for (let i = 0; i < numbers.length; i++) length += 32 - Math.clz32(numbers[i]!);
  const order = Math.max(0, Math.floor(length / numbers.length) - 1);
  out.put(order, ORDER_BITS);
  for (let i = 0; i < numbers.length; i++) out.expGolomb(numbers[i]!, order);
}

function getNumbers(from: BitReader, n: number): Uint32Array {
  const out = new Uint32Array(n);
  if (n === 0) return out;
  const order = from.get(ORDER_BITS);
  for (let i = 0; i < n; i++) {
    const number = from.expGolomb(order);
    if (number >= TWO_32) throw new Damaged('number');
    out[i] = number;
  }
  return out;
}

/** Reads what `codedLists` wrote. */
export class CodedLists implements RowLists {
  readonly steps: Uint32Array;
  readonly counts: Uint32Array;
  private readonly bits: BitReader;
  private readonly total: number;

  /** @throws DaybookError, Damaged */
  constructor(bytes: Uint8Array, values: number, steps: number, total: number) {
    this.bits = new BitReader(bytes);
    this.total = total;
    this.steps = getNumbers(this.bits, steps);
    this.counts = getNumbers(this.bits, values);
  }

  read(count: number, out: Uint32Array<ArrayBuffer>): void {
    readRows(this.bits, count, this.total, out);
  }

  pass(count: number): void {
    readRows(this.bits, count, this.total);
  }
}

/** Gaps as byte planes: for each row, the rows skipped since the previous one with the same value. */
export class GapLists implements RowLists {
  readonly counts: Uint32Array;
  private readonly gaps: Uint32Array;
  private readonly total: number;
  private at = 0;

  /** @param rows of all values together. @throws Damaged */
  constructor(page: PackReader, values: number, rows: number, total: number) {
    this.total = total;
    this.counts = page.numbers32(values);
    this.gaps = page.numbers32(rows);
  }

  read(count: number, out: Uint32Array<ArrayBuffer>): void {
    const { gaps, at, total } = this;
    let row = -1;
    for (let i = 0; i < count; i++) {
      row += gaps[at + i]! + 1;
      if (row >= total) throw new Damaged('row');
      out[i] = row;
    }
    this.at = at + count;
  }

  pass(count: number): void {
    this.at += count;
  }
}
