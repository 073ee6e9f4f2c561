import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countOnes, presentValues, presentWide, putBits } from './presence.ts';

/** Whether each row has a value, and at which offset in memory: words begin only at every fourth byte. */
const rows = fc.record({
  there: fc.oneof(
    fc.array(fc.boolean(), { maxLength: 70 }),
    // More than can be summed in a byte.
    fc.array(fc.boolean(), { minLength: 1500, maxLength: 1600 }),
    fc.integer({ min: 1500, max: 3000 }).map((n) => Array.from({ length: n }, () => true)),
  ),
  offset: fc.integer({ min: 0, max: 3 }),
});

function flags(there: readonly boolean[], offset: number): Uint8Array {
  // The surrounding bytes are arbitrary.
  const memory = new Uint8Array(there.length + offset + 9).fill(1);
  const present = memory.subarray(offset, offset + there.length);
  present.set(there.map(Number));
  return present;
}

it('counts rows that have a value, and writes a bit for each row', () => {
  fc.assert(
    fc.property(rows, ({ there, offset }) => {
      const present = flags(there, offset);
      expect(countOnes(present)).toBe(there.filter(Boolean).length);
      const out = new Uint8Array(3 + Math.ceil(there.length / 8) + 1);
      putBits(present, out, 3);
      const bits = there.map((_, i) => ((out[3 + (i >>> 3)]! >>> (i & 7)) & 1) === 1);
      expect(bits).toEqual(there);
      expect([...out.subarray(0, 3), out.at(-1)]).toEqual([0, 0, 0, 0]);
      if (there.length % 8 > 0) expect(out.at(-2)! >>> (there.length % 8)).toBe(0);
    }),
  );
});

it.each([1, 4, 8, 16])('keeps values of %i bytes that are there', (width) => {
  fc.assert(
    fc.property(rows, ({ there, offset }) => {
      const present = flags(there, offset);
      const values = Uint8Array.from({ length: there.length * width }, (_, i) => i * 7 + (i >>> 8));
      const wanted = there.flatMap((is, i) =>
        is ? [...values.subarray(i * width, (i + 1) * width)] : [],
      );
      expect([...presentValues(values, width, present, countOnes(present))]).toEqual(wanted);
    }),
    { numRuns: 30 },
  );
});

it('keeps short numbers that are there as words', () => {
  fc.assert(
    fc.property(rows, ({ there, offset }) => {
      const present = flags(there, offset);
      const values = Uint16Array.from(there, (_, i) => i * 4099);
      const wanted = [...values].filter((_, i) => there[i]);
      const kept = presentWide(values, present, countOnes(present));
      expect([...new Int32Array(kept.buffer, kept.byteOffset, kept.length / 4)]).toEqual(wanted);
    }),
    { numRuns: 30 },
  );
});
