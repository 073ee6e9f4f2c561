/**
 * Operations on columns with missing values, whose presence is stored as a byte per row: 1 or 0. Most columns of
 * flows and packets are read through these loops, so they process four rows at a time, or avoid branches, which a
 * processor cannot predict here.
 *
 * Each is a separate function: V8 discards the compiled code of a long one at the end of each loop.
 */

/** Number of words whose bytes can be summed before one overflows. */
const SUMMED = 255;

/** Number of bytes that are 1. */
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

/** Packs one bit per row, lowest first, from `out[at]` on. */
export function putBits(present: Uint8Array, out: Uint8Array, at: number): void {
  const words = wordsOf(present);
  const whole = words.length & ~1;
  for (let i = 0, to = at; i < whole; i += 2, to++)
    out[to] = lowestBits(words[i]!) | (lowestBits(words[i + 1]!) << 4);
  for (let i = whole * 4; i < present.length; i++) out[at + (i >>> 3)]! |= present[i]! << (i & 7);
}

/** The lowest bits of a word's four bytes: multiplication moves them next to each other into the highest. */
function lowestBits(word: number): number {
  return Math.imul(word, 0x1020_4080) >>> 28;
}

/**
 * The present values, of `width` bytes each.
 * @param width 1, or a multiple of 4
 * @param count number of present values
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

/** The present values, as 32 bits each. */
export function presentWide(values: Uint16Array, present: Uint8Array, count: number): Uint8Array {
  const out = new Int32Array(count + 1);
  keepWide(values, present, out);
  return new Uint8Array(out.buffer, 0, count * 4);
}

// Missing values are written as well and overwritten by the next: `out` has room for one more.

// A shared function would be optimised for neither.

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

/** As many whole words as the bytes contain; a view if the bytes are aligned. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } =
    (bytes.byteOffset & 3) === 0 ? bytes : new Uint8Array(bytes);
  return new Int32Array(buffer, byteOffset, length >>> 2);
}
