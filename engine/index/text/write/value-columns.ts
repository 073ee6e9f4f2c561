/**
 * The values of rows in a column, as long as they are shapes without open tokens: two bytes per row, and none if
 * all rows have the same. Most columns but the message are like that, and are handled one after the other: the work
 * for each row is a step of a small loop.
 */

/** A row has a value, but not one that is a shape as a whole. */
export const AS_TEXT = 0xffff;

/** Shapes of a column's values by row, in the order of arrival: each plus 1, 0 for none, or AS_TEXT. */
export class ValueColumn {
  length: number;
  /** The value that all rows have; undefined: see `codes`. */
  only: number | undefined = 0;
  /** By row; arbitrary beyond `length`. */
  codes = new Uint16Array(0);

  /** @param rows number of previous rows, all without a value */
  constructor(rows: number) {
    this.length = rows;
  }

  /** `n` more rows that all have `code`. */
  fill(code: number, n: number): void {
    if (n === 0) return;
    if (this.length === 0) this.only = code;
    const first = this.length;
    if (this.only === code) this.length += n;
    else this.extend(n).fill(code, first, first + n);
  }

  /** Room for `n` more rows, which are 0 until set, after those that were there. */
  extend(n: number): Uint16Array {
    const first = this.length;
    const end = first + n;
    if (end > this.codes.length) {
      const bigger = new Uint16Array(Math.max(end, this.codes.length * 2));
      bigger.set(this.codes.subarray(0, first));
      this.codes = bigger;
    }
    if (this.only !== undefined) this.codes.fill(this.only, 0, first);
    this.only = undefined;
    this.codes.fill(0, first, end);
    this.length = end;
    return this.codes;
  }

  codeAt(row: number): number {
    return this.only ?? this.codes[row]!;
  }
}

/** Where a column's rows go. */
interface ValueLists {
  /** By shape: its list. */
  readonly lists: Uint32Array;
  /** End of each list in `out`, which advances; 0: it is not wanted. */
  readonly ends: Uint32Array;
  readonly out: Uint32Array;
  /** Row i is the one that arrived as number `order[i]`; undefined: in order of arrival. */
  readonly order: Uint32Array | undefined;
}

/** Adds the rows of a column to the lists of their values. */
export function listValues(column: ValueColumn, { lists, ends, out, order }: ValueLists): void {
  const { only, length } = column;
  if (only === 0) return;
  if (only !== undefined) column.extend(0);
  const { codes } = column;
  if (order === undefined) addRows(codes, length, lists, ends, out);
  else addInOrder(codes, order, lists, ends, out);
}

// Hot loops (CONTRIBUTING.md).

function addRows(
  codes: Uint16Array,
  n: number,
  lists: Uint32Array,
  ends: Uint32Array,
  out: Uint32Array,
): void {
  for (let row = 0; row < n; row++) {
    const code = codes[row]!;
    if (code === 0) continue;
    const list = lists[code - 1]!;
    const at = ends[list]!;
    if (at === 0) continue;
    out[at] = row;
    ends[list] = at + 1;
  }
}

function addInOrder(
  codes: Uint16Array,
  order: Uint32Array,
  lists: Uint32Array,
  ends: Uint32Array,
  out: Uint32Array,
): void {
  for (let row = 0; row < order.length; row++) {
    const code = codes[order[row]!]!;
    if (code === 0) continue;
    const list = lists[code - 1]!;
    const at = ends[list]!;
    if (at === 0) continue;
    out[at] = row;
    ends[list] = at + 1;
  }
}

/** Records, by row in order of arrival, the rows whose value satisfies `holds`, by shape. */
export function noteValues(column: ValueColumn, holds: Uint8Array, rows: Uint8Array): void {
  const { only, codes, length } = column;
  if (only === undefined) noteCodes(codes, length, holds, rows);
  else if (only > 0 && holds[only - 1] === 1) rows.fill(1, 0, length);
}

function noteCodes(codes: Uint16Array, n: number, holds: Uint8Array, rows: Uint8Array): void {
  for (let row = 0; row < n; row++) {
    const code = codes[row]!;
    if (code > 0) rows[row]! |= holds[code - 1]!;
  }
}
