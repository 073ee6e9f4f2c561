/**
 * Simplifies a filter by what a segment decides: `host:web01` tests the column and the attribute of that name, and
 * few segments have both. The rest may be one condition that an index or a rollup answers.
 *
 * Invariant: the same filter and decisions give the same object, so that cached results of a filter are found again
 * for each segment.
 */
import type { Scope } from '../plan/scope.ts';
import { type Filter, compileFilter } from './filter.ts';

const left = new WeakMap<Filter, Map<string, Filter>>();
const numbers = new WeakMap<Filter, number>();
let next = 0;

function numberOf(filter: Filter): number {
  let number = numbers.get(filter);
  if (number === undefined) numbers.set(filter, (number = next++));
  return number;
}

/** @param filter which `scope` does not decide as a whole */
export function undecided(filter: Filter, scope: Scope): Filter {
  if (filter.filter === 'not') {
    const item = undecided(filter.item, scope);
    return item === filter.item ? filter : keptOf(filter, [item], () => ({ filter: 'not', item }));
  }
  if (!('items' in filter)) return filter;
  const items: Filter[] = [];
  for (const item of filter.items)
    if ('sql' in compileFilter(item, scope)) items.push(undecided(item, scope));
  const isSame =
    items.length === filter.items.length && items.every((one, i) => one === filter.items[i]);
  if (isSame) return filter;
  const [only] = items;
  if (items.length === 1 && only !== undefined) return only;
  return keptOf(filter, items, () => ({ ...filter, items }));
}

function keptOf(filter: Filter, parts: readonly Filter[], make: () => Filter): Filter {
  const known = left.get(filter) ?? new Map<string, Filter>();
  left.set(filter, known);
  const key = parts.map(numberOf).join(' ');
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}
