/** `daybook report` as scripts run it. What the page says is tested beside the engine's code. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { daybook, isClearMessage, json, scratch } from './harness.ts';

const space = scratch();
const folder = path.join(space.folder, 'case.daybook');
const evidence = path.join(space.folder, 'auth.log');
const out = path.join(space.folder, 'report.html');

beforeAll(async () => {
  mkdirSync(space.folder, { recursive: true });
  writeFileSync(
    evidence,
    '<38>1 2026-03-04T10:00:00Z host app 1 - - <script>alert(1)</script>\n'.repeat(3),
  );
  const made = await daybook(['import', folder, evidence]);
  expect(made.status, made.err).toBe(0);
});
afterAll(() => space.remove());

it('writes one page and says its hash, which verify finds in an audit log that is whole', async () => {
  const done = await daybook([
    ...['report', folder, '--out', out, '--title', 'T & T', '--author', 'A', '--tz', '+02:00'],
    '--json',
  ]);
  expect(done.status, done.err).toBe(0);
  const page = readFileSync(out);
  expect(json(done)).toEqual({
    path: out,
    bytes: page.length,
    sha256: createHash('sha256').update(page).digest('hex'),
  });
  const text = page.toString();
  expect(text).toContain('<h1>T &amp; T</h1>');
  expect(text).toContain('2026-03-04T12:00:00+02:00');
  expect(text).toContain(createHash('sha256').update(readFileSync(evidence)).digest('hex'));
  expect(text).not.toMatch(/<script/i);
  expect((await daybook(['verify', folder])).status).toBe(0);
});

it.each([
  ['no place to write to', []],
  ['a place in the case', ['--out', path.join(folder, 'report.html')]],
  ['evidence', ['--out', evidence]],
  ['a zone that is none', ['--out', out, '--tz', 'Mars/Base']],
])('refuses %s with status 2', async (_, args) => {
  const before = readFileSync(evidence);
  const done = await daybook(['report', folder, ...args]);
  expect(done.status).toBe(2);
  isClearMessage(done.err);
  expect(readFileSync(evidence)).toEqual(before);
  expect(readdirSync(folder)).not.toContain('report.html');
});
