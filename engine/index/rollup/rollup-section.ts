/**
 * Section `rollup`: how many rows of the segment each combination of values has, and the sums of what
 * they carry, for the sets of `sets.ts`. Of a column that is in the cube (`cube/cube-section.ts`) there is no set.
 *
 * A set of one dimension has one count for each code of it (see `values/dimensions.ts`), which may be 0,
 * the rows without a value last. A set of two has, for each code of the first, the codes of the second
 * that occur with it, ascending, each with its count. A sum is kept as itself plus one; 0 where no row
 * of the group has the value.
 *
 * Head: u32 rows; dimensions: u8 number, of each u8 which, u8 state, where it is there u32 numbers, IPv6
 * addresses and texts and the end of the block with its values; u8 which measures no row has, u8 which
 * cannot be summed (one bit each); u8 0, u8 0; sets: u8 number, of each u8 which (`IN_PAGES` more where
 * its keys are in pages, see `pair-pages.ts`), u32 groups, u8 measures summed (bits), u8 0, ends of its
 * blocks: keys and counts (in pages: the last page, then the directory), each sum.
 *
 * In older files the zeros may be 1, for what nothing reads any more (docs/adr/0041): hours, u8 number, f64
 * first, steps, u8 whether undated rows follow as one more; minutes, f64 first, u32 number, end of the
 * block; of a set by hour, u32 entries, ends of its blocks: keys and counts, each sum.
 */
import type { Section } from '../side-file.ts';
import { inSteps } from '../steps.ts';
import { BlockWriter } from '../values/blocks.ts';
import { DIMENSIONS, type Dimension, type DimensionName } from '../values/dimensions.ts';
import { PackWriter } from '../values/packing.ts';
import { groupByCode } from '../values/radix.ts';
import { packTexts } from '../values/value-section.ts';
import { IN_PAGES, type ThirdCodes, WORTH_PAGES, writePages } from './pair-pages.ts';
import type { Counted } from './counted.ts';
import { sumsOf } from './measured.ts';
import { SETS, maxGroups, maxSummedGroups } from './sets.ts';

export const ROLLUP_SECTION = 'rollup';
/** Packets that belong to a flow: they are kept apart, since queries leave them out by default. */
export const FLOWED_SECTION = 'rollup.flowed';
/** A table of all pairs may always have this many cells. */
const MIN_CELLS = 4096;
export const DIMENSION_STATE = { present: 1, leftOut: 2 } as const;

/** Distinct values of dimensions, and the names of those that were left out. */
export interface DimensionValues {
  readonly present: readonly Pick<Dimension, 'name' | 'values'>[];
  readonly leftOut: readonly DimensionName[];
}

/** A set's groups. */
interface SetTable {
  readonly size: number;
  /** Groups that rows are in. */
  readonly used: number;
  readonly counts: Uint32Array;
  /** The group of every entry; only where there are few enough for more than counting. */
  readonly groupOf: Uint32Array | undefined;
  /** The group that all entries are in. */
  readonly only?: number | undefined;
  /** Undefined for a set of fewer dimensions. */
  readonly pairs: Pairs | undefined;
}

interface Pairs {
  /** Groups of each first code. */
  readonly lengths: Uint32Array;
  readonly seconds: Uint32Array;
  /** Codes of a third dimension. */
  readonly third: ThirdCodes | undefined;
}

/** @param inCube columns that need no set */
export function rollupSection(
  name: string,
  counted: Counted,
  inCube: ReadonlySet<string>,
): Section {
  const { rows, dimensions, measures } = counted;
  const head = new PackWriter(true);
  const blocks = new BlockWriter();
  head.u32(rows);
  writeDimensions(dimensions, head, blocks);
  head.u8(flagBits(measures, (measure) => measure === undefined));
  head.u8(flagBits(measures, (measure) => measure?.exact === false));
  // Hours and minutes: none.
  head.u8(0);
  head.u8(0);
  let kept = 0;
  const sets = new PackWriter(true);
  SETS.forEach((dims, which) => {
    const [first, second] = dims;
    if (first !== undefined && second === undefined && inCube.has(first)) return;
    const table = tableOf(dims, counted);
    if (table === undefined) return;
    kept += 1;
    sets.u8(inPages(table) ? which + IN_PAGES : which);
    writeSet(dims.length, table, counted, sets, blocks);
  });
  head.u8(kept);
  head.raw(sets.finish());
  return blocks.finish(name, head.finish());
}

export function writeDimensions(
  dimensions: DimensionValues,
  head: PackWriter,
  blocks: BlockWriter,
): void {
  head.u8(dimensions.present.length + dimensions.leftOut.length);
  for (const name of dimensions.leftOut) {
    head.u8(DIMENSIONS.indexOf(name));
    head.u8(DIMENSION_STATE.leftOut);
  }
  for (const { name, values } of dimensions.present) {
    head.u8(DIMENSIONS.indexOf(name));
    head.u8(DIMENSION_STATE.present);
    head.u32(values.numbers.length);
    head.u32(values.ip6.length / 16);
    head.u32(values.texts.length);
    const block = new PackWriter(true, values.numbers.length * 4 + values.ip6.length + 256);
    block.numbers(stepsOf(values.numbers));
    block.packed(values.ip6);
    block.raw(packTexts(values.texts));
    head.u32(blocks.add(block.finish()));
  }
}

/** Each number less the one before it. */
export function stepsOf(numbers: Uint32Array): Uint32Array {
  const out = numbers.slice();
  for (let i = out.length - 1; i > 0; i--) out[i]! -= out[i - 1]!;
  return out;
}

function flagBits<T>(list: readonly T[], holds: (one: T) => boolean): number {
  return list.reduce((bits, one, i) => bits | (holds(one) ? 1 << i : 0), 0);
}

/** Undefined when nothing is kept of the set: too many groups, or no row has any of its values. */
function tableOf(dims: readonly DimensionName[], counted: Counted): SetTable | undefined {
  const { rows, entries, dimensions } = counted;
  const [first, second] = dims;
  if (dims.some((name) => dimensions.leftOut.includes(name))) return undefined;
  if (first === undefined) return wholeTable(rows, entries);
  const a = dimensions.present.find(({ name }) => name === first);
  const b = dimensions.present.find(({ name }) => name === second);
  if (second !== undefined) {
    if (a === undefined && b === undefined) return undefined;
    return pairTable(a ?? noValues(first, entries), b ?? noValues(second, entries), counted);
  }
  if (a === undefined || a.size > maxGroups(1, rows)) return undefined;
  return singleTable(a.codes, a.size + 1, counted);
}

function wholeTable(rows: number, entries: number): SetTable {
  const used = Math.min(rows, 1);
  const groupOf = new Uint32Array(entries);
  return { size: 1, used, counts: Uint32Array.of(rows), groupOf, only: 0, pairs: undefined };
}

function singleTable(groupOf: Uint32Array, size: number, { weights }: Counted): SetTable {
  const counts = new Uint32Array(size);
  countRows(groupOf, weights, 0, groupOf.length, counts);
  const used = usedOf(counts);
  const only = used === 1 ? groupOf[0] : undefined;
  return { size, used, counts, groupOf, only, pairs: undefined };
}

/** Adds up the rows of entries. */
export function countRows(
  groupOf: Uint32Array,
  weights: Uint32Array | undefined,
  from: number,
  to: number,
  counts: Uint32Array,
): void {
  if (weights === undefined) countEach(groupOf, from, to, counts);
  else countWeighted(groupOf, weights, from, to, counts);
}

// Hot loops (CONTRIBUTING.md).

function countEach(groupOf: Uint32Array, from: number, to: number, counts: Uint32Array): void {
  for (let row = from; row < to; row++) counts[groupOf[row]!]! += 1;
}

function countWeighted(
  groupOf: Uint32Array,
  weights: Uint32Array,
  from: number,
  to: number,
  counts: Uint32Array,
): void {
  for (let entry = from; entry < to; entry++) counts[groupOf[entry]!]! += weights[entry]!;
}

/** Groups that have rows. */
function usedOf(counts: Uint32Array): number {
  let used = 0;
  for (let group = 0; group < counts.length; group++) if (counts[group]! > 0) used += 1;
  return used;
}

function noValues(name: DimensionName, entries: number): Dimension {
  const values = { numbers: new Uint32Array(0), ip6: new Uint8Array(0), texts: [] };
  return { name, values, size: 0, codes: new Uint32Array(entries) };
}

function pairTable(a: Dimension, b: Dimension, counted: Counted): SetTable | undefined {
  const width = b.size + 1;
  const cells = (a.size + 1) * width;
  return cells <= Math.max(MIN_CELLS, counted.rows)
    ? crossedPairs(a, b, cells, counted)
    : sortedPairs(a, b, counted);
}

/** For few values on both sides: each possible pair has a cell. */
function crossedPairs(
  a: Dimension,
  b: Dimension,
  cells: number,
  { entries, weights }: Counted,
): SetTable {
  const width = b.size + 1;
  const groupOf = cellsOf(a.codes, b.codes, width);
  const cellCounts = new Uint32Array(cells);
  countRows(groupOf, weights, 0, entries, cellCounts);
  const lengths = new Uint32Array(a.size + 1);
  const seconds = new Uint32Array(Math.min(cells, entries));
  const counts = new Uint32Array(seconds.length);
  let size = 0;
  for (let first = 0; first <= a.size; first++) {
    const before = size;
    size = numberCells(cellCounts, first * width, width, seconds, counts, size);
    lengths[first] = size - before;
  }
  inSteps(groupOf.length, (from, to) => renumber(groupOf, cellCounts, from, to));
  return {
    ...{ size, used: size, counts: counts.subarray(0, size), groupOf },
    pairs: { lengths, seconds: seconds.subarray(0, size), third: undefined },
  };
}

function cellsOf(first: Uint32Array, second: Uint32Array, width: number): Uint32Array {
  const cells = new Uint32Array(first.length);
  inSteps(cells.length, (from, to) => putCells(first, second, width, cells, from, to));
  return cells;
}

function putCells(
  first: Uint32Array,
  second: Uint32Array,
  width: number,
  cells: Uint32Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) cells[row] = first[row]! * width + second[row]!;
}

/** Makes groups of the cells from `from` that have rows; from here on such a cell says which group it is. */
function numberCells(
  cells: Uint32Array,
  from: number,
  width: number,
  seconds: Uint32Array,
  counts: Uint32Array,
  groups: number,
): number {
  let size = groups;
  for (let second = 0; second < width; second++) {
    const count = cells[from + second]!;
    if (count === 0) continue;
    seconds[size] = second;
    counts[size] = count;
    cells[from + second] = size;
    size += 1;
  }
  return size;
}

function renumber(groupOf: Uint32Array, numbers: Uint32Array, from: number, to: number): void {
  for (let row = from; row < to; row++) groupOf[row] = numbers[groupOf[row]!]!;
}

/** Sorted by both: by the first, of those that were sorted by the second. */
function sortedPairs(a: Dimension, b: Dimension, counted: Counted): SetTable | undefined {
  const { rows, entries } = counted;
  const sorted = groupByCode(a.codes, a.size + 1, counted.groups.of(b).rows);
  const seconds = new Uint32Array(Math.min(maxGroups(2, rows), entries));
  const counts = new Uint32Array(seconds.length);
  const lengths = new Uint32Array(a.size + 1);
  const others = chosenCodes(b.codes, sorted.rows);
  let size = 0;
  inSteps(lengths.length, (from, to) => {
    if (size >= 0)
      size = addFirsts(others, sorted.starts, seconds, counts, lengths, from, to, size);
  });
  if (size < 0) return undefined;
  const rowCounts =
    counted.weights === undefined ? counts.subarray(0, size) : new Uint32Array(size);
  const third = thirdOf(a, b, counted);
  const isFew = size <= maxSummedGroups(2, rows);
  let groupOf: Uint32Array | undefined;
  if (isFew || counted.weights !== undefined) {
    const groups = new Uint32Array(entries);
    let at = 0;
    inSteps(size, (from, to) => {
      at = setGroups(groups, sorted.rows, counts, from, to, at);
    });
    groupOf = groups;
    if (counted.weights !== undefined) countRows(groupOf, counted.weights, 0, entries, rowCounts);
  }
  return {
    ...{ size, used: size, counts: rowCounts, groupOf: isFew ? groupOf : undefined },
    pairs: {
      ...{ lengths, seconds: seconds.subarray(0, size) },
      third: third && {
        dim: DIMENSIONS.indexOf(THIRD),
        codes:
          groupOf === undefined || counted.entryOf === undefined
            ? chosenCodes(third.codes, sorted.rows)
            : codesByGroup(third.codes, counted.entryOf(), groupOf, rowCounts),
      },
    },
  };
}

function chosenCodes(codes: Uint32Array, rows: Uint32Array): Uint32Array {
  const out = new Uint32Array(rows.length);
  inSteps(out.length, (from, to) => putChosen(codes, rows, out, from, to));
  return out;
}

function putChosen(
  codes: Uint32Array,
  rows: Uint32Array,
  out: Uint32Array,
  from: number,
  to: number,
): void {
  for (let at = from; at < to; at++) out[at] = codes[rows[at]!]!;
}

/** The code of each row, by group, those of a group in the order of the rows. */
function codesByGroup(
  codes: Uint32Array,
  entryOf: Uint32Array,
  groupOf: Uint32Array,
  counts: Uint32Array,
): Uint32Array {
  const next = new Uint32Array(counts.length);
  for (let group = 1; group < next.length; group++)
    next[group] = next[group - 1]! + counts[group - 1]!;
  const out = new Uint32Array(entryOf.length);
  for (let row = 0; row < entryOf.length; row++) {
    const entry = entryOf[row]!;
    const group = groupOf[entry]!;
    const to = next[group]!;
    next[group] = to + 1;
    out[to] = codes[entry]!;
  }
  return out;
}

/** Groups of the first codes `from` to `to`; returns how many there are now, -1 without room for them. */
function addFirsts(
  codes: Uint32Array,
  starts: Uint32Array,
  seconds: Uint32Array,
  counts: Uint32Array,
  lengths: Uint32Array,
  from: number,
  to: number,
  groups: number,
): number {
  let size = groups;
  for (let code = from; code < to; code++) {
    const before = size;
    size = addRuns(codes, starts[code]!, starts[code + 1]!, seconds, counts, size);
    if (size < 0) return -1;
    lengths[code] = size - before;
  }
  return size;
}

/** Makes a group of each run of equal codes; the same. */
function addRuns(
  codes: Uint32Array,
  from: number,
  to: number,
  seconds: Uint32Array,
  counts: Uint32Array,
  groups: number,
): number {
  let size = groups;
  let last = -1;
  for (let at = from; at < to; at++) {
    const code = codes[at]!;
    if (code !== last) {
      if (size === seconds.length) return -1;
      seconds[size] = code;
      size += 1;
      last = code;
    }
    counts[size - 1]! += 1;
  }
  return size;
}

/** Gives rows from `start` on to groups `from` to `to`, to each as many as it has; returns where they end. */
function setGroups(
  groupOf: Uint32Array,
  rows: Uint32Array,
  counts: Uint32Array,
  from: number,
  to: number,
  start: number,
): number {
  let at = start;
  for (let group = from; group < to; group++)
    for (const end = at + counts[group]!; at < end; at++) groupOf[rows[at]!] = group;
  return at;
}

/** A dimension of more values than this is not kept beside pairs. */
const MOST_THIRD = 255;

/** The third dimension of pairs of addresses: the type of the event, which takes few bits. */
function thirdOf(a: Dimension, b: Dimension, { dimensions }: Counted): Dimension | undefined {
  const third = dimensions.present.find(({ name }) => name === THIRD);
  if (a.name !== 'src_ip' || b.name !== 'dst_ip' || third === undefined) return undefined;
  return third.size < 2 || third.size > MOST_THIRD ? undefined : third;
}

const THIRD = 'event_type';

function inPages(table: SetTable | undefined): boolean {
  if (table?.pairs === undefined) return false;
  return table.pairs.third !== undefined || table.size >= WORTH_PAGES;
}

function writeSet(
  dims: number,
  table: SetTable,
  counted: Counted,
  head: PackWriter,
  blocks: BlockWriter,
): void {
  const { size, used, counts, groupOf, only } = table;
  const { rows, measures } = counted;
  const few = groupOf !== undefined && used <= maxSummedGroups(dims, rows);
  const summed = measures.map((one) =>
    few && one?.exact === true ? sumsOf(groupOf, counts, one, only) : undefined,
  );
  head.u32(size);
  head.u8(flagBits(summed, (one) => one !== undefined));
  head.u8(0);
  if (table.pairs !== undefined && inPages(table)) {
    const written = writePages({ ...table.pairs, counts }, blocks);
    head.u32(written.pages);
    head.u32(written.directory);
  } else {
    const keys = new PackWriter(true, size * 4 + 256);
    if (table.pairs !== undefined) {
      keys.numbers(table.pairs.lengths);
      keys.numbers(table.pairs.seconds);
    }
    keys.numbers(counts);
    head.u32(blocks.add(keys.finish()));
  }
  for (const one of summed) if (one !== undefined) head.u32(blocks.add(numbers(one)));
}

function numbers(values: Float64Array): Uint8Array {
  const out = new PackWriter(true);
  out.numbers(values);
  return out.finish();
}
