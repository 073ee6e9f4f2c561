/** Buckets are named in the zone of the view, and ranges are never empty. */
import { describe, expect, it } from 'vitest';
import {
  bucketTime,
  countsOf,
  rangeBetween,
  seriesName,
  shownRange,
  spokenBucket,
  type Buckets,
} from './buckets.ts';
import { movedCursor } from './chart/use-bucket-cursor.ts';

const START = Date.UTC(2026, 0, 5, 12) * 1000;
const series = (value: string | null, ...counts: number[]) => ({
  ...{ value, rest: false, counts: Float64Array.from(counts) },
  total: counts.reduce((a, b) => a + b, 0),
});
const bucketsOf = (width: number, more: Partial<Buckets> = {}): Buckets => ({
  ...{ width, field: 'kind', hidden: new Set<string>(), zone: 'UTC' },
  starts: Float64Array.from([0, 1, 2], (at) => START + at * width),
  series: [series('flow', 1, 0, 4), series('log', 2, 0, 1)],
  sums: Float64Array.from([3, 0, 5]),
  ...more,
});

describe('shownRange', () => {
  const buckets = bucketsOf(60e6);
  it.each([
    ['the buckets', buckets, undefined, undefined, [START, START + 180e6]],
    ['the view', buckets, START - 5, START + 7, [START - 5, START + 7]],
    ['one end of the view', buckets, START + 60e6, undefined, [START + 60e6, START + 180e6]],
    [
      'an instant with minutes around it',
      bucketsOf(1),
      undefined,
      undefined,
      [START - 60e6, START + 3 + 60e6],
    ],
    ['an empty range of the view as one microsecond', buckets, START, START, [START, START + 1]],
    [
      'a second where nothing is',
      bucketsOf(1, { starts: new Float64Array(0) }),
      5,
      undefined,
      [5, 1e6 + 5],
    ],
  ] as const)('is %s', (_, of, from, to, expected) => {
    expect(shownRange(of, from, to)).toEqual(expected);
  });
});

describe('a bucket', () => {
  it('lies between two, in either order', () => {
    const buckets = bucketsOf(60e6);
    expect(rangeBetween(buckets, 2, 1)).toEqual({ from: START + 60e6, to: START + 180e6 });
    expect(rangeBetween(buckets, 1, 2)).toEqual(rangeBetween(buckets, 2, 1));
  });

  it.each([
    [1e6, '2026-01-05 12:00:01 – 12:00:02'],
    [1e3, '2026-01-05 12:00:00.001 – 12:00:00.002'],
    [1, '2026-01-05 12:00:00.000001 – 12:00:00.000002'],
  ])('of %d µs has the digits that tell it from the next', (width, expected) => {
    expect(bucketTime(bucketsOf(width), 1)).toBe(expected);
  });

  it('counts the series that are shown and have events', () => {
    const counts = (buckets: Buckets, at: number) =>
      countsOf(buckets, at).map(({ one, index, n }) => [one.value, index, n]);
    expect(counts(bucketsOf(1e6), 0)).toEqual([
      ['flow', 0, 1],
      ['log', 1, 2],
    ]);
    expect(counts(bucketsOf(1e6), 1)).toEqual([]);
    expect(counts(bucketsOf(1e6, { hidden: new Set(['=flow']) }), 0)).toEqual([['log', 1, 2]]);
  });

  it('is spoken with its series, when there are several', () => {
    expect(spokenBucket(bucketsOf(1e6), 2)).toBe(
      '2026-01-05 12:00:02 – 12:00:03, 5 events, flow 4, log 1',
    );
    expect(spokenBucket(bucketsOf(1e6, { series: [series(null, 3, 0, 5)] }), 0)).toBe(
      '2026-01-05 12:00:00 – 12:00:01, 3 events',
    );
  });
});

it.each([
  [{ value: 'x', rest: false }, 'host', 'x'],
  [{ value: null, rest: false }, 'host', 'no host'],
  [{ value: null, rest: false }, '', 'events'],
  [{ value: null, rest: true }, 'host', 'all others'],
])('names the series %j by %j', (one, field, expected) => {
  expect(seriesName(one, field)).toBe(expected);
});

it.each([
  ['ArrowRight', undefined, 4],
  ['ArrowLeft', undefined, 4],
  ['ArrowRight', 4, 5],
  ['ArrowLeft', 0, 0],
  ['PageDown', 15, 19],
  ['PageUp', 15, 5],
  ['Home', 7, 0],
  ['End', undefined, 19],
  ['x', 7, undefined],
])('%s moves the cursor from %s to %s', (key, cursor, expected) => {
  expect(movedCursor(key, cursor, 4, 19)).toBe(expected);
});
