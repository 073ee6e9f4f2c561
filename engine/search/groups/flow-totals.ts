/** Flows that state one number for both ways: in `bytes` or `packets`, where neither way is stated. */
import type { SourceRow } from '../../catalog/tables/sources.ts';

/** Source ids, first and last. */
export type IdRange = readonly [number, number];

/** Sources with a column of such totals; a flow of theirs with no `bytes_rev` (`packets_rev`) has nothing else. */
export function sourcesOfTotals(
  sources: readonly SourceRow[],
  measure: 'bytes' | 'packets',
): IdRange[] {
  const ids = sources
    .filter(
      ({ format, decisions }) =>
        format === 'argus' || String(decisions['mapping'] ?? '').includes(`"${measure}_total"`),
    )
    .map(({ id }) => id)
    .toSorted((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === id - 1) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}
