/** Times and durations as written, including zones. */
import { describe, expect, it } from 'vitest';
import { formatMicros, parseDuration, parseTime } from './time.ts';
import { zoneOffset, zoneOffsetAt } from './zone.ts';

describe('parseTime', () => {
  it.each([
    ['2026', 'UTC', '2026-01-01T00:00:00.000000Z', '2027-01-01T00:00:00.000000Z'],
    ['2026-02', 'UTC', '2026-02-01T00:00:00.000000Z', '2026-03-01T00:00:00.000000Z'],
    ['2026-12', 'UTC', '2026-12-01T00:00:00.000000Z', '2027-01-01T00:00:00.000000Z'],
    ['2026-11-21', 'UTC', '2026-11-21T00:00:00.000000Z', '2026-11-22T00:00:00.000000Z'],
    ['2026-11-21T12', 'UTC', '2026-11-21T12:00:00.000000Z', '2026-11-21T13:00:00.000000Z'],
    ['2026-11-21 12:30', 'UTC', '2026-11-21T12:30:00.000000Z', '2026-11-21T12:31:00.000000Z'],
    ['2026-11-21T12:30:05', 'UTC', '2026-11-21T12:30:05.000000Z', '2026-11-21T12:30:06.000000Z'],
    ['2026-11-21T12:30:05.25', 'UTC', '2026-11-21T12:30:05.250000Z', '2026-11-21T12:30:05.260000Z'],
    [
      '2026-11-21T12:30Z',
      'Europe/Rome',
      '2026-11-21T12:30:00.000000Z',
      '2026-11-21T12:31:00.000000Z',
    ],
    [
      '2026-11-21T12:30',
      'Europe/Rome',
      '2026-11-21T11:30:00.000000Z',
      '2026-11-21T11:31:00.000000Z',
    ],
    ['2026-11-21T12:30+05:30', 'UTC', '2026-11-21T07:00:00.000000Z', '2026-11-21T07:01:00.000000Z'],
    ['2026-10-25', 'Europe/Rome', '2026-10-24T22:00:00.000000Z', '2026-10-25T23:00:00.000000Z'],
    ['1763700000', 'Europe/Rome', '2025-11-21T04:40:00.000000Z', '2025-11-21T04:40:01.000000Z'],
    ['1763700000.5', 'UTC', '2025-11-21T04:40:00.500000Z', '2025-11-21T04:40:00.600000Z'],
  ])('%s in %s', (text, zone, from, to) => {
    const span = parseTime(text, zone, zoneOffset);
    expect(span && [formatMicros(span.from), formatMicros(span.to)]).toEqual([from, to]);
  });

  it.each([
    '',
    'now',
    '2026-13',
    '2026-02-30',
    '2026-11-21T25',
    '2026-11-21T12:61',
    '26-11-21',
    '12',
  ])('%j is no time', (text) => {
    expect(parseTime(text, 'UTC', zoneOffset)).toBeUndefined();
  });
});

it.each([
  ['24h', 86_400e6],
  ['1.5d', 129_600e6],
  ['90s', 90e6],
  ['250ms', 250e3],
  ['2w', 1_209_600e6],
  ['h', undefined],
  ['5y', undefined],
  ['-5m', undefined],
])('duration %s', (text, micros) => {
  expect(parseDuration(text)).toBe(micros);
});

it('knows both sides of a change of the clocks', () => {
  const utc = Date.parse('2026-03-29T01:00:00Z') * 1000;
  expect(zoneOffsetAt('Europe/Rome', utc - 1)).toBe(3600);
  expect(zoneOffsetAt('Europe/Rome', utc)).toBe(7200);
  expect(zoneOffset('Europe/Rome', Date.parse('2026-10-25T02:30:00Z') * 1000)).toBe(7200);
  expect(zoneOffset('Europe/Rome', Date.parse('2026-03-29T02:30:00Z') * 1000)).toBe(3600);
  expect(zoneOffset('+05:30', 0)).toBe(19_800);
  expect(() => zoneOffsetAt('Mars/Olympus', 0)).toThrow('unknown time zone');
});
