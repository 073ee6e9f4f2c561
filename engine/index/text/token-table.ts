/**
 * The different tokens of a segment while its index is built, as they are written in it. Numbers below
 * FIRST_STRING without leading zeros are their own identifiers; every other token gets the next one.
 *
 * Hashing is bounded: where too many tokens meet in one place a token may get a second identifier,
 * which costs space and nothing else, since equal tokens are joined in the end.
 */
import { giveBack, take32, takeBuffer } from '../spare.ts';
import { BYTE_CLASS, DELIMITER, DIGIT, MAX_TOKEN_BYTES, cutToken } from './token-class.ts';

export const FIRST_STRING = 100_000;
const MOST_PROBES = 24;
/** Set in a token's length when it is the beginning of a longer one. */
export const LONG = 0x80;

export class TokenTable {
  /** Bytes of all tokens, one after another. */
  bytes: Uint8Array = new Uint8Array(1 << 16);
  /** By identifier less FIRST_STRING. */
  starts: Uint32Array = new Uint32Array(1 << 12);
  /** Length in bytes, and LONG. */
  lengths: Uint8Array = new Uint8Array(1 << 12);
  /** Different strings. */
  strings = 0;
  /** By identifier: how often it was met as an open token. */
  counts: Uint32Array = take32(FIRST_STRING + (1 << 12)).fill(0);
  private size = 0;
  /** By hash, in pairs, so that a look is at one place: identifier less FIRST_STRING, plus 1; its hash. */
  private slots = new Int32Array(1 << 14);

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
    const mixed = mix(hash);
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = (mixed << 1) & mask;
    const tagged = length | mark;
    for (let probes = 0; probes < MOST_PROBES; probes++) {
      const found = slots[slot]! - 1;
      if (found < 0) return this.add(data, start, length, tagged, mixed, slot);
      if (slots[slot + 1] === (mixed | 0) && this.lengths[found] === tagged) {
        const { bytes } = this;
        const at = this.starts[found]!;
        let i = 0;
        while (i < length && bytes[at + i] === data[start + i]) i += 1;
        if (i === length) return FIRST_STRING + found;
      }
      slot = (slot + 2) & mask;
    }
    return this.add(data, start, length, tagged, mixed, slot);
  }

  /** Where the string `id` ends that begins at `at`, as a token of its own; -1 when it is not there. */
  follows(id: number, data: Uint8Array, at: number, end: number): number {
    const { bytes } = this;
    const length = this.lengths[id - FIRST_STRING]!;
    const after = at + length;
    if (length >= LONG || after > end) return -1;
    let from = this.starts[id - FIRST_STRING]!;
    for (let i = at; i < after; i++) if (data[i] !== bytes[from++]) return -1;
    return after === end || BYTE_CLASS[data[after]!] === DELIMITER ? after : -1;
  }

  /** A token as it was first written. */
  text(id: number): Uint8Array {
    if (id < FIRST_STRING) return Buffer.from(String(id));
    const at = this.starts[id - FIRST_STRING]!;
    return this.bytes.subarray(at, at + (this.lengths[id - FIRST_STRING]! & ~LONG));
  }

  /** Of a token's bytes alone. */
  ofBytes(data: Uint8Array, start: number, end: number): number {
    let digits = true;
    for (let i = start; i < end; i++) digits &&= BYTE_CLASS[data[i]!] === DIGIT;
    const number = digits ? smallNumber(data, start, end) : -1;
    return number >= 0 ? number : this.string(data, start, end, hashToken(data, start, end));
  }

  private add(
    data: Uint8Array,
    start: number,
    length: number,
    tagged: number,
    mixed: number,
    slot: number,
  ): number {
    const id = this.strings;
    if (id === this.starts.length) {
      this.starts = grown(this.starts);
      this.lengths = grownBytes(this.lengths, id * 2);
      const limit = FIRST_STRING + this.starts.length;
      if (this.counts.length < limit) {
        const counts = take32(limit);
        counts.set(this.counts);
        counts.fill(0, this.counts.length);
        giveBack(this.counts.buffer);
        this.counts = counts;
      }
    }
    if (this.size + length > this.bytes.length) {
      this.bytes = grownBytes(this.bytes, this.bytes.length * 2);
    }
    const { bytes, size } = this;
    for (let i = 0; i < length; i++) bytes[size + i] = data[start + i]!;
    this.starts[id] = size;
    this.lengths[id] = tagged;
    this.size = size + length;
    this.slots[slot] = id + 1;
    this.slots[slot + 1] = mixed;
    this.strings = id + 1;
    if (this.strings * 4 > this.slots.length) this.rehash();
    return FIRST_STRING + id;
  }

  private rehash(): void {
    const before = this.slots;
    const slots = new Int32Array(takeBuffer(before.length * 8)).fill(0);
    const mask = slots.length - 1;
    for (let from = 0; from < before.length; from += 2) {
      const known = before[from]!;
      if (known === 0) continue;
      const mixed = before[from + 1]!;
      let slot = (mixed << 1) & mask;
      let probes = 0;
      while (slots[slot] !== 0 && probes++ < MOST_PROBES) slot = (slot + 2) & mask;
      slots[slot] = known;
      slots[slot + 1] = mixed;
    }
    this.slots = slots;
    giveBack(before.buffer);
  }

  /** No token is asked for any more. */
  release(): void {
    for (const array of [this.bytes, this.starts, this.lengths, this.counts, this.slots]) {
      giveBack(array.buffer);
    }
  }
}

/** The value of up to five digits without leading zeros, else -1. */
export function smallNumber(data: Uint8Array, start: number, end: number): number {
  if (end - start > 5) return -1;
  let value = data[start]! - 0x30;
  if (value === 0) return end - start === 1 ? 0 : -1;
  for (let i = start + 1; i < end; i++) value = value * 10 + data[i]! - 0x30;
  return value;
}

/** What the scan of a text computes on its way; not good without `mix`. */
export const HASH_START = 0x3c6ef372;
export const HASH_FACTOR = 0x01000193;

export function hashToken(data: Uint8Array, start: number, end: number): number {
  let hash = HASH_START;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ data[i]!, HASH_FACTOR);
  return hash;
}

/** Spreads a hash over all bits (murmur3's finaliser); unsigned. */
export function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function grown(array: Uint32Array): Uint32Array {
  const bigger = take32(array.length * 2);
  bigger.set(array);
  giveBack(array.buffer);
  return bigger;
}

function grownBytes(array: Uint8Array, size: number): Uint8Array {
  const bigger = new Uint8Array(takeBuffer(size));
  bigger.set(array);
  giveBack(array.buffer);
  return bigger;
}
