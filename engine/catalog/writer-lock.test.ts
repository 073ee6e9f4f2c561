import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WriterLock } from './writer-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('says who writes, and does not hinder it', () => {
  expect(WriterLock.holder(folder)).toBeUndefined();
  const lock = WriterLock.take(folder, 'import');
  for (let i = 0; i < 3; i++) {
    expect(WriterLock.holder(folder)).toMatchObject({ pid: process.pid, what: 'import' });
  }
  expect(() => WriterLock.take(folder, 'compact')).toThrow(/process \d+ .*import/);
  lock.release();
  expect(WriterLock.holder(folder)).toBeUndefined();
  WriterLock.take(folder, 'compact').release();
});

it('knows that a writer was killed', () => {
  const module = JSON.stringify(join(import.meta.dirname, 'writer-lock.ts'));
  const script = `import { WriterLock } from ${module}; WriterLock.take(${JSON.stringify(folder)}, 'import'); process.kill(process.pid, 'SIGKILL');`;
  spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect(WriterLock.holder(folder)).toBeUndefined();
  WriterLock.take(folder, 'compact').release();
});

it('takes a file that is no lock for nobody', () => {
  writeFileSync(join(folder, 'writer.lock'), 'something else entirely, and long enough to be read');
  expect(WriterLock.holder(folder)).toBeUndefined();
});
