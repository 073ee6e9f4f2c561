import { randomBytes } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Compressor, Decompressor } from './compressor.ts';

/** Of both kinds, short and long, alternating. */
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

it('gives back what was compressed', () => {
  const decompressor = new Decompressor();
  for (const run of runs) {
    const bytes = decompressor.decompress(zstdCompressSync(run), run.length);
    expect(Buffer.compare(bytes, run)).toBe(0);
  }
});

const given = (read: () => Uint8Array): string => {
  try {
    return Buffer.from(read()).toString('hex');
  } catch {
    return 'refused';
  }
};

it.each([0, 1])('refuses what zstdDecompressSync refuses, sum of the content: %i', (sum) => {
  const decompressor = new Decompressor();
  const run = Uint8Array.from({ length: 400 }, (_, i) => (i * i) % 11);
  const params = { [constants.ZSTD_c_checksumFlag]: sum };
  const whole = zstdCompressSync(run, { params });
  const damaged: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at++) {
    damaged.push(whole.subarray(0, at));
    for (const bit of [0, 5]) {
      const other = Uint8Array.from(whole);
      other[at]! ^= 1 << bit;
      damaged.push(other);
    }
  }
  damaged.push(Buffer.concat([whole, whole]), Buffer.concat([whole, Buffer.from('more')]));
  let refused = 0;
  for (const frame of damaged) {
    const most = { maxOutputLength: run.length, chunkSize: run.length };
    const result = given(() => decompressor.decompress(frame, run.length));
    expect(result).toBe(given(() => zstdDecompressSync(frame, most)));
    if (result === 'refused') refused += 1;
    // The next call must not see what this one left.
    expect(Buffer.compare(decompressor.decompress(whole, run.length), run)).toBe(0);
  }
  expect(refused).toBeGreaterThan(whole.length);
  expect(given(() => decompressor.decompress(whole, run.length - 1))).toBe('refused');
  expect(decompressor.decompress(whole, run.length + 1).length).toBe(run.length);
});
