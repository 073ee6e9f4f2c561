import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textLength } from './batch-rows.ts';
import { codedTexts } from './coded-texts.ts';

function plain(texts: readonly string[]): Uint8Array {
  return Buffer.concat(
    texts.flatMap((text) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Buffer.byteLength(text));
      return [length, Buffer.from(text)];
    }),
  );
}

function given(texts: readonly string[]): string[] | undefined {
  const coded = codedTexts(plain(texts), texts.length);
  if (coded === undefined) return undefined;
  const { data, starts, codes } = coded;
  expect(new Set(codes).size).toBe(starts.length);
  return Array.from(codes, (code) => {
    const at = starts[code]!;
    return Buffer.from(data.subarray(at + 4, at + 4 + textLength(data, at))).toString();
  });
}

test('few different texts come back', () => {
  const unlike = fc.uniqueArray(fc.string({ maxLength: 12, unit: 'grapheme' }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(unlike, (different) => {
      const texts = Array.from({ length: 700 }, (_, i) => different[(i * i) % different.length]!);
      expect(given(texts)).toEqual(texts);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['few rows', 255, (i: number) => `host${i % 3}`],
  ['texts that are mostly different', 20_000, (i: number) => `user${i % 1300}`],
  ['too many texts', 40_000, (i: number) => `user${i % 1025}`],
  ['too many bytes', 2000, (i: number) => `${'x'.repeat(1000)}${i % 40}`],
] as const)('gives up %s', (_, count, textOf) => {
  expect(given(Array.from({ length: count }, (_, i) => textOf(i)))).toBeUndefined();
});

test('takes as many texts as may be', () => {
  const texts = Array.from({ length: 20_000 }, (_, i) => `user${i % 1024}`);
  expect(given(texts)).toEqual(texts);
});
