import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { SegmentInfo } from '../../query/index.ts';
import { sliceRows, timeSlices } from './time-slices.ts';

function segment(id: number, times: readonly number[]): SegmentInfo {
  return {
    ...{ id, kind: 'log', day: '2026-03-01', rows: times.length },
    ...{ minTs: times[0], maxTs: times.at(-1), columns: new Set(['ts']) },
    ...{ hasDeletes: false, tags: new Set(), unflowedPackets: 0, sources: new Set() },
  } as unknown as SegmentInfo;
}

const TIMES = fc
  .array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 400 })
  .map((times) => times.toSorted((a, b) => a - b));

describe('slices of time', () => {
  it('follow each other, have every row once, and none is much larger than asked', () => {
    fc.assert(
      fc.property(fc.array(TIMES, { minLength: 1, maxLength: 4 }), (all) => {
        const segments = all.map((times, id) => segment(id, times));
        const slices = timeSlices(
          segments,
          ({ id }) => ({ timeOf: (row) => all[id]![row], rowAt: () => 0 }),
          80,
        );
        const rowsOf = ({ from = -Infinity, to = Infinity }: { from?: number; to?: number }) =>
          all.flat().filter((time) => time >= from && time < to).length;
        expect(slices[0]!.from).toBeUndefined();
        expect(slices.at(-1)!.to).toBeUndefined();
        for (let i = 1; i < slices.length; i++) expect(slices[i]!.from).toBe(slices[i - 1]!.to);
        const sizes = slices.map(({ from, to }) =>
          rowsOf({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }),
        );
        expect(sizes.reduce((a, b) => a + b, 0)).toBe(all.flat().length);
        // Rows at one moment cannot be divided; apart from them, a slice exceeds the limit by at most half.
        const counts = new Map<number, number>();
        for (const time of all.flat()) counts.set(time, (counts.get(time) ?? 0) + 1);
        const most = Math.max(...counts.values());
        for (const size of sizes) expect(size).toBeLessThanOrEqual(80 + 20 * all.length + most);
      }),
    );
  });
});

describe('rows of a slice', () => {
  it('are fewer where rows are wide and memory is short', () => {
    expect(sliceRows(256e6, 10)).toBe(100_000);
    expect(sliceRows(256e6, 100)).toBe(10_000);
  });
  it('are no more than are needed, and one at least', () => {
    expect(sliceRows(64e9, 10)).toBe(200_000);
    expect(sliceRows(1, 1000)).toBe(1);
  });
});
