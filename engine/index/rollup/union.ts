/**
 * The distinct values of one dimension over many segments.
 *
 * A value has a *rank* among all values that there could be, so that comparing ranks compares values:
 * numbers and IPv4 addresses are their own; IPv6 addresses or texts come after all of those, in the
 * order of their bytes; no value comes last.
 */
import { NumberDictionary } from '../values/dictionaries.ts';
import type { DistinctValues } from '../values/dimensions.ts';
import { sortedNumbers } from '../values/radix.ts';

/** A value of a group: an IPv4 address or number, an IPv6 address of 16 bytes, a text; null for none. */
export type GroupValue = number | Uint8Array | string | null;
export type Rank = number;

const NUMBERS = 0x1_0000_0000;
const NO_VALUE: Rank = Number.MAX_SAFE_INTEGER;
const ADDRESS_BYTES = 16;

/** Entries that are looked at together: their table stays in the processor's cache. */
const PART_ENTRIES = 4096;
const SAMPLE = 64;

/** Addresses and texts of many lists: each list's places among all, and what is at a place. */
export interface LongValues {
  readonly size: number;
  /** Of each list, for its addresses and then its texts. */
  readonly places: readonly Uint32Array[];
  valueAt(place: number): Uint8Array | string;
  /** All of them as a segment keeps them. */
  readonly values: Pick<DistinctValues, 'ip6' | 'texts'>;
}

/** The value of a rank. */
export function valueOfRank(rank: Rank, long: LongValues): GroupValue {
  if (rank < NUMBERS) return rank;
  return rank === NO_VALUE ? null : long.valueAt(rank - NUMBERS);
}

export function rankOfLong(place: number): Rank {
  return NUMBERS + place;
}

export function rankOfNone(): Rank {
  return NO_VALUE;
}

/** Where each list's numbers lie that are in one range of values. */
interface Part {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly entries: number;
}

/** Cuts ascending lists at the same values into parts of a few thousand entries, and visits them in order. */
export function forEachPart(lists: readonly Uint32Array[], visit: (part: Part) => void): void {
  const from = new Uint32Array(lists.length);
  const to = new Uint32Array(lists.length);
  for (const bound of partBounds(lists)) {
    let entries = 0;
    for (let i = 0; i < lists.length; i++) {
      from[i] = to[i]!;
      to[i] = firstAbove(lists[i]!, bound, from[i]!);
      entries += to[i]! - from[i]!;
    }
    if (entries > 0) visit({ from, to, entries });
  }
}

/** Last values of the parts. */
function partBounds(lists: readonly Uint32Array[]): number[] {
  const sorted = new Uint32Array(
    lists.reduce((sum, { length }) => sum + Math.floor(Math.max(0, length - 1) / SAMPLE), 0),
  );
  let n = 0;
  for (const list of lists)
    for (let at = SAMPLE; at < list.length; at += SAMPLE) sorted[n++] = list[at]!;
  sorted.sort();
  const step = PART_ENTRIES / SAMPLE;
  const bounds: number[] = [];
  for (let at = step; at < sorted.length; at += step)
    if (sorted[at] !== bounds.at(-1)) bounds.push(sorted[at]!);
  if (bounds.at(-1) !== NUMBERS - 1) bounds.push(NUMBERS - 1);
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

/** All values of many lists in one numbering. */
export interface ValueUnion {
  /** Distinct values of all; also the place of rows that have none. */
  readonly size: number;
  /** Of each list: the place among all of each of its places. */
  readonly places: readonly Uint32Array[];
  /** Those that are numbers. */
  readonly numbers: Uint32Array;
  rankAt(place: number): Rank;
}

/** @param sorted whether places must ascend with the values. */
export function unionOf(
  lists: readonly DistinctValues[],
  long: LongValues,
  sorted: boolean,
): ValueUnion {
  const numbers = lists.map((list) => list.numbers);
  const places = lists.map((list, i) => {
    const entries = list.numbers.length + long.places[i]!.length;
    return new Uint32Array(entries + 1);
  });
  let distinct = new Uint32Array(1024);
  let size = 0;
  const table = new NumberDictionary();
  forEachPart(numbers, ({ from, to }) => {
    table.clear();
    for (let i = 0; i < numbers.length; i++) table.idsOf(numbers[i]!, from[i]!, to[i]!, places[i]!);
    const { values, ranks } = sorted ? table.sorted() : { values: table.values, ranks: undefined };
    for (let i = 0; i < numbers.length; i++) {
      const map = places[i]!;
      if (ranks === undefined) for (let at = from[i]!; at < to[i]!; at++) map[at]! += size;
      else for (let at = from[i]!; at < to[i]!; at++) map[at] = size + ranks[map[at]!]!;
    }
    if (size + table.size > distinct.length) {
      const bigger = new Uint32Array((size + table.size) * 2);
      bigger.set(distinct);
      distinct = bigger;
    }
    distinct.set(values.subarray(0, table.size), size);
    size += table.size;
  });
  const before = size;
  places.forEach((map, i) => {
    const longPlaces = long.places[i]!;
    for (let at = 0; at < longPlaces.length; at++)
      map[numbers[i]!.length + at] = before + longPlaces[at]!;
    map[map.length - 1] = before + long.size;
  });
  return {
    ...{ size: before + long.size, places, numbers: distinct.subarray(0, before) },
    rankAt(place) {
      if (place < before) return distinct[place]!;
      return place < before + long.size ? rankOfLong(place - before) : rankOfNone();
    },
  };
}

/** The IPv6 addresses and texts of these lists: sorted, the same ones together. */
export function mergeLong(lists: readonly DistinctValues[]): LongValues {
  const ip6 = mergeIp6(lists.map((list) => list.ip6));
  const texts = mergeTexts(lists.map((list) => list.texts));
  const before = ip6.values.length / ADDRESS_BYTES;
  return {
    size: before + texts.values.length,
    places: lists.map((_, i) => {
      const ip6Places = ip6.places[i]!;
      const map = new Uint32Array(ip6Places.length + texts.places[i]!.length);
      map.set(ip6Places);
      texts.places[i]!.forEach((place, at) => (map[ip6Places.length + at] = before + place));
      return map;
    }),
    valueAt(place) {
      if (place >= before)
        return Buffer.from(texts.values[place - before]!, 'latin1').toString('utf8');
      return ip6.values.slice(place * ADDRESS_BYTES, (place + 1) * ADDRESS_BYTES);
    },
    get values() {
      const bytes = texts.values.map((text) => Buffer.from(text, 'latin1'));
      return { ip6: ip6.values, texts: bytes };
    },
  };
}

function mergeIp6(lists: readonly Uint8Array[]): { values: Uint8Array; places: Uint32Array[] } {
  const total = lists.reduce((sum, { length }) => sum + length / ADDRESS_BYTES, 0);
  const words = [0, 1, 2, 3].map(() => new Uint32Array(total));
  let n = 0;
  for (const list of lists) {
    const view = new DataView(list.buffer, list.byteOffset, list.length);
    for (let at = 0; at < list.length; at += ADDRESS_BYTES, n++)
      for (let word = 0; word < 4; word++) words[word]![n] = view.getUint32(at + word * 4);
  }
  const order = sortedNumbers(words, total);
  const values = new Uint8Array(total * ADDRESS_BYTES);
  const view = new DataView(values.buffer);
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
  let at = 0;
  const places = lists.map(({ length }) => {
    const from = at;
    at += length / ADDRESS_BYTES;
    return ranks.subarray(from, at);
  });
  return { values: values.subarray(0, size * ADDRESS_BYTES), places };
}

/** Names of short lists, which indexes keep: of many segments they are asked for again and again. */
const names = new WeakMap<readonly Uint8Array[], readonly string[]>();
const SHORT = 1024;

function namesOf(texts: readonly Uint8Array[]): readonly string[] {
  const known = names.get(texts);
  if (known !== undefined) return known;
  const made = texts.map((text) =>
    Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1'),
  );
  if (texts.length <= SHORT) names.set(texts, made);
  return made;
}

/** Texts as Latin-1 strings of their bytes, whose order is that of the bytes. */
function mergeTexts(lists: readonly (readonly Uint8Array[])[]): {
  values: string[];
  places: number[][];
} {
  const named = lists.map(namesOf);
  const values = [...new Set(named.flat())].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const ranks = new Map(values.map((text, rank) => [text, rank]));
  return { values, places: named.map((texts) => texts.map((text) => ranks.get(text)!)) };
}
