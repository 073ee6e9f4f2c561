import { describe, expect, it } from 'vitest';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { DaybookError } from '../../contract/errors.ts';
import { mergeRuns, ofOneSize, runs, sizeOf, splitWide, tolerable } from './compact.ts';

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

describe('segments that are too many for the memory', () => {
  const segments = Array.from({ length: 11 }, (_, id) => ({ id }) as SegmentRow);
  const tooMuch = new DaybookError('limit-exceeded', 'the query needs more memory');

  async function merged(most: number, leave: boolean): Promise<number[][]> {
    const done: number[][] = [];
    const merge = (run: readonly SegmentRow[]): Promise<void> => {
      if (run.length > most) return Promise.reject(tooMuch);
      done.push(run.map(({ id }) => id));
      return Promise.resolve();
    };
    await mergeRuns([segments.slice(0, 8), segments.slice(8)], merge, leave);
    return done;
  }

  it('are merged in halves', async () => {
    expect(await merged(4, false)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10],
    ]);
  });

  it('are left where two are too much, if they may be, and the others are merged', async () => {
    await expect(merged(1, false)).rejects.toBe(tooMuch);
    expect(await merged(1, true)).toEqual([[8]]);
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
