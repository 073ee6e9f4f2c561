import { describe, expect, it } from 'vitest';
import { DaybookError } from '../errors.ts';
import { clockFormat, resolveZone, Zone } from './zone.ts';

const local = (text: string) => Date.parse(`${text}Z`) * 1000;

describe('resolveZone', () => {
  it.each([
    ['UTC', '2026-07-01T00:00:00', 0],
    ['z', '2026-07-01T00:00:00', 0],
    ['+02:00', '2026-07-01T00:00:00', 7200],
    ['-0530', '2026-07-01T00:00:00', -19800],
    ['UTC+1', '2026-07-01T00:00:00', 3600],
    ['Asia/Kolkata', '2026-07-01T00:00:00', 19800],
    ['Europe/Berlin', '2026-01-01T12:00:00', 3600],
    ['Europe/Berlin', '2026-07-01T12:00:00', 7200],
    // The clock goes from 02:00 to 03:00: 02:30 does not exist.
    ['Europe/Berlin', '2026-03-29T01:59:59', 3600],
    ['Europe/Berlin', '2026-03-29T02:30:00', 3600],
    ['Europe/Berlin', '2026-03-29T03:00:00', 7200],
    // The clock goes from 03:00 back to 02:00: 02:30 occurs twice, and the first is meant.
    ['Europe/Berlin', '2026-10-25T01:59:59', 7200],
    ['Europe/Berlin', '2026-10-25T02:30:00', 7200],
    ['Europe/Berlin', '2026-10-25T03:00:00', 3600],
    ['America/New_York', '2026-03-08T02:30:00', -18000],
    ['America/New_York', '2026-11-01T01:30:00', -14400],
    ['America/New_York', '2026-11-01T02:00:00', -18000],
    // Half an hour of daylight saving.
    ['Australia/Lord_Howe', '2026-01-15T00:00:00', 39600],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', 39600],
    ['Australia/Lord_Howe', '2026-04-05T02:00:00', 37800],
    ['Europe/Berlin', '1969-12-31T23:00:00', 3600],
  ])('%s at %s is %d', (name, time, offset) => {
    expect(resolveZone(name).offsetSecondsAtLocal(local(time))).toBe(offset);
  });

  it.each(['Europe/Nowhere', '', '+25:00', '+01:75', 'nonsense', '../etc'])(
    'refuses %j',
    (name) => {
      expect(() => resolveZone(name)).toThrow(DaybookError);
    },
  );

  it('gives the offset at an instant', () => {
    const zone = resolveZone('Europe/Berlin');
    expect(zone.offsetSecondsAtUtc(local('2026-10-25T00:59:59'))).toBe(7200);
    expect(zone.offsetSecondsAtUtc(local('2026-10-25T01:00:00'))).toBe(3600);
  });
});

describe('the offset by what the clock of a zone shows', () => {
  it.each(['Europe/Vienna', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'])(
    'is that which the zone states: %s',
    (name) => {
      const byClock = new Zone(name, undefined, clockFormat(name));
      const stated = resolveZone(name);
      // Every 271 hours over 60 years: covers every hour of the day and every season.
      for (let hours = 0; hours < 60 * 8766; hours += 11 * 24 + 7) {
        const micros = hours * 3600e6;
        expect(byClock.offsetSecondsAtUtc(micros)).toBe(stated.offsetSecondsAtUtc(micros));
      }
    },
  );
});
