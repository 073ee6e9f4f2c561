/** Hashes of numbers by a seed of the process: evidence cannot be made to collide. What is stored never depends on them. */
import { randomInt } from 'node:crypto';

export const HASH_SEED = randomInt(0x1_0000_0000);

/** Spreads the bits of a number over all 32 (the finalizer of MurmurHash3). */
export function scramble(value: number): number {
  let h = value ^ HASH_SEED;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85eb_ca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
