/**
 * Groups by one field among rows that are known by number, from the index of the field's values: no row
 * is read. It counts events and adds nothing up.
 */
import type { RollupGroups } from '../../index/rollup/rollup-groups.ts';
import { type Filter, allOf, conjuncts } from '../../query/filters/filter.ts';
import { presentDimension } from '../../query/filters/present.ts';
import { type SegmentInfo, mayHaveAttribute } from '../../query/scope.ts';
import type { FoundRows } from '../../query/found.ts';
import type { Dimension } from '../../query/dimensions.ts';
import type { GroupQuestion } from './group-question.ts';
import { withValue } from './group-sources.ts';
import type { Known } from './known.ts';
import { countOf, wordsOf } from '../../query/rows.ts';

const COLUMNS: Partial<Record<Dimension, 'host' | 'program'>> = {
  host: 'host',
  program: 'program',
};

/**
 * Looking at a row's number in the index takes 20 ns, once: what it says is kept. Reading a found row's value by
 * a statement takes 60 ns, and four times that where rows are scattered. More numbers than these are left to it.
 */
const LISTED_FOR_ONE = 12;
/** The same where all that would be kept is more than is: each question looks at every number again. */
const LISTED_AGAIN = 3;
/** Rows of which the text is kept, at one byte for each, two where there are many: this part of all that is kept. */
const KEPT_PART = 1 / 2;
const FEW_LISTED = 65_536;

/** A filter, without that its events must have a value of what they are grouped by. */
export interface BareFilter {
  readonly filter: Filter;
  readonly present: readonly Dimension[];
}

/** Undefined: groups of this question are not those of values. */
export function bareFilter({ dims, sums }: GroupQuestion, filter: Filter): BareFilter | undefined {
  const [dimension, second] = dims;
  if (dimension === undefined || second !== undefined || sums.length > 0) return undefined;
  if (COLUMNS[dimension] === undefined) return undefined;
  const present: Dimension[] = [];
  const items = conjuncts(filter).filter((item) => {
    if (presentDimension(item) !== dimension) return true;
    present.push(dimension);
    return false;
  });
  return { filter: allOf(items), present };
}

/**
 * @param found which rows of the segment `bare` takes; undefined when it, or the index, cannot tell
 * @param asked rows of all segments that the question is asked of
 */
export function groupsByValue(
  { dims, shared }: GroupQuestion,
  { present }: BareFilter,
  found: FoundRows,
  segment: SegmentInfo,
  { indexes: { values: index }, keptBytes }: Known,
  asked: number,
): RollupGroups | undefined {
  const [dimension] = dims;
  const column = dimension === undefined ? undefined : COLUMNS[dimension];
  if (column === undefined || !found.exact) return undefined;
  if (shared.some((name) => mayHaveAttribute(segment.columns, name))) return undefined;
  const forOne = asked > keptBytes * KEPT_PART ? LISTED_AGAIN : LISTED_FOR_ONE;
  const most = Math.max(FEW_LISTED, countOf(found.rows, segment.rows) * forOne);
  const own = index?.countsOfText(column, wordsOf(found.rows, segment.rows), most);
  if (own === undefined) return undefined;
  const size = own.texts.length;
  const counts = new Uint32Array(size + 1);
  counts.set(own.counts);
  counts[size] = own.counts.reduce((left, n) => left - n, countOf(found.rows, segment.rows));
  const encoder = new TextEncoder();
  const texts = own.texts.map((text) => encoder.encode(text));
  const groups: RollupGroups = {
    dims,
    values: [{ numbers: new Uint32Array(0), ip6: new Uint8Array(0), texts }],
    ...{ sizes: [size], starts: undefined, seconds: undefined, counts, sums: [] },
  };
  return present.reduce(withValue, groups);
}
