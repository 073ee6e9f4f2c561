import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import Database from 'better-sqlite3';
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

/**
 * Another process that takes the lock: its script has `say`, and `told`, which resolves when it is told to go on.
 * It blocks in its waits, so it must not run in the process that it waits for.
 */
function writing(script: string): {
  said: (word: string) => Promise<void>;
  tell: () => void;
  ended: Promise<unknown[]>;
} {
  const module = JSON.stringify(join(import.meta.dirname, 'writer-lock.ts'));
  const whole = `import { readSync, writeSync } from 'node:fs';
    import { WriterLock } from ${module};
    const folder = ${JSON.stringify(folder)};
    const say = (word) => writeSync(1, word + '\\n');
    const told = () => readSync(0, Buffer.alloc(1));
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', whole], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    said: async (word) => expect((await lines.next()).value).toBe(word),
    tell: () => void child.stdin.write('.'),
    ended: once(child, 'close'),
  };
}

/** Reads the writer's name, until it is closed. */
function looking(): Database.Database {
  const db = new Database(join(folder, 'writer.lock'));
  db.exec('BEGIN; SELECT * FROM holder');
  db.prepare('SELECT count(*) FROM holder').get();
  return db;
}

it('is taken and given back while somebody looks who has it', async () => {
  WriterLock.take(folder, 'compact').release();
  const before = looking();
  const writer = writing(`say('taking');
    const lock = WriterLock.take(folder, 'import');
    say('taken');
    told();
    say('releasing');
    lock.release();`);
  await writer.said('taking');
  before.close();
  await writer.said('taken');
  const after = looking();
  writer.tell();
  await writer.said('releasing');
  after.close();
  expect(await writer.ended).toEqual([0, null]);
  const db = new Database(join(folder, 'writer.lock'));
  expect(db.prepare('SELECT * FROM holder').all()).toEqual([]);
  db.close();
});

it('is waited for where it is held for a moment only', async () => {
  const lock = WriterLock.take(folder, 'maintenance');
  const writer = writing(`try {
      WriterLock.take(folder, 'maintenance').release();
    } catch (error) {
      say(/process \\d+ .*maintenance/.test(error.message) ? 'refused' : error.message);
    }
    WriterLock.take(folder, 'import').release();`);
  await writer.said('refused');
  lock.release();
  expect(await writer.ended).toEqual([0, null]);
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

/** Replaces the bytes from `from` to `to` by 0xa5. */
function overwritten(whole: Buffer, from: number, to = whole.length): Buffer {
  return Buffer.from(whole).fill(0xa5, from, to);
}

it.each([
  ['another file', () => Buffer.from('something else entirely, and long enough to be read')],
  ['damaged in its table', (whole: Buffer) => overwritten(whole, 4096)],
  ['damaged in its layout', (whole: Buffer) => overwritten(whole, 100, 4096)],
])('says what to do with a lock that is %s: power may have failed', (_, damage) => {
  const file = join(folder, 'writer.lock');
  WriterLock.take(folder, 'import').release();
  writeFileSync(file, damage(readFileSync(file)));
  const taken = (): unknown => {
    try {
      return WriterLock.take(folder, 'compact').release();
    } catch (error) {
      return error;
    }
  };
  expect(taken()).toMatchObject({
    code: 'case-damaged',
    hint: 'if no other process is writing to the case, remove this file: it holds nothing else',
  });
});
