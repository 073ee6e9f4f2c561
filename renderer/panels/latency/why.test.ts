import { describe, expect, it } from 'vitest';
import { whySlow, type Measured } from './why.ts';

const one = (change: Partial<Measured>): Measured => ({
  at: '2026-11-21T00:00:00.000Z',
  operation: 'query.run',
  status: 'done',
  totalMs: 100,
  spans: {},
  ...change,
});

describe('whySlow', () => {
  it.each<[string, Partial<Measured>, RegExp]>([
    [
      'names the largest span',
      { spans: { parse: 1, execute: 90 } },
      /^90% of the time went to reading/,
    ],
    [
      'says what a scan read',
      { path: 'scan', rowsExamined: 2_000_000, rowsReturned: 5 },
      /2,000,000 rows to find 5 .*narrower time range/,
    ],
    ['counts one row', { path: 'scan', rowsExamined: 1 }, /^It read 1 row because/],
    ['knows the catalog', { path: 'catalog' }, /catalog alone/],
    ['says that it was cancelled', { status: 'cancelled' }, /cancelled/],
    ['says when nothing stands out', { spans: { parse: 10, plan: 12 } }, /^Nothing/],
  ])('%s', (_, change, expected) => {
    expect(whySlow(one(change))).toMatch(expected);
  });
});
