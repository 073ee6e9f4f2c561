/**
 * The analysed filter: a tree of conditions with resolved names and parsed values. Each kind of condition is an
 * operator in its own file; this one lists them, and provides each face for a whole tree.
 *
 * Invariant: `compileFilter` gives SQL that is TRUE exactly for the events that match; for the others it is FALSE
 * or NULL, and only `NOT` distinguishes these, by `IS NOT TRUE`.
 */
import type { Kind } from '../../contract/event.ts';
import { KEEP, type RowFilter, every, anyFilter, without } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import {
  both as bothSql,
  either as eitherSql,
  negate as negateSql,
  TRUE_SQL,
  untranslated,
} from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { type MatchList, isWritten } from '../lists/match-list.ts';
import { TRUE, type Predicate, type Scope } from '../plan/scope.ts';
import { type AddressFilter, addressOperator } from './address.ts';
import { type ArrivedFilter, arrivedOperator } from './arrived.ts';
import { type CommunityFilter, communityIdOperator } from './community-id.ts';
import { type ComparisonFilter, comparisonOperator } from './comparison.ts';
import { type DayFilter, dayOperator } from './day.ts';
import { type EventIdFilter, eventIdOperator } from './event-id.ts';
import { type FlowFilter, flowOperator } from './flow.ts';
import { type KindFilter, kindOperator } from './kind.ts';
import { type ListFilter, listOperator } from './list.ts';
import { type ListTextFilter, listTextOperator } from './list-text.ts';
import { both, either, negate } from './logic.ts';
import { type MacFilter, macOperator } from './mac.ts';
import { type NumberFilter, numberOperator } from './number.ts';
import type { FilterOperator } from './operator.ts';
import { type PresentFilter, presentOperator } from './present.ts';
import { type RegexFilter, regexOperator } from './regex.ts';
import { type SourceFilter, sourceOperator } from './source.ts';
import type { WrittenTest } from './surroundings.ts';
import { type TagFilter, tagOperator } from './tag.ts';
import { type TextFilter, textOperator } from './text.ts';
import { type TextRangeFilter, textRangeOperator } from './text-range.ts';
import { type TextValueFilter, textValueOperator } from './text-value.ts';
import { type TimeFilter, timeOperator } from './time.ts';
import { type UnflowedFilter, unflowedOperator } from './unflowed.ts';

export type LeafFilter =
  | AddressFilter
  | ArrivedFilter
  | CommunityFilter
  | ComparisonFilter
  | DayFilter
  | EventIdFilter
  | FlowFilter
  | KindFilter
  | ListFilter
  | ListTextFilter
  | MacFilter
  | NumberFilter
  | PresentFilter
  | RegexFilter
  | SourceFilter
  | TagFilter
  | TextFilter
  | TextRangeFilter
  | TextValueFilter
  | TimeFilter
  | UnflowedFilter;

export type Filter =
  | { readonly filter: 'all' }
  | { readonly filter: 'and' | 'or'; readonly items: readonly Filter[] }
  | { readonly filter: 'not'; readonly item: Filter }
  | LeafFilter;

type Operators = {
  readonly [N in LeafFilter['filter']]: FilterOperator<Extract<LeafFilter, { filter: N }>>;
};

/** In the order in which they try to parse a test. */
export const FILTER_OPERATORS: Operators = {
  present: presentOperator,
  kind: kindOperator,
  source: sourceOperator,
  tag: tagOperator,
  day: dayOperator,
  'event-id': eventIdOperator,
  flow: flowOperator,
  'community-id': communityIdOperator,
  time: timeOperator,
  address: addressOperator,
  number: numberOperator,
  text: textOperator,
  mac: macOperator,
  'text-value': textValueOperator,
  regex: regexOperator,
  'text-range': textRangeOperator,
  // Conditions that a query's text cannot express.
  arrived: arrivedOperator,
  list: listOperator,
  'list-text': listTextOperator,
  unflowed: unflowedOperator,
  // For computed values.
  comparison: comparisonOperator,
};

/** Each operator only gets filters of its kind: the key in the list is their name. */
export function operatorOf(filter: LeafFilter): FilterOperator<LeafFilter> {
  return FILTER_OPERATORS[filter.filter];
}

const ALL_OPERATORS: readonly FilterOperator<LeafFilter>[] = Object.values(FILTER_OPERATORS);

// -- making filters --------------------------------------------------------------------------------

export const ALL: Filter = { filter: 'all' };

export function allOf(items: readonly Filter[]): Filter {
  const kept = items.filter((item) => item.filter !== 'all');
  if (kept.length === 0) return ALL;
  return kept.length === 1 ? kept[0]! : { filter: 'and', items: kept };
}

/** The conditions that all must hold. */
export function conjuncts(filter: Filter): readonly Filter[] {
  return filter.filter === 'and' ? filter.items : [filter];
}

/** The events that a list takes. */
export function listFilter(list: MatchList): Filter {
  const items: Filter[] = list.texts.map(({ filter }) => filter);
  if (list.groups.some(isWritten)) items.unshift({ filter: 'list-text', list });
  if (list.columnGroups.length > 0 || items.length === 0) items.unshift({ filter: 'list', list });
  const [first] = items;
  return items.length === 1 && first !== undefined ? first : { filter: 'or', items };
}

/** The list, if the filter consists of nothing else. */
export function listOf(filter: Filter): MatchList | undefined {
  return filter.filter === 'list' ? filter.list : undefined;
}

/** The condition that a test of a field is. Throws QueryError for a test that the field does not take. */
export function readTest(written: WrittenTest): LeafFilter {
  for (const operator of ALL_OPERATORS) {
    const filter = operator.parse?.(written);
    if (filter !== undefined) return filter;
  }
  throw new TypeError(`no operator reads a ${written.test.test} of a ${written.field.type}`);
}

/** `ip:(a OR b OR …)` becomes one condition: one list in SQL rather than a chain of conditions. */
export function mergeLists(items: readonly Filter[]): Filter[] {
  const merged = new Map<string, LeafFilter[]>();
  const out: { readonly item: Filter; readonly same: readonly LeafFilter[] }[] = [];
  for (const item of items.flatMap((one) => (one.filter === 'or' ? one.items : [one]))) {
    const key = isLeaf(item) ? operatorOf(item).mergeKey?.(item) : undefined;
    if (key === undefined || !isLeaf(item)) {
      out.push({ item, same: [] });
      continue;
    }
    const name = `${item.filter} ${key}`;
    const same = merged.get(name);
    if (same !== undefined) {
      same.push(item);
      continue;
    }
    const list = [item];
    merged.set(name, list);
    out.push({ item, same: list });
  }
  return out.map(({ item, same }) => {
    const [first] = same;
    return same.length > 1 && first !== undefined
      ? (operatorOf(first).merge?.(same) ?? item)
      : item;
  });
}

export function isLeaf(filter: Filter): filter is LeafFilter {
  return !('items' in filter) && !('item' in filter) && filter.filter !== 'all';
}

// -- faces of a tree -------------------------------------------------------------------------------

export function compileFilter(filter: Filter, scope: Scope): Predicate {
  switch (filter.filter) {
    case 'all':
      return TRUE;
    case 'and':
      return compileAll(filter.items, scope);
    case 'or':
      return compileAny(filter.items, scope);
    case 'not':
      return negate(compileFilter(filter.item, scope));
    default:
      return operatorOf(filter).sql(filter, scope);
  }
}

/** Stops at the first condition that no event of the scope meets. */
function compileAll(items: readonly Filter[], scope: Scope): Predicate {
  const out: Predicate[] = [];
  for (const item of items) {
    const one = compileFilter(item, scope);
    if (!('sql' in one) && !one.value) return one;
    out.push(one);
  }
  return both(out);
}

/** Conditions that can share a pass over the text do: words and values of the same fields. */
function compileAny(items: readonly Filter[], scope: Scope): Predicate {
  const { alone, together } = sharing(items, 'sqlOfAny');
  const out: Predicate[] = [];
  for (const item of alone) {
    const one = compileFilter(item, scope);
    if (!('sql' in one) && one.value) return one;
    out.push(one);
  }
  for (const [operator, group] of together) out.push(...(operator.sqlOfAny?.(group, scope) ?? []));
  return either(out);
}

/** Conditions whose operators compile several at once, by operator; and all others. */
function sharing(
  items: readonly Filter[],
  face: 'sqlOfAny' | 'clickhouseOfAny',
): {
  readonly alone: readonly Filter[];
  readonly together: ReadonlyMap<FilterOperator<LeafFilter>, readonly LeafFilter[]>;
} {
  const alone: Filter[] = [];
  const together = new Map<FilterOperator<LeafFilter>, LeafFilter[]>();
  for (const item of items) {
    const operator = isLeaf(item) ? operatorOf(item) : undefined;
    if (operator?.[face] === undefined || !isLeaf(item)) {
      alone.push(item);
      continue;
    }
    const group = together.get(operator);
    if (group === undefined) together.set(operator, [item]);
    else group.push(item);
  }
  return { alone, together };
}

/** The same in ClickHouse. Throws DaybookError `usage` if there is no exact translation. */
export function filterClickHouse(filter: Filter, scope: ClickHouseScope): string {
  switch (filter.filter) {
    case 'all':
      return TRUE_SQL;
    case 'and':
      return bothSql(filter.items.map((item) => filterClickHouse(item, scope)));
    case 'or':
      return anyClickHouse(filter.items, scope);
    case 'not':
      return negateSql(filterClickHouse(filter.item, scope));
    default: {
      const operator = operatorOf(filter);
      const sql = operator.clickhouse?.(filter, scope);
      if (sql === undefined) throw untranslated(`the filter ${operator.describe(filter)}`);
      return sql;
    }
  }
}

function anyClickHouse(items: readonly Filter[], scope: ClickHouseScope): string {
  const { alone, together } = sharing(items, 'clickhouseOfAny');
  return eitherSql([
    ...alone.map((item) => filterClickHouse(item, scope)),
    ...[...together].flatMap(([operator, group]) =>
      group.length === 1
        ? group.map((item) => filterClickHouse(item, scope))
        : (operator.clickhouseOfAny?.(group, scope) ?? []),
    ),
  ]);
}

/**
 * A filter as a function over the columns of a batch: it takes ascending row numbers and keeps those that match. A
 * condition on a missing value does not hold, and its NOT does, as in SQL. Throws TypeError for conditions that
 * only a case can evaluate.
 */
export function filterColumns(filter: Filter, scope: RowScope): RowFilter {
  switch (filter.filter) {
    case 'all':
      return KEEP;
    case 'and':
      return every(filter.items.map((item) => filterColumns(item, scope)));
    case 'or':
      return anyFilter(
        filter.items.map((item) => filterColumns(item, scope)),
        scope.capacity,
      );
    case 'not':
      return without(filterColumns(filter.item, scope), scope.capacity);
    default: {
      const columns = operatorOf(filter).columns?.(filter, scope);
      if (columns === undefined) throw new TypeError(`${filter.filter} is asked of cases only`);
      return columns;
    }
  }
}

/** A filter's result for all events of a kind; undefined: it depends on the event. */
export function ofKind(filter: Filter, kind: Kind): boolean | undefined {
  switch (filter.filter) {
    case 'all':
      return true;
    case 'not': {
      const item = ofKind(filter.item, kind);
      return item === undefined ? undefined : !item;
    }
    case 'and':
    case 'or': {
      const decisive = filter.filter === 'or';
      const items = filter.items.map((item) => ofKind(item, kind));
      if (items.includes(decisive)) return decisive;
      return items.includes(undefined) ? undefined : !decisive;
    }
    default:
      return operatorOf(filter).ofKind?.(filter, kind);
  }
}

/** Conditions that are shown of a long list. */
const MOST_DESCRIBED = 5;

/** A filter in words of the query language, for `--explain`. */
export function describeFilter(filter: Filter): string {
  switch (filter.filter) {
    case 'all':
      return '*';
    case 'not':
      return `NOT ${describeItem(filter.item)}`;
    case 'and':
    case 'or': {
      const shown = filter.items.slice(0, MOST_DESCRIBED).map(describeItem);
      const left = filter.items.length - shown.length;
      if (left > 0) shown.push(`… ${left} more`);
      return shown.join(filter.filter === 'and' ? ' AND ' : ' OR ');
    }
    default:
      return operatorOf(filter).describe(filter);
  }
}

function describeItem(filter: Filter): string {
  const text = describeFilter(filter);
  return 'items' in filter && filter.items.length > 1 ? `(${text})` : text;
}
