/** Estimates the cost per row of a filter in SQL. */
import { type Filter, operatorOf } from '../../query/filters/filter.ts';

/** Conditions that compare numbers: they test thousands of rows in the time of one pattern match. */
export function isCheap(filter: Filter): boolean {
  if ('items' in filter) return filter.items.every(isCheap);
  if ('item' in filter) return isCheap(filter.item);
  return filter.filter === 'all' || operatorOf(filter).sqlCost === 'low';
}

/**
 * Whether each condition compares whole values at most: the database then compares each distinct value of a block
 * once.
 */
export function comparesValues(filter: Filter): boolean {
  if ('items' in filter || 'item' in filter || filter.filter === 'all') return isCheap(filter);
  return operatorOf(filter).sqlCost !== 'high';
}
