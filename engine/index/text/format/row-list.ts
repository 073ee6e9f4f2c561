/**
 * Encodes ascending row numbers as bits: the gaps between them, in the shorter of two codes. Rice codes suit evenly
 * spread rows; exponential Golomb codes suit bursts.
 */
import { wordsFor } from '../../../util/row-set.ts';
import type { BitReader, BitWriter } from '../../../util/bit-codec.ts';
import { damagedText } from './damaged.ts';

/** Lists shorter than this do not state their code: it is Rice. */
const CHOICE = 4;

/** The Rice parameter for `count` rows spread evenly over `total`. */
function evenParameter(count: number, total: number): number {
  return Math.max(0, 31 - Math.clz32(Math.floor((total / count) * 0.69)));
}

/** In longer lists a sample of gaps decides which code is shorter. */
const SAMPLED = 2048;
/** Number of runs of gaps in the sample, and length of each. */
const RUNS = 16;
const RUN = 64;

/** The order of an exponential Golomb code for rows, and whether a Rice code is shorter. */
interface Judgement {
  readonly order: number;
  readonly even: boolean;
}

function judged(rows: Uint32Array, from: number, to: number, k: number): Judgement {
  const order = burstOrder(rows, from, to);
  return { order, even: isShorterEven(rows, from, to, k, order) };
}

/** The same, from a sample of gaps across a long list. */
function judgedBySome(rows: Uint32Array, from: number, to: number, k: number): Judgement {
  const sample = new Uint32Array(RUNS * RUN);
  const step = Math.floor((to - from - RUN - 1) / (RUNS - 1));
  let row = 0;
  let size = 0;
  for (let run = 0; run < RUNS; run++) {
    const first = from + 1 + run * step;
    for (let i = first; i < first + RUN; i++) {
      row += rows[i]! - rows[i - 1]!;
      sample[size++] = row;
    }
  }
  return judged(sample, 0, size, k);
}

/** The exponential Golomb order for gaps of this mean size. */
function burstOrder(rows: Uint32Array, from: number, to: number): number {
  let bits = 0;
  let before = from === to ? 0 : rows[from]! - 1;
  for (let i = from; i < to; i++) {
    bits += 32 - Math.clz32(rows[i]! - before - 1);
    before = rows[i]!;
  }
  return Math.max(0, Math.floor(bits / (to - from)) - 1);
}

/** Appends rows `from` to `to` of `rows`: ascending, below `total`. Their number is not written. */
export function writeRows(
  out: BitWriter,
  rows: Uint32Array,
  from: number,
  to: number,
  total: number,
): void {
  const count = to - from;
  if (count === 0) return;
  const k = evenParameter(count, total);
  if (count === total && count >= CHOICE) {
    // All rows: a one for each gap of zero, in the code for evenly spread rows.
    out.put(0, 1);
    for (let left = count; left > 0; left -= 32) {
      const bits = Math.min(32, left);
      out.put(0xffff_ffff >>> (32 - bits), bits);
    }
    return;
  }
  if (count < CHOICE) {
    out.riceGaps(rows, from, to, k);
    return;
  }
  const { order, even } =
    count > SAMPLED ? judgedBySome(rows, from, to, k) : judged(rows, from, to, k);
  if (even) {
    out.put(0, 1);
    out.riceGaps(rows, from, to, k);
  } else {
    out.put(1, 1);
    out.put(order, 5);
    putBursts(out, rows, from, to, order);
  }
}

// Loops are separate functions: V8 discards the compiled code of what follows a loop.

/** Whether rows take fewer bits in Rice codes than in exponential Golomb of this order. */
function isShorterEven(
  rows: Uint32Array,
  from: number,
  to: number,
  k: number,
  order: number,
): boolean {
  let before = -1;
  let even = 0;
  let burst = 5;
  for (let i = from; i < to; i++) {
    const gap = rows[i]! - before - 1;
    even += (gap >>> k) + 1 + k;
    burst += (31 - Math.clz32((gap >>> order) + 1)) * 2 + 1 + order;
    before = rows[i]!;
  }
  return even <= burst;
}

function putBursts(
  out: BitWriter,
  rows: Uint32Array,
  from: number,
  to: number,
  order: number,
): void {
  let before = -1;
  for (let i = from; i < to; i++) {
    out.expGolomb(rows[i]! - before - 1, order);
    before = rows[i]!;
  }
}

/**
 * Reads `count` rows below `total` into `out`, which may be omitted to skip them.
 * @throws DaybookError case-damaged
 */
export function readRows(
  bits: BitReader,
  count: number,
  total: number,
  out?: Uint32Array<ArrayBuffer>,
): void {
  if (count === 0) return;
  const code = codeOf(bits, count, total);
  const last = readGaps(bits, code, -1, count, out);
  if (last >= total || bits.exceeded) throw damagedText();
}

/**
 * The same, as one bit for each of `total` rows.
 * @throws DaybookError case-damaged
 */
export function readRowBits(
  bits: BitReader,
  count: number,
  total: number,
): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(wordsFor(total));
  if (count === 0) return words;
  const code = codeOf(bits, count, total);
  let row = -1;
  for (let left = count; left > 0; left -= gapBuffer.length) {
    const n = Math.min(left, gapBuffer.length);
    row = readGaps(bits, code, row, n, gapBuffer);
    if (row >= total || bits.exceeded) throw damagedText();
    for (let i = 0; i < n; i++) words[gapBuffer[i]! >>> 5]! |= 1 << (gapBuffer[i]! & 31);
  }
  return words;
}

/**
 * Has `value` in `out`, which is as long as there are rows, at each of `count` of them.
 * @throws DaybookError case-damaged
 */
export function putRows(
  bits: BitReader,
  count: number,
  total: number,
  out: Uint8Array | Uint16Array | Uint32Array,
  value: number,
): void {
  if (count === 0) return;
  const code = codeOf(bits, count, total);
  let row = -1;
  for (let left = count; left > 0; left -= gapBuffer.length) {
    const n = Math.min(left, gapBuffer.length);
    row = readGaps(bits, code, row, n, gapBuffer);
    if (row >= total || bits.exceeded) throw damagedText();
    putValue(out, n, value);
  }
}

function putValue(out: Uint8Array | Uint16Array | Uint32Array, n: number, value: number): void {
  for (let i = 0; i < n; i++) out[gapBuffer[i]!] = value;
}

/** The encoding of a list's gaps: the parameter of Rice codes, or beyond 31 that of exponential Golomb codes. */
function codeOf(bits: BitReader, count: number, total: number): number {
  return count >= CHOICE && bits.get(1) === 1 ? BURSTS + bits.get(5) : evenParameter(count, total);
}

const BURSTS = 32;

/** Reads `count` rows after `before` into `out`; returns the last. */
function readGaps(
  bits: BitReader,
  code: number,
  before: number,
  count: number,
  out: Uint32Array<ArrayBuffer> | undefined,
): number {
  const into = out ?? NOWHERE;
  const step = out === undefined ? 0 : 1;
  return code < BURSTS
    ? readEven(bits, code, before, count, into, step)
    : readBursts(bits, code - BURSTS, before, count, into, step);
}

/** Rows in Rice codes. */
function readEven(
  bits: BitReader,
  k: number,
  before: number,
  count: number,
  into: Uint32Array<ArrayBuffer>,
  step: number,
): number {
  const { words } = bits;
  const low = (1 << k) - 1;
  let at = bits.at;
  let row = before;
  for (let i = 0; i < count; i++) {
    const word = at >>> 5;
    // Bits beyond the end are 0, so that a code there is a long one.
    const window = (words[word]! >>> at) | ((words[word + 1]! << 1) << ~at);
    const zeros = 31 - Math.clz32(window & -window);
    if (zeros >= 0 && zeros + k < 32) {
      row += (zeros << k) + (((window >>> zeros) >>> 1) & low) + 1;
      at += zeros + 1 + k;
    } else {
      bits.at = at;
      row += bits.rice(k) + 1;
      at = bits.at;
    }
    into[i * step] = row;
  }
  bits.at = at;
  return row;
}

/** Rows in exponential Golomb codes. */
function readBursts(
  bits: BitReader,
  k: number,
  before: number,
  count: number,
  into: Uint32Array<ArrayBuffer>,
  step: number,
): number {
  const { words } = bits;
  const low = (1 << k) - 1;
  let at = bits.at;
  let row = before;
  for (let i = 0; i < count; i++) {
    const word = at >>> 5;
    const window = (words[word]! >>> at) | ((words[word + 1]! << 1) << ~at);
    const zeros = 31 - Math.clz32(window & -window);
    if (zeros >= 0 && zeros * 2 + k < 32) {
      const rest = (window >>> zeros) >>> 1;
      const high = (1 << zeros) - 1;
      row += ((high + (rest & high)) << k) + ((rest >>> zeros) & low) + 1;
      at += zeros * 2 + 1 + k;
    } else {
      bits.at = at;
      row += bits.expGolomb(k) + 1;
      at = bits.at;
    }
    into[i * step] = row;
  }
  bits.at = at;
  return row;
}

/** Receives rows that are skipped, and those that are converted to bits. */
const NOWHERE = new Uint32Array(1);
const gapBuffer = new Uint32Array(2048);
