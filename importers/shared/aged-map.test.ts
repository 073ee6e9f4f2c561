import { expect, it } from 'vitest';
import { AgedMap } from './aged-map.ts';

it('gives the oldest entry of those that are left', () => {
  const map = new AgedMap<number, string>();
  expect(map.oldest()).toBeUndefined();
  for (let n = 0; n < 1000; n++) map.set(n, `${n}`);
  map.set(0, 'changed');
  expect(map.oldest()).toEqual([0, 'changed']);
  expect(map.oldest()).toEqual([0, 'changed']);
  for (const n of [0, 1, 2, 500]) map.delete(n);
  expect(map.oldest()).toEqual([3, '3']);
  for (let n = 3; n < 1000; n++) map.delete(n);
  expect(map.oldest()).toBeUndefined();
  map.set(7, 'again');
  expect(map.oldest()).toEqual([7, 'again']);
  map.clear();
  expect(map.oldest()).toBeUndefined();
  expect(map.size).toBe(0);
});

it('keeps the order of a Map whatever comes and goes', () => {
  const map = new AgedMap<number, number>();
  const plain = new Map<number, number>();
  let seed = 12345;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;
  let next = 0;
  for (let i = 0; i < 100_000; i++) {
    const most = 1 + (Math.floor(i / 10_000) % 3) * 300;
    if (plain.size < most || random() % 3 === 0) {
      map.set(next, i);
      plain.set(next, i);
      next += 1;
    } else {
      const any = [
        ...(random() % 8 === 0 ? plain.keys().drop(random() % plain.size) : plain.keys()).take(1),
      ][0]!;
      map.delete(any);
      plain.delete(any);
    }
    const [oldest] = plain;
    expect(map.oldest()).toEqual(oldest);
    // The list that keeps the order does not grow with removed entries.
    if (i % 1000 === 0)
      expect((map as unknown as { order: unknown[] }).order.length).toBeLessThan(
        5 * plain.size + 400,
      );
  }
});
