/** Passwords reach threads that run already. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { addArchivePassword, archivePasswords } from './archive-passwords.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, 'archive-passwords.ts')).href;
/** Reports its passwords on request. */
const THREAD = `
  const { parentPort } = require('node:worker_threads');
  import(${JSON.stringify(MODULE)}).then(({ archivePasswords }) => {
    const say = () => parentPort.postMessage(archivePasswords());
    parentPort.on('message', say);
    say();
  });`;

it('gives a running thread what was given since it was started', async () => {
  addArchivePassword('first');
  const thread = new Worker(THREAD, { eval: true });
  try {
    expect(await once(thread, 'message')).toEqual([['first']]);
    addArchivePassword('zweites Paßwort');
    addArchivePassword('first');
    const said = once(thread, 'message');
    thread.postMessage('which?');
    expect(await said).toEqual([['first', 'zweites Paßwort']]);
  } finally {
    await thread.terminate();
  }
});

it('tries the last twenty, and refuses what does not fit', () => {
  for (let i = 0; i < 25; i++) addArchivePassword(`password ${i}`);
  expect(archivePasswords()).toHaveLength(20);
  expect(archivePasswords()[0]).toBe('password 24');
  expect(() => addArchivePassword('a\0b')).toThrow('this is not a password');
  expect(() => addArchivePassword('x'.repeat(2 ** 20))).toThrow('too many passwords');
});
