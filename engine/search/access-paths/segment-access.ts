/** Access to one segment's side file and marks, with a cache of recent look-ups. */
import type { SegmentIndexes } from '../../index/segment-indexes.ts';
import type { LeafFilter } from '../../query/filters/filter.ts';
import type { CandidateRows, SegmentView } from '../../query/plan/known-rows/index-view.ts';

export interface SegmentAccess extends SegmentView {
  readonly indexes: SegmentIndexes;
  /** Bytes that the cached indexes of all segments may take. */
  readonly keptBytes: number;
  /** The cached result of a condition, or else that of `lookUp`. */
  kept(leaf: LeafFilter, lookUp: () => CandidateRows | undefined): CandidateRows | undefined;
}
