/** Flows that state one number for both directions: in `bytes` or `packets`, with neither direction stated. */
import type { SourceRow } from '../../catalog/tables/sources.ts';
import type { SegmentInfo } from '../../query/index.ts';

/** First and last source id. */
type IdRange = readonly [number, number];

/** The properties of a source that tell whether its flows state totals. */
export type FlowSource = Pick<SourceRow, 'id' | 'name' | 'format' | 'decisions' | 'metadata'>;

/** Sources with such totals; a flow of theirs without `bytes_rev` (`packets_rev`) has nothing but the total. */
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
  // Tables and JSON record this since the option exists; before that, every Argus table was assumed to have totals.
  if (Array.isArray(totals)) return totals.includes(measure);
  return format === 'argus' || mapped(decisions['mapping']).has(`${measure}_total`);
}

/** Fields that columns are mapped to. */
function mapped(mapping: unknown): Set<string> {
  if (typeof mapping !== 'string') return new Set();
  const fields: unknown = JSON.parse(mapping);
  return new Set(typeof fields === 'object' && fields !== null ? Object.keys(fields) : []);
}

/** Names of the sources in these segments whose flows may state one number of bytes for both directions. */
export function namesOfTotals(
  sources: readonly FlowSource[],
  segments: readonly SegmentInfo[],
): string[] {
  const used = new Set(segments.flatMap((segment) => [...segment.sources]));
  return sources
    .filter((source) => used.has(source.id) && statesTotals(source, 'bytes'))
    .map(({ name }) => name);
}
