import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowSet } from './row-set.ts';

const sets = fc
  .integer({ min: 1, max: 700 })
  .chain((total) =>
    fc
      .tuple(
        ...[0, 1].map(() =>
          fc.oneof(
            fc.uniqueArray(fc.nat(total - 1), { maxLength: total }),
            fc.uniqueArray(fc.nat(total - 1), { maxLength: 5 }),
          ),
        ),
      )
      .map(([a, b]) => ({ total, a: a!.sort((x, y) => x - y), b: b!.sort((x, y) => x - y) })),
  );
const setOf = (rows: number[], total: number): RowSet =>
  RowSet.ofSorted(Uint32Array.from(rows), total);
const members = (set: RowSet): number[] => [...set.slice(0, set.count)];

it('says the same as sets of numbers', () => {
  fc.assert(
    fc.property(sets, fc.nat(720), fc.nat(720), ({ total, a, b }, at, to) => {
      const one = setOf(a, total);
      const two = setOf(b, total);
      const inB = new Set(b);
      const inA = new Set(a);
      expect(members(one)).toEqual(a);
      expect(members(one.and(two))).toEqual(a.filter((row) => inB.has(row)));
      expect(members(one.or(two))).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y));
      const others = Array.from({ length: total }, (_, row) => row).filter((row) => !inA.has(row));
      expect(members(one.not())).toEqual(others);
      expect(one.not().count).toBe(others.length);
      expect(one.rank(at)).toBe(a.filter((row) => row < at).length);
      expect([...one.slice(at, to)]).toEqual(a.slice(at, to));
      const all: number[] = [];
      one.forEach((row) => void all.push(row));
      expect(all).toEqual(a);
      expect(members(RowSet.ofWords(one.toWords(), total))).toEqual(a);
      expect(members(RowSet.range(total, at, to))).toEqual(
        Array.from({ length: total }, (_, row) => row).filter((row) => row >= at && row < to),
      );
      if (at < total) expect(one.has(at)).toBe(inA.has(at));
    }),
    { numRuns: 500 },
  );
});
