import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BLOCK_HEAD, BlockFile, HEADERS_BYTES } from './block-file.ts';

it('has the pieces where it says, and zeros between and behind them, also in memory that is used again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-blocks-'));
  try {
    const block = 4096;
    const file = new BlockFile(join(folder, 'x'), block);
    // Of all sizes, none of them zero, and so many that each block's memory is filled several times.
    const placed = Array.from({ length: 400 }, (_, i) => {
      const bytes = new Uint8Array(1 + ((i * 977) % 4000)).fill(1 + (i % 255));
      return { bytes, ...file.place(bytes) };
    });
    file.finish();
    const blocks = file.pieces.length;
    expect(blocks).toBeGreaterThan(20);
    const want = new Uint8Array(blocks * block);
    for (const { bytes, block: number, offset } of placed) {
      expect(offset % 8).toBe(0);
      want.set(bytes, number * block + BLOCK_HEAD + offset);
    }
    const written = readFileSync(file.path).subarray(HEADERS_BYTES);
    // Each begins with its sum.
    for (let number = 0; number < blocks; number++)
      written.fill(0, number * block, number * block + BLOCK_HEAD);
    expect(Buffer.compare(written, want)).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
