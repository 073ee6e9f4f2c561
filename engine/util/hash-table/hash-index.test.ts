/** Each does what a Map does, also where many keys have one hash or one place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashIndex } from './hash-index.ts';

/** Hashes: few, of one place, of places at the end of the table, and any. */
const HASH = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.nat(40).map((n) => (n << 24) | 7),
  fc.nat(40).map((n) => (n << 20) | 0xfffff),
  fc.integer(),
);

/** Keys are texts; the index only knows their hashes. */
class Table {
  readonly keys: string[] = [];
  readonly index = new HashIndex();
  private readonly hashes: ReadonlyMap<string, number>;

  constructor(hashes: ReadonlyMap<string, number>) {
    this.hashes = hashes;
  }

  find(key: string): number {
    const hash = this.hashes.get(key)!;
    let entry = this.index.first(hash);
    while (entry >= 0 && this.keys[entry] !== key) entry = this.index.next(hash);
    return entry;
  }

  idOf(key: string): number {
    const known = this.find(key);
    if (known >= 0) return known;
    const entry = this.keys.push(key) - 1;
    this.index.put(entry, this.hashes.get(key)!);
    return entry;
  }

  delete(key: string): void {
    this.index.delete(this.find(key), this.hashes.get(key)!);
  }
}

const HASHES = fc
  .array(HASH, { minLength: 1, maxLength: 200 })
  .map((hashes) => new Map(hashes.map((hash, i) => [`key ${i}`, hash])));

describe('HashIndex', () => {
  it('finds the entries that there are, and numbers new ones', () => {
    fc.assert(
      fc.property(HASHES, fc.infiniteStream(fc.nat()), (hashes, picks) => {
        const table = new Table(hashes);
        const expected = new Map<string, number>();
        for (const pick of picks.take(400)) {
          const key = `key ${pick % hashes.size}`;
          if (!expected.has(key)) {
            expect(table.find(key)).toBe(-1);
            expected.set(key, expected.size);
          }
          expect(table.idOf(key)).toBe(expected.get(key));
        }
        expect(table.index.size).toBe(expected.size);
        expect(table.index.room).toBeGreaterThanOrEqual(expected.size);
        for (const [key, entry] of expected) expect(table.find(key)).toBe(entry);
      }),
    );
  });

  it('finds every other entry after some are deleted', () => {
    fc.assert(
      fc.property(HASHES, fc.infiniteStream(fc.tuple(fc.nat(), fc.boolean())), (hashes, steps) => {
        const table = new Table(hashes);
        const expected = new Map<string, number>();
        for (const [pick, isDeleted] of steps.take(200)) {
          const key = `key ${pick % hashes.size}`;
          if (!isDeleted) expected.set(key, table.idOf(key));
          else if (expected.delete(key)) table.delete(key);
          for (const name of hashes.keys()) expect(table.find(name)).toBe(expected.get(name) ?? -1);
        }
        expect(table.index.size).toBe(expected.size);
      }),
      { numRuns: 30 },
    );
  });

  it('gives all entries of a hash in the order in which they were added', () => {
    fc.assert(
      fc.property(fc.array(HASH, { maxLength: 100 }), (hashes) => {
        const index = new HashIndex();
        for (const [entry, hash] of hashes.entries()) index.add(entry, hash);
        for (const hash of new Set(hashes)) {
          const found: number[] = [];
          for (let one = index.first(hash); one >= 0; one = index.next(hash)) found.push(one);
          const expected = [...hashes.keys()].filter((entry) => hashes[entry] === hash);
          expect(found.sort((a, b) => a - b)).toEqual(expected);
        }
      }),
    );
  });

  it('puts an entry in the place of the one at which the look ended', () => {
    const index = new HashIndex();
    for (const entry of [0, 1, 2]) index.add(entry, 5);
    expect([index.first(5), index.next(5)]).toEqual([0, 1]);
    index.put(9, 5);
    expect([index.first(5), index.next(5), index.next(5), index.next(5)]).toEqual([0, 9, 2, -1]);
    expect(index.size).toBe(3);
  });

  it('is empty once it was cleared', () => {
    const index = new HashIndex();
    for (let entry = 0; entry < 100; entry++) index.add(entry, entry);
    const { room } = index;
    index.clear();
    expect([index.size, index.room]).toEqual([0, room]);
    for (let hash = 0; hash < 100; hash++) expect(index.first(hash)).toBe(-1);
  });
});
