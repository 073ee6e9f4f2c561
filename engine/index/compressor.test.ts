import { randomBytes } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Compressor } from './compressor.ts';

/** Of both kinds, short and long, by turns. */
const runs = [0, 1, 600, 2048, 70_000, 5, 262_144, 300_000, 3000, 262_145, 17].flatMap((length) => [
  new Uint8Array(randomBytes(length)),
  Uint8Array.from({ length }, (_, i) => (i * i) % 7),
]);

it.each([1, 3])('gives the frames that zstdCompressSync gives, level %i', (level) => {
  const compressor = new Compressor(level);
  const params = { [constants.ZSTD_c_compressionLevel]: level };
  for (const run of runs) {
    const frame = compressor.compress(run);
    expect(Buffer.compare(frame, zstdCompressSync(run, { params }))).toBe(0);
    expect(Buffer.compare(zstdDecompressSync(frame), run)).toBe(0);
  }
});

it('keeps what it compresses with', () => {
  const compressor = new Compressor(1);
  const [first, second] = [600, 500].map((length) => compressor.compress(new Uint8Array(length)));
  expect(second!.buffer).toBe(first!.buffer);
});
