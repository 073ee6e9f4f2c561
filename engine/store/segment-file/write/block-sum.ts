/**
 * The sum that DuckDB keeps before the bytes of each block and header: of each 64-bit word its product with a number,
 * all combined by XOR.
 * https://github.com/duckdb/duckdb, src/common/checksum.cpp
 */
const START = 5381n;
const FACTOR = 0xbf58476d1ce4e5b9n;
/** What is written into memory of 64 bits need not be an object before: so the sum is there, not in a variable. */
const sum = new BigUint64Array(1);
const WORDS_AT_ONCE = 512;

/** Writes the sum of `bytes` from 8 on, a multiple of eight bytes, before them. */
export function putSum(bytes: Uint8Array): void {
  const words = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 3);
  sum[0] = START;
  for (let from = 1; from < words.length; from += WORDS_AT_ONCE)
    addWords(words, from, Math.min(words.length, from + WORDS_AT_ONCE));
  words[0] = sum[0];
}

/** A function of its own: in a long one V8 gives up its compiled code at the end of each loop. */
function addWords(words: BigUint64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) sum[0] = sum[0]! ^ (words[i]! * FACTOR);
}
