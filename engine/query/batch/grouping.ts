/** Groups rows and computes their measures: the common part of `top`, `stats`, `values` and `timeline`. */
import type { EventBatch } from '../../columns/event-batch.ts';
import type { Measure, Name } from '../syntax/ast.ts';
import type { RawValue } from '../values/raw-value.ts';
import type { Resolve } from '../names/fields.ts';
import { type Extent, shapeOf } from '../values/values.ts';
import { type Budget, growingWithin } from './budget.ts';
import { TupleDictionary } from '../../util/hash-table/tuple-dictionary.ts';
import { Key } from './values/key.ts';
import { type Accumulator, Counter, type TakeGrouped, accumulator } from './measures.ts';
import { type Wanted, batchScope } from './batch-scope.ts';
import type { RowScope } from './row-scope.ts';

/** Takes rows that match, batch after batch. */
export interface RowTaker {
  /** A function that takes the rows of one batch each time it is filled. */
  scoped(batch: EventBatch): (rows: Int32Array, n: number) => void;
}

interface GroupingContext {
  readonly resolve: Resolve;
  readonly extent: Extent;
  readonly budget: Budget;
  readonly wanted: Wanted;
}

interface GroupingOptions {
  readonly by: readonly Name[];
  readonly measures: readonly Measure[];
  /** Key words before those of the fields, and the function that fills them for rows. */
  readonly before?: {
    readonly words: number;
    scoped(scope: RowScope): (rows: Int32Array, n: number, words: readonly Int32Array[]) => number;
  };
  /** Also receives the rows with their groups, in addition to the measures. */
  readonly also?: (scope: RowScope) => TakeGrouped;
}

const REKEY_ROWS = 8192;

export class Grouping implements RowTaker {
  readonly key: Key;
  readonly measures: readonly Accumulator[];
  private table: TupleDictionary;
  private readonly before: GroupingOptions['before'];
  private readonly also: GroupingOptions['also'];
  private readonly wanted: Wanted;
  private readonly budget: Budget;

  constructor(context: GroupingContext, options: GroupingOptions) {
    const { resolve, extent, budget, wanted } = context;
    this.before = options.before;
    this.also = options.also;
    this.wanted = wanted;
    this.budget = budget;
    const fields = options.by.map((name) => {
      const field = resolve(name);
      return { field, shape: shapeOf(field, name.start, extent) };
    });
    this.key = new Key(fields, budget, options.before?.words ?? 0);
    this.table = new TupleDictionary(Math.max(1, this.key.width), growingWithin(budget));
    this.measures = options.measures.map((one) => accumulator(one, resolve, extent, budget));
  }

  get size(): number {
    return this.table.size;
  }

  word(group: number, at: number): number {
    return this.table.word(group, at);
  }

  /** The group's values, part after part. */
  values(group: number): RawValue[] {
    return this.key.values(this.table, group);
  }

  /**
   * Puts together groups whose keys are the same after `change`. Measures must all be counts.
   * @param change the first words of `n` keys
   */
  rekey(change: (words: readonly Int32Array[], n: number) => void): void {
    const old = this.table;
    const counts = this.measures.map((one) => (one instanceof Counter ? one.takeOut() : []));
    this.table = new TupleDictionary(old.width, growingWithin(this.budget));
    const words = Array.from({ length: old.width }, () => new Int32Array(REKEY_ROWS));
    const groups = new Int32Array(REKEY_ROWS);
    for (let from = 0; from < old.size; from += REKEY_ROWS) {
      const n = Math.min(REKEY_ROWS, old.size - from);
      for (const [w, list] of words.entries())
        for (let i = 0; i < n; i++) list[i] = old.word(from + i, w);
      change(words, n);
      this.table.idsOf(words, n, groups);
      for (const [m, measure] of this.measures.entries()) {
        if (!(measure instanceof Counter)) throw new TypeError('only counts can be put together');
        measure.add(groups, n, counts[m]!, from);
      }
    }
    this.budget.give(old.bytes);
  }

  scoped(batch: EventBatch): (rows: Int32Array, n: number) => void {
    const scope = batchScope(batch, this.wanted);
    const { key, before } = this;
    const width = Math.max(1, key.width);
    const words = Array.from({ length: width }, () => new Int32Array(scope.capacity));
    const kept = new Int32Array(scope.capacity);
    const groups = new Int32Array(scope.capacity);
    const fillers = key.fillers(scope);
    const measured = this.measures.map((one) => one.scoped(scope));
    if (this.also !== undefined) measured.push(this.also(scope));
    const fill = before?.scoped(scope);
    if (key.width === 0) {
      // One group.
      return (rows, n) => {
        if (this.table.size === 0) this.table.idsOf(words, 1, groups);
        for (const measure of measured) measure(rows, groups, n, 1);
      };
    }
    return (rows, n) => {
      const there = fill === undefined ? n : fill(rows, n, words);
      if (there === 0) return;
      for (const [i, filler] of fillers.entries()) {
        // The second side needs the first words unchanged.
        if (i > 0) fill?.(rows, there, words);
        const count = filler.fill(rows, there, words, kept);
        if (count === 0) continue;
        this.table.idsOf(words, count, groups);
        for (const measure of measured) measure(kept, groups, count, this.table.size);
      }
    };
  }
}
