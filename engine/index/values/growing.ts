/** Columns of numbers that grow as rows come. */
import type { NumberRows } from '../rows.ts';

const FIRST_ROWS = 1024;

/** Codes of rows; 0 for a row that has none. */
export class Growing32 {
  values = new Uint32Array(FIRST_ROWS);
  length = 0;

  /** Room for `rows` more, which are 0 until set. Returns the number of the first of them. */
  extend(rows: number): number {
    const first = this.length;
    this.length += rows;
    if (this.length > this.values.length) {
      const bigger = new Uint32Array(Math.max(this.length, this.values.length * 2));
      bigger.set(this.values.subarray(0, first));
      this.values = bigger;
    }
    return first;
  }
}

/** Numbers of rows as they are; NaN for a row that has none. */
export class Growing64 {
  private values = new Float64Array(FIRST_ROWS);
  private size = 0;
  /** Whether any row has a number. */
  used = false;

  append(column: NumberRows | undefined, rows: number): void {
    const first = this.size;
    this.size += rows;
    if (this.size > this.values.length) {
      const bigger = new Float64Array(Math.max(this.size, this.values.length * 2));
      bigger.set(this.values.subarray(0, first));
      this.values = bigger;
    }
    if (column === undefined) {
      this.values.fill(NaN, first, this.size);
      return;
    }
    const { values, present } = column;
    let used = 0;
    for (let i = 0; i < rows; i++) {
      const there = present[i]!;
      this.values[first + i] = there === 0 ? NaN : values[i]!;
      used |= there;
    }
    if (used !== 0) this.used = true;
  }

  /** @param order as `IndexBuilder.finish` has it. */
  inOrder(order: Uint32Array | undefined): Float64Array {
    if (order === undefined) return this.values.subarray(0, this.size);
    const out = new Float64Array(this.size);
    for (let row = 0; row < out.length; row++) out[row] = this.values[order[row]!]!;
    return out;
  }
}
