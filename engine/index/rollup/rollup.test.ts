import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kind } from '../../contract/event.ts';
import { BlockWriter } from '../values/blocks.ts';
import { DIMENSIONS, type DimensionName, isDimension } from '../values/dimensions.ts';
import { PackWriter } from '../values/packing.ts';
import { packTexts } from '../values/value-section.ts';
import { mergeTop, type TopGroups } from './merge.ts';
import type { RollupQuestion } from './rollup-groups.ts';
import { RollupIndex } from './rollup-index.ts';
import { MEASURES, SETS, type Measure } from './sets.ts';
import { rowsArbitrary } from './testing/arbitrary-rows.ts';
import { sectionsOf, type TestRow, withSideFile } from './testing/rows.ts';

/** A row's value in a dimension as it is compared: kind of value, then the value. */
function keyOf(row: TestRow, name: DimensionName): string {
  if (name === 'src_ip' || name === 'dst_ip') {
    const ip4 = row[`${name}4`];
    if (ip4 !== undefined) return `1:${ip4.toString(16).padStart(8, '0')}`;
    const ip6 = row[`${name}6`];
    return ip6 === undefined ? '9' : `2:${ip6}`;
  }
  const value = row[name];
  if (value === undefined) return '9';
  return typeof value === 'number'
    ? `1:${value.toString(16).padStart(8, '0')}`
    : `3:${Buffer.from(value).toString('hex')}`;
}

function shown(value: TopGroups['top'][number]['values'][number]): string {
  if (value === null) return '9';
  if (typeof value === 'number') return `1:${value.toString(16).padStart(8, '0')}`;
  return typeof value === 'string'
    ? `3:${Buffer.from(value).toString('hex')}`
    : `2:${Buffer.from(value).toString('hex')}`;
}

function expectedTop(
  segments: readonly (readonly TestRow[])[],
  { dims, measures = [], unflowed }: RollupQuestion,
  by: 'count' | number,
  limit: number,
): unknown {
  const groups = new Map<string, { keys: string[]; count: number; sums: (number | null)[] }>();
  const all: (number | null)[] = measures.map(() => null);
  const add = (sums: (number | null)[], row: TestRow): void => {
    measures.forEach((name, i) => {
      const value = row[name];
      if (value !== undefined) sums[i] = (sums[i] ?? 0) + value;
    });
  };
  let count = 0;
  for (const row of segments.flat()) {
    if (unflowed === true && row.flow_id !== undefined) continue;
    const keys = dims.filter(isDimension).map((name) => keyOf(row, name));
    const group = groups.get(keys.join()) ?? { keys, count: 0, sums: measures.map(() => null) };
    groups.set(keys.join(), group);
    group.count += 1;
    count += 1;
    add(group.sums, row);
    add(all, row);
  }
  const measureOf = (group: { count: number; sums: (number | null)[] }): number =>
    by === 'count' ? group.count : (group.sums[by] ?? -1);
  const sorted = [...groups.values()].sort(
    (a, b) => measureOf(b) - measureOf(a) || (a.keys.join() < b.keys.join() ? -1 : 1),
  );
  return { top: sorted.slice(0, limit), groups: groups.size, count, sums: all, exact: true };
}

/** Side files of several segments open at once. */
function withIndexes<T>(
  kind: Kind,
  segments: readonly TestRow[][],
  use: (indexes: readonly RollupIndex[]) => T,
): T {
  const open = (at: number, indexes: readonly RollupIndex[]): T => {
    const rows = segments[at];
    if (rows === undefined) return use(indexes);
    return withSideFile(rows.length, sectionsOf(kind, rows, 50), (file) =>
      open(at + 1, [...indexes, RollupIndex.open(file)!]),
    );
  };
  return open(0, []);
}

const question = fc.record(
  {
    dims: fc.oneof(
      fc.constantFrom(...SETS),
      fc.constantFrom<DimensionName[]>(['dst_port'], ['dst_ip', 'src_ip'], ['proto', 'dst_port']),
    ),
    measures: fc.subarray([...MEASURES]),
    unflowed: fc.boolean(),
  },
  { requiredKeys: ['dims'] },
);

it('adds up the groups of many segments like plain loops over their rows', () => {
  let uncovered = 0;
  fc.assert(
    fc.property(
      fc.array(rowsArbitrary, { maxLength: 4 }),
      fc.constantFrom<Kind>('flow', 'packet'),
      fc.array(question, { minLength: 1, maxLength: 8 }),
      fc.oneof(fc.nat(6), fc.constant(Infinity)),
      (segments, kind, questions, limit) => {
        withIndexes(kind, segments, (indexes) => {
          for (const asked of questions) {
            const where = kind === 'packet' ? asked : { ...asked, unflowed: false };
            const found = indexes.map((index) => index.groups(where));
            // So few groups are always kept.
            if (found.includes(undefined)) {
              uncovered += 1;
              continue;
            }
            const sources = found.flatMap((groups) => groups ?? []);
            for (const by of ['count' as const, ...(asked.measures ?? []).map((_, i) => i)]) {
              const { top, ...rest } = mergeTop(sources, { dims: asked.dims, limit, by });
              const said = top.map(({ values, ...group }) => ({
                keys: values.map(shown),
                ...group,
              }));
              expect({ top: said, ...rest, sums: sources.length === 0 ? [] : rest.sums }).toEqual(
                expectedFor(sources.length, segments, where, by, limit),
              );
            }
          }
        });
      },
    ),
    { numRuns: 120 },
  );
  expect(uncovered).toBe(0);
});

function expectedFor(
  sources: number,
  segments: readonly TestRow[][],
  asked: RollupQuestion,
  by: 'count' | number,
  limit: number,
): unknown {
  const expected = expectedTop(segments, asked, by, limit);
  return sources === 0 ? { ...Object(expected), sums: [] } : expected;
}

it('counts all rows, and those of packets without a flow', () => {
  fc.assert(
    fc.property(rowsArbitrary, fc.boolean(), (rows, unflowed) => {
      withIndexes('packet', [rows], ([index]) => {
        expect(index!.rows(unflowed)).toBe(
          rows.filter(({ flow_id: flow }) => !unflowed || flow === undefined).length,
        );
      });
    }),
    { numRuns: 60 },
  );
});

it('reads what older programs have written, with hours and minutes', () => {
  const [head, blocks] = [new PackWriter(true), new BlockWriter()];
  const add = (...lists: number[][]): void => {
    const block = new PackWriter(true);
    for (const list of lists) block.numbers(Uint32Array.from(list));
    head.u32(blocks.add(block.finish()));
  };
  // Three rows of TCP; of the measures only the first, in an hour and a minute.
  head.u32(3);
  for (const byte of [1, DIMENSIONS.indexOf('proto'), 1]) head.u8(byte);
  for (const values of [1, 0, 0]) head.u32(values);
  const values = new PackWriter(true);
  values.numbers(Uint32Array.of(6));
  values.packed(new Uint8Array(0));
  values.raw(packTexts([]));
  head.u32(blocks.add(values.finish()));
  for (const byte of [0b1110, 0, 1, 1]) head.u8(byte);
  head.f64(498_120);
  head.numbers(Uint32Array.of(0));
  for (const byte of [0, 1]) head.u8(byte);
  head.f64(29_887_200);
  head.u32(1);
  add([3]);
  // The set of all rows with its sum, and both by hour; then that of protocols, the last group without rows.
  head.u8(2);
  head.u8(0);
  head.u32(1);
  for (const byte of [1, 1]) head.u8(byte);
  add([3]);
  add([61]);
  head.u32(1);
  add([1], [0], [3]);
  add([61]);
  head.u8(SETS.findIndex(([first, second]) => first === 'proto' && second === undefined));
  head.u32(2);
  for (const byte of [1, 1]) head.u8(byte);
  add([3, 0]);
  add([61, 0]);
  head.u32(1);
  add([1], [0], [3]);
  add([61]);
  withSideFile(3, [blocks.finish('rollup', head.finish())], (file) => {
    const index = RollupIndex.open(file)!;
    const [whole] = index.groups(asked([], ['bytes']))!;
    expect([...whole!.counts]).toEqual([3]);
    expect(whole!.sums.map((sums) => [...sums])).toEqual([[61]]);
    const [byProtocol] = index.groups(asked(['proto'], ['bytes']))!;
    expect([...byProtocol!.counts]).toEqual([3, 0]);
    expect(byProtocol!.sums.map((sums) => [...sums])).toEqual([[61, 0]]);
  });
});

const asked = (dims: DimensionName[], measures: Measure[] = []): RollupQuestion => ({
  dims,
  measures,
});

describe('what is left out', () => {
  const different = Array.from({ length: 150_000 }, (_, i): TestRow => ({
    ...{ ts: i * 1000, src_ip4: i, dst_ip4: i % 70_000, host: `host${i}`, bytes: i, source_id: 1 },
  }));

  it('keeps no set whose groups are almost the rows, nor sums of many groups', () => {
    withIndexes('flow', [different], ([index]) => {
      expect(index!.covers(asked(['src_ip']))).toBe(false);
      expect(index!.covers(asked(['src_ip', 'dst_ip']))).toBe(false);
      expect(index!.covers(asked(['host']))).toBe(false);
      expect(index!.groups(asked(['host']))).toBeUndefined();
      expect(index!.covers(asked(['dst_ip']))).toBe(true);
      expect(index!.covers(asked(['dst_ip'], ['bytes']))).toBe(false);
      expect(index!.covers(asked(['dst_ip'], ['packets']))).toBe(true);
      expect(index!.covers(asked(['source_id'], ['bytes']))).toBe(true);
      expect(index!.covers(asked(['source_id', 'severity'], ['bytes']))).toBe(true);
      expect(index!.covers(asked(['source_id', 'dst_ip']))).toBe(false);
      expect(index!.covers(asked(['source_id', 'source_id']))).toBe(false);
    });
  });

  it('counts the groups of few rows in any case', () => {
    withIndexes('flow', [different.slice(0, 4000)], ([index]) => {
      expect(index!.covers(asked(['src_ip'], ['bytes']))).toBe(true);
      expect(index!.covers(asked(['src_ip', 'dst_ip']))).toBe(true);
      expect(index!.covers(asked(['src_ip', 'dst_ip'], ['bytes']))).toBe(false);
    });
  });

  it('sums nothing that it cannot sum exactly', () => {
    for (const bytes of [[2 ** 53 - 1, 1], [-1], [0.5], [Infinity]]) {
      const rows = bytes.map((n): TestRow => ({ ts: 0, proto: 6, bytes: n, packets: 1 }));
      withIndexes('flow', [rows], ([index]) => {
        expect(index!.covers(asked(['proto'], ['bytes']))).toBe(false);
        expect(index!.covers(asked(['proto'], ['packets']))).toBe(true);
      });
    }
  });

  it('says when the sums of segments are beyond what a number holds', () => {
    const rows: TestRow[] = [{ ts: 0, proto: 6, bytes: 2 ** 53 - 2 }];
    withIndexes('flow', [rows, rows], (indexes) => {
      const sources = indexes.flatMap((index) => index.groups(asked(['proto'], ['bytes']))!);
      const question = { dims: ['proto'] as const, limit: 1, by: 'count' as const };
      expect(mergeTop(sources.slice(0, 1), question).exact).toBe(true);
      expect(mergeTop(sources, question).exact).toBe(false);
    });
  });
});
