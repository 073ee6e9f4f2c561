/**
 * The groups of many segments added up: the largest of them, exactly, and what all add up to.
 *
 * Order, as of the stage `top`: the measure from large to small, groups without one last; then the
 * values, from small to large, rows without a value last.
 */
import type { DimensionName } from '../values/dimensions.ts';
import { addSum, type RollupGroups } from './rollup-index.ts';
import { type GroupValue, unionOf, type ValueUnion } from './union.ts';

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
  const measures = sources[0]?.sums.length ?? 0;
  const chosen = new Chosen(question, measures);
  switch (question.dims.length) {
    case 0:
      mergeWhole(sources, chosen);
      return chosen.finish([]);
    case 1:
      return chosen.finish([mergeSingles(sources, chosen)]);
    default:
      return mergePairs(sources, question, chosen);
  }
}

/** The largest groups so far, and the sums of all. Places are in the order of `question.dims`. */
class Chosen {
  groups = 0;
  count = 0;
  readonly sums: Float64Array;
  /** A group whose measure is smaller is not wanted. */
  least = -1;
  private readonly limit: number;
  private readonly by: 'count' | number;
  private candidates: Candidate[] = [];
  private worst: Candidate | undefined;

  constructor({ limit, by }: TopQuestion, measures: number) {
    this.limit = limit;
    this.by = by;
    this.sums = new Float64Array(measures);
  }

  /** A group's measure as it is compared: a sum is one more than it is, 0 for none. */
  measureOf(count: number, sums: readonly Float64Array[], at: number): number {
    return this.by === 'count' ? count : sums[this.by]![at]!;
  }

  offer(
    measure: number,
    first: number,
    second: number,
    count: number,
    sums: readonly Float64Array[],
    at: number,
  ): void {
    const { worst } = this;
    if (worst !== undefined && measure === worst.measure) {
      if (first > worst.first || (first === worst.first && second > worst.second)) return;
    }
    this.candidates.push({ measure, first, second, count, sums: sums.map((list) => list[at]!) });
    if (this.candidates.length >= this.limit * 2 + 1024) this.prune();
  }

  finish(unions: readonly ValueUnion[]): TopGroups {
    this.prune();
    const own = (sum: number): number | null => (sum === 0 ? null : sum - 1);
    const top = this.candidates.map(({ first, second, count, sums }): TopGroup => {
      const places = [first, second];
      return {
        values: unions.map((union, dim) => union.valueAt(places[dim]!)),
        count,
        sums: sums.map(own),
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
  readonly first: number;
  readonly second: number;
  readonly count: number;
  readonly sums: readonly number[];
}

function mergeWhole(sources: readonly RollupGroups[], chosen: Chosen): void {
  const sums = Array.from(chosen.sums, () => new Float64Array(1));
  let count = 0;
  for (const source of sources) {
    count += source.counts[0] ?? 0;
    source.sums.forEach((own, i) => addSum(sums[i]!, 0, own[0] ?? 0));
  }
  if (count === 0) return;
  chosen.groups = 1;
  chosen.count = count;
  sums.forEach((sum, i) => (chosen.sums[i] = sum[0]!));
  chosen.offer(chosen.measureOf(count, sums, 0), 0, 0, count, sums, 0);
}

function mergeSingles(sources: readonly RollupGroups[], chosen: Chosen): ValueUnion {
  const union = unionOf(sources.map(({ values }) => values[0]!));
  const counts = new Float64Array(union.size + 1);
  const sums = Array.from(chosen.sums, () => new Float64Array(union.size + 1));
  sources.forEach((source, i) => {
    const places = union.places[i]!;
    const own = source.counts;
    for (let key = 0; key < own.length; key++) counts[places[key]!]! += own[key]!;
    for (let m = 0; m < sums.length; m++) {
      const from = source.sums[m]!;
      const to = sums[m]!;
      for (let key = 0; key < own.length; key++) addSum(to, places[key]!, from[key]!);
    }
  });
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place]!;
    if (count === 0) continue;
    chosen.groups += 1;
    chosen.count += count;
    for (let m = 0; m < sums.length; m++) addSum(chosen.sums, m, sums[m]![place]!);
    const measure = chosen.measureOf(count, sums, place);
    if (measure >= chosen.least) chosen.offer(measure, place, 0, count, sums, place);
  }
  return union;
}

/**
 * First key by first key: the second keys of all segments' groups are added up in one list with a
 * place for each, which is not cleared but stamped with the first key that it is for.
 */
function mergePairs(
  sources: readonly RollupGroups[],
  question: TopQuestion,
  chosen: Chosen,
): TopGroups {
  const [wanted] = question.dims;
  const tables = sources.map((source) => oriented(source, sources[0]!.dims[0]!));
  const firsts = unionOf(tables.map(({ values }) => values[0]!));
  const seconds = unionOf(tables.map(({ values }) => values[1]!));
  const straight = sources[0] === undefined || sources[0].dims[0] === wanted;
  const size = seconds.size + 1;
  const stamps = new Uint32Array(size);
  const counts = new Float64Array(size);
  const sums = Array.from(chosen.sums, () => new Float64Array(size));
  const touched = new Uint32Array(size);
  // Of each segment: its next first key, and where that is among all.
  const next = new Uint32Array(tables.length);
  const nextPlace = Uint32Array.from(tables, (_, i) => firsts.places[i]![0]!);
  for (let first = 0; first <= firsts.size; first++) {
    const stamp = first + 1;
    let found = 0;
    for (let i = 0; i < tables.length; i++) {
      if (nextPlace[i] !== first) continue;
      const table = tables[i]!;
      const key = next[i]!;
      const places = seconds.places[i]!;
      const end = table.starts[key + 1]!;
      const own = table.counts;
      for (let at = table.starts[key]!; at < end; at++) {
        const count = own[at]!;
        if (count === 0) continue;
        const place = places[table.seconds[at]!]!;
        if (stamps[place] === stamp) {
          counts[place]! += count;
          for (let m = 0; m < sums.length; m++) addSum(sums[m]!, place, table.sums[m]![at]!);
        } else {
          stamps[place] = stamp;
          counts[place] = count;
          for (let m = 0; m < sums.length; m++) sums[m]![place] = table.sums[m]![at]!;
          touched[found++] = place;
        }
      }
      next[i] = key + 1;
      nextPlace[i] = firsts.places[i]![key + 1] ?? 0xffff_ffff;
    }
    chosen.groups += found;
    for (let i = 0; i < found; i++) {
      const place = touched[i]!;
      const count = counts[place]!;
      chosen.count += count;
      for (let m = 0; m < sums.length; m++) addSum(chosen.sums, m, sums[m]![place]!);
      const measure = chosen.measureOf(count, sums, place);
      if (measure < chosen.least) continue;
      if (straight) chosen.offer(measure, first, place, count, sums, place);
      else chosen.offer(measure, place, first, count, sums, place);
    }
  }
  return chosen.finish(straight ? [firsts, seconds] : [seconds, firsts]);
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
