/**
 * The different tokens of a segment while its index is built, as they are written in it. Numbers below
 * FIRST_STRING without leading zeros are their own identifiers; every other token gets the next one, larger
 * numbers by their value, the rest by their bytes.
 *
 * Work is bounded: where too many tokens have one hash a token may get a second identifier, which costs
 * space and nothing else, since equal tokens are joined in the end.
 */
import { HASH_SEED, hashByte, scramble } from '../../../util/hash-table/hash.ts';
import { HashIndex, MOST_ALIKE } from '../../../util/hash-table/hash-index.ts';
import {
  BYTE_CLASS,
  DELIMITER,
  DIGIT,
  MAX_TOKEN_BYTES,
  NUMBER_DIGITS,
  cutToken,
} from '../../../util/tokens.ts';

export const FIRST_STRING = 100_000;
/** Numbers below this are known by their value. */
export const FIRST_LONG = 10 ** NUMBER_DIGITS;
const FIRST_ROOM = 1 << 12;
/** Set in a token's length when it is the beginning of a longer one. */
export const LONG = 0x80;

export class TokenTable {
  /** Bytes of all tokens, one after another. */
  bytes: Uint8Array = new Uint8Array(1 << 16);
  /** By identifier less FIRST_STRING: where it begins in `bytes`; the value of a number. */
  starts: Uint32Array = new Uint32Array(FIRST_ROOM);
  /** Length in bytes, and LONG; 0 of numbers. */
  lengths: Uint8Array = new Uint8Array(FIRST_ROOM);
  /** Different tokens that are not their own identifiers. */
  strings = 0;
  /** By identifier: how often it was met as an open token. */
  counts: Uint32Array = new Uint32Array(FIRST_STRING + FIRST_ROOM);
  /** Bytes in use. */
  size = 0;
  /** Identifiers less FIRST_STRING. */
  private readonly stringIndex = new HashIndex(FIRST_ROOM);
  private readonly numberIndex = new HashIndex(FIRST_ROOM);

  /** Identifiers are smaller than this. */
  get limit(): number {
    return FIRST_STRING + this.strings;
  }

  /** @param hash by `hashToken`, of the whole token. */
  string(data: Uint8Array, start: number, end: number, hash: number): number {
    let length = end - start;
    let mark = 0;
    if (length > MAX_TOKEN_BYTES) {
      length = cutToken(data, start) - start;
      mark = LONG;
      hash = hashToken(data, start, start + length) ^ 0x55555555;
    }
    const { stringIndex: index } = this;
    const spread = scramble(hash);
    const tagged = length | mark;
    let collisions = 0;
    for (let id = index.first(spread); id >= 0; id = index.next(spread)) {
      if (this.lengths[id] === tagged && this.is(id, data, start, length)) return FIRST_STRING + id;
      if (++collisions === MOST_ALIKE) break;
    }
    return this.add(data, start, length, tagged, spread);
  }

  private is(id: number, data: Uint8Array, start: number, length: number): boolean {
    const { bytes } = this;
    const at = this.starts[id]!;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== data[start + i]) return false;
    return true;
  }

  /** @param value a whole number below FIRST_LONG */
  number(value: number): number {
    if (value < FIRST_STRING) return value;
    // Different numbers have different hashes.
    const hash = scramble(value);
    const known = this.numberIndex.first(hash);
    if (known >= 0) return FIRST_STRING + known;
    const id = this.next();
    this.starts[id] = value;
    this.lengths[id] = 0;
    this.numberIndex.put(id, hash);
    return FIRST_STRING + id;
  }

  /** Where the string `id` ends that begins at `at`, as a token of its own; -1 when it is not there. */
  follows(id: number, data: Uint8Array, at: number, end: number): number {
    const { bytes } = this;
    const length = this.lengths[id - FIRST_STRING]!;
    const after = at + length;
    if (length === 0 || length >= LONG || after > end) return -1;
    let from = this.starts[id - FIRST_STRING]!;
    for (let i = at; i < after; i++) if (data[i] !== bytes[from++]) return -1;
    return after === end || BYTE_CLASS[data[after]!] === DELIMITER ? after : -1;
  }

  /** A token as it was first written. */
  text(id: number): Uint8Array {
    if (id < FIRST_STRING) return Buffer.from(String(id));
    const at = this.starts[id - FIRST_STRING]!;
    const length = this.lengths[id - FIRST_STRING]! & ~LONG;
    return length === 0 ? Buffer.from(String(at)) : this.bytes.subarray(at, at + length);
  }

  /** Of a token's bytes alone. */
  ofBytes(data: Uint8Array, start: number, end: number): number {
    let kinds = 0;
    for (let i = start; i < end; i++) kinds |= BYTE_CLASS[data[i]!]!;
    return this.ofHashed(data, start, end, hashToken(data, start, end), kinds);
  }

  /** The same with the token's hash, and the classes of its bytes. */
  ofHashed(data: Uint8Array, start: number, end: number, hash: number, kinds: number): number {
    const number = kinds === DIGIT ? numberValue(data, start, end) : -1;
    return number >= 0 ? this.number(number) : this.string(data, start, end, hash);
  }

  private add(
    data: Uint8Array,
    start: number,
    length: number,
    tagged: number,
    spread: number,
  ): number {
    const id = this.next();
    if (this.size + length > this.bytes.length) {
      this.bytes = grownBytes(this.bytes, this.bytes.length * 2);
    }
    const { bytes, size } = this;
    for (let i = 0; i < length; i++) bytes[size + i] = data[start + i]!;
    this.starts[id] = size;
    this.lengths[id] = tagged;
    this.size = size + length;
    this.stringIndex.put(id, spread);
    return FIRST_STRING + id;
  }

  /** Room for one more token: its identifier less FIRST_STRING. */
  private next(): number {
    const id = this.strings;
    if (id === this.starts.length) {
      this.starts = grown(this.starts);
      this.lengths = grownBytes(this.lengths, id * 2);
      const limit = FIRST_STRING + this.starts.length;
      const counts = new Uint32Array(limit);
      counts.set(this.counts);
      this.counts = counts;
    }
    this.strings = id + 1;
    return id;
  }
}

/** The value of up to NUMBER_DIGITS digits without leading zeros, else -1. */
export function numberValue(data: Uint8Array, start: number, end: number): number {
  if (end - start > NUMBER_DIGITS) return -1;
  let value = data[start]! - 0x30;
  if (value === 0) return end - start === 1 ? 0 : -1;
  for (let i = start + 1; i < end; i++) value = value * 10 + data[i]! - 0x30;
  return value;
}

/** Of a token's bytes, as the scan of a text computes it on its way. */
export function hashToken(data: Uint8Array, start: number, end: number): number {
  let hash = HASH_SEED;
  for (let i = start; i < end; i++) hash = hashByte(hash, data[i]!);
  return hash;
}

function grown(array: Uint32Array): Uint32Array {
  const bigger = new Uint32Array(array.length * 2);
  bigger.set(array);
  return bigger;
}

function grownBytes(array: Uint8Array, size: number): Uint8Array {
  const bigger = new Uint8Array(size);
  bigger.set(array);
  return bigger;
}
