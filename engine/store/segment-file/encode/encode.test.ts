/** What is encoded is what the reader of segment files reads, in pieces that fit, with statistics that are true. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Scratch } from '../pages.ts';
import { type Piece, type SegmentMap, PageSums } from '../segment-map.ts';
import { type FileValue, SegmentReader } from '../segment-reader.ts';
import { type WholeType, encodeBytes, encodeEnds, encodeNumbers, shiftNumbers } from './numbers.ts';
import type { EncodedPiece } from './pieces.ts';
import { encodeReals } from './reals.ts';
import { SymbolTable } from './symbols.ts';
import { encodeEach, encodeTexts, numberTexts } from './texts.ts';
import { encodeWide } from './wide.ts';
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
    const place = [rows, encoding === 'ALP' ? '?' : encoding, i, 0] as const;
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

describe('texts', () => {
  /** As a batch has them: of those that are there a 32-bit length and bytes. */
  function numbered(texts: readonly (string | null)[]) {
    const there = texts.filter((text) => text !== null);
    const parts = there.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    });
    return numberTexts(Buffer.concat(parts), there.length);
  }
  const presentIn = (texts: readonly (string | null)[]) =>
    Uint8Array.from(texts, (text) => (text === null ? 0 : 1));

  const kinds: fc.Arbitrary<readonly string[]> = fc.oneof(
    fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 60 }),
    fc.constantFrom(
      ['same'],
      ['', 'a\0b', '\0'],
      ['host-a', 'host-b', 'host-c'],
      ['日本', 'ü', '\u{10000}x'],
      ['x'.repeat(9000), 'y'.repeat(12_000), 'z'],
    ),
    fc
      .integer({ min: 1, max: 4000 })
      .map((count) => Array.from({ length: count }, (_, i) => `user ${i * 7919} of 10.0.0.${i}`)),
  );

  it('are read as they were given', () => {
    fc.assert(
      fc.property(shapes, kinds, (shape, different) => {
        const roll = dice(shape.seed);
        const present = presentOf(shape);
        const texts = Array.from(present, (one) =>
          one === 0 ? null : different[Math.floor(roll() * different.length)]!,
        );
        const well = texts.map((text) => text?.toWellFormed() ?? null);
        const data = encodeTexts(numbered(well), present, shape.rows, MOST)!;
        expect(read('VARCHAR', data, [emptyValidity(present, shape.rows)])).toEqual(well);
        let at = 0;
        for (const { rows, stats } of data) {
          if (stats.kind !== 'text') throw new Error('no statistics of texts');
          const own = well.slice(at, at + rows).filter((text) => text !== null);
          const bytes = own.map((text) => Buffer.from(text));
          const begins = bytes
            .map((one) => Buffer.concat([one.subarray(0, 8), Buffer.alloc(8)]).subarray(0, 8))
            .sort((a, b) => Buffer.compare(a, b));
          const empty = [Buffer.alloc(8, 0xff), Buffer.alloc(8)] as const;
          expect(Buffer.from(stats.min)).toEqual(begins[0] ?? empty[0]);
          expect(Buffer.from(stats.max)).toEqual(begins.at(-1) ?? empty[1]);
          expect(stats.maxLength).toBe(Math.max(0, ...bytes.map(({ length }) => length)));
          expect(stats.hasUnicode).toBe(bytes.some((one) => one.some((byte) => byte > 127)));
          at += rows;
        }
      }),
      { numRuns: 40 },
    );
  });

  it('fill several pieces', () => {
    const texts = Array.from({ length: 40_000 }, (_, i) => (i % 3 === 0 ? null : `text ${i}`));
    const data = encodeTexts(numbered(texts), presentIn(texts), texts.length, MOST)!;
    expect(data.length).toBeGreaterThan(5);
    expect(read('VARCHAR', data, [emptyValidity(presentIn(texts), texts.length)])).toEqual(texts);
  });

  it('are given up where one is longer than a piece', () => {
    const texts = ['a', 'x'.repeat(MOST), 'b'];
    expect(encodeTexts(numbered(texts), undefined, 3, MOST)).toBeUndefined();
    const most = ['a', 'x'.repeat(MOST - 100), 'b'];
    const data = encodeTexts(numbered(most), undefined, 3, MOST)!;
    expect(read('VARCHAR', data, [emptyValidity(undefined, 3)])).toEqual(most);
  });
});

describe('texts that are mostly different', () => {
  const ALPHABETS = [
    ...[
      'a',
      '0123456789abcdef',
      'the quick brown fox of /var/log/http',
      'grün日本語😀',
      '\0\u00ff',
    ],
    String.fromCharCode(...Array.from({ length: 1000 }, (_, i) => i + 1)),
  ].map((letters) => [...letters]);

  function textsOf(seed: number, count: number, most: number): string[] {
    const roll = dice(seed);
    const letters = ALPHABETS[Math.floor(roll() * ALPHABETS.length)]!;
    const words = Array.from({ length: 20 }, () =>
      Array.from(
        { length: 1 + roll() * 7 },
        () => letters[Math.floor(roll() * letters.length)],
      ).join(''),
    );
    return Array.from({ length: count }, () => {
      const parts = Array.from({ length: roll() * 6 }, () =>
        roll() < 0.5
          ? words[Math.floor(roll() * 20)]!
          : letters[Math.floor(roll() * letters.length)]!,
      );
      return roll() < 0.01 ? parts.join('').repeat(Math.floor(roll() * most)) : parts.join('');
    });
  }

  function plain(texts: readonly string[]): Uint8Array {
    return Buffer.concat(
      texts.flatMap((text) => {
        const bytes = Buffer.from(text);
        const head = Buffer.alloc(4);
        head.writeUInt32LE(bytes.length);
        return [head, bytes];
      }),
    );
  }

  it('are read as they were given, by symbols that were found in others, too', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 5000 }), (seed, count) => {
        const known = SymbolTable.for(plain(textsOf(seed >>> 1, 100, 5)), undefined);
        const texts = textsOf(seed, count, 40);
        const lists = plain(texts);
        for (const symbols of [known, SymbolTable.for(lists, known)]) {
          const data = encodeEach(lists, symbols, MOST)!;
          expect(read('VARCHAR', data, encodeValidity(undefined, count, MOST))).toEqual(texts);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('take less than they are, in several pieces', () => {
    const roll = dice(7);
    const texts = Array.from(
      { length: 20_000 },
      (_, i) => `session-${i}-of-user${Math.floor(roll() * 500)}@example.org`,
    );
    const lists = plain(texts);
    const data = encodeEach(lists, SymbolTable.for(lists, undefined), MOST)!;
    expect(data.length).toBeGreaterThan(1);
    expect(data.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(lists.length / 2);
    expect(read('VARCHAR', data, encodeValidity(undefined, 20_000, MOST))).toEqual(texts);
  });

  it('are given up where one is longer than DuckDB unpacks', () => {
    for (const length of [4096, 4097]) {
      const lists = plain(['a', 'xy'.repeat(length).slice(0, length)]);
      const data = encodeEach(lists, SymbolTable.for(lists, undefined), MOST);
      expect(data === undefined).toBe(length > 4096);
    }
  });
});

describe('lists', () => {
  it('end where they were given, also where all are empty', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 70 }), { minLength: 1, maxLength: 9000 }),
        fc.boolean(),
        (given, areEmpty) => {
          const counts = Uint16Array.from(given, (count) => (areEmpty ? 0 : count));
          let end = 0;
          const ends = Array.from(counts, (count) => (end += count));
          const data = encodeEnds(counts, counts.length, MOST);
          expect(data.every(({ encoding }) => encoding === 'BitPacking')).toBe(true);
          const valid = encodeValidity(undefined, counts.length, MOST);
          expect(read('BIGINT', data, valid)).toEqual(ends);
        },
      ),
    );
  });

  it('have the bytes that were given', () => {
    for (const [limit, count] of [
      [256, MOST * 2 + 5],
      [256, MOST],
      [90, 5000],
      [4, 5000],
      [1, 10],
      [256, 0],
    ] as const) {
      const roll = dice(count + limit);
      const values = Uint8Array.from({ length: count }, () => Math.floor(roll() * limit));
      const data = encodeBytes(values, MOST);
      if (count > 0)
        expect(read('UTINYINT', data, encodeValidity(undefined, count, MOST))).toEqual([...values]);
      else expect(data).toEqual([]);
      let at = 0;
      for (const { rows, stats } of data) {
        const own = values.subarray(at, (at += rows));
        const [min, max] = [
          own.reduce((a, b) => Math.min(a, b), 255),
          own.reduce((a, b) => Math.max(a, b), 0),
        ];
        expect(stats).toEqual({ kind: 'number', min, max });
      }
    }
  });
});

describe('addresses', () => {
  const textOf = (bytes: Uint8Array) =>
    Buffer.from(bytes)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

  it.each([MOST, 1000])('are read as they were given, in pieces of %i bytes', (most) => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { rows, seed, values: kind } = shape;
        const roll = dice(seed);
        const present = presentOf(shape);
        const values = new Uint8Array(rows * 16);
        for (let row = 0; row < rows; row++) {
          const isNew = row === 0 || kind === 'any' || (kind !== 'same' && roll() < 0.2);
          if (isNew) for (let i = 0; i < 16; i++) values[row * 16 + i] = roll() * 256;
          else values.copyWithin(row * 16, (row - 1) * 16, row * 16);
        }
        const expected = Array.from(present, (one, row) =>
          one === 0 ? null : textOf(values.subarray(row * 16, row * 16 + 16)),
        );
        const data = encodeWide(values, present, rows, most);
        let at = 0;
        for (const { rows: own, stats } of data) {
          if (stats.kind !== 'wide') throw new Error('no statistics of addresses');
          const turned = expected
            .slice(at, at + own)
            .filter((text) => text !== null)
            .map((text) => BigInt(`0x${text.replaceAll('-', '')}`) - (1n << 127n));
          expect(turned.some((value) => value < stats.min || value > stats.max)).toBe(false);
          at += own;
        }
        expect(at).toBe(rows);
        // A map has no value of 128 bits: DuckDB reads these.
        if (data[0]!.encoding === 'Constant') return;
        expect(read('UUID', data, encodeValidity(present, rows, MOST))).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});

describe('real numbers', () => {
  /** What DuckDB makes of the pieces; the reader leaves those of ALP to it. */
  function bitsIn(data: readonly EncodedPiece[]): bigint[] {
    const bits = new BigUint64Array(1);
    const real = new Float64Array(bits.buffer);
    return data.flatMap(({ encoding, rows, bytes, stats }) => {
      const view = new DataView(bytes.buffer);
      const at = (place: number) => view.getBigUint64(place, true);
      if (encoding === 'Uncompressed') return Array.from({ length: rows }, (_, i) => at(i * 8));
      if (encoding === 'Constant') {
        real[0] = stats.kind === 'number' ? stats.min : NaN;
        return new Array<bigint>(rows).fill(bits[0]!);
      }
      if (encoding === 'RLE') {
        const counts = view.getUint32(0, true);
        return Array.from({ length: (counts - 8) / 8 }, (_, i) =>
          new Array<bigint>(view.getUint16(counts + i * 2, true)).fill(at(8 + i * 8)),
        ).flat();
      }
      expect(encoding).toBe('ALP');
      const all = view.getUint32(0, true);
      expect(all).toBe(bytes.length);
      return Array.from({ length: Math.ceil(rows / 1024) }, (_, number) => {
        const start = view.getUint32(all - (number + 1) * 4, true);
        const count = Math.min(1024, rows - number * 1024);
        const [exponent, factor] = [bytes[start]!, bytes[start + 1]!];
        const low = view.getBigInt64(start + 4, true);
        const width = BigInt(bytes[start + 12]!);
        const size = (Math.ceil(count / 32) * 32 * Number(width)) / 8;
        const packed = BigInt(
          `0x0${Buffer.from(bytes.subarray(start + 13, start + 13 + size))
            .reverse()
            .toString('hex')}`,
        );
        const out = Array.from({ length: count }, (_, i) => {
          const own = (packed >> (BigInt(i) * width)) & ((1n << width) - 1n);
          real[0] = Number(own + low) * Number(`1e${factor}`) * Number(`1e-${exponent}`);
          return bits[0]!;
        });
        const others = view.getUint16(start + 2, true);
        for (let i = 0; i < others; i++) {
          const row = view.getUint16(start + 13 + size + others * 8 + i * 2, true);
          out[row] = at(start + 13 + size + i * 8);
        }
        return out;
      }).flat();
    });
  }

  const numbers = fc.constantFrom<((roll: () => number) => number)[]>(
    () => 0.25,
    () => -0,
    () => NaN,
    (roll) => Math.round(roll() * 300_000) / 1000,
    (roll) => Math.round(roll() * 1e9) / 1e6,
    (roll) => (roll() < 0.1 ? roll() : Math.round(roll() * 1e4) / 100),
    (roll) => roll(),
    (roll) => (roll() - 0.5) * 1e300,
    (roll) => Math.floor(roll() * 2 ** 53) - 2 ** 52,
    (roll) => [0, -0, NaN, Infinity, -Infinity, 1e-310, 4.5, -12.25][Math.floor(roll() * 8)]!,
  );

  it('keep all bits', () => {
    fc.assert(
      fc.property(shapes, numbers, fc.constantFrom(MOST, 12_000), (shape, next, most) => {
        const roll = dice(shape.seed);
        const present = presentOf(shape);
        const repeat = shape.values === 'runs' ? 0.95 : 0;
        let last = next(roll);
        const values = Float64Array.from(
          { length: shape.rows },
          () => (last = roll() < repeat ? last : next(roll)),
        );
        const data = encodeReals(values, present, shape.rows, most);
        for (const { bytes } of data) expect(bytes.length).toBeLessThanOrEqual(most);
        const there = (all: Iterable<bigint>) => [...all].filter((_, row) => present[row] === 1);
        const bits = new BigUint64Array(values.buffer);
        const decoded = bitsIn(data);
        expect(decoded).toHaveLength(shape.rows);
        expect(there(decoded)).toEqual(there(bits));
        let at = 0;
        for (const { rows, stats } of data) {
          if (stats.kind !== 'number') throw new Error('no statistics of numbers');
          const own = values.slice(at, at + rows).filter((_, i) => present[at + i] === 1);
          const isWithin = (value: number) =>
            Number.isNaN(value)
              ? Number.isNaN(stats.max)
              : value >= stats.min && (value <= stats.max || Number.isNaN(stats.max));
          expect([...own].filter((value) => !isWithin(value))).toEqual([]);
          at += rows;
        }
      }),
      { numRuns: 80 },
    );
  });

  it('of few decimal places take little', () => {
    const roll = dice(5);
    const values = Float64Array.from({ length: 20_000 }, () => Math.round(roll() * 3e5) / 1000);
    const data = encodeReals(values, undefined, values.length, MOST);
    expect(data.map(({ encoding }) => encoding)).toEqual(['ALP']);
    expect(data[0]!.bytes.length).toBeLessThan((values.length * 20) / 8);
  });
});
