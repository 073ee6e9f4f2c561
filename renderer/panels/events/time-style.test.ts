import { describe, expect, it } from 'vitest';
import { timeHeading } from './time-style.ts';

describe('timeHeading', () => {
  const at = Date.UTC(2026, 2, 22, 23, 30) * 1000;
  it.each([
    [{ date: 'none', zone: 'UTC' }, '2026-03-22, UTC'],
    [{ date: 'none', zone: '+01:00' }, '2026-03-23, UTC+01:00'],
    [{ date: 'day', zone: 'UTC' }, '2026, UTC'],
    [{ date: 'full', zone: 'UTC' }, 'time, UTC'],
  ] as const)('%j', (style, text) => expect(timeHeading(style, at)).toBe(text));

  it('says only the zone while no row is known', () => {
    expect(timeHeading({ date: 'none', zone: 'Asia/Tokyo' }, undefined)).toBe('time, Asia/Tokyo');
  });
});
