import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { CancelledError } from '../engine/contract/errors.ts';
import { takeLock } from './lock-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('is one process at a time, and given back', async () => {
  const file = join(folder, 'new', 'one.lock');
  const unlock = await takeLock(file);
  expect(readFileSync(file, 'utf8')).toBe(String(process.pid));
  let second = false;
  const waiting = takeLock(file).then((give) => {
    second = true;
    return give;
  });
  const stop = new AbortController();
  const third = takeLock(file, stop.signal);
  stop.abort();
  await expect(third).rejects.toThrow(CancelledError);
  expect(second).toBe(false);
  unlock();
  (await waiting)();
  expect(existsSync(file)).toBe(false);
});

test('of a process that is gone, or of another that has its number since, is taken over', async () => {
  const file = join(folder, 'left.lock');
  const gone = spawnSync(process.execPath, ['-e', '0']);
  writeFileSync(file, String(gone.pid));
  (await takeLock(file))();
  // This process runs, but took no lock.
  writeFileSync(file, String(process.pid));
  utimesSync(file, new Date(0), new Date(0));
  (await takeLock(file))();
  expect(existsSync(file)).toBe(false);
});
