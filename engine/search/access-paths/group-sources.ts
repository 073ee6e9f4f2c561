/**
 * Where the groups of a query come from in one segment: its rollup where that covers the filter
 * exactly, whole hours from it and the rows before and after them, or the rows.
 */
import type { CombinationQuestion } from '../../index/combinations/combination-index.ts';
import type { RollupGroups } from '../../index/rollup/rollup-groups.ts';
import { RowSet } from '../../util/row-set.ts';
import { Params } from '../../query/dialect/duckdb.ts';
import { attributesNamed } from '../../query/attribute-names.ts';
import { type Filter, compileFilter, conjuncts } from '../../query/filters/filter.ts';
import { presentDimension } from '../../query/filters/present.ts';
import { isTime } from '../../query/filters/time.ts';
import { undecided } from '../../query/filters/undecided.ts';
import { isUnflowed } from '../../query/filters/unflowed.ts';
import {
  ATTRIBUTE_PREFIX,
  OVERFLOW_COLUMN,
  type SegmentInfo,
  mayHaveAttribute,
  judgingScope,
} from '../../query/scope.ts';
import type { Dimension } from '../../query/dimensions.ts';
import type { GroupQuestion } from './group-question.ts';
import type { FoundRows } from '../../query/found.ts';
import type { SegmentAccess } from './segment-access.ts';
import { type Condition, conditionOf, restrictionsIn } from './restrictions.ts';
import { type Rows, rowsOf, unite } from '../../query/rows.ts';

const HOUR = 3600e6;

interface GroupSource {
  /** Undefined: the rollup does not cover it, and all its rows must be read. */
  readonly groups: readonly RollupGroups[] | undefined;
  /** Rows that must be read beside that. */
  readonly left: FoundRows | undefined;
}

const READ: GroupSource = { groups: undefined, left: undefined };

/** The conditions of a filter that do not hold for all of a segment, as a rollup can meet them. */
export interface Conditions {
  from: number;
  to: number;
  unflowed: boolean;
  /** Dimensions that rows must have a value of. */
  readonly present: Dimension[];
  /** Others on single dimensions. */
  readonly chosen: Condition[];
}

/** @param question what is grouped by */
export function groupSource(
  question: GroupQuestion,
  filter: Filter,
  segment: SegmentInfo,
  known: SegmentAccess,
): GroupSource {
  if (segment.hasDeletes) return READ;
  const conditions = conditionsOf(question, filter, segment);
  if (conditions === 'none') return { groups: [], left: undefined };
  const { rollup, time } = known.indexes;
  if (conditions === undefined || rollup === undefined) return READ;
  const { from, to, unflowed, present, chosen } = conditions;
  const where = restrictionsIn(chosen, known);
  if (where === undefined) return READ;
  const ask = { dims: question.dims, measures: question.sums, unflowed, where };
  // Combinations are few: where a condition must be met they are sooner tested.
  const whole = () =>
    where.length > 0
      ? (combined(ask, segment, known) ?? rollup.groups(ask))
      : (rollup.groups(ask) ?? combined(ask, segment, known));
  const given = (hours?: { from: number; to: number }): readonly RollupGroups[] | undefined =>
    (hours === undefined ? whole() : rollup.groups({ ...ask, hours }))?.map((groups) =>
      present.reduce(withValue, groups),
    );
  if (from === -Infinity && to === Infinity) return { groups: given(), left: undefined };
  const { minTs, maxTs, rows: total } = segment;
  if (time === undefined || minTs === undefined || maxTs === undefined) return READ;
  const low = Math.max(from, Math.floor(minTs / HOUR) * HOUR);
  const high = Math.min(to, (Math.floor(maxTs / HOUR) + 1) * HOUR);
  const first = Math.ceil(low / HOUR) * HOUR;
  const last = Math.floor(high / HOUR) * HOUR;
  if (first >= last) return READ;
  const groups = given({ from: first, to: last });
  const part = (start: number, end: number): Rows => {
    const [a, b] = [time.rowAt(start), time.rowAt(end)];
    return a < b ? rowsOf(RowSet.range(total, a, b)) : 'none';
  };
  const edges = unite(
    low < first ? part(low, first) : 'none',
    last < high ? part(last, high) : 'none',
  );
  if (groups === undefined || edges === 'none') return { groups, left: undefined };
  return { groups, left: { rows: edges, exact: false, rest: filter, by: 'index' } };
}

/** Of columns with few values, attributes among them. */
function combined(
  ask: Omit<CombinationQuestion, 'columnOf'>,
  { columns }: SegmentInfo,
  { indexes: { combinations } }: SegmentAccess,
): readonly RollupGroups[] | undefined {
  const keys = [...ask.dims, ...ask.where.map(({ dim }) => dim)];
  const named = (key: Dimension) =>
    key.startsWith(ATTRIBUTE_PREFIX)
      ? attributesNamed(columns, key.slice(ATTRIBUTE_PREFIX.length))
      : [];
  // An attribute may be in the overflow, too, or under several spellings.
  if (columns.has(OVERFLOW_COLUMN) && keys.some((key) => key.startsWith(ATTRIBUTE_PREFIX)))
    return undefined;
  if (keys.some((key) => named(key).length > 1)) return undefined;
  const columnOf = (key: Dimension): string | undefined => {
    if (key.startsWith(ATTRIBUTE_PREFIX)) return named(key)[0]?.column;
    const stored = key === 'src_ip' || key === 'dst_ip' ? [`${key}4`, `${key}6`] : [key];
    return stored.some((name) => columns.has(name)) ? key : undefined;
  };
  const groups = combinations?.groups({ ...ask, columnOf });
  return groups && [groups];
}

/** `none`: no row of the segment meets them; undefined: a rollup cannot tell. */
export function conditionsOf(
  { dims, shared }: GroupQuestion,
  filter: Filter,
  segment: SegmentInfo,
): Conditions | 'none' | undefined {
  // Where an event has no value of the column its attribute may have one.
  if (shared.some((name) => mayHaveAttribute(segment.columns, name))) return undefined;
  const out: Conditions = {
    from: -Infinity,
    to: Infinity,
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
    else if (isTime(item) && 'column' in item.ref && item.ref.column === 'ts') {
      out.from = Math.max(out.from, item.from ?? -Infinity);
      out.to = Math.min(out.to, item.to ?? Infinity);
    } else {
      const present = presentDimension(item);
      const chosen = conditionOf(item);
      if (present !== undefined && dims.includes(present)) out.present.push(present);
      else if (chosen !== undefined) out.chosen.push(chosen);
      else return undefined;
    }
  }
  return out;
}

/** The groups that have a value of a dimension. */
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
