/**
 * Which rows have a value, as DuckDB stores it: a bit for each, or containers of 2,048 rows.
 * https://github.com/duckdb/duckdb, src/storage/compression: validity_uncompressed, roaring.
 */
import { packedBytes, readPacked } from './bit-packing.ts';
import { type Pages, Unreadable } from './pages.ts';
import type { Piece } from './segment-map.ts';

/** Whether there is a value at each of `positions`, into `out` from `at` on. */
export function readValidity(
  pages: Pages,
  piece: Piece,
  positions: readonly number[],
  out: Uint8Array,
  at: number,
): void {
  const [count, encoding, , , value] = piece;
  switch (encoding) {
    // The values themselves say where there is none.
    case 'Empty Validity':
      out.fill(1, at, at + positions.length);
      return;
    case 'Constant':
      if (value === undefined) throw new Unreadable('constant');
      out.fill(value, at, at + positions.length);
      return;
    case 'Uncompressed':
      pages.open(piece);
      positions.forEach((position, i) => (out[at + i] = bit(pages, 0, position)));
      return;
    case 'Roaring': {
      pages.open(piece);
      const containers = new Containers(pages, count);
      positions.forEach((position, i) => (out[at + i] = containers.has(position) ? 1 : 0));
      return;
    }
    default:
      throw new Unreadable(encoding);
  }
}

function bit(pages: Pages, start: number, position: number): number {
  return (pages.u8(start + (position >>> 3)) >>> (position & 7)) & 1;
}

const CONTAINER = 2048;
const IS_RUNS = 2;
/** The rows that are named have no value, not those that are not. */
const IS_INVERTED = 1;
const BITS = 249;
/** From so many on they are bytes, and how many there are of each 256 rows stands before them. */
const SHORT_RUNS = 4;
const SHORT_LIST = 8;
const PARTS = 8;
/** Before the containers: where what is known of them is. */
const HEAD = 8;

interface Container {
  readonly type: number;
  readonly amount: number;
  readonly start: number;
}

class Containers {
  private readonly pages: Pages;
  private readonly containers: readonly Container[];
  private known: { number: number; rows: ReadonlySet<number> } | undefined;

  constructor(pages: Pages, rows: number) {
    this.pages = pages;
    const count = Math.ceil(rows / CONTAINER);
    let at = HEAD + pages.u64(0);
    const types = Array.from({ length: count }, (_, i) => readPacked(pages, at, i, 2));
    at += packedBytes(count, 2);
    const lists = types.filter((type) => (type & IS_RUNS) === 0).length;
    const runs = Array.from({ length: count - lists }, (_, i) => readPacked(pages, at, i, 7));
    at += packedBytes(count - lists, 7);
    let start = HEAD;
    let run = 0;
    let list = 0;
    this.containers = types.map((type) => {
      const isRuns = (type & IS_RUNS) !== 0;
      const amount = isRuns ? runs[run++]! : pages.u8(at + list++);
      const isBits = !isRuns && amount === BITS;
      const isShort = amount < (isRuns ? SHORT_RUNS : SHORT_LIST);
      const unit = isBits ? 8 : !isShort ? 1 : isRuns ? 4 : 2;
      start = Math.ceil(start / unit) * unit;
      const own = { type, amount, start };
      if (isBits) start += CONTAINER / 8;
      else if (isRuns) start += isShort ? amount * 4 : PARTS + amount * 2;
      else start += isShort ? amount * 2 : PARTS + amount;
      return own;
    });
  }

  has(position: number): boolean {
    const number = Math.floor(position / CONTAINER);
    const container = this.containers[number];
    if (container === undefined) throw new Unreadable('position');
    const { type, amount, start } = container;
    const row = position % CONTAINER;
    const isRuns = (type & IS_RUNS) !== 0;
    if (!isRuns && amount === BITS) return bit(this.pages, start, row) === 1;
    if (this.known?.number !== number)
      this.known = { number, rows: isRuns ? this.runs(container) : this.list(container) };
    return this.known.rows.has(row) !== (isRuns || (type & IS_INVERTED) !== 0);
  }

  private list({ amount, start }: Container): ReadonlySet<number> {
    if (amount >= SHORT_LIST) return new Set(this.bytes(start, amount));
    return new Set(Array.from({ length: amount }, (_, i) => this.pages.u16(start + i * 2)));
  }

  private runs({ amount, start }: Container): ReadonlySet<number> {
    const out = new Set<number>();
    const add = (from: number, to: number): void => {
      for (let row = from; row < Math.min(to, CONTAINER); row++) out.add(row);
    };
    if (amount >= SHORT_RUNS) {
      const ends = this.bytes(start, amount * 2);
      for (let i = 0; i < ends.length; i += 2) add(ends[i]!, ends[i + 1]!);
    } else
      for (let i = 0; i < amount; i++) {
        const from = this.pages.u16(start + i * 4);
        add(from, from + 1 + this.pages.u16(start + i * 4 + 2));
      }
    return out;
  }

  /** Rows as bytes, 256 rows after 256. */
  private bytes(start: number, amount: number): number[] {
    const { pages } = this;
    const out: number[] = [];
    let part = 0;
    let left = pages.u8(start);
    for (let i = 0; i < amount; i++) {
      // The end of the last run may lie behind the last part.
      while (part < PARTS && left === 0) {
        part += 1;
        left = part < PARTS ? pages.u8(start + part) : 0;
      }
      out.push(part * 256 + pages.u8(start + PARTS + i));
      left -= 1;
    }
    return out;
  }
}
