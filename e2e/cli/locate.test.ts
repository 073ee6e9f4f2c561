/** Evidence that was moved or renamed is located by its content, and everything that reads it works again. */
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assertClearMessage, Commands, daybook, json, scratch } from './harness.ts';

const { folder, remove } = scratch();
const commands = new Commands();
const at = (...names: string[]): string => path.join(folder, ...names);
const CASE = at('x.daybook');

const lines = (name: string): string =>
  Array.from(
    { length: 30 },
    (_, n) => `2026-03-04T10:00:${String(n + 10)}Z host app: ${name} ${n}\n`,
  ).join('');

interface Report {
  located: { source: number; name: string; from: string; to: string }[];
  left: { source: number; name: string; path: string; reason: string }[];
}

beforeAll(async () => {
  mkdirSync(at('old', 'inner'), { recursive: true });
  writeFileSync(at('old', 'a.log'), lines('a'));
  writeFileSync(at('old', 'b.log.gz'), gzipSync(lines('b')));
  writeFileSync(at('old', 'stays.log'), lines('s'));
  for (const name of ['c', 'd']) writeFileSync(at('old', 'inner', `${name}.log`), lines(name));
  execFileSync('tar', ['-cf', at('old', 'e.tar'), '-C', at('old', 'inner'), 'c.log', 'd.log']);
  rmSync(at('old', 'inner'), { recursive: true });
  const made = await commands.run(['import', CASE, at('old'), '--tz', 'UTC']);
  expect(made.status, made.err).toBe(0);
  mkdirSync(at('new', 'deep'), { recursive: true });
  renameSync(at('old', 'a.log'), at('new', 'deep', 'renamed'));
  renameSync(at('old', 'e.tar'), at('new', 'e.tar'));
  // With the right name and size, but other content; and a symbolic link cycle.
  writeFileSync(at('new', 'a.log'), lines('A'));
  symlinkSync('..', at('new', 'up'));
});
afterAll(async () => {
  await commands.close();
  remove();
});

it('finds what was moved, says what it did not find, and changes nothing else', async () => {
  rmSync(at('old', 'b.log.gz'));
  const done = await commands.run(['sources', CASE, '--locate', at('new'), '--json']);
  expect(done.status).toBe(1);
  const { located, left } = json<Report>(done);
  expect(located.map(({ name, from, to }) => [name, from, to]).sort()).toEqual([
    ['a.log', at('old', 'a.log'), at('new', 'deep', 'renamed')],
    ['e.tar!c.log', at('old', 'e.tar'), at('new', 'e.tar')],
    ['e.tar!d.log', at('old', 'e.tar'), at('new', 'e.tar')],
  ]);
  expect(left).toMatchObject([
    { name: 'b.log.gz', reason: expect.stringContaining('has the same content') as string },
  ]);
  // Now it is there: in words, and with status 0.
  writeFileSync(at('new', 'b.log.gz'), gzipSync(lines('b')));
  const words = await daybook(['sources', CASE, '--locate', at('new')]);
  expect(words.status, words.err).toBe(0);
  expect(words.out).toContain(at('new', 'b.log.gz'));
  expect(words.err).toContain('1 source located, 0 not found');
  const none = await commands.run(['sources', CASE, '--locate', at('new')]);
  expect([none.status, none.err]).toEqual([0, 'all evidence is still in its place\n']);
});

it('and verify reads it there, without a finding', async () => {
  const verified = await commands.run(['verify', CASE, '--sample', 'all', '--json']);
  expect(verified.status, verified.out).toBe(0);
  expect(json(verified)).toMatchObject({
    findings: [],
    evidence: { state: 'unchanged', files: 4 },
    sample: { sources: 5, compared: 150 },
  });
});

it('and what is imported again from there is the same, and stays', async () => {
  copyFileSync(at('new', 'deep', 'renamed'), at('new', 'copy.log'));
  const again = await commands.run([
    'import',
    CASE,
    at('new', 'e.tar'),
    at('new', 'copy.log'),
    '--tz',
    'UTC',
    '--json',
  ]);
  expect(again.status, again.err).toBe(0);
  expect(JSON.parse(again.out.trim().split('\n').at(-1)!)).toMatchObject({
    total: { stored: 0, duplicate: 90 },
  });
  const before = readFileSync(at('new', 'deep', 'renamed'));
  appendFileSync(at('old', 'stays.log'), lines('more'));
  // A log that has grown is still in its place.
  const grown = await commands.run(['sources', CASE, '--locate', at('new')]);
  expect(grown.status, grown.err).toBe(0);
  expect(readFileSync(at('new', 'deep', 'renamed'))).toEqual(before);
});

it('refuses a folder that is not there', async () => {
  const done = await commands.run(['sources', CASE, '--locate', at('nowhere')]);
  expect(done.status).toBe(1);
  assertClearMessage(done.err);
});
