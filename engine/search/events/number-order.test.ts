/** A list by time reads the requested rows and hardly any others. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowSet } from '../../util/row-set.ts';
import { type SegmentInfo, rowsOf } from '../../query/index.ts';
import type { TimedRows } from '../access-paths/timed-rows.ts';
import { NumberOrder } from './number-order.ts';

/** Limit of rows read before the first requested row and after the last. */
const MOST_BESIDE = 2 * 8;

/** A segment with events at these times, in order. */
function segmentOf(id: number, times: readonly number[]): SegmentInfo {
  const [minTs, maxTs] = [times[0], times.at(-1)];
  return {
    ...{ id, day: '2026-11-01', kind: 'log', rows: times.length, minTs, maxTs },
    ...{ columns: new Set<string>(), hasDeletes: false, tags: new Set<number>() },
    ...{ unflowedPackets: 0, sources: new Set([1]) },
  };
}

/** Its rows `from`, `from + step` and so on. */
function someRows(id: number, times: readonly number[], from: number, step: number): TimedRows {
  const rows = Uint32Array.from(times.keys().filter((row) => row >= from && row % step === 0));
  const time = {
    rowAt: (ts: number) => times.filter((one) => one < ts).length,
    timeOf: (row: number) => times[row],
  };
  return {
    segment: segmentOf(id, times),
    rows: rowsOf(RowSet.ofSorted(rows, times.length)),
    time,
  };
}

it('names the rows that are meant, and few others', () => {
  const times = fc
    .uniqueArray(fc.integer({ min: 0, max: 1e6 }), { minLength: 1, maxLength: 300 })
    .map((list) => list.sort((a, b) => a - b));
  const asked = fc.tuple(fc.array(times, { minLength: 1, maxLength: 4 }), fc.nat(400), fc.nat(200));
  fc.assert(
    fc.property(
      asked,
      fc.nat(5),
      fc.integer({ min: 1, max: 4 }),
      ([all, from, count], first, step) => {
        const list = all.map((one, i) => someRows(i + 1, one, first, step));
        const inOrder = all
          .flatMap((one, i) => one.map((ts, row) => ({ ts, row, segment: i + 1 })))
          .filter(({ row }) => row >= first && row % step === 0)
          .sort((a, b) => a.ts - b.ts || a.segment - b.segment);
        const order = new NumberOrder(list);
        const to = Math.min(from + count, inOrder.length);
        const meant = inOrder.slice(from, to);
        const pieces = order.pieces(from, to);
        expect(pieces.length).toBe(meant.length === 0 ? 0 : 1);
        for (const { sets, offset, count: length } of pieces) {
          const read = [...sets].flatMap(([{ id }, rows]) => {
            const numbers =
              rows === 'all'
                ? all[id - 1]!.keys()
                : rows === 'none'
                  ? []
                  : [...rows.slice(0, rows.count)];
            return [...numbers].map((row) => ({ ts: all[id - 1]![row]!, row, segment: id }));
          });
          read.sort((a, b) => a.ts - b.ts || a.segment - b.segment);
          expect(read.slice(offset, offset + length)).toEqual(meant);
          // Events with equal times cannot be told apart.
          const ties = inOrder.filter(({ ts }) => meant.some((one) => one.ts === ts)).length;
          expect(read.length).toBeLessThanOrEqual(ties + MOST_BESIDE);
        }
      },
    ),
    { numRuns: 300 },
  );
});
