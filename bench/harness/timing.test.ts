import { expect, test } from 'vitest';
import { median, parseSize, percentile, warm } from './timing.ts';

test.each([
  ['13M', 13_000_000],
  ['100k', 100_000],
  ['1_000', 1000],
  ['2.5M', 2_500_000],
  ['1G', 1e9],
])('%s is %d', (text, size) => {
  expect(parseSize(text)).toBe(size);
});

test.each(['', '0', 'M', '13 M', '-1', '1T', '1e6', 'NaN'])('%j is no size', (text) => {
  expect(() => parseSize(text)).toThrow('is no size');
});

test('median and percentile', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(percentile([5, 1, 4, 2, 3], 0.95)).toBe(5);
  expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
});

test('the first run does not count', async () => {
  const given = [100, 1, 2, 3];
  const cell = await warm(3, async () => given.shift() ?? 0);
  expect(cell).toEqual({ value: 2, runs: [1, 2, 3] });
});
