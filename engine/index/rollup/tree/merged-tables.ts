/**
 * The groups of many sections added up to those of one, set by set.
 *
 * A set is there where all parts have it and its groups are few enough to be worth it; a dimension that
 * is in no such set is left out, unless no row has a value of it.
 */
import { DIMENSIONS, type DimensionName } from '../../values/dimensions.ts';
import type { SmallNumbers } from '../../values/packing.ts';
import { groupByCode } from '../../values/radix.ts';
import { oriented, type PairTable } from '../merge-pairs.ts';
import { addSum } from '../measured.ts';
import type { Rollup } from '../rollup-index.ts';
import type { RollupGroups } from '../rollup-groups.ts';
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

/** Measures that every part has sums of, without those that no row has. */
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

function addCounts(all: Float64Array, places: Uint32Array, counts: RollupGroups['counts']): void {
  for (let at = 0; at < counts.length; at++) all[places[at]!]! += counts[at]!;
}

function addSums(all: Float64Array, places: Uint32Array, sums: Float64Array): void {
  for (let at = 0; at < sums.length; at++) addSum(all, places[at]!, sums[at]!);
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
  const entries = withRows(byBoth.rows, all.counts);
  const lengths = new Uint32Array(sizes[0] + 1);
  const groups = new Uint32Array(entries.length);
  const size = numberGroups(entries, all, groups, lengths);
  const seconds = new Uint32Array(size);
  const counts = new Float64Array(size);
  for (let at = 0; at < entries.length; at++) seconds[groups[at]!] = all.seconds[entries[at]!]!;
  addEntries(counts, groups, entries, all.counts);
  const sums = all.sums.map((measureSums) => {
    const list = new Float64Array(size);
    addEntrySums(list, groups, entries, measureSums);
    return list;
  });
  return { pairs: { lengths, seconds }, counts, sums: exactSums(measures, sums) };
}

/** Without entries of no rows. */
function withRows(entries: Uint32Array, counts: Float64Array): Uint32Array {
  let kept = 0;
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!;
    entries[kept] = entry;
    if (counts[entry] !== 0) kept += 1;
  }
  return entries.subarray(0, kept);
}

/**
 * Numbers the groups of entries that come in the order of their keys; returns how many there are.
 * @param lengths is added to how many each first key has
 */
function numberGroups(
  entries: Uint32Array,
  { firsts, seconds }: Entries,
  groups: Uint32Array,
  lengths: Uint32Array,
): number {
  let size = 0;
  let first = -1;
  let second = -1;
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!;
    if (firsts[entry] !== first || seconds[entry] !== second) {
      first = firsts[entry]!;
      second = seconds[entry]!;
      lengths[first]! += 1;
      size += 1;
    }
    groups[at] = size - 1;
  }
  return size;
}

function addEntries(
  all: Float64Array,
  groups: Uint32Array,
  entries: Uint32Array,
  counts: Float64Array,
): void {
  for (let at = 0; at < entries.length; at++) all[groups[at]!]! += counts[entries[at]!]!;
}

function addEntrySums(
  all: Float64Array,
  groups: Uint32Array,
  entries: Uint32Array,
  sums: Float64Array,
): void {
  for (let at = 0; at < entries.length; at++) addSum(all, groups[at]!, sums[entries[at]!]!);
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
    const end = to + table.seconds.length;
    if (a !== undefined) putFirsts(table.starts, a.places[i]!, firsts.subarray(to, end));
    if (b !== undefined) putPlaces(table.seconds, b.places[i]!, seconds.subarray(to, end));
    counts.set(table.counts, to);
    table.sums.forEach((list, m) => sums[m]!.set(list, to));
    to = end;
  });
  return { firsts, seconds, counts, sums };
}

function putFirsts(starts: Uint32Array, places: Uint32Array, out: Uint32Array): void {
  for (let key = 0, at = 0; key + 1 < starts.length; key++) {
    const place = places[key]!;
    for (const end = starts[key + 1]!; at < end; at++) out[at] = place;
  }
}

function putPlaces(keys: SmallNumbers, places: Uint32Array, out: Uint32Array): void {
  for (let at = 0; at < keys.length; at++) out[at] = places[keys[at]!]!;
}

/** Those that are known exactly. */
function exactSums(
  measures: readonly Measure[],
  sums: readonly Float64Array[],
): Map<Measure, Float64Array> {
  const out = new Map<Measure, Float64Array>();
  measures.forEach((name, m) => {
    const list = sums[m]!;
    if (areExact(list)) out.set(name, list);
  });
  return out;
}

function areExact(sums: Float64Array): boolean {
  for (let at = 0; at < sums.length; at++)
    if (!(sums[at]! <= Number.MAX_SAFE_INTEGER)) return false;
  return true;
}
