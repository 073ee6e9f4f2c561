/**
 * Bounds of a filter on one segment, computed without reading the segment: rows that certainly match, and rows that
 * may match. If both sets are equal, the filter is answered; otherwise the rows between them must be read.
 *
 * Invariant: sure ⊆ matching ⊆ maybe, and a row of `maybe` matches exactly if `rest` holds for it.
 */
import type { Params } from '../../query/dialect/duckdb.ts';
import {
  ALL,
  type Filter,
  type LeafFilter,
  allOf,
  compileFilter,
  operatorOf,
} from '../../query/filters/filter.ts';
import { type SegmentInfo, judgingScope } from '../../query/plan/scope.ts';
import type { SegmentAccess } from './segment-access.ts';
import {
  type Rows,
  complement,
  countOf,
  intersect,
  unite,
} from '../../query/plan/known-rows/rows.ts';

interface Bounds {
  readonly sure: Rows;
  readonly maybe: Rows;
  readonly exact: boolean;
  readonly rest: Filter;
}

const exactly = (rows: Rows): Bounds => ({ sure: rows, maybe: rows, exact: true, rest: ALL });

/**
 * @param params collects values that no statement will bind: the filter is only evaluated here
 * @param among only these rows matter
 */
export function boundsOf(
  filter: Filter,
  segment: SegmentInfo,
  known: SegmentAccess,
  params: Params,
  among: Rows = 'all',
): Bounds {
  switch (filter.filter) {
    case 'all':
      return exactly('all');
    case 'and':
      return allBounds(filter.items, segment, known, params, among);
    case 'or':
      return anyBounds(filter.items, segment, known, params);
    case 'not': {
      const inner = boundsOf(filter.item, segment, known, params);
      if (inner.exact) return exactly(complement(inner.sure));
      return {
        sure: complement(inner.maybe),
        maybe: complement(inner.sure),
        exact: false,
        rest: filter,
      };
    }
    default:
      return leafBounds(filter, segment, known, params, among);
  }
}

/** With fewer candidates than one in this many rows, reading them is faster than looking up a word. */
const FEW = 64;

function leafBounds(
  filter: LeafFilter,
  segment: SegmentInfo,
  known: SegmentAccess,
  params: Params,
  among: Rows,
): Bounds {
  const verdict = compileFilter(filter, judgingScope(segment, params));
  if (!('sql' in verdict)) return exactly(verdict.value ? 'all' : 'none');
  const isSelective = countOf(among, segment.rows) < segment.rows / FEW;
  const found = known.kept(filter, () =>
    operatorOf(filter).rows?.(filter, segment, known, isSelective),
  );
  if (found === undefined) return { sure: 'none', maybe: 'all', exact: false, rest: filter };
  if (found.exact) return exactly(found.rows);
  return { sure: 'none', maybe: found.rows, exact: found.rows === 'none', rest: filter };
}

/** Cheap conditions first: they may make further look-ups unnecessary. */
function cheapFirst(items: readonly Filter[]): Filter[] {
  const cost = (filter: Filter): number => {
    if ('items' in filter) return filter.items.reduce((sum, item) => sum + cost(item), 0);
    if (filter.filter === 'not') return cost(filter.item);
    return filter.filter === 'all' ? 0 : operatorOf(filter).lookUpCost(filter);
  };
  return items
    .map((item) => ({ item, cost: cost(item) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ item }) => item);
}

function allBounds(
  items: readonly Filter[],
  segment: SegmentInfo,
  known: SegmentAccess,
  params: Params,
  among: Rows,
): Bounds {
  let sure: Rows = 'all';
  let maybe: Rows = 'all';
  const rest: Filter[] = [];
  for (const item of cheapFirst(items)) {
    const one = boundsOf(item, segment, known, params, intersect(among, maybe));
    maybe = intersect(maybe, one.maybe);
    if (maybe === 'none') return exactly('none');
    if (!one.exact) rest.push(one.rest);
    sure = rest.length === 0 ? maybe : intersect(sure, one.sure);
  }
  if (rest.length === 0) return exactly(maybe);
  return { sure, maybe, exact: false, rest: allOf(rest) };
}

function anyBounds(
  items: readonly Filter[],
  segment: SegmentInfo,
  known: SegmentAccess,
  params: Params,
): Bounds {
  let sure: Rows = 'none';
  let maybe: Rows = 'none';
  let exact = true;
  const rest: Filter[] = [];
  for (const item of cheapFirst(items)) {
    const one = boundsOf(item, segment, known, params);
    sure = unite(sure, one.sure);
    if (sure === 'all') return exactly('all');
    if (one.maybe === 'none') continue;
    exact &&= one.exact;
    maybe = exact ? sure : unite(maybe, one.maybe);
    // The row may be here because of another item, so this one must be evaluated completely.
    rest.push(item);
  }
  if (exact) return exactly(sure);
  return { sure, maybe, exact, rest: rest.length === 1 ? rest[0]! : { filter: 'or', items: rest } };
}
