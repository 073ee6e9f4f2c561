/**
 * Section `rollup`: how many rows of the segment each combination of values has, and the sums of what
 * they carry, for the sets of `sets.ts`; for small sets also by hour; and rows by minute.
 *
 * A set of one dimension has one count for each code of it (see `values/dimensions.ts`), which may be 0,
 * the rows without a value last. A set of two has, for each code of the first, the codes of the second
 * that occur with it, ascending, each with its count. A sum is kept as itself plus one; 0 where no row
 * of the group has the value. By hour: of each group the hours that it occurs in.
 *
 * Head: u32 rows; dimensions: u8 number, of each u8 which, u8 state, where it is there u32 numbers, IPv6
 * addresses and texts and the end of the block with its values; u8 which measures no row has, u8 which
 * cannot be summed (one bit each); hours: u8 whether, u8 number, f64 first, steps, u8 whether undated
 * rows follow as one more; minutes: u8 whether, f64 first, u32 number, end of the block; sets: u8
 * number, of each u8 which, u32 groups, u8 measures summed (bits), u8 whether by hour, ends of its
 * blocks: keys and counts, each sum, then the same by hour.
 */
import type { Section } from '../side-file.ts';
import { BlockWriter } from '../values/blocks.ts';
import {
  DIMENSIONS,
  type Dimension,
  type Dimensions,
  type DimensionName,
} from '../values/dimensions.ts';
import { PackWriter } from '../values/packing.ts';
import { type Grouped, groupByCode } from '../values/radix.ts';
import { packTexts } from '../values/value-section.ts';
import {
  HOUR,
  MAX_HOURS,
  MAX_MINUTES,
  MINUTE,
  SETS,
  maxGroups,
  maxHourEntries,
  maxSummedGroups,
} from './sets.ts';

export const ROLLUP_SECTION = 'rollup';
/** Packets that belong to a flow: they are kept apart, since queries leave them out by default. */
export const FLOWED_SECTION = 'rollup.flowed';
export const DIMENSION_STATE = { present: 1, leftOut: 2 } as const;

/** Rows that are counted, in the order of the segment. */
export interface Counted {
  readonly rows: number;
  readonly dimensions: Dimensions;
  /** UTC microseconds, ascending, NaN last; undefined when they are in no order. */
  readonly times: Float64Array | undefined;
  /** Of each measure what every row has, NaN for none; undefined when no row has it. */
  readonly measures: readonly (Float64Array | undefined)[];
  /** Rows by the codes of a dimension. */
  grouped(dimension: Dimension): Grouped;
}

/** Rows in groups: those of group `g` from `starts[g]` of `rows` (all in order when left out). */
interface Groups {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array | undefined;
}

interface Hours {
  readonly numbers: Float64Array;
  /** Number in `numbers` of every row's hour; one more for undated rows. */
  readonly ofRow: Uint8Array;
  readonly undated: boolean;
}

/** A set's keys and the rows of each of its groups. */
interface SetTable {
  readonly groups: Groups;
  readonly size: number;
  /** Groups that rows are in. */
  readonly used: number;
  writeKeys(out: PackWriter): void;
}

export function rollupSection(name: string, counted: Counted): Section {
  const { rows, dimensions } = counted;
  const head = new PackWriter(true);
  const blocks = new BlockWriter();
  head.u32(rows);
  writeDimensions(dimensions, head, blocks);
  const sums = counted.measures.map((values) =>
    values === undefined ? undefined : usable(values),
  );
  head.u8(bitsOf(counted.measures, (values) => values === undefined));
  head.u8(bitsOf(sums, (values) => values === 'unusable'));
  const hours = counted.times === undefined ? undefined : hoursOf(counted.times);
  writeHours(hours, head);
  writeMinutes(counted.times, head, blocks);
  const sets = SETS.map((dims, which) => ({ which, table: tableOf(dims, counted) }));
  const kept = sets.filter(({ table }) => table !== undefined);
  head.u8(kept.length);
  for (const { which, table } of kept) {
    head.u8(which);
    if (table !== undefined) writeSet(table, rows, sums, hours, head, blocks);
  }
  return blocks.finish(name, head.finish());
}

function writeDimensions(dimensions: Dimensions, head: PackWriter, blocks: BlockWriter): void {
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
    const block = new PackWriter(true);
    const steps = values.numbers.slice();
    for (let i = steps.length - 1; i > 0; i--) steps[i]! -= values.numbers[i - 1]!;
    block.numbers(steps);
    block.packed(values.ip6);
    block.raw(packTexts(values.texts));
    head.u32(blocks.add(block.finish()));
  }
}

/** What cannot be summed exactly is not: negative numbers, fractions, more than 2^53. */
function usable(values: Float64Array): Float64Array | 'unusable' {
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (!Number.isNaN(value) && !(Number.isSafeInteger(value) && value >= 0)) return 'unusable';
  }
  return values;
}

function bitsOf<T>(list: readonly T[], holds: (one: T) => boolean): number {
  return list.reduce((bits, one, i) => bits | (holds(one) ? 1 << i : 0), 0);
}

function hoursOf(times: Float64Array): Hours | undefined {
  const numbers: number[] = [];
  const ofRow = new Uint8Array(times.length);
  let end = -Infinity;
  let undated = false;
  for (let row = 0; row < times.length; row++) {
    const time = times[row]!;
    if (Number.isNaN(time)) {
      undated = true;
      ofRow.fill(numbers.length, row);
      break;
    }
    if (time >= end) {
      const hour = Math.floor(time / HOUR);
      numbers.push(hour);
      end = (hour + 1) * HOUR;
      if (numbers.length > MAX_HOURS) return undefined;
    }
    ofRow[row] = numbers.length - 1;
  }
  return { numbers: Float64Array.from(numbers), ofRow, undated };
}

function writeHours(hours: Hours | undefined, head: PackWriter): void {
  head.u8(hours === undefined ? 0 : 1);
  if (hours === undefined) return;
  const { numbers, undated } = hours;
  head.u8(numbers.length);
  head.f64(numbers[0] ?? 0);
  head.numbers(numbers.map((hour, i) => (i === 0 ? 0 : hour - numbers[i - 1]!)));
  head.u8(undated ? 1 : 0);
}

function writeMinutes(
  times: Float64Array | undefined,
  head: PackWriter,
  blocks: BlockWriter,
): void {
  const counts = times === undefined ? undefined : minutesOf(times);
  head.u8(counts === undefined ? 0 : 1);
  if (times === undefined || counts === undefined) return;
  head.f64(Math.floor((counts.length === 0 ? 0 : times[0]!) / MINUTE));
  head.u32(counts.length);
  const block = new PackWriter(true);
  block.numbers(counts);
  head.u32(blocks.add(block.finish()));
}

/** Dated rows of each minute, from that of the first. */
function minutesOf(times: Float64Array): Uint32Array | undefined {
  let dated = times.length;
  while (dated > 0 && Number.isNaN(times[dated - 1]!)) dated -= 1;
  if (dated === 0) return new Uint32Array(0);
  const first = Math.floor(times[0]! / MINUTE);
  const last = Math.floor(times[dated - 1]! / MINUTE);
  if (last - first >= MAX_MINUTES) return undefined;
  const counts = new Uint32Array(last - first + 1);
  for (let row = 0; row < dated; row++) counts[Math.floor(times[row]! / MINUTE) - first]! += 1;
  return counts;
}

/** Undefined when nothing is kept of the set: too many groups, or no row has any of its values. */
function tableOf(dims: readonly DimensionName[], counted: Counted): SetTable | undefined {
  const { rows, dimensions } = counted;
  const [first, second] = dims;
  if (dims.some((name) => dimensions.leftOut.includes(name))) return undefined;
  if (first === undefined) {
    const groups = { starts: Uint32Array.of(0, rows), rows: undefined };
    return { groups, size: 1, used: 1, writeKeys: () => undefined };
  }
  const a = dimensions.present.find(({ name }) => name === first);
  const b = dimensions.present.find(({ name }) => name === second);
  if (second !== undefined) {
    if (a === undefined && b === undefined) return undefined;
    return pairTable(a ?? noValues(first, rows), b ?? noValues(second, rows), counted);
  }
  if (a === undefined || a.size > maxGroups(1, rows)) return undefined;
  const groups = counted.grouped(a);
  let used = 0;
  for (let code = 0; code <= a.size; code++)
    if (groups.starts[code + 1]! > groups.starts[code]!) used += 1;
  return { groups, size: a.size + 1, used, writeKeys: () => undefined };
}

function noValues(name: DimensionName, rows: number): Dimension {
  const values = { numbers: new Uint32Array(0), ip6: new Uint8Array(0), texts: [] };
  return { name, values, size: 0, codes: new Uint32Array(rows) };
}

function pairTable(a: Dimension, b: Dimension, counted: Counted): SetTable | undefined {
  const most = maxGroups(2, counted.rows);
  // Sorted by both: by the first, of those that were sorted by the second.
  const sorted = groupByCode(a.codes, a.size + 1, counted.grouped(b).rows);
  const seconds = new Uint32Array(Math.min(most, counted.rows));
  const starts = new Uint32Array(seconds.length + 1);
  const lengths = new Uint32Array(a.size + 1);
  let size = 0;
  for (let code = 0; code <= a.size; code++) {
    const end = sorted.starts[code + 1]!;
    const before = size;
    let last = -1;
    for (let at = sorted.starts[code]!; at < end; at++) {
      const other = b.codes[sorted.rows[at]!]!;
      if (other === last) continue;
      if (size === seconds.length) return undefined;
      seconds[size] = other;
      starts[size] = at;
      size += 1;
      last = other;
    }
    lengths[code] = size - before;
  }
  starts[size] = counted.rows;
  return {
    groups: { starts: starts.subarray(0, size + 1), rows: sorted.rows },
    ...{ size, used: size },
    writeKeys(out) {
      out.numbers(lengths);
      out.numbers(seconds, size);
    },
  };
}

function writeSet(
  table: SetTable,
  rows: number,
  sums: readonly (Float64Array | 'unusable' | undefined)[],
  hours: Hours | undefined,
  head: PackWriter,
  blocks: BlockWriter,
): void {
  const { groups, size, used } = table;
  const summed = sums.map((values) =>
    values instanceof Float64Array && used <= maxSummedGroups(rows)
      ? sumsOf(groups, size, values)
      : undefined,
  );
  const byHour =
    hours === undefined || used > maxHourEntries(rows)
      ? undefined
      : splitByHour(groups, size, hours, rows);
  head.u32(size);
  head.u8(bitsOf(summed, (values) => values !== undefined));
  head.u8(byHour === undefined ? 0 : 1);
  const keys = new PackWriter(true);
  table.writeKeys(keys);
  keys.numbers(countsOf(groups, size));
  head.u32(blocks.add(keys.finish()));
  for (const values of summed) if (values !== undefined) head.u32(blocks.add(numbers(values)));
  if (byHour === undefined) return;
  const entries = byHour.hours.length;
  head.u32(entries);
  const split = new PackWriter(true);
  split.numbers(byHour.lengths);
  split.numbers(byHour.hours);
  split.numbers(countsOf(byHour.groups, entries));
  head.u32(blocks.add(split.finish()));
  sums.forEach((values, i) => {
    if (summed[i] === undefined || !(values instanceof Float64Array)) return;
    const split = sumsOf(byHour.groups, entries, values);
    // No part of a sum is greater than the sum.
    head.u32(blocks.add(numbers(split ?? new Float64Array(entries))));
  });
}

function numbers(values: Float64Array): Uint8Array {
  const out = new PackWriter(true);
  out.numbers(values);
  return out.finish();
}

function countsOf({ starts }: Groups, size: number): Uint32Array {
  const counts = new Uint32Array(size);
  for (let group = 0; group < size; group++) counts[group] = starts[group + 1]! - starts[group]!;
  return counts;
}

/** Each group's sum plus one, 0 where no row has a value; undefined beyond 2^53. */
function sumsOf(
  { starts, rows }: Groups,
  size: number,
  values: Float64Array,
): Float64Array | undefined {
  const sums = new Float64Array(size);
  for (let group = 0; group < size; group++) {
    const end = starts[group + 1]!;
    let sum = 0;
    let any = false;
    for (let at = starts[group]!; at < end; at++) {
      const value = values[rows === undefined ? at : rows[at]!]!;
      if (Number.isNaN(value)) continue;
      sum += value;
      any = true;
    }
    if (!(sum < Number.MAX_SAFE_INTEGER)) return undefined;
    sums[group] = any ? sum + 1 : 0;
  }
  return sums;
}

/** Each group split by hour: rows of a group ascend, and so do their hours. */
function splitByHour(
  groups: Groups,
  size: number,
  hours: Hours,
  rows: number,
): { groups: Groups; lengths: Uint32Array; hours: Uint32Array } | undefined {
  const most = maxHourEntries(rows);
  const lengths = new Uint32Array(size);
  const entryHours = new Uint32Array(most);
  const starts = new Uint32Array(most + 1);
  let entries = 0;
  for (let group = 0; group < size; group++) {
    const end = groups.starts[group + 1]!;
    const before = entries;
    let last = -1;
    for (let at = groups.starts[group]!; at < end; at++) {
      const hour = hours.ofRow[groups.rows === undefined ? at : groups.rows[at]!]!;
      if (hour === last) continue;
      if (entries === most) return undefined;
      entryHours[entries] = hour;
      starts[entries] = at;
      entries += 1;
      last = hour;
    }
    lengths[group] = entries - before;
  }
  starts[entries] = rows;
  return {
    groups: { starts: starts.subarray(0, entries + 1), rows: groups.rows },
    ...{ lengths, hours: entryHours.subarray(0, entries) },
  };
}
