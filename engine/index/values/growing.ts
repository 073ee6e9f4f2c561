/** Number columns that grow as rows arrive. Nothing is allocated before a row has a number. */
import type { NumberRows } from '../rows.ts';

/** Codes of rows; 0 for a row that has none. */
export class Growing32 {
  values = new Uint32Array(0);
  length = 0;
  /** Number of rows whose codes are in `values`; later rows have none. */
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
      const bigger = new Uint32Array(Math.max(this.length, this.values.length * 2));
      bigger.set(this.values.subarray(0, this.set));
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
}

/**
 * Numbers of rows; NaN for a row without one. As long as all rows have the same number, or each one more than the
 * previous row, no array is allocated.
 */
export class Growing64 {
  private values = new Float64Array(0);
  private size = 0;
  /** Number of rows whose numbers are in `values`; later rows have none. */
  private set = 0;
  private line: Line | undefined = { first: 0, step: 0 };
  /** Whether any row has a number. */
  used = false;

  append(column: NumberRows | undefined, rows: number): void {
    if (rows === 0) return;
    const first = this.size;
    if (this.line !== undefined) {
      const line = first === 0 ? lineOf(column, rows) : this.line;
      if (column !== undefined && line !== undefined && goesOn(line, column, first, rows)) {
        this.line = line;
        this.size += rows;
        this.used = true;
        return;
      }
      this.unfold();
    }
    this.size += rows;
    if (column === undefined) return;
    this.room();
    this.values.fill(NaN, this.set, first);
    const { values, present } = column;
    if (present === undefined) {
      this.values.set(values.subarray(0, rows), first);
      this.used = true;
    } else if (putNumbers(values, present, this.values, first, rows)) this.used = true;
    this.set = this.size;
  }

  /** The number that all rows have; undefined if they differ, or if that is unknown. */
  get same(): number | undefined {
    return this.used && this.line?.step === 0 ? this.line.first : undefined;
  }

  /** @param order as in `IndexBuilder.finish` */
  inOrder(order: Uint32Array | undefined): Float64Array {
    this.unfold();
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

  /** Allocates the array with the numbers of all rows. */
  private unfold(): void {
    const { line } = this;
    this.line = undefined;
    if (line === undefined || this.size === 0) return;
    this.room();
    putLine(line, this.values, this.size);
    this.set = this.size;
  }

  private room(): void {
    if (this.size <= this.values.length) return;
    const bigger = new Float64Array(Math.max(this.size, this.values.length * 2));
    bigger.set(this.values.subarray(0, this.set));
    this.values = bigger;
  }
}

/** Numbers of rows, each `step` more than the one before. */
interface Line {
  readonly first: number;
  readonly step: 0 | 1;
}

/** The start and step of the rows; undefined if they are not equally spaced. */
function lineOf(column: NumberRows | undefined, rows: number): Line | undefined {
  if (column === undefined || rows < 2) return undefined;
  const first = column.values[0]!;
  const step = column.values[1]! - first;
  return step === 0 || step === 1 ? { first, step } : undefined;
}

// Hot loops (CONTRIBUTING.md).

function goesOn(
  { first, step }: Line,
  { values, present }: NumberRows,
  before: number,
  rows: number,
): boolean {
  if (present !== undefined && present.subarray(0, rows).includes(0)) return false;
  // Steps from larger numbers are not exact.
  if (step === 1 && !(Number.isSafeInteger(first) && Number.isSafeInteger(first + before + rows)))
    return false;
  let next = first + step * before;
  for (let i = 0; i < rows; i++, next += step) if (values[i] !== next) return false;
  return true;
}

function putLine({ first, step }: Line, out: Float64Array, rows: number): void {
  for (let row = 0, value = first; row < rows; row++, value += step) out[row] = value;
}

/** Returns whether any row has one. */
function putNumbers(
  values: NumberRows['values'],
  present: Uint8Array,
  out: Float64Array,
  first: number,
  rows: number,
): boolean {
  let used = 0;
  for (let i = 0; i < rows; i++) {
    const there = present[i]!;
    out[first + i] = there === 0 ? NaN : values[i]!;
    used |= there;
  }
  return used !== 0;
}
