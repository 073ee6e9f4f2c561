import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kind } from '../../contract/event.ts';
import { type DimensionName, isDimension } from '../values/dimensions.ts';
import { mergeTop, type TopGroups } from './merge.ts';
import { RollupIndex, type RollupQuestion } from './rollup-index.ts';
import { HOUR, MEASURES, MINUTE, SETS, type Measure } from './sets.ts';
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
  { dims, measures = [], hours, unflowed }: RollupQuestion,
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
    if (hours !== undefined && !(row.ts !== undefined && row.ts >= hours.from && row.ts < hours.to))
      continue;
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
    hours: fc
      .tuple(fc.nat(25), fc.nat(25))
      .map(([a, b]) => ({ from: 498_120 * HOUR + a * HOUR, to: 498_120 * HOUR + b * HOUR })),
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
            // Ranges of hours cover all of it here, and so few groups are always kept.
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

it('counts rows by minute', () => {
  fc.assert(
    fc.property(rowsArbitrary, fc.boolean(), (rows, unflowed) => {
      const expected: Record<number, number> = {};
      for (const { ts, flow_id: flow } of rows) {
        if (ts === undefined || (unflowed && flow !== undefined)) continue;
        const minute = Math.floor(ts / MINUTE);
        expected[minute] = (expected[minute] ?? 0) + 1;
      }
      const said: Record<number, number> = {};
      withIndexes('packet', [rows], ([index]) => {
        for (const { first, counts } of index!.minutes(unflowed)!)
          counts.forEach((n, i) => {
            if (n > 0) said[first + i] = (said[first + i] ?? 0) + n;
          });
        expect(index!.rows(unflowed)).toBe(
          rows.filter(({ flow_id: flow }) => !unflowed || flow === undefined).length,
        );
      });
      expect(said).toEqual(expected);
    }),
    { numRuns: 60 },
  );
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

  it('counts no hours of a segment that spans more than two days', () => {
    const rows = Array.from({ length: 100 }, (_, i): TestRow => ({ ts: i * HOUR, proto: 6 }));
    withIndexes('flow', [rows], ([index]) => {
      expect(index!.covers({ dims: ['proto'], hours: { from: 0, to: 5 * HOUR } })).toBe(false);
      expect(index!.minutes()).toBeUndefined();
      expect(index!.covers({ dims: ['proto'] })).toBe(true);
    });
  });
});
