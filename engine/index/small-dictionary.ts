/**
 * Loops over the texts of rows, as small functions: V8 would compile them together with the work for each distinct
 * text or present row, or, where few rows have one, not at all.
 */
import type { TextRows } from './rows.ts';

/** Distinct texts of rows whose equal texts share a position, in the order of first occurrence. */
interface FewTexts {
  /** Position of each. */
  readonly places: Uint32Array;
  /** By index: number of rows that have it. */
  readonly counts: Uint32Array;
}

/** Two indexes need those of the same rows in succession. */
const found = new WeakMap<TextRows, FewTexts>();

/** Distinct texts of all `n` rows. */
export function smallDictionary(text: TextRows, n: number): FewTexts {
  const known = found.get(text);
  if (known !== undefined) return known;
  const texts = findFew(text, n);
  found.set(text, texts);
  return texts;
}

function findFew({ data, starts, present }: TextRows, n: number): FewTexts {
  const counts = new Uint32Array(data.length);
  // Each takes four bytes or more.
  const places = new Uint32Array(data.length >>> 2);
  return { places: places.subarray(0, count(starts, present, n, counts, places)), counts };
}

function count(
  starts: Uint32Array,
  present: Uint8Array,
  n: number,
  counts: Uint32Array,
  places: Uint32Array,
): number {
  let size = 0;
  for (let row = 0; row < n; row++) {
    if (present[row] === 0) continue;
    const start = starts[row]!;
    if (counts[start] === 0) places[size++] = start;
    counts[start]! += 1;
  }
  return size;
}

/** Writes the known result of its text for each row that has one; others stay unchanged. */
export function putKnown<T extends Uint16Array | Uint32Array>(
  { starts, present }: TextRows,
  known: T,
  out: T,
): void {
  for (let row = 0; row < out.length; row++)
    if (present[row] !== 0) out[row] = known[starts[row]!]!;
}

/** The first row from `row` on that has a text; `n` if there is none. */
export function nextPresent(present: Uint8Array, row: number, n: number): number {
  if (row >= n || present[row] !== 0) return row;
  const next = present.indexOf(1, row);
  return next < 0 || next > n ? n : next;
}
