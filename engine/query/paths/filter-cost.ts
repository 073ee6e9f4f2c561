/** What it costs DuckDB to compare a row with a filter. */
import type { Filter } from '../filters/filter.ts';

/** Conditions that compare numbers: thousands of rows are tested in the time of one pattern. */
const CHEAP: ReadonlySet<Filter['filter']> = new Set<Filter['filter']>([
  ...(['all', 'address', 'arrived', 'day', 'event-id', 'kind', 'number'] as const),
  ...(['present', 'source', 'time', 'unflowed'] as const),
]);

export function isCheap(filter: Filter): boolean {
  if ('items' in filter) return filter.items.every(isCheap);
  return filter.filter === 'not' ? isCheap(filter.item) : CHEAP.has(filter.filter);
}
