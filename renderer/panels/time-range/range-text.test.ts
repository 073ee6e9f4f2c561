import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRange, shifted, writeTime } from './range-text.ts';

const at = (iso: string): number => Date.parse(iso) * 1000;
const NEWEST = at('2026-10-16T00:00:00Z');

describe('ranges as they are written', () => {
  it.each([
    ['', '', 'UTC', undefined, undefined],
    ['2026-10-12', '2026-10-13', 'UTC', '2026-10-12T00:00:00Z', '2026-10-13T00:00:00Z'],
    ['2026-10-12 14:30', '', 'UTC', '2026-10-12T14:30:00Z', undefined],
    ['2026-10-12', '', 'Europe/Vienna', '2026-10-11T22:00:00Z', undefined],
    ['2026-10-12T01:00Z', '', 'Europe/Vienna', '2026-10-12T01:00:00Z', undefined],
    ['24h', '', 'UTC', '2026-10-15T00:00:00Z', undefined],
    ['-7d', '', 'UTC', '2026-10-09T00:00:00Z', undefined],
    ['2026-10-12', '15m', 'UTC', '2026-10-12T00:00:00Z', '2026-10-12T00:15:00Z'],
    ['2026', '', 'UTC', '2026-01-01T00:00:00Z', undefined],
  ])('%s to %s in %s', (from, to, zone, first, last) => {
    expect(readRange(from, to, zone, NEWEST)).toEqual({
      ok: true,
      range: {
        from: first === undefined ? undefined : at(first),
        to: last === undefined ? undefined : at(last),
      },
    });
  });

  it.each([
    ['yesterday', '', 'from'],
    ['2026-13-01', '', 'from'],
    ['', '25:00', 'to'],
    ['2026-10-12', '2026-10-12', 'to'],
    ['', '15m', 'to'],
  ])('%s to %s is wrong in %s', (from, to, where) => {
    const read = readRange(from, to, 'UTC', NEWEST);
    expect(read).toMatchObject({ ok: false, [where]: expect.any(String) as string });
  });

  it.each([
    ['2026-10-12T00:00:00Z', '2026-10-12'],
    ['2026-10-12T10:00:00Z', '2026-10-12 10:00'],
    ['2026-10-12T10:20:30Z', '2026-10-12 10:20:30'],
    ['2026-10-12T10:20:30.250Z', '2026-10-12 10:20:30.25'],
  ])('%s is written %s', (iso, text) => {
    expect(writeTime(at(iso), 'UTC')).toBe(text);
  });

  it('reads what it writes, in any zone without a change of the clock that day', () => {
    const micros = fc.integer({ min: at('2001-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
    const zone = fc.constantFrom('UTC', 'Asia/Kolkata', '+05:45', 'Asia/Tokyo');
    fc.assert(
      fc.property(micros, zone, (time, name) => {
        const read = readRange(writeTime(time, name), '', name, undefined);
        expect(read).toEqual({ ok: true, range: { from: time, to: undefined } });
      }),
    );
  });

  it('moves by its own length', () => {
    expect(shifted({ from: 10, to: 30 }, -1)).toEqual({ from: -10, to: 10 });
    expect(shifted({ from: 10, to: undefined }, 1)).toBeUndefined();
  });
});
