import { describe, expect, it } from 'vitest';
import type { SegmentOutline } from '../../catalog/tables/segments.ts';
import {
  TOLERATED,
  isOverdue,
  isSmallImport,
  isUrgent,
  ofOneSize,
  runs,
  segmentsToMerge,
  sizeOf,
  splitWide,
  tolerable,
} from './policy.ts';

describe('small segments that an import merges', () => {
  it.each([
    ['all of about one size', [900, 1000, 1100, 950, 1000], [900, 1000, 1100, 950, 1000]],
    ['not what is larger than the rest', [200_000, 100, 100, 100], [100, 100, 100]],
    ['that, once the rest has grown', [400, 100, 100, 100, 100], [400, 100, 100, 100, 100]],
    ['of steps in size the lowest', [240_000, 20_000, 900, 10, 10, 20], [10, 10, 20]],
    ['one alone', [5], [5]],
    ['none', [], []],
  ])('%s', (_, rows, chosen) => {
    const group = rows.map((n) => ({ rows: n }));
    expect(ofOneSize(group).map(({ rows: n }) => n)).toEqual(chosen);
  });

  it('are written a few times each, however many imports of a few events there are', () => {
    let group: { rows: number }[] = [];
    let written = 0;
    let most = 0;
    const imports = 1500;
    for (let i = 0; i < imports; i++) {
      group.push({ rows: 100 });
      const some = ofOneSize(group);
      if (some.length > 4) {
        const rows = some.reduce((sum, one) => sum + one.rows, 0);
        written += rows;
        group = [...group.filter((one) => !some.includes(one)), { rows }];
      }
      most = Math.max(most, group.length);
    }
    expect(written / (imports * 100)).toBeLessThan(6);
    expect(most).toBeLessThan(14);
  });
});

describe('small segments that a day may keep', () => {
  const of = (n: number, rows: number) => Array.from({ length: n }, () => ({ rows }));

  it.each([
    ['a few', of(4, 100), 4, 4],
    ['no more where they are very small', of(20, 65_535), 100, 4],
    ['a quarter of its segments, where they are larger', of(20, 65_536), 100, 25],
    ['a few, where they are the day', of(20, 100_000), 20, 5],
    ['a few, where the day is of few', of(3, 100_000), 6, 4],
  ])('%s', (_, group, ofDay, most) => {
    expect(tolerable(group, ofDay, 4)).toBe(most);
  });
});

describe('segments of wide rows', () => {
  it('count by their bytes, so that a merge holds few of them', () => {
    const narrow = Array.from({ length: 20 }, () => ({ rows: 100_000, bytes: 3_000_000 }));
    const wide = Array.from({ length: 20 }, () => ({ rows: 20_000, bytes: 15_000_000 }));
    expect(sizeOf(narrow[0]!)).toBe(100_000);
    expect(sizeOf(wide[0]!)).toBeGreaterThan(200_000);
    expect(runs(narrow, 1_000_000).map((run) => run.length)).toEqual([10, 10]);
    expect(runs(wide, 1_000_000).map((run) => run.length)).toEqual([5, 5, 5, 5]);
  });
});

describe('segments of many columns', () => {
  const of = (from: number, to: number) => ({
    columns: Array.from({ length: to - from }, (_, i) => `a:${from + i}`),
  });

  it.each([
    ['few columns stay together', [of(0, 100), of(100, 200), of(200, 300)], [3]],
    ['different ones are kept apart', [of(0, 400), of(400, 800), of(800, 1200)], [1, 1, 1]],
    ['mostly the same stay together', [of(0, 2000), of(100, 2100), of(0, 2000)], [3]],
    ['narrow ones beside a wide one', [of(0, 2000), of(2000, 2100), of(3000, 4000)], [2, 1]],
  ])('%s', (_, run, lengths) => {
    expect(splitWide(run).map((one) => one.length)).toEqual(lengths);
  });
});

describe('segments that are merged', () => {
  let id = 0;
  const of = (
    n: number,
    rows: number,
    { day = '2026-03-04', kind = 'log' }: { day?: string; kind?: SegmentOutline['kind'] } = {},
  ): SegmentOutline[] =>
    Array.from({ length: n }, () => ({
      ...{
        id: ++id,
        day,
        days: undefined,
        kind,
        file: '',
        rows,
        bytes: rows * 40,
        hasIndex: false,
      },
    }));
  const DENSE = 40_000;

  it.each<[string, SegmentOutline[], number, number[]]>([
    ['none, where a day has few', of(4, DENSE), TOLERATED.import, []],
    ['of a day that has more', of(5, DENSE), TOLERATED.import, [5]],
    ['more are tolerated in a pause between imports', of(8, DENSE), TOLERATED.pause, []],
    ['all, when the user says so', of(2, DENSE), TOLERATED.command, [2]],
    ['no large ones', of(9, 300_000), TOLERATED.import, []],
    [
      'each day for itself',
      [...of(5, DENSE), ...of(6, DENSE, { day: '2026-03-05' })],
      TOLERATED.import,
      [5, 6],
    ],
    [
      'each kind for itself',
      [...of(5, DENSE), ...of(2, DENSE, { kind: 'flow' })],
      TOLERATED.import,
      [5],
    ],
    [
      'days with few events across days',
      [...of(3, 10), ...of(3, 10, { day: '2026-03-05' })],
      TOLERATED.import,
      [6],
    ],
    ['up to the size of a merged segment', of(30, DENSE), TOLERATED.import, [25, 5]],
  ])('%s', (_, segments, tolerated, lengths) => {
    const merged = segmentsToMerge(segments, new Set(), 1, tolerated);
    expect(merged.map((run) => run.length)).toEqual(lengths);
  });

  it('are fewer at once with less memory', () => {
    const merged = segmentsToMerge(of(30, DENSE), new Set(), 1 / 4, TOLERATED.import);
    expect(merged.map((run) => run.length)).toEqual([7, 7, 7, 7, 2]);
  });

  it('are rewritten for deleted rows only when the user says so, however large', () => {
    const [large] = of(1, 2_000_000);
    const deleted = new Set([large!.id]);
    expect(segmentsToMerge([large!], deleted, 1, TOLERATED.import)).toEqual([]);
    expect(segmentsToMerge([large!], deleted, 1, TOLERATED.command)).toEqual([[large]]);
  });
});

it('is deferred by small imports: beside others from 25 small segments on, by the import itself from 65', () => {
  expect([16 << 20, (16 << 20) + 1].map(isSmallImport)).toEqual([true, false]);
  expect([8, 24, 25, 64, 65].map((n) => [isUrgent(n), isOverdue(n)])).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [true, false],
    [true, true],
  ]);
});
