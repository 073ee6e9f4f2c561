/**
 * The shapes of a segment while its index is built. A shape is a column and a text in which some
 * tokens are left open (CLP's log types: https://www.usenix.org/system/files/osdi21-rodrigues.pdf):
 * literal bytes, an open token, literal bytes, … A whole value is a shape without open tokens.
 *
 * Their number is bounded: a text that would need one more is free, of its column's free shape, in
 * which every token is open and nothing else is known. Shape numbers come in order of appearance.
 */
import { hashWord, scramble } from '../../../util/hash-table/hash.ts';
import { HashIndex, MOST_ALIKE } from '../../../util/hash-table/hash-index.ts';
import { MESSAGE } from '../format/items.ts';

/** Shapes and bytes of their literals in all, shapes of the message, and of any other column. */
const MOST_SHAPES = 16_384;
const MOST_BYTES = 4 << 20;
const MOST_OF_MESSAGE = 8192;
const MOST_OF_OTHERS = 1024;
/**
 * Further shapes with open tokens that any other column may have, and all of them together, where values as a whole
 * leave room: times and numbers are all different, but of one shape.
 */
const MORE_OPEN = 64;
const ALL_MORE_OPEN = 1024;
/** A column may have this many shapes, and one more for every `ROWS_A_SHAPE` rows. */
const ALWAYS_ALLOWED = 1024;
const ROWS_A_SHAPE = 32;
/** Literal bytes of one shape. */
const MAX_SHAPE_BYTES = 2048;
/** No shape: the text is free. */
export const NO_SHAPE = -1;

/** The open tokens of the text at hand. */
interface OpenTokens {
  count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}
export const NOTHING_OPEN: OpenTokens = {
  count: 0,
  starts: new Int32Array(0),
  ends: new Int32Array(0),
};

export class ShapeTable {
  /** Of each shape: its column, open tokens, literal bytes and where they start in `bytes`. */
  columns: Uint16Array = new Uint16Array(MOST_SHAPES);
  opens: Uint16Array = new Uint16Array(MOST_SHAPES);
  starts: Uint32Array = new Uint32Array(MOST_SHAPES + 1);
  /** Where its runs start in `runs`: one more than open tokens, the lengths of the literals. */
  runStarts: Uint32Array = new Uint32Array(MOST_SHAPES + 1);
  bytes: Uint8Array = new Uint8Array(1 << 14);
  runs: Uint32Array = new Uint32Array(1 << 10);
  /** By place in `runs` that an open token follows: the token of all rows so far, plus 1; -1 of several. */
  tokens: Int32Array = new Int32Array(1 << 10);
  /** Rows that have each. */
  rows: Uint32Array = new Uint32Array(MOST_SHAPES);
  count = 0;
  /** Shapes that a column may have by now: free texts shall not make one each. */
  private allowed = ALWAYS_ALLOWED;
  /** Of all columns but the message together. */
  private others = MOST_SHAPES;
  private readonly index = new HashIndex(ALWAYS_ALLOWED);
  private readonly perColumn: number[] = [];
  private readonly free: (number | undefined)[] = [];

  /**
   * Tells how many rows there are, so that shapes stay few against them, and whether some of them have messages,
   * whose shapes are not to be without room because other columns come first.
   */
  expect(rows: number, messages: boolean): void {
    this.allowed = ALWAYS_ALLOWED + Math.floor(rows / ROWS_A_SHAPE);
    this.others = MOST_SHAPES - (messages ? MOST_OF_MESSAGE : 0);
  }

  /** The free shape of a column. */
  freeOf(column: number): number {
    const known = this.free[column];
    if (known !== undefined) return known;
    // Always found room for: columns are fewer than what is kept in reserve.
    const shape = this.add(column, new Uint8Array(0), 0, 0, NOTHING_OPEN);
    this.free[column] = shape;
    return shape;
  }
  isFree(shape: number): boolean {
    return this.free[this.columns[shape]!] === shape;
  }

  /** The shape of a text, known or new; NO_SHAPE when there is no room for a new one. */
  find(
    column: number,
    data: Uint8Array,
    start: number,
    end: number,
    open: OpenTokens,
    hash: number,
  ): number {
    const { index } = this;
    const spread = hashWord(scramble(hash), column);
    let collisions = 0;
    for (let shape = index.first(spread); shape >= 0; shape = index.next(spread)) {
      if (this.columns[shape] === column && this.same(shape, data, start, end, open)) return shape;
      if (++collisions === MOST_ALIKE) return NO_SHAPE;
    }
    if (!this.hasRoom(column, end - start, open)) return NO_SHAPE;
    index.put(this.count, spread);
    this.perColumn[column] = (this.perColumn[column] ?? 0) + 1;
    return this.add(column, data, start, end, open);
  }

  /** For a shape of a text of `length` bytes. */
  private hasRoom(column: number, length: number, open: OpenTokens): boolean {
    return (
      (this.perColumn[column] ?? 0) < this.mostOf(column, open) &&
      this.count + this.reserve(column, open) < MOST_SHAPES &&
      (column === MESSAGE || this.count - (this.perColumn[MESSAGE] ?? 0) < this.others) &&
      this.starts[this.count]! + length <= MOST_BYTES &&
      length - openBytes(open) <= MAX_SHAPE_BYTES
    );
  }

  private mostOf(column: number, open: OpenTokens): number {
    if (column === MESSAGE) return Math.min(MOST_OF_MESSAGE, this.allowed);
    return Math.min(MOST_OF_OTHERS, this.allowed) + (open.count > 0 ? MORE_OPEN : 0);
  }

  /** Shapes that must stay for free texts of columns that have none yet, and for those with open tokens. */
  private reserve(column: number, open: OpenTokens): number {
    const others = column === MESSAGE || open.count > 0 ? 0 : ALL_MORE_OPEN;
    return Math.max(512, column + 2) + others;
  }

  /** Whether a text with these open tokens has this shape. */
  same(shape: number, data: Uint8Array, start: number, end: number, open: OpenTokens): boolean {
    if (this.opens[shape] !== open.count) return false;
    const { bytes, runs } = this;
    let run = this.runStarts[shape]!;
    let from = start;
    let at = this.starts[shape]!;
    for (let i = 0; i <= open.count; i++) {
      const to = i === open.count ? end : open.starts[i]!;
      if (runs[run++] !== to - from) return false;
      while (from < to) if (bytes[at++] !== data[from++]) return false;
      from = open.ends[i]!;
    }
    return true;
  }

  private add(
    column: number,
    data: Uint8Array,
    start: number,
    end: number,
    open: OpenTokens,
  ): number {
    const shape = this.count;
    let at = this.starts[shape]!;
    while (at + end - start > this.bytes.length) {
      const bigger = new Uint8Array(this.bytes.length * 2);
      bigger.set(this.bytes);
      this.bytes = bigger;
    }
    let run = this.runStarts[shape]!;
    while (run + open.count + 1 > this.runs.length) {
      const bigger = new Uint32Array(this.runs.length * 2);
      bigger.set(this.runs);
      this.runs = bigger;
      const tokens = new Int32Array(bigger.length);
      tokens.set(this.tokens);
      this.tokens = tokens;
    }
    let from = start;
    for (let i = 0; i <= open.count; i++) {
      const to = i === open.count ? end : open.starts[i]!;
      this.runs[run++] = to - from;
      this.bytes.set(data.subarray(from, to), at);
      at += to - from;
      from = open.ends[i] ?? end;
    }
    this.columns[shape] = column;
    this.opens[shape] = open.count;
    this.starts[shape + 1] = at;
    this.runStarts[shape + 1] = run;
    this.count = shape + 1;
    return shape;
  }
}

function openBytes(open: OpenTokens): number {
  let n = 0;
  for (let i = 0; i < open.count; i++) n += open.ends[i]! - open.starts[i]!;
  return n;
}
