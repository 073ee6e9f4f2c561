import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endInstance, ReadyInstance } from './ready-instance.ts';
import { SegmentStore } from './segment-store.ts';

const OPTIONS = { memoryLimit: 1e8, threads: 1 };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-ready-'));
  mkdirSync(join(folder, 'days'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('gives what it prepared to one store only', async () => {
  const made = vi.spyOn(DuckDBInstance, 'create');
  const ready = new ReadyInstance();
  ready.prepare(OPTIONS);
  const [one, two, other] = await Promise.all([
    ready.take(OPTIONS),
    ready.take(OPTIONS),
    ready.take({ ...OPTIONS, memoryLimit: 2e8 }),
  ]);
  expect(made).toHaveBeenCalledTimes(3);
  made.mockRestore();
  expect(new Set([one.instance, two.instance, other.instance]).size).toBe(3);
  const limits = await Promise.all(
    [one, two, other].map(async ({ admin }) => {
      const found = await admin.runAndReadAll(`SELECT current_setting('memory_limit')`);
      return found.getRows()[0]![0];
    }),
  );
  expect(limits[0]).toBe(limits[1]);
  expect(limits[2]).not.toBe(limits[0]);
  [one, two, other].forEach(endInstance);
  await ready.close();
});

it('lets go of what it prepared when it is asked for one with other options', async () => {
  const ready = new ReadyInstance();
  ready.prepare(OPTIONS);
  const closed = vi.spyOn(DuckDBInstance.prototype, 'closeSync');
  try {
    const other = await ready.take({ ...OPTIONS, memoryLimit: 2e8 });
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce(), { timeout: 60_000 });
    expect(closed.mock.contexts).not.toContain(other.instance);
    endInstance(other);
  } finally {
    closed.mockRestore();
  }
  await ready.close();
});

it('gives one with so little memory that nothing could be rehearsed', async () => {
  const ready = new ReadyInstance();
  const little = { ...OPTIONS, memoryLimit: 4e5 };
  ready.prepare(little);
  endInstance(await ready.take(little));
});

it.each([true, false])('holds a store to its folder, prepared: %s', async (prepared) => {
  const ready = new ReadyInstance();
  if (prepared) ready.prepare(OPTIONS);
  const store = new SegmentStore(folder, OPTIONS, ready, () => ({
    path: join(folder, 'staging'),
    release: () => undefined,
  }));
  const outside = join(folder, 'outside.csv');
  writeFileSync(outside, 'a,b\n1,2\n');
  try {
    await expect(store.rows(`SELECT * FROM read_csv('${outside}')`)).rejects.toThrow(
      /disabled by configuration|Cannot access/,
    );
    await expect(store.rows('SET threads = 2')).rejects.toThrow(/locked/);
    expect(await store.rows(`SELECT current_setting('temp_directory')`)).toEqual([
      [join(folder, 'staging', 'spill')],
    ]);
    expect(await store.rows('SELECT count(*) FROM marks.tagged')).toEqual([[0]]);
  } finally {
    await store.close();
    await ready.close();
  }
});

it('lets go of an instance that no store took', async () => {
  const ready = new ReadyInstance();
  ready.prepare(OPTIONS);
  await ready.close();
  await ready.close();
  const later = await ready.take(OPTIONS);
  expect((await later.admin.runAndReadAll('SELECT 7')).getRows()).toEqual([[7]]);
  endInstance(later);
});
