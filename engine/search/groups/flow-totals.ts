/** Flows that state one number for both ways: in `bytes` or `packets`, where neither way is stated. */
import type { SourceRow } from '../../catalog/tables/sources.ts';
import type { SegmentInfo } from '../../query/index.ts';

/** Source ids, first and last. */
type IdRange = readonly [number, number];

/** What of a source says whether its flows do. */
export type FlowSource = Pick<SourceRow, 'id' | 'name' | 'format' | 'decisions' | 'metadata'>;

/** Sources with such totals; a flow of theirs with no `bytes_rev` (`packets_rev`) has nothing else. */
export function sourcesOfTotals(
  sources: readonly FlowSource[],
  measure: 'bytes' | 'packets',
): IdRange[] {
  const ids = sources
    .filter((source) => statesTotals(source, measure))
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

function statesTotals(
  { format, decisions, metadata }: FlowSource,
  measure: 'bytes' | 'packets',
): boolean {
  const { totals } = metadata;
  // Tables and JSON say it since there is this; before, every table of Argus was taken for one that has them.
  if (Array.isArray(totals)) return totals.includes(measure);
  return format === 'argus' || mapped(decisions['mapping']).has(`${measure}_total`);
}

/** Fields that columns were taken for. */
function mapped(mapping: unknown): Set<string> {
  if (typeof mapping !== 'string') return new Set();
  const fields: unknown = JSON.parse(mapping);
  return new Set(typeof fields === 'object' && fields !== null ? Object.keys(fields) : []);
}

/** Names of the sources in these segments whose flows may state one number of bytes for both ways. */
export function namesOfTotals(
  sources: readonly FlowSource[],
  segments: readonly SegmentInfo[],
): string[] {
  const used = new Set(segments.flatMap((segment) => [...segment.sources]));
  return sources
    .filter((source) => used.has(source.id) && statesTotals(source, 'bytes'))
    .map(({ name }) => name);
}
