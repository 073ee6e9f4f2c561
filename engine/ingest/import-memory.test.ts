import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Catalog } from '../catalog/catalog.ts';
import { BATCH_BYTES, BATCH_ROWS } from '../columns/event-batch.ts';
import { denseRows } from '../util/segment-days.ts';
import { memoryShare, workerMemory, workersWithin } from './import-memory.ts';
import { importInProcess, rowsOf } from './testing/in-process.ts';

const root = mkdtempSync(join(tmpdir(), 'daybook-import-memory-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('a table of many different texts', () => {
  const ROWS = 12_000;
  const names = Array.from({ length: 32 }, (_, i) => `field_${i}`);
  const start = Date.UTC(2026, 2, 1);
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const texts = names.map((_, c) => ((i * 32 + c) * 2_654_435_761).toString(36));
    return `${new Date(start + i * 100).toISOString()},${texts.join(',')}`;
  });
  const file = join(root, 'wide.csv');
  writeFileSync(file, `ts,${names.join(',')}\n${lines.join('\n')}\n`);

  it.each([
    ['at once where there is memory', 500e6, 1],
    // A chunk may have 2.6 MB of parts, and the table has 5 MB.
    ['in several chunks where there is little', 20e6, 2],
  ])('is stored %s', async (_, memoryLimit, least) => {
    const folder = join(root, `${memoryLimit}.daybook`);
    const { total } = await importInProcess(folder, [file], { memoryLimit });
    expect(total.stored).toBe(ROWS);
    const sql = 'SELECT count(*)::INTEGER, sum(length("a:field_7"))::INTEGER FROM events';
    const [[rows, sum] = []] = await rowsOf(folder, sql);
    const catalog = Catalog.open(folder);
    const segments = catalog.segments.all().length;
    catalog.close();
    expect(rows).toBe(ROWS);
    expect(sum).toBe(lines.reduce((all, line) => all + line.split(',')[8]!.length, 0));
    if (least === 1) expect(segments).toBe(1);
    else expect(segments).toBeGreaterThanOrEqual(least);
  });
});

describe('what an import holds', () => {
  it.each([
    ['in plenty', 4e9, 1],
    ['just enough', 500e6, 1],
    ['half', 250e6, 0.5],
    ['little', 100e6, 0.2],
  ])('is in proportion to the memory: %s', (_, limit, share) => {
    expect(memoryShare(limit)).toBe(share);
    const { batchBytes, chunkBytes, chunkTextBytes, waitingBytes } = workerMemory(limit);
    expect(batchBytes).toBe(Math.floor(BATCH_BYTES * share));
    expect(chunkBytes).toBe(Math.floor((64 << 20) * share));
    expect(waitingBytes).toBe(Math.floor((64 << 20) * share));
    expect(chunkTextBytes).toBe(Math.floor((256 << 20) * share));
  });

  it('has room for the rows that give a day a segment of its own', () => {
    expect(workerMemory(10e6).batchRows).toBeGreaterThan(denseRows());
    expect(workerMemory(10e6).chunkRows).toBeGreaterThan(workerMemory(10e6).batchRows);
    expect(workerMemory(1e9).batchRows).toBe(BATCH_ROWS);
  });

  it.each([
    [1e9, 16, 16],
    [500e6, 16, 16],
    [250e6, 16, 2],
    [250e6, 1, 1],
    [128e6, 16, 1],
    [10e6, 16, 1],
  ])('is read by fewer workers where there is little memory: %d', (limit, wanted, workers) => {
    expect(workersWithin(limit, wanted)).toBe(workers);
  });
});
