/** Which combinations of dimensions are counted, of what sums are kept, and what they may cost. */
import type { DimensionName } from '../values/dimensions.ts';

/** Sums are kept of these; absent values are no zeros. */
export const MEASURES = ['bytes', 'bytes_rev', 'packets', 'packets_rev'] as const;
export type Measure = (typeof MEASURES)[number];

/** Those whose bits are set. */
export function measuresOf(bits: number): Measure[] {
  return MEASURES.filter((_, i) => (bits & (1 << i)) !== 0);
}

/** Sets of one or two dimensions; that of none is the whole. */
export const SETS: readonly (readonly DimensionName[])[] = [
  [],
  ['src_ip'],
  ['dst_ip'],
  ['src_ip', 'dst_ip'],
  ['dst_port', 'proto'],
  ['src_port'],
  ['proto'],
  ['event_type'],
  ['host'],
  ['program'],
  ['severity'],
  ['facility'],
  ['service'],
  ['conn_state'],
  ['source_id'],
];

/** Of so few groups of pairs sums are always kept. */
const FEW = 256;
/**
 * This many groups are always counted, and those of single values summed. The last segment of a day is
 * small, and its rows differ more: without these bounds it would keep all segments together from being
 * added up (docs/adr/0015-merged-rollups.md).
 */
const FEW_COUNTED = 131_072;
const FEW_SUMMED = 65_536;

/**
 * Groups of a set that are worth keeping. A pair's group costs about three bytes, and nothing else
 * answers for pairs in time, so nearly all may differ; a single value's are bounded by half the rows.
 */
export function maxGroups(dims: number, rows: number): number {
  return Math.max(FEW_COUNTED, Math.floor(dims === 2 ? (rows * 7) / 8 : rows / 2));
}

/** Groups beyond which no sums are kept: four sums cost about eight bytes a group. */
export function maxSummedGroups(dims: number, rows: number): number {
  return Math.max(dims === 2 ? FEW : FEW_SUMMED, Math.floor(rows / 4));
}
