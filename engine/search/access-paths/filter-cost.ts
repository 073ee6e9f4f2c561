/** Cost of a filter in SQL, per row. */
import { type Filter, operatorOf } from '../../query/filters/filter.ts';

/** Conditions that compare numbers: thousands of rows are tested in the time of one pattern. */
export function isCheap(filter: Filter): boolean {
  if ('items' in filter) return filter.items.every(isCheap);
  if ('item' in filter) return isCheap(filter.item);
  return filter.filter === 'all' || operatorOf(filter).sqlCost === 'low';
}

/** Each of its conditions is on a whole value at most: the database compares each distinct one of a block. */
export function comparesValues(filter: Filter): boolean {
  if ('items' in filter || 'item' in filter || filter.filter === 'all') return isCheap(filter);
  return operatorOf(filter).sqlCost !== 'high';
}
