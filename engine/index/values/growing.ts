/** Columns of numbers that grow as rows come. Nothing is allocated before a row has a number. */
import type { NumberRows } from '../rows.ts';
import { giveBack, take32, take64 } from '../spare.ts';

const NONE = new ArrayBuffer(0);

/** Codes of rows; 0 for a row that has none. */
export class Growing32 {
  values: Uint32Array<ArrayBuffer> = new Uint32Array(NONE);
  length = 0;
  /** Rows whose codes are in `values`; those behind have none. */
  private set = 0;

  /** `rows` more that have no code. */
  skip(rows: number): void {
    this.length += rows;
  }

  /** Room for `rows` more, which are 0 until set. Returns the number of the first of them. */
  extend(rows: number): number {
    const first = this.length;
    this.length += rows;
    if (this.length > this.values.length) {
      const bigger = take32(this.length);
      bigger.set(this.values.subarray(0, this.set));
      giveBack(this.values.buffer);
      this.values = bigger;
    }
    this.values.fill(0, this.set, this.length);
    this.set = this.length;
    return first;
  }

  /** The code of every row. */
  codes(): Uint32Array {
    if (this.set < this.length) this.extend(0);
    return this.values.subarray(0, this.length);
  }

  /** No code is asked for any more. */
  release(): void {
    giveBack(this.values.buffer);
    this.values = new Uint32Array(NONE);
    this.length = 0;
    this.set = 0;
  }
}

/** Numbers of rows as they are; NaN for a row that has none. */
export class Growing64 {
  private values: Float64Array<ArrayBuffer> = new Float64Array(NONE);
  private size = 0;
  /** Rows whose numbers are in `values`; those behind have none. */
  private set = 0;
  /** Whether any row has a number. */
  used = false;

  append(column: NumberRows | undefined, rows: number): void {
    const first = this.size;
    this.size += rows;
    if (column === undefined) return;
    this.room();
    this.values.fill(NaN, this.set, first);
    const own = this.values;
    const { values, present } = column;
    let used = 0;
    for (let i = 0; i < rows; i++) {
      const there = present[i]!;
      own[first + i] = there === 0 ? NaN : values[i]!;
      used |= there;
    }
    this.set = this.size;
    if (used !== 0) this.used = true;
  }

  /** @param order as `IndexBuilder.finish` has it. Good until `release`. */
  inOrder(order: Uint32Array | undefined): Float64Array {
    if (this.set < this.size) {
      this.room();
      this.values.fill(NaN, this.set, this.size);
      this.set = this.size;
    }
    const values = this.values.subarray(0, this.size);
    if (order === undefined) return values;
    const out = new Float64Array(this.size);
    for (let row = 0; row < out.length; row++) out[row] = values[order[row]!]!;
    return out;
  }

  /** No number is asked for any more. */
  release(): void {
    giveBack(this.values.buffer);
    this.values = new Float64Array(NONE);
    this.size = 0;
    this.set = 0;
  }

  private room(): void {
    if (this.size <= this.values.length) return;
    const bigger = take64(this.size);
    bigger.set(this.values.subarray(0, this.set));
    giveBack(this.values.buffer);
    this.values = bigger;
  }
}
