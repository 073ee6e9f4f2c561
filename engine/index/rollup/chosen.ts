/**
 * Selects the largest of the offered groups, and sums up all groups.
 *
 * Order, as of the stage `top`: the measure from large to small, groups without one last; then the
 * values, from small to large, rows without a value last.
 */
import type { GroupKey } from '../values/dimensions.ts';
import { addSum } from './measured.ts';
import { type GroupValue, type LongValues, type Rank, valueOfRank } from './union.ts';

export interface TopQuestion {
  /** The dimensions that the groups were asked for, in the order that values are shown and sorted in. */
  readonly dims: readonly GroupKey[];
  /** Number of groups to return; Infinity for all. */
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

/** The largest groups so far, and the sums of all. */
export class Chosen {
  groups = 0;
  count = 0;
  readonly sums: Float64Array;
  /** Groups with a smaller measure are discarded. */
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

  /** Adds to the totals of all groups. */
  tally(groups: number, count: number): void {
    this.groups += groups;
    this.count += count;
  }

  tallySums(sums: readonly Float64Array[], at: number): void {
    for (let m = 0; m < sums.length; m++) addSum(this.sums, m, sums[m]![at]!);
  }

  /** The measure that groups are ordered by: a sum plus one, 0 for none. */
  measureOf(count: number, sums: readonly Float64Array[], at: number): number {
    return this.by === 'count' ? count : sums[this.by]![at]!;
  }

  /** Keeps a group if it may be one of the largest. Only for groups whose measure is at least `least`. */
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
    if (this.candidates.length >= this.limit * 2 + 16) this.prune();
  }

  /** @param long of each dimension. */
  finish(long: readonly LongValues[]): TopGroups {
    this.prune();
    const sumOf = (sum: number): number | null => (sum === 0 ? null : sum - 1);
    const top = this.candidates.map(({ first, second, count, sums }): TopGroup => {
      const ranks = [first, second];
      return {
        values: long.map((values, dim) => valueOfRank(ranks[dim]!, values)),
        ...{ count, sums: sums.map(sumOf) },
      };
    });
    const sums = [...this.sums];
    return {
      ...{ top, groups: this.groups, count: this.count, sums: sums.map(sumOf) },
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
