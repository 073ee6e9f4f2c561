/**
 * Hashes seeded per process, so that crafted evidence cannot cause collisions. Nothing stored depends on them. All are
 * signed 32-bit numbers.
 */
import { randomInt } from 'node:crypto';

export const HASH_SEED = randomInt(0x1_0000_0000) | 0;

/**
 * The hash of a key of 32-bit words, from that of the words before it; of the first from HASH_SEED (the finalizer of
 * MurmurHash3 between words). Keys that differ in one word have different hashes.
 */
export function hashWord(hash: number, word: number): number {
  let h = Math.imul(hash ^ word, 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return h ^ (h >>> 16);
}

/** Hashes a number, or spreads a hash by bytes over all bits. */
export function scramble(value: number): number {
  return hashWord(HASH_SEED, value);
}

/** A step of FNV-1a: the hash from that of the bytes before; `scramble` the last. */
export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x0100_0193);
}

/** A further word of each of `n` keys. */
export function hashColumn(hashes: Int32Array, words: Int32Array, n: number): void {
  for (let i = 0; i < n; i++) hashes[i] = hashWord(hashes[i]!, words[i]!);
}

/** Of the bytes from `from` to `to`, four at a time: the last four may overlap those before. */
export function hashBytes(data: DataView, from: number, to: number): number {
  let hash = (to - from) ^ HASH_SEED;
  const last = to - 4;
  if (last < from) {
    for (let at = from; at < to; at++) hash = hashByte(hash, data.getUint8(at));
    return scramble(hash);
  }
  for (let at = from; at < last; at += 4) hash = hashFour(hash, data.getInt32(at, true));
  return scramble(hashFour(hash, data.getInt32(last, true)));
}

/** Faster than `hashWord`. */
function hashFour(hash: number, bytes: number): number {
  return Math.imul((hash ^ (hash >>> 15)) + bytes, 0x85eb_ca6b);
}

/** Whether the `length` bytes from `at` are those of `other` from `from`. */
export function areBytesEqual(
  data: DataView,
  at: number,
  other: DataView,
  from: number,
  length: number,
): boolean {
  const last = length - 4;
  if (last < 0) {
    for (let i = 0; i < length; i++)
      if (data.getUint8(at + i) !== other.getUint8(from + i)) return false;
    return true;
  }
  for (let i = 0; i < last; i += 4)
    if (data.getInt32(at + i, true) !== other.getInt32(from + i, true)) return false;
  return data.getInt32(at + last, true) === other.getInt32(from + last, true);
}
