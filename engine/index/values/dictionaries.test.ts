import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SmallDictionary } from './dictionaries.ts';

it('ranks the small numbers that came, in memory by the largest of them', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.oneof(fc.nat(300), fc.nat(65_535)))), (rows) => {
      const dictionary = new SmallDictionary(65_536);
      const present = Uint8Array.from(rows, (value) => (value === null ? 0 : 1));
      const column = {
        values: Uint32Array.from(rows, (value) => value ?? 9),
        present: present.includes(0) ? present : undefined,
      };
      const codes = new Uint32Array(rows.length + 1);
      dictionary.put(column, codes, 1, rows.length);
      const { values, ranks } = dictionary.sorted();
      const came = rows.filter((value) => value !== null);
      expect([...values]).toEqual([...new Set(came)].sort((a, b) => a - b));
      expect(Array.from(codes, (code) => (code === 0 ? null : values[ranks[code - 1]!]))).toEqual([
        null,
        ...rows,
      ]);
      // A column that nothing has costs nothing when 100 rows are imported.
      expect(ranks).toHaveLength(Math.max(-1, ...came) + 1);
    }),
  );
});
