/**
 * Groups of two keys of many segments added up.
 *
 * A group is at most as large as all of its first key together. So the first keys are added up before
 * their groups are, the largest first; as soon as the rest are too small for one of their groups to be
 * wanted, it is only counted how many second keys each of them has, which is much less work.
 */
import type { GroupKey } from '../values/dimensions.ts';
import type { SmallNumbers } from '../values/packing.ts';
import { groupByCode } from '../values/radix.ts';
import type { Chosen, TopQuestion } from './chosen.ts';
import { addSum } from './measured.ts';
import type { RollupGroups } from './rollup-groups.ts';
import { type LongValues, type Rank, mergeLong, unionOf } from './union.ts';

/** Bits of a measure: first keys are taken by the length of theirs. */
const BITS = 54;

/** Returns the values of each dimension that ranks stand for, in the order of the question. */
export function addPairs(
  sources: readonly RollupGroups[],
  question: TopQuestion,
  chosen: Chosen,
): LongValues[] {
  const kept = sources[0]?.dims ?? question.dims;
  const tables = sources.map((source) => oriented(source, kept[0]!));
  const lists = [0, 1].map((dim) => tables.map(({ values }) => values[dim]!));
  const long = lists.map(mergeLong);
  const firsts = unionOf(lists[0]!, long[0]!, true);
  const seconds = unionOf(lists[1]!, long[1]!, false);
  const straight = kept[0] === question.dims[0];
  const segments = tables.map((table, i): Segment => {
    return { ...table, firsts: firsts.places[i]!, places: seconds.places[i]! };
  });
  const tally = tallyFirsts(segments, firsts.size + 1, chosen);
  const bounds = question.by === 'count' ? tally.rows : tally.sums[question.by]!;
  const adder = new GroupAdder(segments, seconds.size + 1, chosen);
  let groups = 0;
  for (const first of largestFirst(bounds)) {
    if (bounds[first]! < chosen.least || tally.segments[first] === 0) continue;
    const found = adder.add(first);
    groups += found;
    tally.segments[first] = 0;
    offerGroups(adder, found, chosen, straight, (place) => ({
      first: firsts.rankAt(first),
      second: seconds.rankAt(place),
    }));
  }
  groups += countGroups(segments, tally.segments, seconds.size + 1);
  chosen.tally(groups, 0);
  return straight ? long : long.reverse();
}

/** Offers those of a first key's groups that may be wanted; a loop of its own as `sumOf` is. */
function offerGroups(
  { touched, counts, sums }: GroupAdder,
  found: number,
  chosen: Chosen,
  straight: boolean,
  ranksAt: (place: number) => { readonly first: Rank; readonly second: Rank },
): void {
  for (let i = 0; i < found; i++) {
    const place = touched[i]!;
    const count = counts[place]!;
    const measure = chosen.measureOf(count, sums, place);
    if (measure < chosen.least) continue;
    const { first, second } = ranksAt(place);
    if (straight) chosen.offer(measure, first, second, count, sums, place);
    else chosen.offer(measure, second, first, count, sums, place);
  }
}

export type PairTable = RollupGroups & {
  readonly starts: Uint32Array;
  readonly seconds: SmallNumbers;
};

/** One segment's groups, and where its first and second keys are among those of all. */
interface Segment extends PairTable {
  /** Ascending. */
  readonly firsts: Uint32Array;
  readonly places: Uint32Array;
}

interface Tally {
  /** Of each first key: its rows, its sums, and how many segments it is in. */
  readonly rows: Float64Array;
  readonly sums: readonly Float64Array[];
  readonly segments: Uint32Array;
}

function tallyFirsts(list: readonly Segment[], size: number, chosen: Chosen): Tally {
  const rows = new Float64Array(size);
  const segments = new Uint32Array(size);
  const sums = Array.from(chosen.sums, () => new Float64Array(size));
  for (const segment of list) {
    addRows(segment, rows, segments);
    for (let m = 0; m < sums.length; m++) addFirstSums(segment, segment.sums[m]!, sums[m]!);
  }
  let all = 0;
  for (let first = 0; first < size; first++) {
    all += rows[first]!;
    chosen.tallySums(sums, first);
  }
  chosen.tally(0, all);
  return { rows, sums, segments };
}

function addRows(segment: Segment, rows: Float64Array, segments: Uint32Array): void {
  const { firsts, starts, counts } = segment;
  for (let key = 0, at = 0; key < firsts.length; key++) {
    const end = starts[key + 1]!;
    if (end === at) continue;
    const n = sumOf(counts, at, end);
    at = end;
    const first = firsts[key]!;
    rows[first]! += n;
    if (n > 0) segments[first]! += 1;
  }
}

/** A loop of its own: V8 gives up what it compiled of a loop within another one each time that it ends. */
function sumOf(counts: SmallNumbers, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += counts[at]!;
  return sum;
}

function addFirstSums(
  { firsts, starts }: Segment,
  segmentSums: Float64Array,
  sums: Float64Array,
): void {
  for (let key = 0, at = 0; key < firsts.length; key++)
    for (const end = starts[key + 1]!; at < end; at++) addSum(sums, firsts[key]!, segmentSums[at]!);
}

/** Numbers of the bounds, those with more bits before those with fewer. */
function largestFirst(bounds: Float64Array): Uint32Array {
  const codes = new Uint32Array(bounds.length);
  for (let i = 0; i < codes.length; i++) {
    const bits = bounds[i]! >= 1 ? Math.floor(Math.log2(bounds[i]!)) + 1 : 0;
    codes[i] = Math.max(0, BITS - bits);
  }
  return groupByCode(codes, BITS + 1).rows;
}

/** Adds up the groups of single first keys over all segments. */
class GroupAdder {
  /** By place of the second key; of meaning at the places that the last `add` touched. */
  readonly counts: Float64Array;
  readonly sums: readonly Float64Array[];
  readonly touched: Uint32Array;
  private readonly segments: readonly Segment[];
  /** Which call of `add` touched a place last. */
  private readonly stamps: Uint32Array;
  private stamp = 0;

  constructor(segments: readonly Segment[], seconds: number, chosen: Chosen) {
    this.segments = segments;
    this.counts = new Float64Array(seconds);
    this.sums = Array.from(chosen.sums, () => new Float64Array(seconds));
    this.touched = new Uint32Array(seconds);
    this.stamps = new Uint32Array(seconds);
  }

  /** Returns how many places were touched. */
  add(first: number): number {
    this.stamp += 1;
    let found = 0;
    for (const segment of this.segments) {
      const key = placeOf(segment.firsts, first);
      if (key >= 0)
        found = this.addRun(segment, segment.starts[key]!, segment.starts[key + 1]!, found);
    }
    return found;
  }

  private addRun(segment: Segment, from: number, to: number, before: number): number {
    const { counts, sums, touched, stamps, stamp } = this;
    const { seconds, places, counts: segmentCounts } = segment;
    let found = before;
    for (let at = from; at < to; at++) {
      const count = segmentCounts[at]!;
      if (count === 0) continue;
      const place = places[seconds[at]!]!;
      if (stamps[place] === stamp) {
        counts[place]! += count;
      } else {
        stamps[place] = stamp;
        counts[place] = count;
        for (let m = 0; m < sums.length; m++) sums[m]![place] = 0;
        touched[found++] = place;
      }
      for (let m = 0; m < sums.length; m++) addSum(sums[m]!, place, segment.sums[m]![at]!);
    }
    return found;
  }
}

/** Where `value` is in an ascending list; below 0 when it is not. */
function placeOf(list: Uint32Array, value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return list[low] === value ? low : -1;
}

/** Stamps of one byte: a list of them stays in the processor's cache. */
const STAMPS = 255;

/**
 * Distinct pairs of all segments: for each first key the second keys that are stamped for it.
 * @param inSegments how many segments each first key is in; those in none are left out.
 */
function countGroups(
  segments: readonly Segment[],
  inSegments: Uint32Array,
  seconds: number,
): number {
  const stamps = new Uint8Array(seconds);
  const next = new Uint32Array(segments.length);
  const nextFirst = Uint32Array.from(segments, ({ firsts }) => firsts[0]!);
  let stamp = 0;
  let groups = 0;
  for (let first = 0; first < inSegments.length; first++) {
    stamp += 1;
    if (stamp > STAMPS) {
      stamps.fill(0);
      stamp = 1;
    }
    const known = inSegments[first] === 0;
    const alone = inSegments[first] === 1;
    for (let i = 0; i < segments.length; i++) {
      if (nextFirst[i] !== first) continue;
      const segment = segments[i]!;
      const key = next[i]!;
      const from = segment.starts[key]!;
      const to = segment.starts[key + 1]!;
      if (alone) groups += countUsed(segment.counts, from, to);
      else if (!known) groups += countFresh(segment, from, to, stamps, stamp);
      next[i] = key + 1;
      nextFirst[i] = segment.firsts[key + 1] ?? 0xffff_ffff;
    }
  }
  return groups;
}

function countUsed(counts: SmallNumbers, from: number, to: number): number {
  let used = 0;
  for (let at = from; at < to; at++) used += counts[at] === 0 ? 0 : 1;
  return used;
}

function countFresh(
  { seconds, places, counts }: Segment,
  from: number,
  to: number,
  stamps: Uint8Array,
  stamp: number,
): number {
  let fresh = 0;
  for (let at = from; at < to; at++) {
    if (counts[at] === 0) continue;
    const place = places[seconds[at]!]!;
    fresh += stamps[place] === stamp ? 0 : 1;
    stamps[place] = stamp;
  }
  return fresh;
}

/** With `first` as the first key: segments without values of one side may keep them the other way. */
export function oriented(source: RollupGroups, first: GroupKey): PairTable {
  const { starts, seconds } = source;
  if (starts === undefined || seconds === undefined) throw new TypeError('groups of two keys');
  if (source.dims[0] === first) return { ...source, starts, seconds };
  const [from, to] = source.sizes;
  const rows = new Uint32Array(seconds.length);
  const next = new Uint32Array(to! + 2);
  for (const key of seconds) next[key + 1]! += 1;
  for (let key = 0; key <= to!; key++) next[key + 1]! += next[key]!;
  const turned = next.slice();
  const keys = new Uint32Array(seconds.length);
  for (let key = 0; key <= from!; key++) {
    for (let at = starts[key]!; at < starts[key + 1]!; at++) {
      const place = next[seconds[at]!]!;
      next[seconds[at]!]! += 1;
      rows[place] = at;
      keys[place] = key;
    }
  }
  return {
    dims: [source.dims[1]!, source.dims[0]!],
    values: [source.values[1]!, source.values[0]!],
    sizes: [to!, from!],
    ...{ starts: turned, seconds: keys },
    counts: rows.map((at) => source.counts[at]!),
    sums: source.sums.map((list) => Float64Array.from(rows, (at) => list[at]!)),
  };
}
