import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Growing64 } from './growing.ts';

/** Typical columns: often one number, or each one more than the previous one. */
const PIECE = fc.record({
  rows: fc.integer({ min: 0, max: 6 }),
  start: fc.constantFrom<number | 'next'>('next', 'next', 7, 2 ** 53, -1, 0.5),
  step: fc.constantFrom(0, 0, 1, 1, 2),
  gap: fc.option(fc.nat(5), { freq: 4 }),
  missing: fc.constantFrom(false, false, false, true),
});

it('gives back the numbers of rows, whatever pieces they came in', () => {
  fc.assert(
    fc.property(fc.array(PIECE, { maxLength: 6 }), fc.boolean(), (pieces, reversed) => {
      const column = new Growing64();
      const want: number[] = [];
      let next = 3;
      for (const { rows, start, step, gap, missing } of pieces) {
        const first = start === 'next' ? next : start;
        const numbers = Array.from({ length: rows }, (_, i) => first + i * step);
        const present = Uint8Array.from(numbers, (_, i) => (i === gap ? 0 : 1));
        // A lent array may be longer than the rows.
        const values = Float64Array.from([...numbers, 99]);
        const all = !present.includes(0);
        column.append(missing ? undefined : { values, present: all ? undefined : present }, rows);
        want.push(...numbers.map((value, i) => (missing || i === gap ? NaN : value)));
        next = first + rows * step;
      }
      if (column.same !== undefined)
        expect(want.every((value) => value === column.same)).toBe(true);
      const order = reversed ? Uint32Array.from(want.keys()).reverse() : undefined;
      expect(column.used).toBe(want.some((value) => !Number.isNaN(value)));
      expect([...column.inOrder(order)]).toEqual(reversed ? want.toReversed() : want);
    }),
    { numRuns: 500, seed: 3 },
  );
});
