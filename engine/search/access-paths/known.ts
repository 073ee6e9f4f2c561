/** What is known of one segment's rows, and what was looked up of them lately. */
import type { SegmentIndexes } from '../../index/segment-indexes.ts';
import type { LeafFilter } from '../../query/filters/filter.ts';
import type { CandidateRows, SegmentView } from '../../query/index-view.ts';

export interface Known extends SegmentView {
  readonly indexes: SegmentIndexes;
  /** Bytes that may be kept of the indexes of all segments. */
  readonly keptBytes: number;
  /** What was looked up for a condition lately, or is now. */
  kept(leaf: LeafFilter, lookUp: () => CandidateRows | undefined): CandidateRows | undefined;
}
