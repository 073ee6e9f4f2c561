/**
 * Storage of the numbers of cut messages: all numbers of a row in one list of bytes, first those of 8 bits, then of
 * 16, then of 32, each in order and lowest byte first. With a list for each width DuckDB would decode as many
 * columns of offsets, even for rows that it skips.
 */
import { type Expression, call, cast, element, number } from '../expression.ts';
import { type NumberLists, type VariableWidth, Width } from './cut-rows.ts';

/** Widths of numbers, by `Width`. */
const BYTES = [1, 2, 4] as const;

/** The bytes of the rows of one row group. The arrays are kept from one row group to the next. */
export class NumberBytes {
  /** The bytes of all rows, concatenated. */
  values = new Uint8Array(1 << 13);
  used = 0;
  /** Number of bytes of each row. */
  counts = new Uint16Array(1 << 10);

  fill(numbers: readonly NumberLists[], rows: number): void {
    if (this.counts.length < rows) this.counts = new Uint16Array(rows * 2);
    const most = numbers.reduce((sum, { used }, width) => sum + used * BYTES[width]!, 0);
    if (this.values.length < most) this.values = new Uint8Array(most * 2);
    const [first, second, third] = numbers;
    if (first === undefined || second === undefined || third === undefined) return;
    const { values, counts } = this;
    let to = 0;
    let [at8, at16, at32] = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      const start = to;
      for (let left = first.counts[row]!; left > 0; left--) values[to++] = first.values[at8++]!;
      for (let left = second.counts[row]!; left > 0; left--) {
        const value = second.values[at16++]!;
        values[to++] = value;
        values[to++] = value >>> 8;
      }
      for (let left = third.counts[row]!; left > 0; left--) {
        const value = third.values[at32++]!;
        values[to++] = value;
        values[to++] = value >>> 8;
        values[to++] = value >>> 16;
        values[to++] = value >>> 24;
      }
      counts[row] = to - start;
    }
    this.used = to;
  }
}

/** Where the first number of each width begins in the bytes of a message with these variables, from 0. */
export function numberStarts(widths: readonly VariableWidth[]): [number, number, number] {
  const count = (width: VariableWidth) => widths.filter((one) => one === width).length;
  const wide = count(Width.u8);
  return [0, wide, wide + BYTES[Width.u16] * count(Width.u16)];
}

/** @returns undefined if a byte is missing */
export function numberAt(
  bytes: readonly unknown[],
  at: number,
  width: 0 | 1 | 2,
): number | undefined {
  let value = 0;
  for (let i = BYTES[width] - 1; i >= 0; i--) {
    const byte = bytes[at + i];
    if (typeof byte !== 'number') return undefined;
    value = value * 256 + byte;
  }
  return value;
}

/** The number whose bytes begin at `at`, from 0, in a list of bytes. */
export function numberOf(bytes: Expression, at: number, width: 0 | 1 | 2): Expression {
  const byte = (i: number) => element(bytes, at + i + 1);
  let sum = byte(0);
  for (let i = 1; i < BYTES[width]; i++)
    sum = call('+', sum, call('*', cast(number(256 ** i), 'UINTEGER'), byte(i)));
  return sum;
}

/** Size of a number of a width in bytes. */
export function bytesIn(width: 0 | 1 | 2): number {
  return BYTES[width];
}

/** SQL of the bytes of numbers that are in lists by width, as in older segments. */
export function bytesOfLists(of8: string, of16: string, of32: string): string {
  const low = '(x & 255)';
  return `CAST(${of8} || flatten([[${low}, x >> 8] for x in ${of16}]) || flatten([[${low}, (x >> 8) & 255, (x >> 16) & 255, x >> 24] for x in ${of32}]) AS UTINYINT[])`;
}
