/** The sort keys of rows in a segment: time, nanoseconds, source, record; undated rows last. */
import type { IndexRows, NumberRows } from '../../index/rows.ts';
import { Growing64 } from '../../index/values/growing.ts';
import { sortedNumbers } from '../../index/values/radix.ts';

const TWO_32 = 4_294_967_296;

export class RowKeys {
  length = 0;
  private readonly keys = {
    ts_ns: new Growing64(),
    source_id: new Growing64(),
    seq: new Growing64(),
  };

  add({ length, numbers }: IndexRows): void {
    this.length += length;
    this.keys.ts_ns.append(someOf(numbers.get('ts_ns'), length), length);
    this.keys.source_id.append(numbers.get('source_id'), length);
    this.keys.seq.append(numbers.get('seq'), length);
  }

  /**
   * Row i of the segment is the row that arrived as number `order()[i]`.
   * @param times of the rows, from which indexes are built as well
   */
  order(times: Growing64): Uint32Array {
    const { ts_ns: nanos, source_id: source, seq } = this.keys;
    const words = [
      ...wordsOf(times, Infinity),
      ...wordsOf(nanos, 0),
      ...wordsOf(source, 0),
      ...wordsOf(seq, 0),
    ];
    return sortedNumbers(words, this.length);
  }
}

/** Undefined if no row has a number. */
function someOf(column: NumberRows | undefined, rows: number): NumberRows | undefined {
  const first = column?.present?.indexOf(1) ?? 0;
  return first >= 0 && first < rows ? column : undefined;
}

/**
 * 32-bit words in the same order, most significant first.
 * @param absent key of a row without a number: a number, or Infinity
 */
function wordsOf(column: Growing64, absent: number): Uint32Array[] {
  if (!column.used) return [];
  const values = column.inOrder(undefined);
  let least = Infinity;
  let most = -Infinity;
  let whole = true;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (Number.isNaN(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
    whole &&= Number.isSafeInteger(value);
  }
  if (absent === 0) {
    least = Math.min(0, least);
    most = Math.max(0, most);
  }
  if (!whole || most - least >= Number.MAX_SAFE_INTEGER) return ranksOf(values, absent);
  const last = most - least + 1;
  const high = new Uint32Array(last < TWO_32 ? 0 : values.length);
  const low = new Uint32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    let place = value - least;
    if (Number.isNaN(value)) place = absent === 0 ? -least : last;
    low[row] = place;
    if (high.length > 0) high[row] = place / TWO_32;
  }
  return high.length > 0 ? [high, low] : [low];
}

/** The same for numbers that are not whole, which no importer writes. */
function ranksOf(values: Float64Array, absent: number): Uint32Array[] {
  const filled = values.map((value) => (Number.isNaN(value) ? absent : value));
  const sorted = filled.slice().sort();
  const ranks = new Map<number, number>();
  for (const value of sorted) if (!ranks.has(value)) ranks.set(value, ranks.size);
  return [Uint32Array.from(filled, (value) => ranks.get(value)!)];
}
