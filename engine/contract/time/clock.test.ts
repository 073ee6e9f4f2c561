import { describe, expect, it } from 'vitest';
import { canonicalClockError, clockErrorText, parseClockError } from './clock.ts';

describe('clock errors', () => {
  it.each([
    ['90s fast', 90e6, '1m30s fast'],
    ['90s-slow', -90e6, '1m30s slow'],
    ['1h 2m 3.25s FAST', 3_723_250_000, '1h2m3.25s fast'],
    ['250ms slow', -250_000, '0.25s slow'],
    ['0.000001s fast', 1, '0.000001s fast'],
    ['400d fast', 400 * 86_400e6, '400d fast'],
    ['0s fast', 0, 'right'],
    ['0s slow', 0, 'right'],
    ['Right', 0, 'right'],
  ])('%s', (text, micros, canonical) => {
    expect(parseClockError(text)).toBe(micros);
    expect(canonicalClockError(text)).toBe(canonical);
    expect(parseClockError(canonical)).toBe(micros);
  });

  it.each(['', 'fast', '90 fast', '-90s fast', '90s', '5x slow', '90s fast slow', '40000d fast'])(
    'refuses %j',
    (text) => {
      expect(parseClockError(text)).toBeUndefined();
      expect(() => canonicalClockError(text)).toThrow(/is not a clock error/);
    },
  );

  it('gives back what it was given', () => {
    for (let i = 0; i < 2000; i++) {
      const micros = Math.round((Math.random() - 0.5) * 10 ** (1 + (i % 14)));
      expect(parseClockError(clockErrorText(micros))).toBe(micros || 0);
    }
  });
});
