/**
 * Pieces of columns as DuckDB stores them, made here: values of consecutive rows in one encoding, which fit into
 * one block. `../numbers.ts`, `../texts.ts` and `../validity.ts` read them.
 *
 * Holds always: statistics are true. DuckDB leaves out pieces by them.
 */
import type { Encoding } from '../segment-map.ts';

export type PieceStats =
  | NumberStats
  | WideStats
  | TextStats
  | { readonly kind: 'validity'; readonly hasNull: boolean; readonly hasNoNull: boolean };

export interface NumberStats {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
}

/** Of 128 bits, with a sign. */
export interface WideStats {
  readonly kind: 'wide';
  readonly min: bigint;
  readonly max: bigint;
}

export interface TextStats {
  readonly kind: 'text';
  /** First eight bytes of the least and of the greatest, filled up with zeros. */
  readonly min: Uint8Array;
  readonly max: Uint8Array;
  readonly hasUnicode: boolean;
  /** In bytes. */
  readonly maxLength: number;
}

export interface EncodedPiece {
  readonly encoding: Encoding | 'ALP';
  readonly rows: number;
  /** Nothing of what is kept in statistics alone. */
  readonly bytes: Uint8Array;
  readonly stats: PieceStats;
}

export const NO_BYTES = new Uint8Array(0);

/** Rows of a group that is packed by itself, and of a container of validity. */
export const GROUP = 2048;
/** A piece before it is copied: as large as a block can be, and what is written in words of four bytes. */
const MOST_BLOCK = 1 << 18;
/** Numbers are packed 32 at a time. */
const AT_ONCE = 32;

/** Memory of the piece that is being made; one for all of a thread. */
const bytes = new Uint8Array(MOST_BLOCK);
const view = new DataView(bytes.buffer);
/** Packed numbers of one group, up to 64 bits each. */
const packed = new Int32Array(GROUP * 2 + AT_ONCE * 2);
const packedBytes = new Uint8Array(packed.buffer);

export { bytes as pieceBytes, view as pieceView };

/** Bytes that `count` packed numbers take. */
export function packedSize(count: number, width: number): number {
  return (((count + AT_ONCE - 1) & -AT_ONCE) * width) >>> 3;
}

export function aligned(at: number): number {
  return (at + 7) & -8;
}

/** Bits of a number from 0 to 2^53. */
export function bitsOf(value: number): number {
  if (value < 0x1_0000_0000) return 32 - Math.clz32(value);
  return 64 - Math.clz32(Math.floor(value / 0x1_0000_0000));
}

/** As many bits as DuckDB would take for a type of so many bytes: what would save little is not packed. */
export function effectiveWidth(width: number, size: number): number {
  return width + size > size * 8 ? size * 8 : width;
}

/** Numbers of one group that do not lie anywhere as they are packed. */
const packing = new Float64Array(GROUP);

/**
 * Packs `values[from]` and those behind it, less `frame`, into `width` bits each, and puts them into the piece; those
 * that are missing to a multiple of 32 are 0. Gives the place behind them.
 * @param count at most those of a group
 */
export function putPacked(
  at: number,
  values: Float64Array,
  from: number,
  count: number,
  frame: number,
  width: number,
): number {
  if (width === 0) return at;
  const whole = (count + AT_ONCE - 1) & -AT_ONCE;
  if (whole !== count) {
    if (values !== packing) packing.set(values.subarray(from, from + count));
    packing.fill(frame, count, whole);
    return putPacked(at, packing, 0, whole, frame, width);
  }
  if (width > 32) packWide(values, from, count, frame, width);
  else if (width > 16) packOnes(values, from, from + count, frame, width);
  else if (width > 8) packTwos(values, from, from + count, frame, width);
  else packFours(values, from, from + count, frame, width);
  const size = packedSize(count, width);
  bytes.set(packedBytes.subarray(0, size), at);
  return at + size;
}

/** The same of the steps from one value to the next, less `frame`; the first is taken for 0. */
export function putPackedSteps(
  at: number,
  values: Float64Array,
  from: number,
  count: number,
  frame: number,
  width: number,
): number {
  takeSteps(values, from, count, frame, packing);
  return putPacked(at, packing, 0, count, 0, width);
}

/** The same of numbers below 2^32 as they are, of any count. */
export function putPackedCodes(
  at: number,
  codes: Uint32Array,
  count: number,
  width: number,
): number {
  let to = at;
  for (let from = 0; from < count; from += GROUP) {
    const some = Math.min(GROUP, count - from);
    packing.set(codes.subarray(from, from + some));
    to = putPacked(to, packing, 0, some, 0, width);
  }
  return to;
}

function takeSteps(
  values: Float64Array,
  from: number,
  count: number,
  frame: number,
  out: Float64Array,
): void {
  let before = values[from]! - frame;
  for (let i = 0; i < count; i++) {
    const value = values[from + i]!;
    out[i] = value - before - frame;
    before = value;
  }
}

// Several numbers that fit into 32 bits are put together first: fewer are split between words.

function packOnes(
  values: Float64Array,
  from: number,
  end: number,
  frame: number,
  width: number,
): void {
  let word = 0;
  let bits = 0;
  let to = 0;
  for (let i = from; i < end; i++) {
    const own = (values[i]! - frame) | 0;
    word |= own << bits;
    bits += width;
    if (bits >= 32) {
      packed[to++] = word;
      bits -= 32;
      word = bits === 0 ? 0 : own >>> (width - bits);
    }
  }
}

function packTwos(
  values: Float64Array,
  from: number,
  end: number,
  frame: number,
  width: number,
): void {
  const two = width * 2;
  let word = 0;
  let bits = 0;
  let to = 0;
  for (let i = from; i < end; i += 2) {
    const own = (values[i]! - frame) | ((values[i + 1]! - frame) << width);
    word |= own << bits;
    bits += two;
    if (bits >= 32) {
      packed[to++] = word;
      bits -= 32;
      word = bits === 0 ? 0 : own >>> (two - bits);
    }
  }
}

function packFours(
  values: Float64Array,
  from: number,
  end: number,
  frame: number,
  width: number,
): void {
  const two = width * 2;
  const three = width * 3;
  const four = width * 4;
  let word = 0;
  let bits = 0;
  let to = 0;
  for (let i = from; i < end; i += 4) {
    const own =
      (values[i]! - frame) |
      ((values[i + 1]! - frame) << width) |
      ((values[i + 2]! - frame) << two) |
      ((values[i + 3]! - frame) << three);
    word |= own << bits;
    bits += four;
    if (bits >= 32) {
      packed[to++] = word;
      bits -= 32;
      word = bits === 0 ? 0 : own >>> (four - bits);
    }
  }
}

/** More than 32 bits each: rare, and slower. */
function packWide(
  values: Float64Array,
  from: number,
  count: number,
  frame: number,
  width: number,
): void {
  packed.fill(0, 0, packedSize(count, width) >>> 2);
  let bit = 0;
  const put = (value: number, own: number): void => {
    const at = bit >>> 5;
    const shift = bit & 31;
    packed[at]! |= value << shift;
    if (shift + own > 32) packed[at + 1]! |= value >>> (32 - shift);
    bit += own;
  };
  for (let i = from; i < from + count; i++) {
    const value = values[i]! - frame;
    const low = value >>> 0;
    put(low, 32);
    put(((value - low) / 0x1_0000_0000) >>> 0, width - 32);
  }
}
