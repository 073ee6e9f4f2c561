import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { IdleSlot } from '../util/idle-slot.ts';
import { endDuckdb, type IdleDuckdb, SegmentBuilder } from './segment-builder.ts';

let folder: string;
const kept = new IdleSlot<IdleDuckdb>(60_000, endDuckdb);
const options = { memoryLimit: 2e8, threads: 2, kept };
const build = { sorted: true, inputBytes: 100 };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-kept-'));
  for (const name of ['a', 'b']) mkdirSync(join(folder, name));
});
afterAll(() => {
  vi.useRealTimers();
  kept.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A builder for the case `name`, and the number of instances made so far. */
async function opened(name: string): Promise<{ builder: SegmentBuilder; made: number }> {
  const create = vi.spyOn(DuckDBInstance, 'create');
  const builder = await SegmentBuilder.create(join(folder, name), [], options);
  const made = create.mock.calls.length;
  create.mockRestore();
  return { builder, made };
}

it('serves the next builder of a case, which finds nothing of the one before', async () => {
  const first = await opened('a');
  expect(first.made).toBe(1);
  await first.builder.rowTable('rows', Uint32Array.of(1, 2));
  const segment = await first.builder.build('SELECT 1 AS seq, 2 AS source_id', build);
  await first.builder.attach('seg_1', segment.path);
  await first.builder.detach('seg_1');
  rmSync(segment.path);
  first.builder.close(true);
  const second = await opened('a');
  expect(second.made).toBe(0);
  await expect(second.builder.rows('SELECT * FROM rows')).rejects.toThrow('does not exist');
  await expect(second.builder.rows('SELECT * FROM seg_1.events')).rejects.toThrow('not exist');
  const again = await second.builder.build('SELECT 7 AS seq, 2 AS source_id', build);
  await second.builder.attach('seg_1', again.path);
  expect(await second.builder.rows('SELECT seq FROM seg_1.events')).toEqual([[7]]);
  expect(existsSync(`${again.path}.wal`)).toBe(false);
  second.builder.close(true);
  // Something was still attached.
  expect((await opened('a')).made).toBe(1);
});

it.each([
  ['where something went wrong', 'a', false, 'a', 1],
  ['for another case', 'a', true, 'b', 1],
  ['for the same case', 'b', true, 'b', 0],
])('serves %s: %s %s, %s: %d made', async (_, of, sound, next, made) => {
  (await opened(of)).builder.close(sound);
  const then = await opened(next);
  expect(then.made).toBe(made);
  then.builder.close();
});

it('does not wait for ever', async () => {
  (await opened('a')).builder.close();
  vi.useFakeTimers();
  const { builder } = await opened('a');
  builder.close(true);
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  const next = await opened('a');
  expect(next.made).toBe(1);
  next.builder.close();
});
