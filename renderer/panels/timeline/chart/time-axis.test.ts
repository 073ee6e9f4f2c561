/** Marks of the time axis are round on the clock of the window's zone. */
import { describe, expect, it } from 'vitest';
import { durationWords, timeMarks } from './time-axis.ts';

const at = (text: string): number => Date.parse(text) * 1000;
const labels = (from: string, to: string, most: number, zone: string): string[] =>
  timeMarks(at(from), at(to), most, zone).map(({ label }) => label);

describe('timeMarks', () => {
  it.each<[string, string, string, number, string, string[]]>([
    [
      'a day in hours',
      '2026-11-20T00:00:00Z',
      '2026-11-21T00:00:00Z',
      7,
      'UTC',
      ['20 Nov 2026 00:00', '04:00', '08:00', '12:00', '16:00', '20:00', '21 Nov'],
    ],
    [
      'in a zone that is not on the hour',
      '2026-11-20T00:00:00Z',
      '2026-11-20T12:00:00Z',
      4,
      'Asia/Kolkata',
      ['20 Nov 2026 06:00', '09:00', '12:00', '15:00'],
    ],
    [
      'less than a second',
      '2026-11-20T12:00:00.000Z',
      '2026-11-20T12:00:00.004Z',
      4,
      'UTC',
      ['20 Nov 2026 12:00:00.000', '12:00:00.001', '12:00:00.002', '12:00:00.003', '12:00:00.004'],
    ],
    [
      'years in months',
      '2024-11-05T00:00:00Z',
      '2026-02-01T00:00:00Z',
      6,
      'UTC',
      ['Jan 2025', 'Apr', 'Jul', 'Oct', 'Jan 2026'],
    ],
    [
      'days over a new year',
      '2025-12-30T12:00:00Z',
      '2026-01-02T12:00:00Z',
      4,
      'UTC',
      ['31 Dec 2025', '1 Jan 2026', '2 Jan'],
    ],
    [
      'weeks from Monday',
      '2026-11-01T00:00:00Z',
      '2026-11-30T00:00:00Z',
      5,
      'UTC',
      ['2 Nov 2026', '9 Nov', '16 Nov', '23 Nov', '30 Nov'],
    ],
  ])('%s', (_, from, to, most, zone, expected) => {
    expect(labels(from, to, most, zone)).toEqual(expected);
  });

  it('midnight is midnight on both sides of a change of the clock', () => {
    const zone = 'Europe/Vienna';
    const marks = timeMarks(at('2026-10-23T22:00:00Z'), at('2026-10-27T00:00:00Z'), 5, zone);
    expect(marks.map((mark) => new Date(mark.at / 1000).toISOString().slice(0, 16))).toEqual([
      '2026-10-23T22:00',
      '2026-10-24T22:00',
      '2026-10-25T23:00',
      '2026-10-26T23:00',
    ]);
  });

  it('an hour that is left out has no mark, and the others stay on the clock', () => {
    expect(labels('2026-03-28T23:00:00Z', '2026-03-29T05:00:00Z', 7, 'Europe/Vienna')).toEqual([
      ...['29 Mar 2026 00:00', '01:00', '03:00', '04:00', '05:00', '06:00', '07:00'],
    ]);
  });

  it('is empty for no range', () => {
    expect(timeMarks(5, 5, 4, 'UTC')).toEqual([]);
    expect(timeMarks(Number.NaN, 5, 4, 'UTC')).toEqual([]);
  });

  it('never has many more marks than asked for', () => {
    for (let power = 1; power < 17; power += 0.37) {
      const marks = timeMarks(
        at('2026-03-29T00:30:00Z'),
        at('2026-03-29T00:30:00Z') + 10 ** power,
        8,
        'America/New_York',
      );
      expect(marks.length).toBeLessThanOrEqual(9);
    }
  });
});

describe('durationWords', () => {
  it.each([
    [15 * 60e6, '15 min'],
    [86400e6, '1 day'],
    [2 * 86400e6, '2 days'],
    [7 * 86400e6, '1 week'],
    [250e3, '250 ms'],
    [1e6, '1 s'],
    [5400e6, '1.5 h'],
    [3, '3 µs'],
  ])('%i', (micros, words) => expect(durationWords(micros)).toBe(words));
});
