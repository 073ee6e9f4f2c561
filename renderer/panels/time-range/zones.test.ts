import { describe, expect, it } from 'vitest';
import { allZones, findZones } from './zones.ts';

describe('zones', () => {
  it('has UTC first and each once', () => {
    const zones = allZones();
    expect(zones[0]).toBe('UTC');
    expect(new Set(zones).size).toBe(zones.length);
    expect(zones).toContain('Europe/Vienna');
  });

  const some = ['UTC', 'Europe/Vienna', 'America/New_York'];
  it.each([
    ['', some],
    ['vienna', ['Europe/Vienna']],
    ['new york', ['America/New_York']],
    ['+02:00', ['+02:00']],
    ['utc', ['UTC']],
    ['nowhere', []],
  ])('finds by %s', (search, expected) => {
    expect(findZones(some, search)).toEqual(expected);
  });
});
