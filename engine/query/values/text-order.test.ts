import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareTexts } from './text-order.ts';

it('is the order of UTF-8 bytes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '\u{d7ff}', '\u{ffff}', '\u{1f600}') });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareTexts(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 1000 },
  );
});
