/**
 * Attaches segments while the rest of a list is still looked up: those that its first rows are likely to be in.
 * Nothing depends on it: what a statement reads is attached before it in any case.
 */
import { type FoundRows, type SegmentInfo, countOf } from '../query/index.ts';
import type { SegmentFile, SegmentStore } from '../store/segment-store.ts';

/**
 * Takes days in the list's order, each with its segments in order of time, and what was found in each.
 * @param wanted rows that the list is to show first
 */
export function attachAhead(
  { store }: { readonly store: Pick<SegmentStore, 'attachAhead'> },
  { segments }: { readonly segments: readonly (SegmentFile & { readonly mapped?: boolean })[] },
  wanted: number,
  descending = false,
): (
  days: readonly (readonly Pick<SegmentInfo, 'id' | 'rows'>[])[],
  found: ReadonlyMap<number, Pick<FoundRows, 'rows'>>,
) => void {
  const files = new Map(segments.map((one) => [one.id, one]));
  let left = wanted;
  return (days, found) => {
    const some = days.flatMap((day) => (descending ? day.toReversed() : day));
    const likely = [];
    for (const { id, rows } of some) {
      if (left <= 0) break;
      const own = found.get(id);
      const count = own === undefined ? rows : countOf(own.rows, rows);
      const file = files.get(id);
      if (count === 0 || file === undefined) continue;
      likely.push(file);
      left -= count;
    }
    // Rows of segments with maps are read from their files.
    if (likely.some(({ mapped }) => mapped !== true)) store.attachAhead(likely);
  };
}
