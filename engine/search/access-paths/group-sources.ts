/** The groups of a query in one segment whose rollup covers the filter exactly. */
import type { RollupGroups } from '../../index/rollup/rollup-groups.ts';
import { Params } from '../../query/dialect/duckdb.ts';
import { attributesNamed } from '../../query/names/attribute-names.ts';
import { type Filter, compileFilter, conjuncts } from '../../query/filters/filter.ts';
import { presentDimension } from '../../query/filters/present.ts';
import { undecided } from '../../query/filters/undecided.ts';
import { isUnflowed } from '../../query/filters/unflowed.ts';
import {
  ATTRIBUTE_PREFIX,
  OVERFLOW_COLUMN,
  type SegmentInfo,
  mayHaveAttribute,
  judgingScope,
} from '../../query/plan/scope.ts';
import type { Dimension } from '../../query/names/dimensions.ts';
import type { GroupQuestion } from './group-question.ts';
import type { SegmentAccess } from './segment-access.ts';
import { type Condition, conditionOf, restrictionsIn } from './restrictions.ts';

/** The conditions of a filter that do not hold for a whole segment, in a form that its rollup can meet. */
export interface Conditions {
  unflowed: boolean;
  /** Dimensions in which rows must have a value. */
  readonly present: Dimension[];
  /** Other conditions on single dimensions. */
  readonly chosen: Condition[];
}

/**
 * Undefined if the rollup does not cover the question (a time range that cuts the segment, for example): rows must
 * be read then.
 * @param question what is grouped by
 */
export function groupsInSegment(
  question: GroupQuestion,
  filter: Filter,
  segment: SegmentInfo,
  known: SegmentAccess,
): readonly RollupGroups[] | undefined {
  if (segment.hasDeletes) return undefined;
  const conditions = conditionsOf(question, filter, segment);
  if (conditions === 'none') return [];
  const { rollup } = known.indexes;
  if (conditions === undefined || rollup === undefined) return undefined;
  const { unflowed, present, chosen } = conditions;
  const where = restrictionsIn(chosen, known);
  if (where === undefined) return undefined;
  const attributes = attributesIn([...question.dims, ...where.map(({ dim }) => dim)], segment);
  if (attributes === undefined) return undefined;
  const whole = rollup.groups({
    ...{ dims: question.dims, measures: question.sums },
    ...{ unflowed, where, attributes },
  });
  return whole?.map((groups) => present.reduce(withValue, groups));
}

/** The columns of attributes; undefined where one may also be in the overflow column, or have several spellings. */
function attributesIn(
  keys: readonly Dimension[],
  { columns }: SegmentInfo,
): Map<Dimension, string | undefined> | undefined {
  const found = new Map<Dimension, string | undefined>();
  for (const key of keys) {
    if (!key.startsWith(ATTRIBUTE_PREFIX)) continue;
    const named = attributesNamed(columns, key.slice(ATTRIBUTE_PREFIX.length));
    if (columns.has(OVERFLOW_COLUMN) || named.length > 1) return undefined;
    found.set(key, named[0]?.column);
  }
  return found;
}

/** `none`: no row of the segment meets them; undefined: a rollup cannot decide. */
export function conditionsOf(
  { dims, shared }: GroupQuestion,
  filter: Filter,
  segment: SegmentInfo,
): Conditions | 'none' | undefined {
  // An event without a value in the column may have one in the attribute.
  if (shared.some((name) => mayHaveAttribute(segment.columns, name))) return undefined;
  const out: Conditions = {
    unflowed: false,
    present: [],
    chosen: [],
  };
  const scope = judgingScope(segment, new Params());
  for (const given of conjuncts(filter)) {
    const verdict = compileFilter(given, scope);
    if (!('sql' in verdict)) {
      if (!verdict.value) return 'none';
      continue;
    }
    const item = undecided(given, scope);
    if (isUnflowed(item)) out.unflowed = true;
    else {
      const present = presentDimension(item);
      const chosen = conditionOf(item);
      if (present !== undefined && dims.includes(present)) out.present.push(present);
      else if (chosen !== undefined) out.chosen.push(chosen);
      else return undefined;
    }
  }
  return out;
}

/** The groups with a value in a dimension. */
export function withValue(groups: RollupGroups, dimension: Dimension): RollupGroups {
  const at = groups.dims.indexOf(dimension);
  const missing = groups.sizes[at];
  if (missing === undefined) return groups;
  const { starts, seconds } = groups;
  const counts = groups.counts.slice();
  const sums = groups.sums.map((list) => list.slice());
  const drop = (group: number): void => {
    counts[group] = 0;
    for (const list of sums) list[group] = 0;
  };
  if (starts === undefined || seconds === undefined) drop(missing);
  else if (at === 0)
    for (let group = starts[missing]!; group < starts[missing + 1]!; group++) drop(group);
  else
    for (let group = 0; group < seconds.length; group++)
      if (seconds[group] === missing) drop(group);
  return { ...groups, counts, sums };
}
