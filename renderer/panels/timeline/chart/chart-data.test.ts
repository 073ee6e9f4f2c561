/** Times of the chart belong to one bucket; a brush covers whole ones. */
import { describe, expect, it } from 'vitest';
import { findingsIn, bucketAt, countMarks, shortCount, wholeBuckets } from './chart-data.ts';

const data = { starts: Float64Array.of(100, 110, 120), width: 10 };
const none = { starts: new Float64Array(0), width: 10 };

it.each([
  [99, undefined],
  [100, 0],
  [109, 0],
  [110, 1],
  [129, 2],
  [130, undefined],
])('the time %d is in bucket %s', (time, expected) => {
  expect(bucketAt(data, time)).toBe(expected);
  expect(bucketAt(none, time)).toBeUndefined();
});

it('covers each bucket that a brush touches', () => {
  expect(wholeBuckets(data, { from: 104, to: 111 })).toEqual({ from: 100, to: 120 });
  expect(wholeBuckets(data, { from: 110, to: 120 })).toEqual({ from: 110, to: 120 });
  expect(wholeBuckets(none, { from: 104, to: 111 })).toEqual({ from: 104, to: 111 });
});

it.each([
  [[], false, true, []],
  [[0, 0], false, true, []],
  [[1], false, true, [1]],
  [[3, 90], false, true, [90, 45]],
  [[3, 90], false, false, [90]],
  [[3, 10_000], true, true, [10_000, 100]],
])(
  'of the counts %j (logarithmic: %s, room: %s) the axis names %j',
  (sums, logarithmic, room, expected) => {
    expect(countMarks({ sums: Float64Array.from(sums), logarithmic }, room)).toEqual(expected);
  },
);

it.each([
  [0, '0'],
  [4015, '4,015'],
  [99_999, '99,999'],
  [123_456, '123k'],
  [1_234_567, '1.23M'],
])('writes the count %d as %s', (n, expected) => {
  expect(shortCount(n)).toBe(expected);
});

describe('findingsIn', () => {
  const findings = { times: [10, 20, 30], counts: [1, 5, 2] };
  it.each([
    [0, 10, 0],
    [10, 20, 1],
    [10, 21, 6],
    [0, 100, 8],
  ])('between %i and %i', (from, to, n) => {
    expect(findingsIn(findings, { from, to })).toBe(n);
  });
});
