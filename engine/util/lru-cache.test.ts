import { expect, it } from 'vitest';
import { LruCache } from './lru-cache.ts';

it('keeps what was used last, within its size', () => {
  const kept = new LruCache<object, string>(100);
  const [a, b, c, d] = [{}, {}, {}, {}];
  kept.set(a, 'a', 40);
  kept.set(b, 'b', 40);
  expect(kept.get(a)).toBe('a');
  kept.set(c, 'c', 40);
  expect([a, b, c].map((one) => kept.get(one))).toEqual(['a', undefined, 'c']);
  // Replaces the previous value.
  kept.set(c, 'C', 60);
  expect([a, c].map((one) => kept.get(one))).toEqual(['a', 'C']);
  kept.set(d, 'd', 101);
  expect([a, c, d].map((one) => kept.get(one))).toEqual(['a', 'C', undefined]);
  // A replacement that is too large removes the previous value.
  kept.set(a, 'A', 101);
  kept.set(b, 'b', 40);
  expect([a, b, c].map((one) => kept.get(one))).toEqual([undefined, 'b', 'C']);
});

it('counts values that have no size, and makes what it does not have', () => {
  const kept = new LruCache<number, string>(2);
  const made: number[] = [];
  const take = (key: number): string =>
    kept.take(key, () => {
      made.push(key);
      return String(key);
    });
  expect([1, 2, 1, 3, 1, 2].map(take)).toEqual(['1', '2', '1', '3', '1', '2']);
  expect(made).toEqual([1, 2, 3, 2]);
});
