import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SmallDictionary } from './dictionaries.ts';

it('ranks the small numbers that came, in memory by the largest of them', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(300), fc.nat(65_535))), (came) => {
      const dictionary = new SmallDictionary(65_536);
      const ids = came.map((value) => dictionary.idOf(value));
      const { values, ranks } = dictionary.sorted();
      expect([...values]).toEqual([...new Set(came)].sort((a, b) => a - b));
      expect(ids.map((id) => values[ranks[id]!])).toEqual(came);
      // A column that nothing has costs nothing when 100 rows are imported.
      expect(ranks).toHaveLength(Math.max(-1, ...came) + 1);
    }),
  );
});
