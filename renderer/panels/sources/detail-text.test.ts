import { describe, expect, it } from 'vitest';
import { detailLines } from './detail-text.ts';

describe('detailLines', () => {
  it.each([
    [{}, []],
    [{ name: 'auth.log', source: 3 }, ['name: auth.log', 'source: 3']],
    [
      { before: { first: 1792023560000000, decisions: { tz: 'UTC' } } },
      ['before.first: 2026-10-15 02:19:20.000000', 'before.decisions.tz: UTC'],
    ],
    // A count with a name that usually means a time.
    [{ first: 12, last: null }, ['first: 12', 'last: null']],
    [{ items: ['a', 'b'], empty: {} }, ['items: ["a","b"]', 'empty: {}']],
  ])('%j', (detail, lines) => expect(detailLines(detail, '+02:00')).toEqual(lines));
});
