import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteDictionary } from './byte-dictionary.ts';
import { HASH_SEED, hashBytes } from './hash.ts';

const given = (texts: readonly string[]) => {
  const starts: number[] = [0];
  for (const text of texts) starts.push(starts.at(-1)! + Buffer.byteLength(text));
  const data = Buffer.from(texts.join(''));
  return texts.map((_, i) => [data, starts[i]!, starts[i + 1]!] as const);
};
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

it('numbers strings in the order they first came and sorts them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 9 }), { maxLength: 700 }), (texts) => {
      const dictionary = new ByteDictionary();
      const distinct = [...new Set(texts)];
      const ids = given(texts).map((one) => dictionary.idOf(...one));
      expect(ids).toEqual(texts.map((text) => distinct.indexOf(text)));
      expect(distinct.map((_, id) => textOf(dictionary.bytesOf(id)))).toEqual(distinct);
      const { values, ranks } = dictionary.sorted();
      expect(values.map(textOf)).toEqual(
        [...distinct].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
      expect(Array.from(ranks, (rank) => textOf(values[rank]!))).toEqual(distinct);
    }),
  );
});

it('tells strings of one hash apart', () => {
  // Of eight bytes the second four can be chosen so that the hash is that of eight zeros.
  const afterFirst = (word: number) => {
    const hash = Math.imul((8 ^ HASH_SEED ^ ((8 ^ HASH_SEED) >>> 15)) + word, 0x85eb_ca6b);
    return hash ^ (hash >>> 15);
  };
  const strings = Array.from({ length: 200 }, (_, first) =>
    Buffer.from(Int32Array.of(first, afterFirst(0) - afterFirst(first)).buffer),
  );
  const hashes = strings.map(({ buffer, byteOffset }) =>
    hashBytes(new DataView(buffer, byteOffset, 8), 0, 8),
  );
  expect(new Set(hashes).size).toBe(1);
  const dictionary = new ByteDictionary();
  const ids = [...strings, ...strings].map((bytes) => dictionary.idOf(bytes, 0, 8));
  expect(ids).toEqual([...strings.keys(), ...strings.keys()]);
});

it('takes no more strings and bytes than it may, and knows those that it has', () => {
  const some = given(['ab', 'c', 'defg', 'h']);
  const few = new ByteDictionary({ strings: 2 });
  expect(some.map((one) => few.idOf(...one))).toEqual([0, 1, -1, -1]);
  const short = new ByteDictionary({ bytes: 4 });
  expect(some.map((one) => short.idOf(...one))).toEqual([0, 1, -1, 2]);
  expect(some.map((one) => short.idOf(...one))).toEqual([0, 1, -1, 2]);
});

it('says what it will allocate, and is as before where it may not', () => {
  let left = 30_000;
  const dictionary = new ByteDictionary({
    onGrow: (bytes) => {
      if ((left -= bytes) < 0) throw new RangeError('no room');
    },
  });
  const texts = Array.from({ length: 5000 }, (_, i) => `text ${i}`);
  expect(() => given(texts).forEach((one) => dictionary.idOf(...one))).toThrow('no room');
  const { size } = dictionary;
  expect(size).toBeGreaterThan(256);
  expect(given(texts.slice(0, size)).map((one) => dictionary.idOf(...one))).toEqual(
    Array.from({ length: size }, (_, i) => i),
  );
});
