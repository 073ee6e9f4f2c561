/**
 * A 53-bit hash of bytes: two 32-bit lanes mixed as in Murmur, of which a double holds 53 bits exactly. Fast and
 * well distributed, but no defence against deliberate collisions: bytes with equal hashes must also be compared by
 * something else (`record_key` is used with time and kind). The values are stored in cases and must not change.
 */

/** 0 to 2^53 - 1. */
export function hash53(bytes: Uint8Array, start: number, end: number, seed = 0): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  let at = start;
  const whole = end - 3;
  while (at < whole) {
    const word =
      bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    high = Math.imul(high ^ word, 0x9e3779b1);
    high = (high << 13) | (high >>> 19);
    low = Math.imul(low ^ word, 0x5f356495);
    low = ((low << 17) | (low >>> 15)) + high;
    at += 4;
  }
  while (at < end) {
    high = Math.imul(high ^ bytes[at]!, 0x9e3779b1);
    high ^= high >>> 15;
    low = Math.imul(low ^ bytes[at]!, 0x5f356495);
    low ^= low >>> 13;
    at += 1;
  }
  high ^= end - start;
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  low ^= low >>> 16;
  return (high & 0x1fffff) * 0x100000000 + (low >>> 0);
}
