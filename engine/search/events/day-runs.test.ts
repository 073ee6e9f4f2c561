import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SegmentInfo } from '../../query/index.ts';
import { dayRuns, isRun, readTogether } from './day-runs.ts';

const segment = (id: number, day: string, rows: number): SegmentInfo => ({
  ...{ id, day, rows, kind: 'log', minTs: undefined, maxTs: undefined, columns: new Set() },
  ...{ hasDeletes: false, tags: new Set(), unflowedPackets: 0, sources: new Set() },
});

it('keeps order and whole days, and is bounded where there are several', () => {
  const days = fc.array(
    fc.array(fc.oneof(fc.nat(50), fc.nat(200_000)), { minLength: 1, maxLength: 4 }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(days, (list) => {
      const all = list.flatMap((own, i) =>
        own.map((rows, j) => segment(i * 10 + j, `2026-01-${i}`, rows)),
      );
      const runs = dayRuns(all);
      expect(runs.flat()).toEqual(all);
      const seen = new Set<string>();
      for (const run of runs) {
        for (const day of new Set(run.map((one) => one.day))) {
          expect(seen.has(day)).toBe(false);
          seen.add(day);
        }
        if (!isRun(run)) continue;
        expect(run.length).toBeLessThanOrEqual(64);
        expect(run.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(131_072);
      }
    }),
  );
});

it('begins with little and reads many small days at once', () => {
  const small = Array.from({ length: 200 }, (_, i) => segment(i, `d${i}`, 10));
  expect(dayRuns(small).map((run) => run.length)).toEqual([8, 16, 32, 64, 64, 16]);
  const large = Array.from({ length: 3 }, (_, i) => segment(i, `d${i}`, 1e6));
  expect(dayRuns(large).map((run) => run.length)).toEqual([1, 1, 1]);
});

it('reads days with few columns together, and days with many apart', () => {
  const wide = (id: number, day: string, n: number) => ({
    ...segment(id, day, 1),
    columns: new Set(Array.from({ length: n }, (_, i) => `${id}/${i}`)),
  });
  const few = Array.from({ length: 12 }, (_, i) => wide(i, `d${i}`, 10));
  expect(readTogether(few).map((part) => part.length)).toEqual([12]);
  expect(
    readTogether([...few, wide(12, 'd12', 2000), wide(13, 'd12', 1)]).map((part) => part.length),
  ).toEqual([12, 2]);
  expect(readTogether([])).toEqual([]);
});
