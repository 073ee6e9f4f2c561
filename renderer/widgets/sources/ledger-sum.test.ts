import { describe, expect, it } from 'vitest';
import { addCounts, ledgerRest } from './ledger-sum.ts';

const counts = (...n: [number, number, number, number, number]) => ({
  ...{ read: n[0], stored: n[1], duplicate: n[2], quarantined: n[3], skipped: n[4] },
});

describe('a ledger', () => {
  it.each([
    [counts(10, 4, 3, 2, 1), 0],
    [counts(10, 4, 3, 2, 0), 1],
    [counts(10, 10, 1, 0, 0), -1],
  ])('tells what does not add up', (given, rest) => expect(ledgerRest(given)).toBe(rest));

  it('adds up over sources', () =>
    expect(addCounts([counts(5, 4, 1, 0, 0), counts(5, 0, 2, 2, 1)])).toEqual(
      counts(10, 4, 3, 2, 1),
    ));
});
