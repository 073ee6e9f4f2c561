/**
 * A filter on one segment as two sets of rows, without reading the segment: rows that match for
 * certain, and rows beyond which none does. Where both are the same the filter is answered; else the
 * rows between them must be read.
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
import { type Rows, complement, countOf, intersect, unite } from '../../query/plan/rows.ts';

interface Bounds {
  readonly sure: Rows;
  readonly maybe: Rows;
  readonly exact: boolean;
  readonly rest: Filter;
}

const exactly = (rows: Rows): Bounds => ({ sure: rows, maybe: rows, exact: true, rest: ALL });

/**
 * @param params of no statement: what is bound while a filter is judged
 * @param among rows beyond which none is asked about
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

/** Below one candidate in this many rows, reading them is quicker than a look-up of a word. */
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
  const few = countOf(among, segment.rows) < segment.rows / FEW;
  const found = known.kept(filter, () => operatorOf(filter).rows?.(filter, segment, known, few));
  if (found === undefined) return { sure: 'none', maybe: 'all', exact: false, rest: filter };
  if (found.exact) return exactly(found.rows);
  return { sure: 'none', maybe: found.rows, exact: found.rows === 'none', rest: filter };
}

/** Cheap conditions first: they may leave nothing to look up. */
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
    // A row may be here for another item: it must be asked this one whole.
    rest.push(item);
  }
  if (exact) return exactly(sure);
  return { sure, maybe, exact, rest: rest.length === 1 ? rest[0]! : { filter: 'or', items: rest } };
}
