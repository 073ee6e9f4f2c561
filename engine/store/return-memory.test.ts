/** Freed memory is returned to the system when the process takes more than allowed, and only then. */
import { expect, it } from 'vitest';
import { returnMemoryAbove } from './return-memory.ts';

const BLOCK = 60_000;
const BLOCKS = 4000;

/** Blocks that the allocator keeps after they are freed, because some between them are still in use. */
function fragmented(): Uint8Array[] {
  const blocks = Array.from({ length: BLOCKS }, () => new Uint8Array(BLOCK).fill(1));
  return blocks.filter((_, i) => i % 50 === 0);
}

it('returns what was freed', async () => {
  const used = fragmented();
  const before = process.memoryUsage.rss();
  await returnMemoryAbove(before * 2);
  expect(process.memoryUsage.rss()).toBeGreaterThan(before / 2);
  await returnMemoryAbove(before / 2);
  expect(before - process.memoryUsage.rss()).toBeGreaterThan((BLOCK * BLOCKS) / 2);
  expect(used.every((block) => block[0] === 1)).toBe(true);
});
