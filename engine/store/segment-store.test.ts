import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SegmentStore } from './segment-store.ts';

it.each([
  [1e300, 'DOUBLE', 1e300],
  [-1e300, 'DOUBLE', -1e300],
  [2 ** 60, 'DOUBLE', 2 ** 60],
  [2 ** 53 - 1, 'BIGINT', 2 ** 53 - 1],
  [0.5, 'DOUBLE', 0.5],
  [-7, 'INTEGER', -7],
])('binds %d as %s', async (value, type, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-store-'));
  const store = new SegmentStore(folder, { memoryLimit: 1e8, threads: 1 });
  try {
    expect(await store.rows(`SELECT CAST($1 AS ${type})`, [value])).toEqual([[expected]]);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});
