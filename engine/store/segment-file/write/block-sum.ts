/**
 * The sum that DuckDB keeps before the bytes of each block and header: of each 64-bit word its product with a number,
 * all combined by XOR.
 * https://github.com/duckdb/duckdb, src/common/checksum.cpp
 */
const START = 5381;
/** 0xbf58476d1ce4e5b9 */
const HIGH = 0xbf58476d;
const LOW = 0x1ce4e5b9;
const LOW_HIGH = LOW >>> 16;
const LOW_LOW = LOW & 0xffff;
const TWO_16 = 65_536;
const TWO_POWER_MINUS_16 = 1 / TWO_16;

/** Writes the sum of `bytes` from 8 on, a multiple of eight bytes, before them. */
export function putSum(bytes: Uint8Array): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  let low = START;
  let high = 0;
  for (let i = 2; i < words.length; i += 2) {
    const a = words[i]!;
    const b = words[i + 1]!;
    if ((a | b) === 0) continue;
    low ^= Math.imul(a, LOW);
    // What the lower words' product has beyond 32 bits, in two steps that are exact.
    const middle = Math.floor(a * LOW_LOW * TWO_POWER_MINUS_16) + a * LOW_HIGH;
    high ^= (Math.floor(middle * TWO_POWER_MINUS_16) + Math.imul(a, HIGH) + Math.imul(b, LOW)) | 0;
  }
  words[0] = low >>> 0;
  words[1] = high >>> 0;
}
