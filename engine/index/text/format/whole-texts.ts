/**
 * Columns whose values are whole shapes, each stored once: the rows of a value are the rows of its shape, so that
 * nothing else need record where `host` is `web01`.
 */
import { RowSet } from '../../../util/row-set.ts';
import type { ClosedShapes } from '../write/closed-shapes.ts';
import { KEPT_SHARE } from '../text-cache.ts';

/** Names of the columns that have this property. */
export function wholeColumns({ columns, shapeAt, runs }: ClosedShapes): ReadonlySet<string> {
  return new Set(
    columns
      .filter(({ from, to, free }) => {
        if (free) return false;
        for (let shape = from; shape < to; shape++)
          if (runs(shapeAt[shape]!).length !== 1) return false;
        return true;
      })
      .map(({ name }) => name),
  );
}

/** Number of rows with each text; texts ascend by their bytes. */
export interface TextCounts {
  readonly texts: readonly string[];
  readonly counts: Uint32Array;
}

/** For each row the index of its value among all, from 1; 0 without a value. */
export type RowPlaces = Uint8Array | Uint16Array | Uint32Array;

export function emptyPlaces(rows: number, values: number): RowPlaces {
  if (values < 1 << 8) return new Uint8Array(rows);
  return values < 1 << 16 ? new Uint16Array(rows) : new Uint32Array(rows);
}

/**
 * How many of some rows have the value of each index.
 * @param rows in the form of `RowSet.toWords`
 * @param values number of distinct values
 */
export function countPlaces(values: number, places: RowPlaces, rows: Uint32Array): Uint32Array {
  const counts = new Uint32Array(values + 1);
  if (values === 0) return counts.subarray(1);
  for (let word = 0; word < rows.length; word++) {
    for (let bits = rows[word]!; bits !== 0; bits &= bits - 1)
      counts[places[word * 32 + 31 - Math.clz32(bits & -bits)]!]! += 1;
  }
  return counts.subarray(1);
}

/** Read access to shapes. */
interface ShapeRows {
  /** Number of rows that have it, known without reading them. */
  count(shape: number): number;
  rows(shape: number): RowSet;
  /** Writes `place` to `out` for each of its rows, without caching them. */
  putPlaces(shape: number, out: RowPlaces, place: number): void;
}

/** The texts of one such column with their shapes. */
export class WholeTexts {
  /** Ascending by their bytes. */
  readonly texts: readonly string[];
  /** Rows of the segment. */
  private readonly total: number;
  private readonly shapes: readonly number[];
  private readonly read: ShapeRows;

  /** @param total rows of the segment */
  constructor(
    total: number,
    found: readonly { readonly text: string; readonly shape: number }[],
    read: ShapeRows,
  ) {
    const sorted = found
      .map(({ text, shape }) => ({ text, shape, bytes: Buffer.from(text) }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    this.total = total;
    this.texts = sorted.map(({ text }) => text);
    this.shapes = sorted.map(({ shape }) => shape);
    this.read = read;
  }

  /** Bytes of memory that it takes, about. */
  get size(): number {
    return this.texts.reduce((sum, { length }) => sum + 2 * length + 48, 0);
  }

  /** Rows whose text satisfies `test`, which is called once for each text. */
  rowsOf(test: (text: string) => boolean): RowSet {
    const { read, total } = this;
    const wanted = this.shapes.filter((_, i) => test(this.texts[i]!));
    const [only] = wanted;
    if (only === undefined) return RowSet.none(total);
    if (wanted.length === 1) return read.rows(only);
    const count = wanted.reduce((sum, shape) => sum + read.count(shape), 0);
    if (count === total) return RowSet.all(total);
    const words = RowSet.none(total).toWords();
    for (const shape of wanted) read.rows(shape).orInto(words);
    return RowSet.ofWords(words, total);
  }

  /** Number of row numbers that must be read to know the text of each, without cached sets. */
  listed(): number {
    let listed = 0;
    for (const shape of this.shapes) {
      const count = this.read.count(shape);
      if (count * KEPT_SHARE < this.total) listed += count;
    }
    return listed;
  }

  places(): RowPlaces {
    const out = emptyPlaces(this.total, this.texts.length);
    this.shapes.forEach((shape, i) => this.read.putPlaces(shape, out, i + 1));
    return out;
  }
}
