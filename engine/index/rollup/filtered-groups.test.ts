import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { DaybookError } from '../../contract/errors.ts';
import { TextCache } from '../text/text-cache.ts';
import type { DimensionName } from '../values/dimensions.ts';
import { ValueIndex } from '../values/value-index.ts';
import { mergeTop } from './merge.ts';
import type { Restriction } from './rollup-groups.ts';
import { RollupIndex } from './rollup-index.ts';
import { sectionsOf, type TestRow, withSideFile } from './testing/rows.ts';
import { rowsArbitrary } from './testing/arbitrary-rows.ts';

type Dim = 'src_ip' | 'dst_ip' | 'event_type' | 'proto' | 'dst_port';

function valueOf(row: TestRow, dim: Dim): string | number | null {
  if (dim === 'src_ip' || dim === 'dst_ip') return row[`${dim}4`] ?? row[`${dim}6`] ?? null;
  return row[dim] ?? null;
}

/** What an answer says, in no order. */
function expected(
  rows: readonly TestRow[],
  dims: readonly Dim[],
  holds: (row: TestRow) => boolean,
  sum: 'bytes' | undefined,
): string[] {
  const groups = new Map<string, { count: number; sum: number | null }>();
  for (const row of rows.filter(holds)) {
    const key = JSON.stringify(dims.map((dim) => valueOf(row, dim)));
    const group = groups.get(key) ?? { count: 0, sum: null };
    groups.set(key, group);
    group.count += 1;
    if (row.bytes !== undefined) group.sum = (group.sum ?? 0) + row.bytes;
  }
  return [...groups]
    .map(([key, { count, sum: all }]) => `${key} ${count} ${sum === undefined ? '' : all}`)
    .sort();
}

function found(
  index: RollupIndex,
  dims: readonly Dim[],
  where: readonly Restriction[],
  sum: 'bytes' | undefined,
): string[] | undefined {
  const measures = sum === undefined ? [] : [sum];
  const sources = index.groups({ dims, measures, where });
  if (sources === undefined) return undefined;
  const { top } = mergeTop(sources, { dims, limit: Infinity, by: 'count' });
  return top
    .map(({ values, count, sums }) => {
      const key = values.map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
      );
      return `${JSON.stringify(key)} ${count} ${sum === undefined ? '' : sums[0]}`;
    })
    .sort();
}

/** By the number of a value among those of its dimension, none being the last. */
const flagged = (dim: DimensionName, keep: (place: number, none: boolean) => boolean) => ({
  dim,
  choose: (_: unknown, size: number) =>
    Uint8Array.from({ length: size + 1 }, (__, place) => Number(keep(place, place === size))),
});

it('leaves of small sets what meets the conditions', () => {
  let answered = 0;
  fc.assert(
    fc.property(
      rowsArbitrary,
      fc.constantFrom<Dim[]>(
        ['event_type'],
        ['proto'],
        ['dst_port', 'proto'],
        ['src_ip', 'dst_ip'],
        [],
      ),
      fc.constantFrom<Dim>('src_ip', 'event_type', 'proto', 'dst_ip'),
      fc.boolean(),
      fc.constantFrom('bytes' as const, undefined),
      (rows, dims, dim, none, sum) => {
        withSideFile(rows.length, sectionsOf('flow', rows, 40), (file) => {
          const index = RollupIndex.open(file)!;
          const present = (row: TestRow) => (valueOf(row, dim) === null) === none;
          const where = [flagged(dim, (_, isNone) => isNone === none)];
          const said = found(index, dims, where, sum);
          if (said === undefined) return;
          answered += 1;
          expect(said).toEqual(expected(rows, dims, present, sum));
        });
      },
    ),
    { numRuns: 150 },
  );
  expect(answered).toBeGreaterThan(50);
});

/** More pairs than are read at once, some of very frequent sources. */
const n = 60_000;
const many = Array.from({ length: n }, (_, i): TestRow => {
  const source = i % 3 === 0 ? 7 : Math.imul(i, 0x9e37_79b1) >>> 19;
  return {
    ...{ ts: i * 1000, event_type: ['Drop', 'Alert', 'Flow'][(i >>> 3) % 3]!, proto: i % 2 },
    ...(i % 50 === 1 ? { src_ip6: (i % 500).toString(16).padStart(32, '0') } : { src_ip4: source }),
    ...(i % 11 === 0 ? {} : { dst_ip4: Math.imul(i, 0x85eb_ca6b) >>> 20 }),
  };
});

it('adds up as many pairs as have sums', () => {
  const pairs = 15_000;
  const rows = Array.from({ length: n }, (_, i): TestRow => {
    const pair = i % pairs;
    return { ts: i * 1000, src_ip4: pair, dst_ip4: (pair * 7) % pairs, bytes: i };
  });
  withSideFile(n, sectionsOf('flow', rows, n), (file) => {
    const dims: Dim[] = ['src_ip', 'dst_ip'];
    expect(found(RollupIndex.open(file)!, dims, [], 'bytes')).toEqual(
      expected(rows, dims, () => true, 'bytes'),
    );
  });
});

it('reads the pairs of some sources, and of their types', () => {
  const sections = sectionsOf('flow', many, n);
  withSideFile(n, sections, (file) => {
    const index = RollupIndex.open(file)!;
    const values = ValueIndex.open(file)!;
    const ip6 = Buffer.from((101).toString(16).padStart(32, '0'), 'hex');
    const ranges = [
      [7, 7],
      [8000, 8100],
      [0, 0xffff_ffff],
      [9, 3],
      [4_000_000, 5_000_000],
    ].map(([low, high]) => ({
      places: values.placesOfIp4('src_ip', low!, high!)!,
      holds: ({ src_ip4: ip }: TestRow) => ip !== undefined && ip >= low! && ip <= high!,
    }));
    ranges.push({
      places: values.placesOfIp6('src_ip', ip6, ip6)!,
      holds: ({ src_ip6: ip }) => ip === ip6.toString('hex'),
    });
    const types = ['Alert', 'Drop', 'Flow'];
    for (const { places, holds } of ranges) {
      const source: Restriction = { dim: 'src_ip', choose: () => places };
      for (const type of [undefined, 1]) {
        const typed = type === undefined ? [] : [flagged('event_type', (place) => place === type)];
        const meets = (row: TestRow) =>
          holds(row) && (type === undefined || row.event_type === types[type]);
        for (const dims of [['dst_ip'], ['src_ip', 'dst_ip'], []] as Dim[][])
          expect(found(index, dims, [source, ...typed], undefined)).toEqual(
            expected(many, dims, meets, undefined),
          );
      }
    }
    const type = flagged('event_type', () => true);
    // All of it would be read for a few of its pairs, or it is in no set.
    expect(found(index, ['src_ip'], [flagged('dst_ip', () => true)], undefined)).toBeUndefined();
    expect(found(index, ['src_ip', 'dst_ip'], [type], undefined)).toBeUndefined();
    expect(
      found(
        index,
        ['proto'],
        [ranges[0]!].map(({ places }): Restriction => ({
          dim: 'src_ip',
          choose: () => places,
        })),
        undefined,
      ),
    ).toBeUndefined();
  });
});

it('reads a page of pairs once, until it is closed', () => {
  withSideFile(n, sectionsOf('flow', many, n), (file) => {
    const cache = new TextCache();
    const index = RollupIndex.open(file, cache)!;
    const values = ValueIndex.open(file, cache)!;
    const ask = () => {
      const places = values.placesOfIp4('src_ip', source, source)!;
      return found(index, ['dst_ip'], [{ dim: 'src_ip', choose: () => places }], undefined);
    };
    const { src_ip4: source = 0 } = many.at(-1)!;
    const first = ask();
    expect(first).toEqual(
      expected(many, ['dst_ip'], ({ src_ip4 }) => src_ip4 === source, undefined),
    );
    const reads = vi.spyOn(file, 'read');
    expect(ask()).toEqual(first);
    expect(reads).not.toHaveBeenCalled();
    index.close();
    values.close();
    expect(cache.bytes).toBe(0);
    expect(ask()).toEqual(first);
    expect(reads).toHaveBeenCalled();
  });
});

/** Bytes of the memory in which the arrays of a value lie. */
function memoryOf(value: unknown): number {
  const parts = typeof value === 'object' && value !== null ? Object.values(value) : [];
  const buffers = new Set(parts.filter((part) => ArrayBuffer.isView(part)).map((v) => v.buffer));
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

it('keeps no more memory than it counts', () => {
  const random = (i: number) => Math.imul(i ^ (i >>> 7), 0x9e37_79b1) >>> 16;
  const rows = Array.from({ length: n }, (_, i): TestRow => {
    const ip6 = Array.from({ length: 8 }, (__, at) => random((i % 5000) * 8 + at));
    return {
      ...{ ts: i * 1000, event_type: ['Drop', 'Alert', 'Flow'][random(i) % 3]!, proto: i % 2 },
      ...(i % 9 === 0
        ? { src_ip6: ip6.map((part) => part.toString(16).padStart(4, '0')).join('') }
        : { src_ip4: random(i * 3) }),
      dst_ip4: random(i * 7),
    };
  });
  withSideFile(n, sectionsOf('flow', rows, n), (file) => {
    const cache = new TextCache();
    const owner = cache.owner.bind(cache);
    const kept: { name: string; counted: number; memory: number }[] = [];
    vi.spyOn(cache, 'owner').mockImplementation(() => {
      const own = owner();
      return {
        ...own,
        take: (key, make, bytesOf, large) =>
          own.take(
            key,
            () => {
              const value = make();
              const name = key.split(' ')[0]!;
              kept.push({ name, counted: bytesOf(value), memory: memoryOf(value) });
              return value;
            },
            bytesOf,
            large,
          ),
      };
    });
    const index = RollupIndex.open(file, cache)!;
    const values = ValueIndex.open(file, cache)!;
    const ip6 = Buffer.from(rows[9 * 17]!.src_ip6!, 'hex');
    const { src_ip4: ip4 = 0 } = rows[1000]!;
    for (const places of [
      values.placesOfIp4('src_ip', ip4, ip4)!,
      values.placesOfIp6('src_ip', ip6, ip6)!,
    ])
      found(index, ['dst_ip'], [{ dim: 'src_ip', choose: () => places }], undefined);
    expect(new Set(kept.map(({ name }) => name))).toEqual(new Set(['rollup', 'values']));
    for (const one of kept) expect(one.memory).toBeLessThanOrEqual(one.counted);
  });
});

it('joins pages to the whole, and says when one is damaged', () => {
  const sections = sectionsOf('flow', many, n);
  const whole = expected(many, ['src_ip', 'dst_ip'], () => true, undefined);
  const read = (damaged: typeof sections) =>
    withSideFile(n, damaged, (file) =>
      found(RollupIndex.open(file)!, ['src_ip', 'dst_ip'], [], undefined),
    );
  expect(read(sections)).toEqual(whole);
  const rollup = sections.findIndex(({ name }) => name === 'rollup');
  for (let part = 0; part < 40; part++) {
    const damaged = sections.map((section, i) => {
      if (i !== rollup) return section;
      const bytes = section.bytes.slice();
      bytes[Math.floor((bytes.length * part) / 40)]! ^= 0x55;
      return { ...section, bytes };
    });
    try {
      expect(read(damaged)).toEqual(whole);
    } catch (error) {
      expect(error).toBeInstanceOf(DaybookError);
    }
  }
});
