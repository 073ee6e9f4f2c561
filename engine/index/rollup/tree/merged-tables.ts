/**
 * The groups of many sections added up to those of one, set by set.
 *
 * A set is there where all parts have it and its groups are few enough to be worth it; a dimension that
 * is in no such set is left out, unless no row has a value of it.
 */
import { DIMENSIONS, type DimensionName } from '../../values/dimensions.ts';
import { groupByCode } from '../../values/radix.ts';
import { oriented, type PairTable } from '../merge-pairs.ts';
import { addSum, type Rollup, type RollupGroups } from '../rollup-index.ts';
import { MEASURES, type Measure, SETS } from '../sets.ts';
import { type LongValues, mergeLong, unionOf, type ValueUnion } from '../union.ts';
import type { Table, Tables } from './tables-section.ts';

/** Entries of all parts together beyond which a set is not merged: about 25 bytes of memory each. */
const MOST_ENTRIES = 8_000_000;
/** Texts of one dimension: all of them are read at once. */
const MOST_TEXTS = 65_536;
/** So few entries are always worth it. */
const FEW = 256;

interface Merged {
  readonly union: ValueUnion;
  readonly long: LongValues;
}

export function mergedTables(parts: readonly Rollup[]): Tables {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const unions = new Map<DimensionName, Merged>();
  const leftOut: DimensionName[] = [];
  const worth = SETS.map((dims, which) => ({ dims, which })).filter(({ dims }) =>
    isWorth(dims, parts, rows),
  );
  for (const name of DIMENSIONS) {
    const lists = parts.map((part) => part.distinct(name));
    const known = parts.every((part) => part.covers({ dims: [name] }));
    if (known && lists.every((list) => isEmpty(list))) continue;
    const texts = lists.reduce((sum, list) => sum + list.texts.length, 0);
    if (!known || texts > MOST_TEXTS || !worth.some(({ dims }) => dims.includes(name))) {
      leftOut.push(name);
      continue;
    }
    const long = mergeLong(lists);
    unions.set(name, { long, union: unionOf(lists, long, true) });
  }
  const whole = addedUp([], parts, unions, new Set());
  const absent = new Set(MEASURES.filter((name) => whole.sums.get(name)?.[0] === 0));
  const list: Table[] = [];
  for (const { dims, which } of worth) {
    if (dims.some((name) => leftOut.includes(name))) continue;
    if (dims.length > 0 && !dims.some((name) => unions.has(name))) continue;
    const added = dims.length === 2 ? addedPairs : addedUp;
    list.push({ which, ...added(dims, parts, unions, absent) });
  }
  const present = [...unions].map(([name, { union, long }]) => ({
    name,
    values: { numbers: union.numbers, ...long.values },
  }));
  return { rows, dimensions: { present, leftOut }, absent, list };
}

/**
 * Whether a set is merged. Pairs that hardly repeat stay with the segments: what comes out is as long as
 * what goes in.
 */
function isWorth(dims: readonly DimensionName[], parts: readonly Rollup[], rows: number): boolean {
  if (!parts.every((part) => part.covers({ dims }))) return false;
  const entries = parts.reduce((sum, part) => sum + part.entries({ dims }), 0);
  return (
    entries <= (dims.length < 2 ? MOST_ENTRIES : Math.max(FEW, Math.min(MOST_ENTRIES, rows / 4)))
  );
}

function isEmpty({ numbers, ip6, texts }: RollupGroups['values'][number]): boolean {
  return numbers.length + ip6.length + texts.length === 0;
}

/** What all parts have sums of, but for what none has. */
function measuresOf(
  dims: readonly DimensionName[],
  parts: readonly Rollup[],
  absent: ReadonlySet<Measure>,
): Measure[] {
  return MEASURES.filter(
    (name) => !absent.has(name) && parts.every((part) => part.covers({ dims, measures: [name] })),
  );
}

/** None or one dimension: a group for each of its values, and for none. */
function addedUp(
  dims: readonly DimensionName[],
  parts: readonly Rollup[],
  unions: ReadonlyMap<DimensionName, Merged>,
  absent: ReadonlySet<Measure>,
): Omit<Table, 'which'> {
  const [name] = dims;
  const union = name === undefined ? undefined : unions.get(name)?.union;
  const measures = measuresOf(dims, parts, absent);
  const counts = new Float64Array((union?.size ?? 0) + 1);
  const sums = measures.map(() => new Float64Array(counts.length));
  parts.forEach((part, i) => {
    const groups = part.groups({ dims, measures });
    const places = union?.places[i] ?? ALONE;
    addCounts(counts, places, groups.counts);
    groups.sums.forEach((list, m) => addSums(sums[m]!, places, list));
  });
  return { pairs: undefined, counts, sums: exactSums(measures, sums) };
}

/** Places of a group that has no value. */
const ALONE = new Uint32Array(1);

function addCounts(all: Float64Array, places: Uint32Array, own: RollupGroups['counts']): void {
  for (let at = 0; at < own.length; at++) all[places[at]!]! += own[at]!;
}

function addSums(all: Float64Array, places: Uint32Array, own: Float64Array): void {
  for (let at = 0; at < own.length; at++) addSum(all, places[at]!, own[at]!);
}

function addedPairs(
  dims: readonly DimensionName[],
  parts: readonly Rollup[],
  unions: ReadonlyMap<DimensionName, Merged>,
  absent: ReadonlySet<Measure>,
): Omit<Table, 'which'> {
  const measures = measuresOf(dims, parts, absent);
  const [a, b] = dims.map((name) => unions.get(name)?.union);
  const sizes = [a?.size ?? 0, b?.size ?? 0] as const;
  const tables = parts.map((part) => oriented(part.groups({ dims, measures }), dims[0]!));
  const all = joined(tables, [a, b]);
  const byBoth = groupByCode(all.firsts, sizes[0] + 1, groupByCode(all.seconds, sizes[1] + 1).rows);
  const lengths = new Uint32Array(sizes[0] + 1);
  const seconds = new Uint32Array(byBoth.rows.length);
  const counts = new Float64Array(byBoth.rows.length);
  const sums = measures.map(() => new Float64Array(byBoth.rows.length));
  let size = 0;
  for (let first = 0; first < lengths.length; first++) {
    const before = size;
    let last = -1;
    for (let at = byBoth.starts[first]!; at < byBoth.starts[first + 1]!; at++) {
      const entry = byBoth.rows[at]!;
      const count = all.counts[entry]!;
      if (count === 0) continue;
      const second = all.seconds[entry]!;
      if (second !== last) {
        seconds[size] = last = second;
        size += 1;
      }
      counts[size - 1]! += count;
      for (let m = 0; m < sums.length; m++) addSum(sums[m]!, size - 1, all.sums[m]![entry]!);
    }
    lengths[first] = size - before;
  }
  return {
    pairs: { lengths, seconds: seconds.subarray(0, size) },
    counts: counts.subarray(0, size),
    sums: exactSums(
      measures,
      sums.map((list) => list.subarray(0, size)),
    ),
  };
}

interface Entries {
  readonly firsts: Uint32Array;
  readonly seconds: Uint32Array;
  readonly counts: Float64Array;
  readonly sums: readonly Float64Array[];
}

/** The groups of all parts one after another, by places among the values of all. */
function joined(
  tables: readonly PairTable[],
  [a, b]: readonly (ValueUnion | undefined)[],
): Entries {
  const total = tables.reduce((sum, { seconds }) => sum + seconds.length, 0);
  const firsts = new Uint32Array(total);
  const seconds = new Uint32Array(total);
  const counts = new Float64Array(total);
  const sums = (tables[0]?.sums ?? []).map(() => new Float64Array(total));
  let to = 0;
  tables.forEach((table, i) => {
    for (let key = 0; key + 1 < table.starts.length; key++)
      firsts.fill(a?.places[i]![key] ?? 0, to + table.starts[key]!, to + table.starts[key + 1]!);
    const places = b?.places[i];
    for (let at = 0; at < table.seconds.length; at++)
      seconds[to + at] = places?.[table.seconds[at]!] ?? 0;
    counts.set(table.counts, to);
    table.sums.forEach((list, m) => sums[m]!.set(list, to));
    to += table.seconds.length;
  });
  return { firsts, seconds, counts, sums };
}

/** Those that are known exactly. */
function exactSums(
  measures: readonly Measure[],
  sums: readonly Float64Array[],
): Map<Measure, Float64Array> {
  const out = new Map<Measure, Float64Array>();
  measures.forEach((name, m) => {
    const list = sums[m]!;
    if (list.every((sum) => sum <= Number.MAX_SAFE_INTEGER)) out.set(name, list);
  });
  return out;
}
