/** What a question about rollups is answered with. */
import type { DistinctValues, GroupKey } from '../values/dimensions.ts';
import type { SmallNumbers } from '../values/packing.ts';

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
