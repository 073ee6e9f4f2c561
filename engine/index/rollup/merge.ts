/** The groups of many segments added up: the largest of them, exactly, and what all add up to. */
import { NumberDictionary } from '../values/dictionaries.ts';
import { Chosen, type TopGroups, type TopQuestion } from './chosen.ts';
import { addPairs } from './merge-pairs.ts';
import { addSum } from './measured.ts';
import type { RollupGroups } from './rollup-groups.ts';
import {
  forEachPart,
  type LongValues,
  mergeLong,
  type Rank,
  rankOfLong,
  rankOfNone,
} from './union.ts';

export type { TopGroup, TopGroups } from './chosen.ts';

/** @param sources of any number of segments, all asked for the same dimensions and measures. */
export function mergeTop(sources: readonly RollupGroups[], question: TopQuestion): TopGroups {
  const chosen = new Chosen(question, sources[0]?.sums.length ?? 0);
  if (sources.length === 0) return chosen.finish([]);
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

function addWhole(sources: readonly RollupGroups[], chosen: Chosen): void {
  const sums = Array.from(chosen.sums, () => new Float64Array(1));
  let count = 0;
  for (const source of sources) {
    count += source.counts[0] ?? 0;
    source.sums.forEach((sourceSums, m) => addSum(sums[m]!, 0, sourceSums[0] ?? 0));
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
  const table = new NumberDictionary();
  let counts = new Float64Array(0);
  let sums: Float64Array[] = [];
  forEachPart(numbers, ({ from, to, entries }) => {
    table.clear();
    if (entries > counts.length) {
      counts = new Float64Array(entries);
      sums = Array.from(chosen.sums, () => new Float64Array(entries));
    } else {
      counts.fill(0, 0, entries);
      for (const one of sums) one.fill(0, 0, entries);
    }
    for (let i = 0; i < numbers.length; i++) {
      table.idsOf(numbers[i]!, from[i]!, to[i]!, ids);
      addRun(sources[i]!, from[i]!, to[i]!, ids, counts, sums);
    }
    offerSingles(counts, sums, table.size, (id) => table.values[id]!, chosen);
  });
  // Long values, and after them the rows that have none.
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
  const sourceCounts = source.counts;
  for (let at = from; at < to; at++) counts[ids[at]!]! += sourceCounts[at]!;
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
