import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HASH_SEED, hashWord } from './hash.ts';
import { TupleDictionary } from './tuple-dictionary.ts';

/** Columns of tuples. */
function columnsOf(tuples: readonly (readonly number[])[], width: number): Int32Array[] {
  return Array.from({ length: width }, (_, w) => Int32Array.from(tuples, (tuple) => tuple[w]!));
}

const TUPLES = fc.integer({ min: 1, max: 5 }).chain((width) => {
  const word = fc.oneof(fc.integer({ min: -1, max: 3 }), fc.integer());
  const tuple = fc.array(word, { minLength: width, maxLength: width });
  return fc.tuple(
    fc.constant(width),
    fc.array(fc.array(tuple, { maxLength: 60 }), { maxLength: 60 }),
  );
});

it('numbers tuples in the order they first came, and finds them', () => {
  fc.assert(
    fc.property(TUPLES, ([width, batches]) => {
      const dictionary = new TupleDictionary(width, { room: 1 });
      const expected = new Map<string, number>();
      for (const batch of batches) {
        const columns = columnsOf(batch, width);
        const found = new Int32Array(batch.length);
        dictionary.find(columns, batch.length, found);
        expect([...found]).toEqual(batch.map((tuple) => expected.get(tuple.join()) ?? -1));
        for (const tuple of batch)
          if (!expected.has(tuple.join())) expected.set(tuple.join(), expected.size);
        dictionary.idsOf(columns, batch.length, found);
        expect([...found]).toEqual(batch.map((tuple) => expected.get(tuple.join())));
      }
      const words = [...expected.values()].map((id) =>
        Array.from({ length: width }, (_, w) => dictionary.word(id, w)).join(),
      );
      expect(words).toEqual([...expected.keys()]);
    }),
  );
});

it('tells tuples of one hash apart', () => {
  // Of two words the second can be chosen so that the hash is that of two zeros.
  const tuples = Array.from({ length: 200 }, (_, first) => [
    first,
    hashWord(HASH_SEED, 0) ^ hashWord(HASH_SEED, first),
  ]);
  const hashes = tuples.map((tuple) => tuple.reduce(hashWord, HASH_SEED));
  expect(new Set(hashes).size).toBe(1);
  const dictionary = new TupleDictionary(2);
  const ids = new Int32Array(400);
  dictionary.idsOf(columnsOf([...tuples, ...tuples], 2), 400, ids);
  expect([...ids]).toEqual([...tuples.keys(), ...tuples.keys()]);
});

it('says what it will allocate, and is as before where it may not', () => {
  let left = 100_000;
  const dictionary = new TupleDictionary(2, {
    onGrow: (bytes) => {
      if ((left -= bytes) < 0) throw new RangeError('no room');
    },
  });
  const columns = [Int32Array.from({ length: 9000 }, (_, i) => i), new Int32Array(9000)];
  const ids = new Int32Array(9000);
  expect(() => dictionary.idsOf(columns, 9000, ids)).toThrow('no room');
  const { size } = dictionary;
  expect(size).toBeGreaterThan(1000);
  dictionary.find(columns, 9000, ids);
  expect([...ids]).toEqual(
    columns[0]!
      .map((i) => (i < size ? i : -1))
      .values()
      .toArray(),
  );
});
