/**
 * Numbers of fixed size as DuckDB stores them: as they are, in runs, or packed into bits in groups of 2,048.
 * https://github.com/duckdb/duckdb, src/storage/compression: fixed_size_uncompressed, rle, bitpacking.
 *
 * Positions are places in a piece, ascending.
 */
import { checkWidth, packedSum, readPacked } from './bit-packing.ts';
import { type Pages, Unreadable } from './pages.ts';
import type { Piece } from './segment-map.ts';

/** A value as a statement gives it. */
export type Value = number | string | null;

export interface NumberType {
  readonly size: number;
  /** Reads one; its bytes are asked for. */
  readonly at: (pages: Pages, at: number) => Value;
  /** Of whole numbers: the number of the type that has the lowest bits of `value`. */
  readonly wrap?: (value: number) => number;
}

const U64: NumberType = {
  size: 8,
  at: (pages, at) => pages.u64(at),
  wrap: (value) => {
    if (value < 0) throw new Unreadable('a number below 0');
    return value;
  },
};

const I64: NumberType = { size: 8, at: (pages, at) => pages.i64(at), wrap: (value) => value };

const TYPES: Readonly<Record<string, NumberType>> = {
  UTINYINT: { size: 1, at: (pages, at) => pages.u8(at), wrap: (value) => value & 0xff },
  USMALLINT: { size: 2, at: (pages, at) => pages.u16(at), wrap: (value) => value & 0xffff },
  UINTEGER: { size: 4, at: (pages, at) => pages.u32(at), wrap: (value) => value >>> 0 },
  INTEGER: { size: 4, at: (pages, at) => pages.u32(at) | 0, wrap: (value) => value | 0 },
  BIGINT: I64,
  TIMESTAMP: I64,
  DOUBLE: {
    size: 8,
    at: (pages, at) => {
      pages.need(at, at + 8);
      return pages.view.getFloat64(at, true);
    },
  },
  UUID: {
    size: 16,
    at: (pages, at) => {
      pages.need(at, at + 16);
      const { view } = pages;
      // The highest bit is turned round, so that the order is that of the text.
      const high = view.getBigUint64(at + 8, true) ^ (1n << 63n);
      const text =
        high.toString(16).padStart(16, '0') +
        view.getBigUint64(at, true).toString(16).padStart(16, '0');
      return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  },
};

/** How numbers of an SQL type are stored; of a list, that of the ends of its rows. Undefined: it has none. */
export function numberType(type: string): NumberType | undefined {
  if (type.endsWith('[]')) return U64;
  return Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
}

/** Values at `positions` into `out` from `at` on. */
export function readNumbers(
  pages: Pages,
  piece: Piece,
  type: NumberType,
  positions: readonly number[],
  out: Value[],
  at: number,
): void {
  const [count, encoding, , , value] = piece;
  if (encoding === 'Constant') {
    if (value === undefined) throw new Unreadable('constant');
    out.fill(value, at, at + positions.length);
    return;
  }
  pages.open(piece);
  switch (encoding) {
    case 'Uncompressed':
      positions.forEach((position, i) => (out[at + i] = type.at(pages, position * type.size)));
      return;
    case 'RLE':
      readRuns(pages, type, positions, out, at);
      return;
    case 'BitPacking':
      readGroups(pages, count, type, positions, out, at);
      return;
    default:
      throw new Unreadable(encoding);
  }
}

/** A u64 that says where the lengths of runs are, 16 bits each; the values before them. */
function readRuns(
  pages: Pages,
  type: NumberType,
  positions: readonly number[],
  out: Value[],
  at: number,
): void {
  const counts = pages.u64(0);
  let run = 0;
  let end = pages.u16(counts);
  positions.forEach((position, i) => {
    while (position >= end) {
      run += 1;
      end += pages.u16(counts + run * 2);
    }
    if (8 + (run + 1) * type.size > counts) throw new Unreadable('runs');
    out[at + i] = type.at(pages, 8 + run * type.size);
  });
}

const GROUP = 2048;
const Mode = { constant: 2, constantDelta: 3, deltaFor: 4, for: 5 } as const;

/** One group of packed numbers, read forwards. */
class Group {
  readonly number: number;
  private readonly pages: Pages;
  private readonly type: NumberType;
  private readonly wrap: (value: number) => number;
  private readonly mode: number;
  private readonly first: number;
  private readonly second: number = 0;
  private readonly packed: number = 0;
  private sum = 0;
  private summed = 0;

  constructor(pages: Pages, type: NumberType, number: number) {
    const { size, wrap } = type;
    if (wrap === undefined) throw new Unreadable('type');
    this.number = number;
    this.pages = pages;
    this.type = type;
    this.wrap = wrap;
    // What is known of the groups lies behind them, that of the first last.
    const known = pages.u32(pages.u64(0) - (number + 1) * 4);
    this.mode = known >>> 24;
    const at = known & 0xff_ffff;
    const isDelta = this.mode === Mode.constantDelta || this.mode === Mode.deltaFor;
    this.first = isDelta ? this.signed(at) : this.own(at);
    if (this.mode === Mode.constant) return;
    this.second = this.mode === Mode.constantDelta ? this.signed(at + size) : this.own(at + size);
    this.packed = at + 2 * size;
    if (this.mode === Mode.constantDelta) return;
    checkWidth(this.second);
    if (this.mode === Mode.for) return;
    if (this.mode !== Mode.deltaFor) throw new Unreadable('mode');
    this.sum = this.signed(at + 2 * size);
    this.packed += size;
  }

  private own(at: number): number {
    const value = this.type.at(this.pages, at);
    if (typeof value !== 'number') throw new Unreadable('type');
    return value;
  }

  private signed(at: number): number {
    const { size } = this.type;
    if (size === 8) return this.pages.i64(at);
    const shift = 32 - size * 8;
    return (this.own(at) << shift) >> shift;
  }

  /** @param position in the group; not before that of the call before */
  at(position: number): number {
    const { mode, first, second: width } = this;
    if (mode === Mode.constant) return first;
    if (mode === Mode.constantDelta) return this.exact(first + safe(width * position));
    const { pages, packed } = this;
    if (mode === Mode.for) return this.exact(first + readPacked(pages, packed, position, width));
    const { summed } = this;
    // What is added from here on is never below 0: where this sum and the last are exact, those between are.
    let sum = safe(this.sum + safe(first * (position + 1 - summed)));
    if (width > 0 && position >= summed) {
      const from = packed + Math.floor((summed * width) / 8);
      pages.need(from, packed + Math.ceil(((position + 1) * width) / 8));
      sum += packedSum(pages.view, packed, summed, position + 1, width);
    }
    this.sum = sum;
    this.summed = position + 1;
    return this.exact(sum);
  }

  private exact(value: number): number {
    return this.wrap(safe(value));
  }
}

/** @throws Unreadable where it may have been rounded */
function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Unreadable('a number beyond 2^53');
  return value;
}

function readGroups(
  pages: Pages,
  count: number,
  type: NumberType,
  positions: readonly number[],
  out: Value[],
  at: number,
): void {
  let group: Group | undefined;
  positions.forEach((position, i) => {
    if (position >= count) throw new Unreadable('position');
    const number = position >>> 11;
    if (group?.number !== number) group = new Group(pages, type, number);
    out[at + i] = group.at(position % GROUP);
  });
}
