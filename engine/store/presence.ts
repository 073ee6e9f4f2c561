/**
 * Columns in which some rows have no value: what says so is a byte a row, 1 where there is one and else 0.
 * Most columns of flows and packets are read through these loops, so they take four rows at a time, or none of
 * them a branch, which a processor cannot foresee here.
 *
 * Each is a function of its own: in a long one V8 gives up its compiled code at the end of each loop.
 */

/** Words whose bytes can be added up before one of them runs over. */
const SUMMED = 255;

/** How many of the bytes are 1. */
export function countOnes(present: Uint8Array): number {
  const words = wordsOf(present);
  const rest = words.length * 4;
  let count = 0;
  for (let at = 0; at < words.length; at += SUMMED)
    count += sumOfBytes(words, at, Math.min(words.length, at + SUMMED));
  for (let i = rest; i < present.length; i++) count += present[i]!;
  return count;
}

function sumOfBytes(words: Int32Array, from: number, to: number): number {
  let sums = 0;
  for (let i = from; i < to; i++) sums = (sums + words[i]!) | 0;
  return (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24);
}

/** A bit a row, the lowest of a byte first, from `out[at]` on. */
export function putBits(present: Uint8Array, out: Uint8Array, at: number): void {
  const words = wordsOf(present);
  const whole = words.length & ~1;
  for (let i = 0, to = at; i < whole; i += 2, to++)
    out[to] = lowestBits(words[i]!) | (lowestBits(words[i + 1]!) << 4);
  for (let i = whole * 4; i < present.length; i++) out[at + (i >>> 3)]! |= present[i]! << (i & 7);
}

/** The lowest bits of the four bytes of a word: the product has them beside each other in its highest. */
function lowestBits(word: number): number {
  return Math.imul(word, 0x1020_4080) >>> 28;
}

/**
 * Of values of `width` bytes those that are there.
 * @param width 1, or a multiple of 4
 * @param count of them
 */
export function presentValues(
  values: Uint8Array,
  width: number,
  present: Uint8Array,
  count: number,
): Uint8Array {
  if (width === 1) {
    const out = new Uint8Array(count + 1);
    keepBytes(values, present, out);
    return out.subarray(0, count);
  }
  const words = wordsOf(values);
  const each = width >>> 2;
  const out = new Int32Array((count + 1) * each);
  if (each === 1) keepWords(words, present, out);
  else keepSeveral(words, each, present, out);
  return new Uint8Array(out.buffer, 0, count * width);
}

/** The values that are there, each in 32 bits. */
export function presentWide(values: Uint16Array, present: Uint8Array, count: number): Uint8Array {
  const out = new Int32Array(count + 1);
  keepWide(values, present, out);
  return new Uint8Array(out.buffer, 0, count * 4);
}

// What is not there is written, too, and written over by the next: `out` has room for one more.

// One function for both would be compiled for neither.

function keepBytes(values: Uint8Array, present: Uint8Array, out: Uint8Array): void {
  for (let i = 0, to = 0; i < present.length; i++) {
    out[to] = values[i]!;
    to += present[i]!;
  }
}

function keepWords(values: Int32Array, present: Uint8Array, out: Int32Array): void {
  for (let i = 0, to = 0; i < present.length; i++) {
    out[to] = values[i]!;
    to += present[i]!;
  }
}

function keepWide(values: Uint16Array, present: Uint8Array, out: Int32Array): void {
  for (let i = 0, to = 0; i < present.length; i++) {
    out[to] = values[i]!;
    to += present[i]!;
  }
}

function keepSeveral(words: Int32Array, each: number, present: Uint8Array, out: Int32Array): void {
  for (let i = 0, to = 0; i < present.length; i++) {
    if (present[i] === 0) continue;
    for (let at = i * each; at < (i + 1) * each; at++) out[to++] = words[at]!;
  }
}

/** As many whole words as the bytes have; where they lie, if words can lie there. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } =
    (bytes.byteOffset & 3) === 0 ? bytes : new Uint8Array(bytes);
  return new Int32Array(buffer, byteOffset, length >>> 2);
}
