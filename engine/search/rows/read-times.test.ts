import { expect, it } from 'vitest';
import { ReadTimes } from './read-times.ts';

const times = (rows: number): Float64Array => Float64Array.from({ length: rows }, (_, row) => row);

it('keeps what was read last, however often it was read', () => {
  const kept = new ReadTimes();
  for (let n = 0; n < 100; n++) kept.set(1, times(100_000));
  kept.set(2, times(100_000));
  expect(kept.get(1)?.rowAt(41.5)).toBe(42);
  expect(kept.get(2)?.timeOf(7)).toBe(7);
  for (let n = 3; n < 200; n++) kept.set(n, times(100_000));
  expect(kept.get(1)).toBeUndefined();
  expect(kept.get(199)).toBeDefined();
});

it('keeps none that are not in order', () => {
  const kept = new ReadTimes();
  expect(kept.set(1, Float64Array.of(1, 3, 2))).toBeUndefined();
  expect(kept.set(1, Float64Array.of(1, NaN))).toBeUndefined();
  expect(kept.get(1)).toBeUndefined();
});
