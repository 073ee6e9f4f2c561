/**
 * The different tokens of a segment while its index is built, as they are written in it. Numbers below
 * FIRST_STRING without leading zeros are their own identifiers; every other token gets the next one, larger
 * numbers by their value, the rest by their bytes.
 *
 * Hashing is bounded: where too many tokens meet in one place a token may get a second identifier,
 * which costs space and nothing else, since equal tokens are joined in the end.
 */
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
const MOST_PROBES = 24;
/** Set in a token's length when it is the beginning of a longer one. */
export const LONG = 0x80;

export class TokenTable {
  /** Bytes of all tokens, one after another. */
  bytes: Uint8Array = new Uint8Array(1 << 16);
  /** By identifier less FIRST_STRING: where it begins in `bytes`; the value of a number. */
  starts: Uint32Array = new Uint32Array(1 << 12);
  /** Length in bytes, and LONG; 0 of numbers. */
  lengths: Uint8Array = new Uint8Array(1 << 12);
  /** Different tokens that are not their own identifiers. */
  strings = 0;
  /** By identifier: how often it was met as an open token. */
  counts: Uint32Array = new Uint32Array(FIRST_STRING + (1 << 12));
  /** Bytes in use. */
  size = 0;
  /** By hash, in pairs, so that a look is at one place: identifier less FIRST_STRING, plus 1; its hash. */
  private slots = new Int32Array(1 << 14);
  private slotted = 0;
  /** Of numbers, the same with the value. */
  private numberSlots = new Int32Array(1 << 14);
  private numbersSlotted = 0;

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

  /** @param value a whole number below FIRST_LONG */
  number(value: number): number {
    if (value < FIRST_STRING) return value;
    const { numberSlots: slots } = this;
    const mask = slots.length - 1;
    let slot = (mix(value) << 1) & mask;
    for (let probes = 0; probes < MOST_PROBES; probes++) {
      const found = slots[slot]! - 1;
      if (found < 0) break;
      if (slots[slot + 1] === value) return FIRST_STRING + found;
      slot = (slot + 2) & mask;
    }
    const id = this.next();
    this.starts[id] = value;
    this.lengths[id] = 0;
    slots[slot] = id + 1;
    slots[slot + 1] = value;
    this.numbersSlotted += 1;
    if (this.numbersSlotted * 4 > slots.length) this.numberSlots = rehashed(slots, mix);
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
    mixed: number,
    slot: number,
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
    this.slots[slot] = id + 1;
    this.slots[slot + 1] = mixed;
    this.slotted += 1;
    if (this.slotted * 4 > this.slots.length) this.slots = rehashed(this.slots, asItIs);
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

/** Twice as many slots with the same tokens. @param spread of what a slot is found by */
function rehashed(
  before: Int32Array<ArrayBuffer>,
  spread: (key: number) => number,
): Int32Array<ArrayBuffer> {
  const slots = new Int32Array(before.length * 2);
  const mask = slots.length - 1;
  for (let from = 0; from < before.length; from += 2) {
    const known = before[from]!;
    if (known === 0) continue;
    const key = before[from + 1]!;
    let slot = (spread(key) << 1) & mask;
    let probes = 0;
    while (slots[slot] !== 0 && probes++ < MOST_PROBES) slot = (slot + 2) & mask;
    slots[slot] = known;
    slots[slot + 1] = key;
  }
  return slots;
}

function asItIs(key: number): number {
  return key;
}

/** The value of up to NUMBER_DIGITS digits without leading zeros, else -1. */
export function numberValue(data: Uint8Array, start: number, end: number): number {
  if (end - start > NUMBER_DIGITS) return -1;
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
  const bigger = new Uint32Array(array.length * 2);
  bigger.set(array);
  return bigger;
}

function grownBytes(array: Uint8Array, size: number): Uint8Array {
  const bigger = new Uint8Array(size);
  bigger.set(array);
  return bigger;
}
