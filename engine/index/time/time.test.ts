import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rowsArbitrary } from '../rollup/testing/arbitrary-rows.ts';
import { inSegmentOrder, sectionsOf, withSideFile } from '../rollup/testing/rows.ts';
import { TimeIndex } from './time-index.ts';
import { datedRows, timeSection } from './time-section.ts';

it('tells rows from times and times from rows', () => {
  fc.assert(
    fc.property(rowsArbitrary, fc.array(fc.integer()), (came, more) => {
      const rows = inSegmentOrder(came);
      const dated = rows.flatMap(({ ts }) => ts ?? []);
      withSideFile(rows.length, sectionsOf('log', came, 30), (file) => {
        const index = TimeIndex.open(file)!;
        expect([index.rows, index.dated]).toEqual([rows.length, dated.length]);
        rows.forEach(({ ts }, row) => expect(index.timeOf(row)).toBe(ts));
        expect(index.timeOf(rows.length)).toBeUndefined();
        const around = dated.flatMap((ts) => [ts - 1, ts, ts + 1]);
        for (const ts of [...around, ...more, -Infinity, Infinity])
          expect(index.rowAt(ts)).toBe(dated.filter((time) => time < ts).length);
      });
    }),
    { numRuns: 150 },
  );
});

/** Pseudo-random from 0 to 1, the same in every run. */
let state = 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const STEPS = {
  seconds: () => (random() < 0.2 ? 1_000_000 : 0),
  milliseconds: () => Math.floor(random() * 300) * 1_000,
  microseconds: () => Math.floor(random() * 400_000),
  'one instant': () => 0,
  'years between': () => 10 ** 11,
};
for (const [name, step] of Object.entries(STEPS)) {
  it(`finds rows over many pages: ${name}`, () => {
    const times = new Float64Array(9_000);
    times[0] = -5_000_000;
    for (let row = 1; row < 8_500; row++) times[row] = times[row - 1]! + step();
    times.fill(NaN, 8_500);
    expect(datedRows(times)).toBe(8_500);
    withSideFile(9_000, [timeSection(times, 8_500)], (file) => {
      const index = TimeIndex.open(file)!;
      const firsts = new Map<number, number>();
      for (let row = 0; row < 8_500; row++) {
        expect(index.timeOf(row)).toBe(times[row]);
        if (!firsts.has(times[row]!)) firsts.set(times[row]!, row);
      }
      for (const [ts, row] of firsts) expect(index.rowAt(ts)).toBe(row);
      expect(index.rowAt(times[8_499]! + 1)).toBe(8_500);
      expect(index.timeOf(8_500)).toBeUndefined();
    });
  });
}

it('has nothing to say of rows that lie in no order of time', () => {
  for (const times of [[2, 1], [NaN, 1], [0.5], [-(2 ** 53) + 1, 2 ** 53 - 1], [Infinity]])
    expect(datedRows(Float64Array.from(times))).toBeUndefined();
  expect(datedRows(Float64Array.from([1, 1, NaN]))).toBe(2);
});
