/**
 * Groups by one field among known rows, from the index of the field's values, without reading rows. Counts events;
 * computes no sums.
 */
import type { RollupGroups } from '../../index/rollup/rollup-groups.ts';
import type { DistinctValues } from '../../index/values/dimensions.ts';
import { type Filter, allOf, conjuncts } from '../../query/filters/filter.ts';
import { presentDimension } from '../../query/filters/present.ts';
import { type SegmentInfo, mayHaveAttribute } from '../../query/plan/scope.ts';
import type { FoundRows } from '../../query/plan/known-rows/found.ts';
import type { Dimension } from '../../query/names/dimensions.ts';
import type { GroupQuestion } from './group-question.ts';
import { withValue } from './group-sources.ts';
import type { SegmentAccess } from './segment-access.ts';
import { countOf, wordsOf } from '../../query/plan/known-rows/rows.ts';

const COLUMNS = ['host', 'program', 'src_ip', 'dst_ip'] as const;
type Column = (typeof COLUMNS)[number];

/**
 * Looking up a row in the index takes 20 ns the first time, after which the result is cached. Reading a row's value
 * by a statement takes 60 ns, and four times that if rows are scattered. More look-ups than this factor are left to
 * the statement.
 */
const LISTED_FOR_ONE = 12;
/** The factor if the results do not fit in the cache: every question then looks up every row again. */
const LISTED_AGAIN = 3;
/** Part of the cache that values of rows may take. */
const KEPT_PART = 1 / 2;
/** Upper bound of the bytes cached for a row: texts are few, addresses can all be different. */
const ROW_BYTES: Record<Column, number> = { host: 1, program: 1, src_ip: 4, dst_ip: 4 };
const FEW_LISTED = 65_536;

/** A filter without the condition that its events have a value of the grouped field. */
interface BareFilter {
  readonly filter: Filter;
  readonly present: readonly Dimension[];
}

/** Undefined if the question's groups are not the values of one field. */
export function bareFilter({ dims, sums }: GroupQuestion, filter: Filter): BareFilter | undefined {
  const [dimension, second] = dims;
  if (second !== undefined || sums.length > 0) return undefined;
  if (dimension === undefined) return { filter, present: [] };
  if (!isColumn(dimension)) return undefined;
  const present: Dimension[] = [];
  const items = conjuncts(filter).filter((item) => {
    if (presentDimension(item) !== dimension) return true;
    present.push(dimension);
    return false;
  });
  return { filter: allOf(items), present };
}

/**
 * @param found the rows of a segment that match `bare`; undefined if it, or the index, cannot tell
 * @param asked number of rows of all segments of the question
 */
export function groupsByValue(
  { dims, shared }: GroupQuestion,
  { present }: BareFilter,
  found: FoundRows,
  segment: SegmentInfo,
  known: SegmentAccess,
  asked: number,
): RollupGroups | undefined {
  if (!found.exact) return undefined;
  if (shared.some((name) => mayHaveAttribute(segment.columns, name))) return undefined;
  const [dimension] = dims;
  const rows = countOf(found.rows, segment.rows);
  const common = { dims, starts: undefined, seconds: undefined, sums: [] };
  if (dimension === undefined)
    return { ...common, values: [], sizes: [], counts: Uint32Array.of(rows) };
  if (!isColumn(dimension)) return undefined;
  const kept = asked * ROW_BYTES[dimension] <= known.keptBytes * KEPT_PART;
  const most = Math.max(FEW_LISTED, rows * (kept ? LISTED_FOR_ONE : LISTED_AGAIN));
  const counted = countsOf(dimension, wordsOf(found.rows, segment.rows), most, known);
  if (counted === undefined) return undefined;
  const size = counted.counts.length;
  const counts = new Uint32Array(size + 1);
  counts.set(counted.counts);
  counts[size] = counted.counts.reduce((left, n) => left - n, rows);
  const groups = { ...common, values: [counted.values], sizes: [size], counts };
  return present.reduce<RollupGroups>(withValue, groups);
}

/** @param rows in the form of `RowSet.toWords` */
function countsOf(
  column: Column,
  rows: Uint32Array,
  most: number,
  { indexes: { values: index } }: SegmentAccess,
): { values: DistinctValues; counts: Uint32Array } | undefined {
  if (column === 'src_ip' || column === 'dst_ip') {
    const found = index?.countsOfAddress(column, rows, most);
    return (
      found && {
        values: { numbers: found.numbers, ip6: found.ip6, texts: [] },
        counts: found.counts,
      }
    );
  }
  const found = index?.countsOfText(column, rows, most);
  if (found === undefined) return undefined;
  const encoder = new TextEncoder();
  const texts = found.texts.map((text) => encoder.encode(text));
  return {
    values: { numbers: new Uint32Array(0), ip6: new Uint8Array(0), texts },
    counts: found.counts,
  };
}

function isColumn(dimension: Dimension): dimension is Column {
  return (COLUMNS as readonly string[]).includes(dimension);
}
