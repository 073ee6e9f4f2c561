/**
 * Sets of rows of one segment: all, none, or those of a RowSet. All and none need no memory and make set operations
 * trivial.
 */
import { RowSet } from '../../../util/row-set.ts';

export type Rows = 'all' | 'none' | RowSet;

function plain(set: RowSet): Rows {
  if (set.count === 0) return 'none';
  return set.count === set.total ? 'all' : set;
}

export function rowsOf(set: RowSet): Rows {
  return plain(set);
}

export function intersect(a: Rows, b: Rows): Rows {
  if (a === 'none' || b === 'all') return a;
  if (b === 'none' || a === 'all') return b;
  return plain(a.and(b));
}

export function unite(a: Rows, b: Rows): Rows {
  if (a === 'all' || b === 'none') return a;
  if (b === 'all' || a === 'none') return b;
  return plain(a.or(b));
}

export function complement(rows: Rows): Rows {
  if (rows === 'all') return 'none';
  return rows === 'none' ? 'all' : plain(rows.not());
}

/** @param total rows of the segment */
export function countOf(rows: Rows, total: number): number {
  if (rows === 'all') return total;
  return rows === 'none' ? 0 : rows.count;
}

/** A bit for each row, in the form of `RowSet.toWords`. */
export function wordsOf(rows: Rows, total: number): Uint32Array {
  if (rows === 'none') return new Uint32Array((total + 31) >>> 5);
  return (rows === 'all' ? RowSet.range(total, 0, total) : rows).toWords();
}

/** Members below `row`. */
export function rankOf(rows: Rows, row: number): number {
  if (rows === 'all') return row;
  return rows === 'none' ? 0 : rows.rank(row);
}

/** Members number `from` to `to` (the last not included), ascending. */
export function sliceOf(rows: Rows, total: number, from: number, to: number): Uint32Array {
  if (rows === 'none') return new Uint32Array(0);
  if (rows !== 'all') return rows.slice(from, to);
  const low = Math.max(0, from);
  return Uint32Array.from({ length: Math.max(0, Math.min(to, total) - low) }, (_, i) => low + i);
}

/** The first and the last member; undefined if there are none. */
export function endsOf(rows: Rows, total: number): { first: number; last: number } | undefined {
  const count = countOf(rows, total);
  if (count === 0) return undefined;
  if (typeof rows === 'string') return { first: 0, last: total - 1 };
  return { first: rows.slice(0, 1)[0]!, last: rows.slice(count - 1, count)[0]! };
}

/** The first `count` members. */
export function firstOf(rows: Rows, total: number, count: number): Rows {
  if (countOf(rows, total) <= count) return rows;
  const slice = sliceOf(rows, total, 0, count);
  // The numbers of a large set may be in memory that the set owns.
  return rowsOf(RowSet.ofSorted(slice.slice(), total));
}
