import fc from 'fast-check';
import { expect, it } from 'vitest';
import { daysOf, disjointGroups, lastDayOf } from '../../util/segment-days.ts';
import type { SegmentInfo } from '../../query/index.ts';
import { boundsOfRun, dayRuns, readTogether } from './day-runs.ts';

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
      const all = list.flatMap((ofDay, i) =>
        ofDay.map((rows, j) => segment(i * 10 + j, `2026-01-${10 + i}`, rows)),
      );
      const runs = dayRuns(all);
      expect(runs.flatMap(({ segments }) => segments)).toEqual(all);
      const seen = new Set<string>();
      for (const { segments: run, first, last } of runs) {
        for (const day of new Set(run.map((one) => one.day))) {
          expect(seen.has(day)).toBe(false);
          seen.add(day);
        }
        if (first === last) continue;
        expect(run.length).toBeLessThanOrEqual(64);
        expect(run.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(131_072);
      }
    }),
  );
});

it('begins with little and reads many small days at once', () => {
  const small = Array.from({ length: 200 }, (_, i) => segment(i, `${1000 + i}-01-01`, 10));
  const lengths = (all: SegmentInfo[]) => dayRuns(all).map(({ segments }) => segments.length);
  expect(lengths(small)).toEqual([8, 16, 32, 64, 64, 16]);
  const large = Array.from({ length: 3 }, (_, i) => segment(i, `2026-01-0${i + 1}`, 1e6));
  expect(lengths(large)).toEqual([1, 1, 1]);
});

it.each(['undated', '+012345-01-01'])('reads %s apart from days', (day) => {
  const several: SegmentInfo = {
    ...segment(1, '2026-01-01', 30),
    days: [
      { day: '2026-01-01', rows: 20 },
      { day: '2026-01-02', rows: 10 },
    ],
  };
  const runs = dayRuns([several, segment(2, day, 5), segment(3, '2026-01-03', 5)]);
  const alone = runs.filter((run) => run.segments.some(({ id }) => id === 2));
  expect(alone).toEqual([{ segments: [segment(2, day, 5)], first: day, last: day }]);
  for (const run of runs.filter((one) => !alone.includes(one))) {
    const bounds = boundsOfRun(run);
    if (bounds !== undefined) expect(bounds.from).toBeLessThan(bounds.to);
  }
});

it('reads days with few columns together, and days with many apart', () => {
  const wide = (id: number, day: string, n: number) => ({
    ...segment(id, day, 1),
    columns: new Set(Array.from({ length: n }, (_, i) => `${id}/${i}`)),
  });
  const few = Array.from({ length: 12 }, (_, i) => wide(i, `d${10 + i}`, 10));
  expect(readTogether(few).map((part) => part.length)).toEqual([12]);
  expect(
    readTogether([...few, wide(12, 'd22', 2000), wide(13, 'd22', 1)]).map((part) => part.length),
  ).toEqual([12, 2]);
  expect(readTogether([])).toEqual([]);
});

it('gives each day once, in order, where segments hold several', () => {
  const counts = fc.array(
    fc.record({
      first: fc.nat(20),
      rows: fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 8 }),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(counts, (list) => {
      const all = list.map(({ first, rows }, id): SegmentInfo => {
        const days = rows.map((count, i) => ({ day: `2026-01-${10 + first + i}`, rows: count }));
        const sum = rows.reduce((a, b) => a + b, 0);
        return { ...segment(id, days[0]!.day, sum), days: days.length > 1 ? days : undefined };
      });
      const runs = dayRuns(all);
      const pairs = (of: readonly SegmentInfo[]) =>
        of.flatMap((one) => daysOf(one).map(({ day }) => `${one.id} ${day}`));
      const given = runs.flatMap(({ segments, first, last }) =>
        pairs(segments).filter((pair) => pair.slice(-10) >= first && pair.slice(-10) <= last),
      );
      expect(given.toSorted()).toEqual(pairs(all).toSorted());
      for (const [i, { first, last }] of runs.entries()) {
        expect(first <= last).toBe(true);
        if (i > 0) expect(runs[i - 1]!.last < first).toBe(true);
      }
      const groups = disjointGroups(all);
      expect(groups.flat().length).toBe(all.length);
      for (const [i, group] of groups.entries())
        if (i > 0) expect(groups[i - 1]!.every((one) => lastDayOf(one) < group[0]!.day)).toBe(true);
    }),
  );
});
