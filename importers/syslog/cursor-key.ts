/**
 * A 53-bit hash of bytes, for the identity that a journal entry states in its cursor. Two 32-bit
 * hashes with unlike multipliers (MurmurHash3's mixing), so that a million cursors collide with a
 * chance of about 1 in 20,000.
 */
export function cursorKey(b: Uint8Array, start: number, end: number): number {
  let high = 0x2127599b ^ (end - start);
  let low = 0x9e3779b9 | 0;
  for (let i = start; i < end; i++) {
    const c = b[i]!;
    high = Math.imul(high ^ c, 0x85ebca6b);
    high ^= high >>> 15;
    low = Math.imul(low ^ c, 0x1b873593);
    low ^= low >>> 13;
  }
  high = Math.imul(high ^ (low >>> 16), 0xc2b2ae35);
  low = Math.imul(low ^ (high >>> 16), 0xcc9e2d51);
  high ^= high >>> 13;
  low ^= low >>> 16;
  return (high & 0x1fffff) * 4294967296 + (low >>> 0);
}
