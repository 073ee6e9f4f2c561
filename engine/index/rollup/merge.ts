/**
 * The groups of many segments added up: the largest of them, exactly, and what all add up to.
 *
 * Order, as of the stage `top`: the measure from large to small, groups without one last; then the
 * values, from small to large, rows without a value last.
 */
import type { DimensionName } from '../values/dimensions.ts';
import { addSum, type RollupGroups } from './rollup-index.ts';
import {
  forEachPart,
  type GroupValue,
  type LongValues,
  mergeLong,
  PartTable,
  type Rank,
  rankOfLong,
  rankOfNone,
  unionOf,
  valueOfRank,
} from './union.ts';

export interface TopQuestion {
  /** The dimensions that the groups were asked for, in the order that values are shown and sorted in. */
  readonly dims: readonly DimensionName[];
  /** Groups that are wanted; Infinity for all of them. */
  readonly limit: number;
  /** The measure to order by: its number among those that the groups were asked for, or rows. */
  readonly by: 'count' | number;
}

export interface TopGroup {
  /** Of each dimension. */
  readonly values: readonly GroupValue[];
  readonly count: number;
  /** Of each measure; null where no row has a value. */
  readonly sums: readonly (number | null)[];
}

export interface TopGroups {
  readonly top: readonly TopGroup[];
  /** Of all groups. */
  readonly groups: number;
  readonly count: number;
  readonly sums: readonly (number | null)[];
  /** False when a sum is beyond 2^53: it is then not known exactly. */
  readonly exact: boolean;
}

/** @param sources of any number of segments, all asked for the same dimensions and measures. */
export function mergeTop(sources: readonly RollupGroups[], question: TopQuestion): TopGroups {
  const chosen = new Chosen(question, sources[0]?.sums.length ?? 0);
  switch (question.dims.length) {
    case 0:
      addWhole(sources, chosen);
      return chosen.finish([]);
    case 1:
      return chosen.finish([addSingles(sources, chosen)]);
    default:
      return chosen.finish(addPairs(sources, question, chosen));
  }
}

/** The largest groups so far, and the sums of all. */
class Chosen {
  groups = 0;
  count = 0;
  readonly sums: Float64Array;
  /** A group whose measure is smaller is not wanted. */
  least = -1;
  private readonly limit: number;
  private readonly by: 'count' | number;
  private readonly candidates: Candidate[] = [];
  private worst: Candidate | undefined;

  constructor({ limit, by }: TopQuestion, measures: number) {
    this.limit = limit;
    this.by = by;
    this.sums = new Float64Array(measures);
  }

  /** Adds to what all add up to. */
  tally(groups: number, count: number): void {
    this.groups += groups;
    this.count += count;
  }

  tallySums(sums: readonly Float64Array[], at: number): void {
    for (let m = 0; m < sums.length; m++) addSum(this.sums, m, sums[m]![at]!);
  }

  /** What a group is compared by: a sum is one more than it is, 0 for none. */
  measureOf(count: number, sums: readonly Float64Array[], at: number): number {
    return this.by === 'count' ? count : sums[this.by]![at]!;
  }

  /** Keeps a group if it may be one of the largest; for those whose measure is not below `least`. */
  offer(
    measure: number,
    first: Rank,
    second: Rank,
    count: number,
    sums: readonly Float64Array[],
    at: number,
  ): void {
    const { worst } = this;
    if (
      worst !== undefined &&
      measure === worst.measure &&
      (first > worst.first || (first === worst.first && second > worst.second))
    )
      return;
    this.candidates.push({ measure, first, second, count, sums: sums.map((list) => list[at]!) });
    if (this.candidates.length >= this.limit * 2 + 1024) this.prune();
  }

  /** @param long of each dimension. */
  finish(long: readonly LongValues[]): TopGroups {
    this.prune();
    const own = (sum: number): number | null => (sum === 0 ? null : sum - 1);
    const top = this.candidates.map(({ first, second, count, sums }): TopGroup => {
      const ranks = [first, second];
      return {
        values: long.map((values, dim) => valueOfRank(ranks[dim]!, values)),
        ...{ count, sums: sums.map(own) },
      };
    });
    const sums = [...this.sums];
    return {
      ...{ top, groups: this.groups, count: this.count, sums: sums.map(own) },
      exact: sums.every((sum) => sum <= Number.MAX_SAFE_INTEGER),
    };
  }

  private prune(): void {
    this.candidates.sort(
      (a, b) => b.measure - a.measure || a.first - b.first || a.second - b.second,
    );
    if (this.candidates.length < this.limit) return;
    this.candidates.length = this.limit;
    this.worst = this.candidates.at(-1);
    this.least = this.worst?.measure ?? Infinity;
  }
}

interface Candidate {
  readonly measure: number;
  readonly first: Rank;
  readonly second: Rank;
  readonly count: number;
  readonly sums: readonly number[];
}

function addWhole(sources: readonly RollupGroups[], chosen: Chosen): void {
  const sums = Array.from(chosen.sums, () => new Float64Array(1));
  let count = 0;
  for (const source of sources) {
    count += source.counts[0] ?? 0;
    source.sums.forEach((own, m) => addSum(sums[m]!, 0, own[0] ?? 0));
  }
  if (count === 0) return;
  chosen.tally(1, count);
  chosen.tallySums(sums, 0);
  chosen.offer(chosen.measureOf(count, sums, 0), 0, 0, count, sums, 0);
}

function addSingles(sources: readonly RollupGroups[], chosen: Chosen): LongValues {
  const lists = sources.map(({ values }) => values[0]!);
  const numbers = lists.map((list) => list.numbers);
  const long = mergeLong(lists);
  const ids = new Uint32Array(numbers.reduce((most, { length }) => Math.max(most, length), 0));
  const table = new PartTable();
  let counts = new Float64Array(0);
  let sums: Float64Array[] = [];
  forEachPart(numbers, ({ from, to, entries }) => {
    table.reset(entries);
    if (entries > counts.length) {
      counts = new Float64Array(entries);
      sums = Array.from(chosen.sums, () => new Float64Array(entries));
    } else {
      counts.fill(0, 0, entries);
      for (const one of sums) one.fill(0, 0, entries);
    }
    for (let i = 0; i < numbers.length; i++) {
      table.identify(numbers[i]!, from[i]!, to[i]!, ids);
      addRun(sources[i]!, from[i]!, to[i]!, ids, counts, sums);
    }
    offerSingles(counts, sums, table.size, (id) => table.values[id]!, chosen);
  });
  // Long values, and behind them the rows that have none.
  const longCounts = new Float64Array(long.size + 1);
  const longSums = Array.from(chosen.sums, () => new Float64Array(long.size + 1));
  sources.forEach((source, i) => {
    const places = long.places[i]!;
    const before = numbers[i]!.length;
    for (let at = 0; at <= places.length; at++) {
      const place = places[at] ?? long.size;
      longCounts[place]! += source.counts[before + at]!;
      source.sums.forEach((more, m) => addSum(longSums[m]!, place, more[before + at]!));
    }
  });
  const rankAt = (place: number): Rank => (place < long.size ? rankOfLong(place) : rankOfNone());
  offerSingles(longCounts, longSums, long.size + 1, rankAt, chosen);
  return long;
}

function addRun(
  source: RollupGroups,
  from: number,
  to: number,
  ids: Uint32Array,
  counts: Float64Array,
  sums: readonly Float64Array[],
): void {
  const own = source.counts;
  for (let at = from; at < to; at++) counts[ids[at]!]! += own[at]!;
  for (let m = 0; m < sums.length; m++) {
    const more = source.sums[m]!;
    const all = sums[m]!;
    for (let at = from; at < to; at++) addSum(all, ids[at]!, more[at]!);
  }
}

function offerSingles(
  counts: Float64Array,
  sums: readonly Float64Array[],
  size: number,
  rankAt: (id: number) => Rank,
  chosen: Chosen,
): void {
  let groups = 0;
  let rows = 0;
  for (let id = 0; id < size; id++) {
    const count = counts[id]!;
    if (count === 0) continue;
    groups += 1;
    rows += count;
    chosen.tallySums(sums, id);
    const measure = chosen.measureOf(count, sums, id);
    if (measure >= chosen.least) chosen.offer(measure, rankAt(id), 0, count, sums, id);
  }
  chosen.tally(groups, rows);
}

/** First keys after which stamps begin anew: a stamp and a count share one number. */
const STAMPS = 1 << 20;
const STAMP = 0x1_0000_0000;

/**
 * First key by first key: the second keys of all segments' groups are added up in one list with a
 * cell for each, which is not cleared but stamped with the first key that it is for.
 */
function addPairs(
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
  const cells = new Float64Array(seconds.size + 1);
  const sums = Array.from(chosen.sums, () => new Float64Array(seconds.size + 1));
  const touched = new Uint32Array(seconds.size + 1);
  const counting = sums.length === 0;
  // Of each segment: its next first key, and where that is among all.
  const next = new Uint32Array(tables.length);
  const nextPlace = Uint32Array.from(tables, (_, i) => firsts.places[i]![0]!);
  for (let first = 0; first <= firsts.size; first++) {
    if (first % STAMPS === 0) cells.fill(0);
    const stamp = ((first % STAMPS) + 1) * STAMP;
    let found = 0;
    let rows = 0;
    for (let i = 0; i < tables.length; i++) {
      if (nextPlace[i] !== first) continue;
      const table = tables[i]!;
      const key = next[i]!;
      const from = table.starts[key]!;
      const to = table.starts[key + 1]!;
      const places = seconds.places[i]!;
      const fresh = found;
      found = addCounts(table, from, to, places, cells, stamp, touched, found);
      for (let at = from; at < to; at++) rows += table.counts[at]!;
      if (!counting) addRunSums(table, from, to, places, sums, touched, fresh, found);
      next[i] = key + 1;
      nextPlace[i] = firsts.places[i]![key + 1] ?? 0xffff_ffff;
    }
    chosen.tally(found, rows);
    // When all of the first key is too little, so is each of its groups.
    if (counting && rows < chosen.least) continue;
    for (let i = 0; i < found; i++) {
      const place = touched[i]!;
      const count = cells[place]! - stamp;
      if (!counting) chosen.tallySums(sums, place);
      const measure = chosen.measureOf(count, sums, place);
      if (measure < chosen.least) continue;
      const own = firsts.rankAt(first);
      const other = seconds.rankAt(place);
      if (straight) chosen.offer(measure, own, other, count, sums, place);
      else chosen.offer(measure, other, own, count, sums, place);
    }
  }
  return straight ? long : long.reverse();
}

/** Adds one segment's groups of a first key; returns how many cells are touched by now. */
function addCounts(
  { seconds, counts }: PairTable,
  from: number,
  to: number,
  places: Uint32Array,
  cells: Float64Array,
  stamp: number,
  touched: Uint32Array,
  before: number,
): number {
  let found = before;
  for (let at = from; at < to; at++) {
    const count = counts[at]!;
    if (count === 0) continue;
    const place = places[seconds[at]!]!;
    const cell = cells[place]!;
    if (cell >= stamp) {
      cells[place] = cell + count;
    } else {
      cells[place] = stamp + count;
      touched[found++] = place;
    }
  }
  return found;
}

function addRunSums(
  table: PairTable,
  from: number,
  to: number,
  places: Uint32Array,
  sums: readonly Float64Array[],
  touched: Uint32Array,
  fresh: number,
  found: number,
): void {
  for (let m = 0; m < sums.length; m++) {
    const own = sums[m]!;
    const more = table.sums[m]!;
    for (let i = fresh; i < found; i++) own[touched[i]!] = 0;
    for (let at = from; at < to; at++)
      if (table.counts[at] !== 0) addSum(own, places[table.seconds[at]!]!, more[at]!);
  }
}

type PairTable = RollupGroups & { readonly starts: Uint32Array; readonly seconds: Uint32Array };

/** With `first` as the first key: segments without values of one side may keep them the other way. */
function oriented(source: RollupGroups, first: DimensionName): PairTable {
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
