/** What is encoded is what the reader of segment files reads, in pieces that fit, with statistics that are true. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Scratch } from '../pages.ts';
import { type Piece, type SegmentMap, PageSums } from '../segment-map.ts';
import { type FileValue, SegmentReader } from '../segment-reader.ts';
import { type WholeType, encodeNumbers, shiftNumbers } from './numbers.ts';
import type { EncodedPiece } from './pieces.ts';
import { emptyValidity, encodeValidity } from './validity.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-encode-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const BLOCK = 65_536;
const MOST = BLOCK - 8;
const HEADERS = 3 * 4096;

/** All rows of a column whose pieces lie in a block each. */
function read(
  type: string,
  data: readonly EncodedPiece[],
  valid: readonly EncodedPiece[],
): FileValue[] {
  const pieces = [...data, ...valid];
  const file = new Uint8Array(HEADERS + pieces.length * BLOCK).fill(0xaa);
  const places = pieces.map(({ rows, encoding, bytes, stats }, i): Piece => {
    expect(bytes.length).toBeLessThanOrEqual(MOST);
    file.set(bytes, HEADERS + i * BLOCK + 8);
    const place = [rows, encoding, i, 0] as const;
    if (encoding !== 'Constant') return place;
    if (stats.kind === 'validity') return [...place, stats.hasNull ? 0 : 1];
    return stats.kind === 'number' ? [...place, stats.min] : place;
  });
  const path = join(folder, 'column');
  writeFileSync(path, file);
  const sums = new PageSums();
  sums.add(file);
  const rows = data.reduce((sum, piece) => sum + piece.rows, 0);
  const map: SegmentMap = {
    ...{ block: BLOCK, groups: [rows], constants: {}, sums: sums.sums },
    columns: {
      v: [{ type, data: places.slice(0, data.length), valid: places.slice(data.length) }],
    },
  };
  const reader = new SegmentReader(path, map, new Scratch());
  try {
    return reader.values(
      'v',
      Array.from({ length: rows }, (_, i) => i),
    );
  } finally {
    reader.close();
  }
}

interface Shape {
  readonly rows: number;
  /** Which rows have a value. */
  readonly gaps: 'none' | 'few' | 'half' | 'most' | 'all' | 'runs' | 'long runs' | 'mixed';
  readonly values: 'same' | 'steps' | 'uneven' | 'falling' | 'runs' | 'few' | 'any' | 'extremes';
  readonly seed: number;
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  rows: fc.oneof(
    fc.constantFrom(1, 2, 31, 32, 33, 64, 2047, 2048, 2049, 4096, 6145),
    fc.integer({ min: 1, max: 9000 }),
  ),
  gaps: fc.constantFrom('none', 'few', 'half', 'most', 'all', 'runs', 'long runs', 'mixed'),
  values: fc.constantFrom('same', 'steps', 'uneven', 'falling', 'runs', 'few', 'any', 'extremes'),
  seed: fc.integer({ min: 1, max: 0x7fff_ffff }),
});

function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function presentOf({ rows, gaps, seed }: Shape): Uint8Array {
  const roll = dice(seed ^ 0x55);
  let kind = gaps;
  let length = 0;
  let own = 1;
  return Uint8Array.from({ length: rows }, (_, row) => {
    if (gaps === 'mixed' && row % 2048 === 0)
      kind = (['none', 'few', 'half', 'most', 'all', 'runs'] as const)[Math.floor(roll() * 6)]!;
    switch (kind) {
      case 'none':
        return 1;
      case 'all':
        return 0;
      case 'few':
        return roll() < 0.01 ? 0 : 1;
      case 'most':
        return roll() < 0.01 ? 1 : 0;
      case 'half':
        return roll() < 0.5 ? 1 : 0;
      default: {
        if (length === 0) {
          own ^= 1;
          length = Math.ceil(roll() * (kind === 'runs' ? 90 : 1500));
        }
        length -= 1;
        return own;
      }
    }
  });
}

const BOUNDS: Readonly<Record<WholeType, readonly [number, number]>> = {
  u8: [0, 255],
  u16: [0, 65_535],
  u32: [0, 4_294_967_295],
  i32: [-2_147_483_648, 2_147_483_647],
  i64: [-(2 ** 46), 2 ** 46],
};

function numbersOf({ rows, values, seed }: Shape, type: WholeType): number[] {
  const roll = dice(seed);
  const [low, high] = BOUNDS[type];
  const range = high - low;
  const any = (): number => low + Math.floor(roll() * (range + 1));
  const start = any();
  const within = (value: number): number =>
    ((((value - low) % (range + 1)) + (range + 1)) % (range + 1)) + low;
  const step = Math.ceil(roll() * Math.min(range / rows, 1e6));
  let last = start;
  return Array.from({ length: rows }, (_, row) => {
    switch (values) {
      case 'same':
        return start;
      case 'steps':
        return within(low + row * step);
      case 'uneven':
        return (last = within(last + Math.floor(roll() * step)));
      case 'falling':
        return (last = within(last - Math.floor(roll() * step * 2)));
      case 'runs':
        return roll() < 0.02 ? (last = any()) : last;
      case 'few':
        return within(start + Math.floor(roll() * 5));
      case 'extremes':
        return roll() < 0.5 ? low : high;
      case 'any':
        return any();
    }
  });
}

const TYPES = [
  ['u8', 'UTINYINT', Uint8Array],
  ['u16', 'USMALLINT', Uint16Array],
  ['u32', 'UINTEGER', Uint32Array],
  ['i32', 'INTEGER', Int32Array],
  ['i64', 'BIGINT', Float64Array],
] as const;

function expectTrue(pieces: readonly EncodedPiece[], values: readonly FileValue[]): void {
  let at = 0;
  for (const { rows, stats } of pieces) {
    if (stats.kind !== 'number') throw new Error('no statistics of numbers');
    const beyond = values
      .slice(at, at + rows)
      .filter((value) => typeof value === 'number' && !(value >= stats.min && value <= stats.max));
    expect(beyond).toEqual([]);
    at += rows;
  }
  expect(at).toBe(values.length);
}

describe.each(TYPES)('numbers of type %s', (type, sql, Values) => {
  it('are read as they were given', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const present = presentOf(shape);
        const numbers = numbersOf(shape, type);
        const data = encodeNumbers(type, Values.from(numbers), present, shape.rows, MOST);
        const valid = encodeValidity(present, shape.rows, MOST);
        const expected = numbers.map((value, row) => (present[row] === 1 ? value : null));
        expect(read(sql, data, valid)).toEqual(expected);
        expectTrue(data, expected);
        // What rows without a value hold says nothing.
        const other = numbers.map((value, row) => (present[row] === 1 ? value : 77));
        const again = encodeNumbers(type, Values.from(other), present, shape.rows, MOST);
        expect(again).toEqual(data);
      }),
      { numRuns: 60 },
    );
  });

  it('fill several pieces', () => {
    for (const values of ['uneven', 'any', 'runs'] as const) {
      const shape: Shape = { rows: 50_000, gaps: 'none', values, seed: 9 };
      const numbers = numbersOf(shape, type);
      for (const most of [MOST, 5000]) {
        const data = encodeNumbers(type, Values.from(numbers), undefined, shape.rows, most);
        for (const { bytes } of data) expect(bytes.length).toBeLessThanOrEqual(most);
        expect(read(sql, data, encodeValidity(undefined, shape.rows, most))).toEqual(numbers);
      }
    }
  });
});

it('numbers that no importer gives become what 64 bits have of them', () => {
  const given = [1.5, -1.5, NaN, Infinity, 2 ** 63, 2 ** 62, -(2 ** 63), 7];
  const data = encodeNumbers('i64', Float64Array.from(given), undefined, given.length, MOST);
  const view = new DataView(data[0]!.bytes.buffer);
  expect(data[0]!.encoding).toBe('Uncompressed');
  expect(given.map((_, i) => view.getBigInt64(i * 8, true))).toEqual([
    ...[1n, -1n, 0n, 0n, -(2n ** 63n), 2n ** 62n, -(2n ** 63n), 7n],
  ]);
  expect(data[0]!.stats).toEqual({ kind: 'number', min: -(2 ** 63), max: 2 ** 62 });
});

it('numbers beyond 2^53 are as they were given', () => {
  const given = Array.from({ length: 5000 }, (_, i) =>
    i % 2 === 0 ? 2 ** 60 : -(2 ** 61) + i * 512,
  );
  const data = encodeNumbers('i64', Float64Array.from(given), undefined, given.length, MOST);
  const view = new DataView(data[0]!.bytes.buffer);
  expect(data[0]!.encoding).toBe('Uncompressed');
  expect(given.map((_, i) => Number(view.getBigInt64(i * 8, true)))).toEqual(given);
});

it('numbers are shifted where they lie', () => {
  fc.assert(
    fc.property(shapes, fc.integer({ min: 0, max: 2 ** 40 }), (shape, by) => {
      const present = presentOf(shape);
      const numbers = numbersOf(shape, 'i64');
      const encoded = encodeNumbers('i64', Float64Array.from(numbers), present, shape.rows, MOST);
      const data = shiftNumbers(encoded, by);
      const expected = numbers.map((value, row) => (present[row] === 1 ? value + by : null));
      expect(read('BIGINT', data, encodeValidity(present, shape.rows, MOST))).toEqual(expected);
      expectTrue(data, expected);
    }),
    { numRuns: 60 },
  );
});

describe('which rows have a value', () => {
  const zeros = (rows: number) => encodeNumbers('u8', new Uint8Array(rows), undefined, rows, MOST);

  it('is read as it was given', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const present = presentOf(shape);
        const valid = encodeValidity(present, shape.rows, MOST);
        const expected = Array.from(present, (one) => (one === 1 ? 0 : null));
        expect(read('UTINYINT', zeros(shape.rows), valid)).toEqual(expected);
        const hasNull = expected.includes(null);
        expect(valid.some(({ stats }) => stats.kind === 'validity' && stats.hasNull)).toBe(hasNull);
        expect(emptyValidity(present, shape.rows).stats).toEqual({
          ...{ kind: 'validity', hasNull, hasNoNull: expected.includes(0) },
        });
      }),
      { numRuns: 100 },
    );
  });

  it('takes little where few rows differ', () => {
    const shape: Shape = { rows: 122_880, gaps: 'few', values: 'same', seed: 3 };
    const [piece] = encodeValidity(presentOf(shape), shape.rows, MOST);
    expect(piece!.encoding).toBe('Roaring');
    const half = encodeValidity(presentOf({ ...shape, gaps: 'half' }), shape.rows, MOST);
    expect(half[0]!.encoding).toBe('Uncompressed');
  });
});
