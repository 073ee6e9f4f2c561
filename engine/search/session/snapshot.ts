/** The state of the case according to its catalog at one moment. */
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import { hasCode } from '../../contract/errors.ts';

export interface Snapshot {
  segments: readonly SegmentRow[];
  /** Read when asked for first, which may be after the rest: at least those that `segments` name. */
  sources: () => readonly SourceRow[];
  tags: readonly { id: number; name: string }[];
  /** By segment: the tags that some of its rows have; 0 means deleted. */
  marks: ReadonlyMap<number, ReadonlySet<number>>;
}

/** Whether a segment of a snapshot is missing because a compaction removed it. */
export function isGone(error: unknown): boolean {
  return hasCode(error, 'not-found');
}
