/**
 * The distinct values of one dimension over many segments: each segment's own places mapped to places
 * in the list of all. Places ascend with the values (numbers, then IPv6 addresses, or texts by their
 * bytes; rows without a value last), so that comparing places compares values.
 */
import { randomInt } from 'node:crypto';
import type { DistinctValues } from '../values/dimensions.ts';
import { sortedNumbers } from '../values/radix.ts';

/** A value of a group: an IPv4 address or number, an IPv6 address of 16 bytes, a text; null for none. */
export type GroupValue = number | Uint8Array | string | null;

export interface ValueUnion {
  /** Distinct values of all; also the place of rows that have none. */
  readonly size: number;
  /** Of each segment: the place among all of each of its places. */
  readonly places: readonly Uint32Array[];
  valueAt(place: number): GroupValue;
}

/** Entries that are looked at together: their table of places stays in the processor's cache. */
const PART_ENTRIES = 8192;
const SAMPLE = 64;
const SEED = randomInt(0x1_0000_0000);
const ADDRESS_BYTES = 16;

/** @param lists each with its number of values: the place of rows that have none. */
export function unionOf(lists: readonly DistinctValues[]): ValueUnion {
  const sizes = lists.map(
    ({ numbers, ip6, texts }) => numbers.length + ip6.length / 16 + texts.length,
  );
  const places = sizes.map((size) => new Uint32Array(size + 1));
  const numbers = mergeNumbers(
    lists.map((list) => list.numbers),
    places,
  );
  const ip6 = mergeIp6(lists, places, numbers.length);
  const before = numbers.length + ip6.length / ADDRESS_BYTES;
  const texts = mergeTexts(lists, places, before);
  const size = before + texts.length;
  places.forEach((map, i) => (map[sizes[i]!] = size));
  return {
    ...{ size, places },
    valueAt(place) {
      if (place < numbers.length) return numbers[place]!;
      if (place < before) {
        const at = (place - numbers.length) * ADDRESS_BYTES;
        return ip6.slice(at, at + ADDRESS_BYTES);
      }
      if (place < size) return Buffer.from(texts[place - before]!, 'latin1').toString('utf8');
      return null;
    },
  };
}

/**
 * Lists are cut at the same values into parts; each part's distinct values are found with a small
 * table and sorted.
 */
function mergeNumbers(lists: readonly Uint32Array[], places: readonly Uint32Array[]): Uint32Array {
  if (lists.every(({ length }) => length === 0)) return new Uint32Array(0);
  const bounds = partBounds(lists);
  const all = new GrowingList();
  const from = lists.map(() => 0);
  const to = lists.map(() => 0);
  let slots = new Uint32Array(0);
  for (const bound of bounds) {
    let entries = 0;
    for (let i = 0; i < lists.length; i++) {
      from[i] = to[i]!;
      to[i] = firstAbove(lists[i]!, bound, from[i]!);
      entries += to[i]! - from[i]!;
    }
    if (entries === 0) continue;
    const bits = Math.max(4, 33 - Math.clz32(entries));
    if (slots.length !== 1 << bits) slots = new Uint32Array(1 << bits);
    else slots.fill(0);
    const shift = 32 - bits;
    const mask = slots.length - 1;
    const base = all.length;
    all.reserve(entries);
    const values = all.values;
    // In the order of first appearance, then sorted; slots lead to the one, `order` to the other.
    let distinct = 0;
    for (let i = 0; i < lists.length; i++) {
      const list = lists[i]!;
      const map = places[i]!;
      const end = to[i]!;
      for (let at = from[i]!; at < end; at++) {
        const value = list[at]!;
        let slot = spread(value) >>> shift;
        let id = slots[slot]!;
        while (id !== 0 && values[base + id - 1] !== value) {
          slot = (slot + 1) & mask;
          id = slots[slot]!;
        }
        if (id === 0) {
          values[base + distinct] = value;
          distinct += 1;
          id = distinct;
          slots[slot] = id;
        }
        map[at] = id - 1;
      }
    }
    const found = values.slice(base, base + distinct);
    const sorted = found.slice().sort();
    const ranks = new Uint32Array(distinct);
    for (let rank = 0; rank < distinct; rank++) {
      const value = sorted[rank]!;
      let slot = spread(value) >>> shift;
      while (found[slots[slot]! - 1] !== value) slot = (slot + 1) & mask;
      ranks[slots[slot]! - 1] = base + rank;
    }
    values.set(sorted, base);
    all.length = base + distinct;
    for (let i = 0; i < lists.length; i++) {
      const map = places[i]!;
      for (let at = from[i]!; at < to[i]!; at++) map[at] = ranks[map[at]!]!;
    }
  }
  return all.values.subarray(0, all.length);
}

/** Last values of parts of about PART_ENTRIES entries. */
function partBounds(lists: readonly Uint32Array[]): number[] {
  const samples: number[] = [];
  for (const list of lists)
    for (let at = SAMPLE; at < list.length; at += SAMPLE) samples.push(list[at]!);
  const sorted = Uint32Array.from(samples).sort();
  const bounds: number[] = [];
  for (let at = PART_ENTRIES / SAMPLE; at < sorted.length; at += PART_ENTRIES / SAMPLE)
    if (sorted[at] !== bounds.at(-1)) bounds.push(sorted[at]!);
  if (bounds.at(-1) !== 0xffff_ffff) bounds.push(0xffff_ffff);
  return bounds;
}

/** The first place from `from` on whose value is above `bound`. */
function firstAbove(list: Uint32Array, bound: number, from: number): number {
  let low = from;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function spread(value: number): number {
  const h = Math.imul(value ^ SEED, 0x9e37_79b1);
  return Math.imul(h ^ (h >>> 15), 0x85eb_ca6b);
}

class GrowingList {
  values = new Uint32Array(1024);
  length = 0;

  reserve(more: number): void {
    if (this.length + more <= this.values.length) return;
    const bigger = new Uint32Array(Math.max(this.length + more, this.values.length * 2));
    bigger.set(this.values.subarray(0, this.length));
    this.values = bigger;
  }
}

function mergeIp6(
  lists: readonly DistinctValues[],
  places: readonly Uint32Array[],
  before: number,
): Uint8Array {
  const total = lists.reduce((sum, { ip6 }) => sum + ip6.length / ADDRESS_BYTES, 0);
  if (total === 0) return new Uint8Array(0);
  const words = [0, 1, 2, 3].map(() => new Uint32Array(total));
  let n = 0;
  for (const { ip6 } of lists) {
    const view = new DataView(ip6.buffer, ip6.byteOffset, ip6.length);
    for (let at = 0; at < ip6.length; at += ADDRESS_BYTES, n++)
      for (let word = 0; word < 4; word++) words[word]![n] = view.getUint32(at + word * 4);
  }
  const order = sortedNumbers(words, total);
  const distinct = new Uint8Array(total * ADDRESS_BYTES);
  const view = new DataView(distinct.buffer);
  const ranks = new Uint32Array(total);
  let size = 0;
  for (let i = 0; i < total; i++) {
    const entry = order[i]!;
    const previous = order[i - 1];
    if (previous === undefined || words.some((word) => word[entry] !== word[previous])) {
      for (let word = 0; word < 4; word++)
        view.setUint32(size * ADDRESS_BYTES + word * 4, words[word]![entry]!);
      size += 1;
    }
    ranks[entry] = size - 1;
  }
  n = 0;
  lists.forEach(({ numbers, ip6 }, i) => {
    const own = ip6.length / ADDRESS_BYTES;
    for (let at = 0; at < own; at++) places[i]![numbers.length + at] = before + ranks[n++]!;
  });
  return distinct.subarray(0, size * ADDRESS_BYTES);
}

/** Texts as Latin-1 strings of their bytes, whose order is that of the bytes. */
function mergeTexts(
  lists: readonly DistinctValues[],
  places: readonly Uint32Array[],
  before: number,
): string[] {
  const named = lists.map(({ texts }) =>
    texts.map((text) => Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1')),
  );
  const distinct = [...new Set(named.flat())].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const ranks = new Map(distinct.map((text, rank) => [text, rank]));
  named.forEach((texts, i) => {
    texts.forEach((text, at) => (places[i]![at] = before + ranks.get(text)!));
  });
  return distinct;
}
