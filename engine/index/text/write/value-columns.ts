/**
 * Which value rows have in a column, as long as that is a shape without open tokens: two bytes a row, and
 * none where all rows have the same. Most columns but the message are so, and are handled one after the
 * other: what is done for each row is a step of a small loop.
 */

/** A row has a value, but not one that is a shape as a whole. */
export const AS_TEXT = 0xffff;

/** Shapes of a column's values by row, in the order in which rows came: each plus 1, 0 for none, or AS_TEXT. */
export class ValueColumn {
  length: number;
  /** What all rows have; undefined: see `codes`. */
  only: number | undefined = 0;
  /** By row; of no account beyond `length`. */
  codes = new Uint16Array(0);

  /** @param rows that came already, none with a value */
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

/** What is to be done with a column's rows. */
interface ValueLists {
  /** By shape: its list. */
  readonly lists: Uint32Array;
  /** Where each list ends in `out`, which moves on; 0: it is not wanted. */
  readonly ends: Uint32Array;
  readonly out: Uint32Array;
  /** Row i is the one that came as number `order[i]`; undefined: as they came. */
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

/** Notes, by row as it came, the rows whose value `holds` for, by shape. */
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
