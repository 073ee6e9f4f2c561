/**
 * Sums measures by group. A sum is stored plus one; 0 means that no row of the group has a value.
 */
import { inSteps } from '../steps.ts';

const MOST_EXACT = Number.MAX_SAFE_INTEGER;

/** The value of each entry for a measure, NaN for none. */
export interface Measured {
  readonly values: Float64Array;
  /** Whether they can be added up exactly: not negative numbers, fractions, more than 2^53. */
  readonly exact: boolean;
  /** Whether every entry has one. */
  readonly complete: boolean;
}

/** The value of an entry with a row that cannot be summed exactly. */
const NOT_EXACT = -Infinity;

export function measured(values: Float64Array): Measured {
  const present = countExact(values);
  return { values, exact: present >= 0, complete: present === values.length };
}

/**
 * Sums the rows of each entry.
 * @param entryOf of every row
 */
export function addedUp(values: Float64Array, entryOf: Uint32Array, entries: number): Measured {
  const sums = new Float64Array(entries);
  if (addWhole(values, entryOf, sums)) return { values: sums, exact: true, complete: true };
  addExact(values, entryOf, sums.fill(NaN));
  return measuredSums(sums);
}

/** The same where all rows have one value, of which each entry has `weights`. */
export function multiplied(value: number, weights: Uint32Array): Measured {
  const sums = new Float64Array(weights.length);
  const isExact = value >= 0 && value <= MOST_EXACT && Math.floor(value) === value;
  for (let entry = 0; entry < sums.length; entry++)
    sums[entry] = isExact ? value * weights[entry]! : NOT_EXACT;
  return { values: sums, exact: isExact, complete: true };
}

/** The measure of entries with sums from `addedUp`; `exactly` detects sums beyond 2^53. */
export function measuredSums(sums: Float64Array): Measured {
  return {
    values: sums,
    exact: !sums.includes(NOT_EXACT),
    complete: !sums.includes(NaN),
  };
}

/** Returns whether every row has a whole number that can be summed; otherwise there is no sum. */
function addWhole(values: Float64Array, entryOf: Uint32Array, sums: Float64Array): boolean {
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (!(value >= 0 && value <= MOST_EXACT && Math.floor(value) === value)) return false;
    sums[entryOf[row]!]! += value;
  }
  return true;
}

function addExact(values: Float64Array, entryOf: Uint32Array, sums: Float64Array): void {
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    const entry = entryOf[row]!;
    if (value >= 0 && value <= MOST_EXACT && Math.floor(value) === value) {
      const sum = sums[entry]!;
      sums[entry] = Number.isNaN(sum) ? value : sum + value;
    } else if (!Number.isNaN(value)) {
      sums[entry] = NOT_EXACT;
    }
  }
}

/** Adds to a sum. */
export function addSum(sums: Float64Array, at: number, more: number): void {
  if (more === 0) return;
  sums[at]! += sums[at] === 0 ? more : more - 1;
}

/** How many rows have a value; -1 where one cannot be added up. */
function countExact(values: Float64Array): number {
  let present = 0;
  inSteps(values.length, (from, to) => {
    const nonZero = present < 0 ? -1 : countSome(values, from, to);
    present = nonZero < 0 ? -1 : present + nonZero;
  });
  return present;
}

function countSome(values: Float64Array, from: number, to: number): number {
  let absent = 0;
  for (let row = from; row < to; row++) {
    const value = values[row]!;
    if (value >= 0 && value <= MOST_EXACT && Math.floor(value) === value) continue;
    if (!Number.isNaN(value)) return -1;
    absent += 1;
  }
  return to - from - absent;
}

/**
 * Sums of all groups; undefined where one is beyond 2^53.
 * @param counts rows of each group
 * @param only the group that all rows are in
 */
export function sumsOf(
  groupOf: Uint32Array,
  counts: Uint32Array,
  measure: Measured,
  only = counts.length === 1 ? 0 : undefined,
): Float64Array | undefined {
  const sums = new Float64Array(counts.length);
  addRows(groupOf, measure, 0, groupOf.length, sums, only);
  if (measure.complete) addOne(sums, counts);
  return exactly(sums);
}

/**
 * Adds some rows to the sums. For a complete measure the caller adds the extra one of each group with rows, so
 * that rows are added without testing the sum before.
 */
function addRows(
  groupOf: Uint32Array,
  { values, complete }: Measured,
  from: number,
  to: number,
  sums: Float64Array,
  only?: number,
): void {
  if (!complete) addPresent(groupOf, values, from, to, sums);
  else if (only !== undefined) sums[only]! += totalOf(values, from, to);
  else addAll(groupOf, values, from, to, sums);
}

// Hot loops (CONTRIBUTING.md).

function addPresent(
  groupOf: Uint32Array,
  values: Float64Array,
  from: number,
  to: number,
  sums: Float64Array,
): void {
  for (let row = from; row < to; row++) {
    const value = values[row]!;
    if (Number.isNaN(value)) continue;
    const group = groupOf[row]!;
    const sum = sums[group]!;
    sums[group] = sum === 0 ? value + 1 : sum + value;
  }
}

function addAll(
  groupOf: Uint32Array,
  values: Float64Array,
  from: number,
  to: number,
  sums: Float64Array,
): void {
  for (let row = from; row < to; row++) sums[groupOf[row]!]! += values[row]!;
}

/** Four at a time, since each addition waits for the one before. */
function totalOf(values: Float64Array, from: number, to: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  let row = from;
  for (; row + 4 <= to; row += 4) {
    a += values[row]!;
    b += values[row + 1]!;
    c += values[row + 2]!;
    d += values[row + 3]!;
  }
  for (; row < to; row++) a += values[row]!;
  return a + b + c + d;
}

function addOne(sums: Float64Array, counts: Uint32Array): void {
  for (let group = 0; group < sums.length; group++) if (counts[group]! > 0) sums[group]! += 1;
}

/** Undefined where a sum is beyond 2^53. */
function exactly(sums: Float64Array): Float64Array | undefined {
  for (let group = 0; group < sums.length; group++) if (sums[group]! > MOST_EXACT) return undefined;
  return sums;
}
