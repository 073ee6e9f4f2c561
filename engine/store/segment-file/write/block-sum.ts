/**
 * The sum that DuckDB keeps before the bytes of each block and header: of each 64-bit word its product with a number,
 * all combined by XOR.
 * https://github.com/duckdb/duckdb, src/common/checksum.cpp
 */
const START = 5381;
/** 0xbf58476d1ce4e5b9. By numbers of 64 bits a warm thread is faster; until V8 compiles them each costs a hundred times as much. */
const HIGH = 0xbf58476d;
const LOW = 0x1ce4e5b9;
const LOW_HIGH = LOW >>> 16;
const LOW_LOW = LOW & 0xffff;
const WORDS_AT_ONCE = 1024;
/** What is summed up so far, the low 32 bits before the high. */
const sum = new Int32Array(2);

/** Writes the sum of `bytes` from 8 on, a multiple of eight bytes, before them. */
export function putSum(bytes: Uint8Array): void {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  sum[0] = START;
  sum[1] = 0;
  for (let from = 2; from < words.length; from += WORDS_AT_ONCE)
    addWords(words, from, Math.min(words.length, from + WORDS_AT_ONCE));
  words.set(sum);
}

/** A function of its own: in a long one V8 gives up its compiled code at the end of each loop. */
function addWords(words: Int32Array, from: number, to: number): void {
  let low = sum[0]!;
  let high = sum[1]!;
  for (let i = from; i < to; i += 2) {
    const a = words[i]!;
    const b = words[i + 1]!;
    const aLow = a & 0xffff;
    const aHigh = a >>> 16;
    // What the lower words' product has beyond 32 bits, by halves.
    const middle = (Math.imul(aHigh, LOW_LOW) + (Math.imul(aLow, LOW_LOW) >>> 16)) | 0;
    const other = (Math.imul(aLow, LOW_HIGH) + (middle & 0xffff)) | 0;
    low ^= Math.imul(a, LOW);
    high ^=
      Math.imul(aHigh, LOW_HIGH) +
      (middle >>> 16) +
      (other >>> 16) +
      Math.imul(a, HIGH) +
      Math.imul(b, LOW);
  }
  sum[0] = low;
  sum[1] = high;
}
