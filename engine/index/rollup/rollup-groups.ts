/** Questions to rollups, and their answers. */
import type { DistinctValues, GroupKey } from '../values/dimensions.ts';
import type { SmallNumbers } from '../values/packing.ts';
import type { Measure } from './sets.ts';

export interface RollupQuestion {
  /** None, one or two, in any order. */
  readonly dims: readonly GroupKey[];
  /** Measures to sum in addition to counting rows. */
  readonly measures?: readonly Measure[];
  /** Leave out packets that belong to a flow. */
  readonly unflowed?: boolean;
  /** Only rows that meet all of these. */
  readonly where?: readonly Restriction[];
  /** The columns of the attributes that are asked for; undefined: no row has a value. */
  readonly attributes?: ReadonlyMap<GroupKey, string | undefined>;
}

/** Places of values from `from` to `to`, the last not included. */
export interface PlaceRange {
  readonly from: number;
  readonly to: number;
}

/** Only rows with some values of a dimension are meant. */
export interface Restriction {
  readonly dim: GroupKey;
  /** It asks whether there is a value, not which. */
  readonly presence?: boolean | undefined;
  /** It asks for one value. */
  readonly isOne?: boolean | undefined;
  /**
   * Those of `size` values: a range of their places, or a flag for each place and one more, at the end,
   * for rows that have no value.
   */
  choose(values: () => DistinctValues, size: number): PlaceRange | Uint8Array;
}

/** Groups of one segment, or of a part of it. */
export interface RollupGroups {
  /** As kept, which may be another order than asked for. */
  readonly dims: readonly GroupKey[];
  /** Of each dimension. A group's key is the place of its value here, or after the last for none. */
  readonly values: readonly DistinctValues[];
  readonly sizes: readonly number[];
  /** Two dimensions: where the groups of each first key begin, and each group's second key. */
  readonly starts: Uint32Array | undefined;
  readonly seconds: SmallNumbers | undefined;
  /** Rows of each group; one with 0 is none. */
  readonly counts: SmallNumbers;
  /** Of each measure asked for: each group's sum plus one, 0 where no row has a value. */
  readonly sums: readonly Float64Array[];
}
