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
const rowsOf = (total: number): number[] => Array.from({ length: total }, (_, row) => row);

function expectSame(set: RowSet, expected: readonly number[], at: number, to: number): void {
  const { total } = set;
  expect(set.count).toBe(expected.length);
  expect(members(set)).toEqual(expected);
  expect(set.rank(at)).toBe(expected.filter((row) => row < at).length);
  expect([...set.slice(at, to)]).toEqual(expected.slice(at, to));
  const all: number[] = [];
  set.forEach((row) => void all.push(row));
  expect(all).toEqual(expected);
  expect(members(RowSet.ofWords(set.toWords(), total))).toEqual(expected);
  const words = RowSet.range(total, at, to).toWords();
  set.orInto(words);
  const more = rowsOf(total).filter((row) => (row >= at && row < to) || expected.includes(row));
  expect(members(RowSet.ofWords(words, total))).toEqual(more);
  expect(set.has(at)).toBe(expected.includes(at));
  expect(members(set.filtered((row) => row % 3 === 0))).toEqual(
    expected.filter((row) => row % 3 === 0),
  );
}

it('says the same as sets of numbers', () => {
  fc.assert(
    fc.property(sets, fc.nat(720), fc.nat(720), ({ total, a, b }, at, to) => {
      const one = setOf(a, total);
      const two = setOf(b, total);
      const inA = new Set(a);
      const inB = new Set(b);
      const those = (keep: (row: number) => boolean) => rowsOf(total).filter(keep);
      const same = (set: RowSet, keep: (row: number) => boolean) =>
        expectSame(set, those(keep), at, to);
      same(one, (row) => inA.has(row));
      same(one.and(two), (row) => inA.has(row) && inB.has(row));
      same(one.or(two), (row) => inA.has(row) || inB.has(row));
      same(one.not(), (row) => !inA.has(row));
      same(one.not().not(), (row) => inA.has(row));
      same(one.not().and(two), (row) => !inA.has(row) && inB.has(row));
      same(one.and(two.not()), (row) => inA.has(row) && !inB.has(row));
      same(one.not().and(two.not()), (row) => !inA.has(row) && !inB.has(row));
      same(one.not().or(two), (row) => !inA.has(row) || inB.has(row));
      same(one.or(two.not()), (row) => inA.has(row) || !inB.has(row));
      same(one.not().or(two.not()), (row) => !inA.has(row) || !inB.has(row));
      same(RowSet.range(total, at, to), (row) => row >= at && row < to);
      same(RowSet.range(total, at, to).not(), (row) => row < at || row >= to);
      same(RowSet.all(total), () => true);
    }),
    { numRuns: 500 },
  );
});

it('takes no memory for what NOT leaves', () => {
  const bits = RowSet.range(10_000, 0, 5_000);
  expect(bits.not().bytes).toBe(bits.bytes);
  expect(bits.not().not()).toBe(bits);
});
