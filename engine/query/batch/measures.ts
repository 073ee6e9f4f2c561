/**
 * Accumulators for the measures of groups (`count`, `sum(x)`, `avg`, `min`, `max`, `distinct`, `p95` and others) as
 * rows arrive.
 */
import { DaybookError } from '../../contract/errors.ts';
import type { Measure } from '../syntax/ast.ts';
import type { Field, Ref, Resolve } from '../names/fields.ts';
import type { RawValue } from '../values/raw-value.ts';
import { fieldValue } from '../expressions/analyse.ts';
import { converted } from '../expressions/operator.ts';
import type { Value } from '../expressions/value.ts';
import { MOST_VALUES_NAMED, fractionOf } from '../stages/measure.ts';
import { compareTexts } from '../values/text-order.ts';
import { type Extent, numberOf, shapeOf } from '../values/values.ts';
import { type Budget, growingWithin } from './budget.ts';
import { TupleDictionary } from '../../util/hash-table/tuple-dictionary.ts';
import { Key, type KeyFiller } from './values/key.ts';
import { type RowScope, numberAt, attributeReader, textOf } from './row-scope.ts';
import { textNumber } from './values/text-number.ts';

/** Takes `rows[0, n)`, row i into group `groups[i]` of `size`: all those that there are by now. */
export type TakeGrouped = (rows: Int32Array, groups: Int32Array, n: number, size: number) => void;

/** Accumulates a computed column. Groups are numbered from 0; new ones are appended. */
export interface Accumulator {
  /** A function that takes the rows of one scope (a batch that is refilled repeatedly). */
  scoped(scope: RowScope): TakeGrouped;
  /** Call it after all rows have arrived. */
  value(group: number): RawValue;
}

/** Fields and measures have been checked by the plan. */
export function accumulator(
  measure: Measure,
  resolve: Resolve,
  extent: Extent,
  budget: Budget,
): Accumulator {
  const { fn, of } = measure;
  if (fn === 'count' || of === undefined) return new Counter(budget);
  const field = resolve(of);
  if (fn === 'distinct') return new Distinct(field, of.start, extent, budget);
  if (fn === 'first' || fn === 'last' || fn === 'values') {
    const given = fieldValue(field, of.start);
    const keeps = fn !== 'values' && (given.type === 'number' || given.type === 'time');
    const value = keeps ? given : converted(given, 'text')!;
    return fn === 'values' ? new Values(value, budget) : new Chosen(value, fn === 'last', budget);
  }
  const number = numberOf(field);
  if (number === undefined && (fn === 'min' || fn === 'max')) {
    if (field.type === 'text') return new TextExtreme(field, fn === 'min', budget);
    if (field.type === 'time') return new Extreme(numberReader(field), fn === 'min', budget);
  }
  const read = numberReader(field);
  switch (fn) {
    case 'sum':
      return number?.type === 'integer' ? new WholeSum(field, budget) : new RealSum(read, budget);
    case 'avg':
      return new Mean(
        number?.type === 'integer' ? new WholeSum(field, budget) : new RealSum(read, budget),
      );
    case 'min':
    case 'max':
      return new Extreme(read, fn === 'min', budget);
    case 'countif':
      return new PresentCounter(read, budget);
    case 'stddev':
      return new Deviation(read, budget);
    default: {
      const fraction = fractionOf(fn);
      if (fraction === undefined) throw new TypeError(`no measure ${fn}`);
      return new Quantile(read, fraction, budget);
    }
  }
}

/** The number of each row, prepared for each batch; undefined if there is none. */
type NumberReader = (scope: RowScope) => () => (row: number) => number | undefined;

function numberReader(field: Field): NumberReader {
  switch (field.type) {
    case 'attribute':
      return (scope) => {
        const make = () => {
          const read = attributeReader(scope, field.key);
          return (row: number) => {
            const text = read(row);
            return text === undefined ? undefined : textNumber(text);
          };
        };
        make();
        return make;
      };
    case 'number':
    case 'time': {
      const ref = field.type === 'time' ? field.ref : field.refs[0];
      return (scope) => {
        const column = ref === undefined ? undefined : scope.column(ref);
        const read = (row: number) => numberAt(column, row);
        return () => read;
      };
    }
    default:
      return () => () => () => undefined;
  }
}

const FIRST_DOUBLES = 1024;

/** One double a group. */
export class Doubles {
  values = new Float64Array(FIRST_DOUBLES);
  private readonly budget: Budget;
  private readonly initial: number;
  constructor(budget: Budget, initial: number) {
    this.budget = budget;
    this.initial = initial;
    this.values.fill(initial);
  }
  /** Makes room for group `group`. */
  reach(group: number): Float64Array {
    if (group < this.values.length) return this.values;
    const size = Math.max(group + 1, this.values.length * 2);
    this.budget.take((size - this.values.length) * 8);
    const bigger = new Float64Array(size).fill(this.initial);
    bigger.set(this.values);
    this.values = bigger;
    return bigger;
  }
  /** Releases its memory. */
  free(): void {
    this.budget.give((this.values.length - FIRST_DOUBLES) * 8);
  }
}

export function highest(groups: Int32Array, n: number): number {
  let most = 0;
  for (let i = 0; i < n; i++) if (groups[i]! > most) most = groups[i]!;
  return most;
}

export class Counter implements Accumulator {
  private counts: Doubles;
  private readonly budget: Budget;
  constructor(budget: Budget) {
    this.budget = budget;
    this.counts = new Doubles(budget, 0);
  }
  /** Returns all counts so far and resets them. */
  takeOut(): Float64Array {
    const { values } = this.counts;
    this.counts.free();
    this.counts = new Doubles(this.budget, 0);
    return values;
  }
  /** Adds `counts[from + i]` to group i of `groups[0, n)`. */
  add(groups: Int32Array, n: number, counts: ArrayLike<number>, from: number): void {
    const perGroup = this.counts.reach(highest(groups, n));
    for (let i = 0; i < n; i++) perGroup[groups[i]!]! += counts[from + i]!;
  }
  scoped(): TakeGrouped {
    return (_, groups, n, size) => {
      const counts = this.counts.reach(size - 1);
      if (size === 1) counts[0]! += n;
      else for (let i = 0; i < n; i++) counts[groups[i]!]! += 1;
    };
  }
  value(group: number): number {
    return this.counts.values[group] ?? 0;
  }
}

const LIMB = 2 ** 52;

/** Exact sums of whole numbers up to 2^53, whatever the result; one per group. */
export class Totals {
  readonly low: Doubles;
  readonly high: Doubles;
  constructor(budget: Budget) {
    this.low = new Doubles(budget, 0);
    this.high = new Doubles(budget, 0);
  }
  /** Makes room for groups up to `group`. */
  reach(group: number): void {
    this.low.reach(group);
    this.high.reach(group);
  }
  add(group: number, value: number): void {
    const low = this.low.values;
    // Both are below 2^52, so their sum is exact.
    const sum = low[group]! + (value < LIMB && value > -LIMB ? value : this.carry(group, value));
    low[group] = sum < LIMB && sum > -LIMB ? sum : this.carry(group, sum);
  }
  /** Adds the present values of rows to group 0; returns their number. */
  addAll(rows: Int32Array, n: number, values: ArrayLike<number>, present: Uint8Array): number {
    const low = this.low.values;
    let sum = low[0]!;
    let count = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] !== 1) continue;
      count += 1;
      const value = values[row]!;
      // Neither exceeds the limb by itself, so their sum is exact.
      sum += value < LIMB && value > -LIMB ? value : this.carry(0, value);
      if (sum >= LIMB || sum <= -LIMB) sum = this.carry(0, sum);
    }
    low[0] = sum;
    return count;
  }

  /** The same, each to its group; counts them in `seen`. */
  addEach(
    rows: Int32Array,
    groups: Int32Array,
    n: number,
    values: ArrayLike<number>,
    present: Uint8Array,
    seen: Float64Array,
  ): void {
    const low = this.low.values;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] !== 1) continue;
      const group = groups[i]!;
      seen[group]! += 1;
      const value = values[row]!;
      const sum = low[group]! + (value < LIMB && value > -LIMB ? value : this.carry(group, value));
      low[group] = sum < LIMB && sum > -LIMB ? sum : this.carry(group, sum);
    }
  }

  /** The remainder of a number after moving multiples of 2^52 to the high limb. */
  private carry(group: number, value: number): number {
    const limbs = Math.trunc(value / LIMB);
    this.high.values[group]! += limbs;
    return value - limbs * LIMB;
  }
  value(group: number): bigint {
    const low = BigInt(this.low.values[group] ?? 0);
    const high = this.high.values[group] ?? 0;
    return high === 0 ? low : BigInt(high) * BigInt(LIMB) + low;
  }
}

class WholeSum implements Accumulator {
  private readonly totals: Totals;
  private readonly seen: Doubles;
  private readonly read: NumberReader;
  private readonly column: Ref | undefined;
  constructor(field: Field, budget: Budget) {
    this.read = numberReader(field);
    this.column = field.type === 'number' ? field.refs[0] : undefined;
    this.totals = new Totals(budget);
    this.seen = new Doubles(budget, 0);
  }
  scoped(scope: RowScope): TakeGrouped {
    const make = this.read(scope);
    const { totals } = this;
    const column = this.column === undefined ? undefined : scope.column(this.column);
    const values = column === undefined || column.type === 'text' ? undefined : column.values;
    return (rows, groups, n, size) => {
      totals.reach(size - 1);
      const seen = this.seen.reach(size - 1);
      if (column !== undefined && values !== undefined) {
        const { present } = column;
        if (size === 1) seen[0]! += totals.addAll(rows, n, values, present);
        else totals.addEach(rows, groups, n, values, present, seen);
        return;
      }
      const read = make();
      for (let i = 0; i < n; i++) {
        const value = read(rows[i]!);
        if (value === undefined) continue;
        seen[groups[i]!]! += 1;
        totals.add(groups[i]!, value);
      }
    };
  }
  value(group: number): RawValue {
    return this.count(group) === 0 ? null : this.totals.value(group);
  }
  count(group: number): number {
    return this.seen.values[group] ?? 0;
  }
}

class RealSum implements Accumulator {
  private readonly sums: Doubles;
  private readonly seen: Doubles;
  private readonly read: NumberReader;
  constructor(read: NumberReader, budget: Budget) {
    this.read = read;
    this.sums = new Doubles(budget, 0);
    this.seen = new Doubles(budget, 0);
  }
  scoped(scope: RowScope): TakeGrouped {
    const make = this.read(scope);
    return (rows, groups, n, size) => {
      const read = make();
      const sums = this.sums.reach(size - 1);
      const seen = this.seen.reach(size - 1);
      for (let i = 0; i < n; i++) {
        const value = read(rows[i]!);
        if (value === undefined) continue;
        sums[groups[i]!]! += value;
        seen[groups[i]!]! += 1;
      }
    };
  }
  value(group: number): RawValue {
    return this.count(group) === 0 ? null : this.sums.values[group];
  }
  count(group: number): number {
    return this.seen.values[group] ?? 0;
  }
}

/** Counts the rows with a number. */
class PresentCounter implements Accumulator {
  private readonly counts: Doubles;
  private readonly read: NumberReader;
  constructor(read: NumberReader, budget: Budget) {
    this.read = read;
    this.counts = new Doubles(budget, 0);
  }
  scoped(scope: RowScope): TakeGrouped {
    const make = this.read(scope);
    return (rows, groups, n, size) => {
      const read = make();
      const counts = this.counts.reach(size - 1);
      for (let i = 0; i < n; i++) if (read(rows[i]!) !== undefined) counts[groups[i]!]! += 1;
    };
  }
  value(group: number): RawValue {
    return this.counts.values[group] ?? 0;
  }
}

/** Deviation of a sample, by Welford's method, as in DuckDB. */
class Deviation implements Accumulator {
  private readonly counts: Doubles;
  private readonly means: Doubles;
  private readonly squares: Doubles;
  private readonly read: NumberReader;
  constructor(read: NumberReader, budget: Budget) {
    this.read = read;
    this.counts = new Doubles(budget, 0);
    this.means = new Doubles(budget, 0);
    this.squares = new Doubles(budget, 0);
  }
  scoped(scope: RowScope): TakeGrouped {
    const make = this.read(scope);
    return (rows, groups, n, size) => {
      const read = make();
      const counts = this.counts.reach(size - 1);
      const means = this.means.reach(size - 1);
      const squares = this.squares.reach(size - 1);
      for (let i = 0; i < n; i++) {
        const value = read(rows[i]!);
        if (value === undefined) continue;
        const group = groups[i]!;
        const count = (counts[group]! += 1);
        const before = means[group]!;
        const mean = before + (value - before) / count;
        means[group] = mean;
        squares[group]! += (value - before) * (value - mean);
      }
    };
  }
  value(group: number): RawValue {
    const count = this.counts.values[group] ?? 0;
    return count < 2 ? null : Math.sqrt(this.squares.values[group]! / (count - 1));
  }
}

/** A value of a group and the position of its event in the order of events. */
interface Placed {
  readonly value: string | number;
  readonly place: readonly number[];
}

/** The first or last value in the order of events; undated events count only if there are no others. */
class Chosen implements Accumulator {
  private readonly of: Value;
  private readonly isLast: boolean;
  private readonly budget: Budget;
  private readonly found: (Placed | undefined)[] = [];
  constructor(of: Value, isLast: boolean, budget: Budget) {
    this.of = of;
    this.isLast = isLast;
    this.budget = budget;
  }
  scoped(scope: RowScope): TakeGrouped {
    const make = () => this.of.reader(scope);
    make();
    const columns = (['ts', 'ts_ns', 'source_id', 'seq'] as const).map((column) =>
      scope.column({ column }),
    );
    const sign = this.isLast ? -1 : 1;
    return (rows, groups, n) => {
      const read = make();
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const value = read(row);
        if (value === null) continue;
        const known = this.found[groups[i]!];
        const place = columns.map((column, at) => {
          const number = numberAt(column, row);
          if (number === undefined) return at === 0 ? Infinity : 0;
          return sign * number;
        });
        if (known !== undefined && comparePlaces(place, known.place) >= 0) continue;
        if (known === undefined) this.budget.take(100);
        this.budget.take(typeof value === 'string' ? value.length : 8);
        this.found[groups[i]!] = { value, place };
      }
    };
  }
  value(group: number): RawValue {
    return this.found[group]?.value ?? null;
  }
}

function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (const [i, one] of a.entries()) if (one !== b[i]) return one < b[i]! ? -1 : 1;
  return 0;
}

/** All values, in the order of their bytes. */
class Values implements Accumulator {
  private readonly of: Value;
  private readonly budget: Budget;
  private readonly found: (Set<string> | undefined)[] = [];
  constructor(of: Value, budget: Budget) {
    this.of = of;
    this.budget = budget;
  }
  scoped(scope: RowScope): TakeGrouped {
    const make = () => this.of.reader(scope);
    make();
    return (rows, groups, n) => {
      const read = make();
      for (let i = 0; i < n; i++) {
        const value = read(rows[i]!);
        if (value === null) continue;
        const values = (this.found[groups[i]!] ??= new Set());
        const text = String(value);
        if (values.has(text)) continue;
        this.budget.take(100 + text.length);
        values.add(text);
      }
    };
  }
  value(group: number): RawValue {
    const values = this.found[group];
    if (values === undefined) return null;
    const all = [...values].sort(compareTexts);
    const named = all.slice(0, MOST_VALUES_NAMED).join(', ');
    const left = all.length - MOST_VALUES_NAMED;
    return left > 0 ? `${named}, … ${left} more` : named;
  }
}

class Mean implements Accumulator {
  private readonly sum: WholeSum | RealSum;
  constructor(sum: WholeSum | RealSum) {
    this.sum = sum;
  }
  scoped(scope: RowScope): TakeGrouped {
    return this.sum.scoped(scope);
  }
  value(group: number): RawValue {
    const sum = this.sum.value(group);
    return sum === null ? null : Number(sum) / this.sum.count(group);
  }
}

class Extreme implements Accumulator {
  private readonly values: Doubles;
  private readonly least: boolean;
  private readonly read: NumberReader;
  constructor(read: NumberReader, least: boolean, budget: Budget) {
    this.read = read;
    this.least = least;
    this.values = new Doubles(budget, NaN);
  }
  scoped(scope: RowScope): TakeGrouped {
    const make = this.read(scope);
    const { least } = this;
    return (rows, groups, n, size) => {
      const read = make();
      const values = this.values.reach(size - 1);
      for (let i = 0; i < n; i++) {
        const value = read(rows[i]!);
        if (value === undefined) continue;
        const known = values[groups[i]!]!;
        if (known !== known || (least ? value < known : value > known)) values[groups[i]!] = value;
      }
    };
  }
  value(group: number): RawValue {
    const value = this.values.values[group];
    return value === undefined || Number.isNaN(value) ? null : value;
  }
}

/** By the order of UTF-8 bytes, in which DuckDB compares texts. */
class TextExtreme implements Accumulator {
  private readonly field: Field & { type: 'text' };
  private readonly least: boolean;
  private readonly budget: Budget;
  private readonly found: (Buffer | undefined)[] = [];
  constructor(field: Field & { type: 'text' }, least: boolean, budget: Budget) {
    this.field = field;
    this.least = least;
    this.budget = budget;
  }
  scoped(scope: RowScope): TakeGrouped {
    const column = scope.column(this.field.ref);
    const key = this.field.attribute?.key;
    if (key !== undefined) attributeReader(scope, key);
    return (rows, groups, n) => {
      const attribute = key === undefined ? undefined : attributeReader(scope, key);
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const value =
          (column?.type === 'text' ? textOf(column, row) : undefined) ?? attribute?.(row);
        if (value === undefined) continue;
        const bytes = Buffer.from(value);
        const known = this.found[groups[i]!];
        const order = known === undefined ? 0 : Buffer.compare(bytes, known);
        if (known !== undefined && (this.least ? order >= 0 : order <= 0)) continue;
        this.budget.take(bytes.length + (known === undefined ? 100 : -known.length));
        this.found[groups[i]!] = bytes;
      }
    };
  }
  value(group: number): RawValue {
    return this.found[group]?.toString() ?? null;
  }
}

/** Number of different values; for a field with two values in an event, of both. */
class Distinct implements Accumulator {
  private readonly counts: Doubles;
  private readonly key: Key;
  private readonly known: TupleDictionary;
  constructor(field: Field, at: number, extent: Extent, budget: Budget) {
    this.counts = new Doubles(budget, 0);
    this.key = new Key([{ field, shape: shapeOf(field, at, extent) }], budget, 1);
    this.known = new TupleDictionary(this.key.width, growingWithin(budget));
  }
  scoped(scope: RowScope): TakeGrouped {
    const { key, known } = this;
    const fillers: KeyFiller[] = key.fillers(scope);
    const words = Array.from({ length: key.width }, () => new Int32Array(scope.capacity));
    const group = words[0]!;
    const there = words[key.width - 1]!;
    const kept = new Int32Array(scope.capacity);
    const out = new Int32Array(scope.capacity);
    const groupOf = new Int32Array(scope.capacity);
    return (rows, groups, n, size) => {
      const counts = this.counts.reach(size - 1);
      for (let i = 0; i < n; i++) groupOf[rows[i]!] = groups[i]!;
      for (const filler of fillers) {
        const filled = filler.fill(rows, n, words, kept);
        let k = 0;
        for (let i = 0; i < filled; i++) {
          if (there[i] === 0) continue;
          for (let w = 1; w < key.width; w++) words[w]![k] = words[w]![i]!;
          group[k] = groupOf[kept[i]!]!;
          k += 1;
        }
        const before = known.size;
        known.idsOf(words, k, out);
        // A value is new in its group when it occurs there for the first time.
        let next = before;
        for (let i = 0; i < k; i++) {
          if (out[i] !== next) continue;
          counts[group[i]!]! += 1;
          next += 1;
        }
      }
    };
  }
  value(group: number): number {
    return this.counts.values[group] ?? 0;
  }
}

/** Values that all quantiles of a scan keep together. */
const MAX_VALUES = 2 ** 25;

/** Interpolated between neighbours, as DuckDB's `quantile_cont`. */
class Quantile implements Accumulator {
  private readonly fraction: number;
  private readonly read: NumberReader;
  private readonly values: Doubles;
  private readonly owners: Doubles;
  private size = 0;
  private sorted: Float64Array[] | undefined;
  constructor(read: NumberReader, fraction: number, budget: Budget) {
    this.read = read;
    this.fraction = fraction;
    this.values = new Doubles(budget, 0);
    this.owners = new Doubles(budget, 0);
  }
  scoped(scope: RowScope): TakeGrouped {
    const make = this.read(scope);
    return (rows, groups, n) => {
      const read = make();
      if (this.size + n > MAX_VALUES) {
        throw new DaybookError(
          'limit-exceeded',
          `a percentile of more than ${MAX_VALUES} values`,
          'narrow the query, or import the evidence',
        );
      }
      const values = this.values.reach(this.size + n);
      const owners = this.owners.reach(this.size + n);
      for (let i = 0; i < n; i++) {
        const value = read(rows[i]!);
        if (value === undefined) continue;
        values[this.size] = value;
        owners[this.size] = groups[i]!;
        this.size += 1;
      }
    };
  }
  value(group: number): RawValue {
    this.sorted ??= this.byGroup();
    const values = this.sorted[group];
    if (values === undefined || values.length === 0) return null;
    const at = (values.length - 1) * this.fraction;
    const low = values[Math.floor(at)]!;
    const high = values[Math.ceil(at)]!;
    const part = at - Math.floor(at);
    return low * (1 - part) + high * part;
  }
  private byGroup(): Float64Array[] {
    const { size } = this;
    const { values: owners } = this.owners;
    const counts: number[] = [];
    for (let i = 0; i < size; i++) counts[owners[i]!] = (counts[owners[i]!] ?? 0) + 1;
    const out = Array.from(counts, (count) => new Float64Array(count ?? 0));
    const filled = new Uint32Array(counts.length);
    for (let i = 0; i < size; i++) {
      const group = owners[i]!;
      out[group]![filled[group]!] = this.values.values[i]!;
      filled[group]! += 1;
    }
    for (const list of out) list.sort();
    return out;
  }
}
