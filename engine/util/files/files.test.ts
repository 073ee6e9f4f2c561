/** Folders are made, or an error says why not. */
import { mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accessError, makeFolder, placeOf } from './files.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'daybook-files-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('makes a folder and those above it, and leaves one that is there', () => {
  makeFolder(join(home, 'a/b'), 0o700);
  expect(statSync(join(home, 'a/b')).isDirectory()).toBe(true);
  makeFolder(join(home, 'a'), 0o711);
  expect(statSync(join(home, 'a')).mode & 0o777).toBe(0o700);
});

it('ends where there can be none', () => {
  writeFileSync(join(home, 'file'), '');
  const failing = [join(home, 'file/a/b')];
  // Reported as a missing parent, although that exists.
  if (process.platform === 'linux') failing.push('/proc/daybook/a');
  for (const path of failing) {
    let problem: unknown;
    try {
      makeFolder(path, 0o700);
    } catch (error) {
      problem = error;
    }
    expect(accessError(problem)?.message).toContain('cannot be created');
  }
});

it('says where a path leads that is not there yet', () => {
  makeFolder(join(home, 'real'), 0o700);
  symlinkSync(join(home, 'real'), join(home, 'link'));
  expect(placeOf(join(home, 'link/a/b'))).toBe(join(home, 'real/a/b'));
});
