/** Findings: `daybook findings`, the report, and the hand-over. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { taggedCase } from '../tagged-case.ts';
import { assertClearMessage, Commands, daybook, json, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
let folder: string;

beforeAll(async () => {
  folder = await taggedCase(space.folder, 'all of <them>');
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

interface Listed {
  tag: string;
  place: number;
  severity?: string;
  color: string;
}
const list = async (...args: string[]): Promise<Listed[]> =>
  json(await commands.run(['findings', folder, ...args, '--json']));
const order = async (...args: string[]): Promise<string[]> =>
  (await list(...args)).map(({ tag }) => tag);

it('rates and arranges findings, lists those that matter, and leaves a case that verifies', async () => {
  expect(await order()).toEqual(['all of <them>', 'guessed', 'stolen']);
  const rated = await list('tag:stolen', '--severity', 'critical', '--color', 'red');
  expect(rated).toMatchObject([{ severity: 'critical', color: 'red', place: 1 }]);
  await list('tag:guessed', '--severity', 'low', '--place', '1');
  expect(await order()).toEqual(['guessed', 'stolen', 'all of <them>']);
  await list('tag:all of <them>', '--place', 'up');
  expect(await order()).toEqual(['guessed', 'all of <them>', 'stolen']);
  expect(await order('--sort', 'severity')).toEqual(['stolen', 'guessed', 'all of <them>']);
  expect(await order('--least', 'medium')).toEqual(['stolen']);
  const shown = await daybook(['findings', folder]);
  expect(shown.out).toMatch(/^place +severity +finding .*\n +1 +low +tag:guessed .*1 event\n/);
  expect((await commands.run(['verify', folder])).status).toBe(0);
});

it('prints them in that order in the report, with severity and colour', async () => {
  const page = path.join(space.folder, 'report.html');
  expect((await commands.run(['report', folder, '--out', page])).status).toBe(0);
  const text = readFileSync(page, 'utf8');
  const section = text.slice(text.indexOf('<h2 id="findings">'), text.indexOf('<h2 id="views">'));
  const headings = [...section.matchAll(/<h3 id="finding-(\d)">(.*?)<\/h3>/g)];
  expect(
    headings.map(([, place, heading]) => [place, heading!.replace(/<.*?>/g, ' ').trim()]),
  ).toEqual([
    ['1', expect.stringMatching(/guessed +low +1 event$/)],
    ['2', expect.stringMatching(/all of &lt;them&gt; +12 events$/)],
    ['3', expect.stringMatching(/stolen +critical +1 event$/)],
  ]);
  expect(section).toContain('<span class="badge tag tag-red">stolen</span>');
  expect(text).toMatch(/<dt>Findings<\/dt>\s*<dd>1 critical, 1 low, 1 not rated<\/dd>/);
  // The table at the beginning leads to each.
  expect(section.match(/<a href="#finding-\d">/g)).toHaveLength(3);
  // Each event once, whichever tag comes first.
  for (let i = 0; i < 12; i++) expect(section.match(new RegExp(`line-${i}-`, 'g'))).toHaveLength(1);
});

it('hands over what was said of each', async () => {
  const target = path.join(space.folder, 'handed-over');
  expect((await commands.run(['hand-over', folder, target])).status).toBe(0);
  const lines = readFileSync(path.join(target, 'findings/findings.jsonl'), 'utf8').trim();
  expect(lines.split('\n').map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { tag: 'all of <them>', event_id: null, severity: null, place: 2 },
    { tag: 'guessed', severity: 'low', place: 1 },
    { tag: 'stolen', severity: 'critical', place: null, color: 'red' },
  ]);
  expect((await commands.run(['verify', target])).status).toBe(0);
});

it.each([
  ['a severity that is none', ['tag:stolen', '--severity', 'awful'], 2],
  ['a place that is none', ['tag:stolen', '--place', '0'], 2],
  ['a colour that is none', ['tag:stolen', '--color', 'teal'], 2],
  ['a severity without a finding', ['--severity', 'low'], 2],
  ['a filter of one finding', ['tag:stolen', '--least', 'low'], 2],
  ['a name without its kind', ['stolen'], 2],
  ['a tag that no event has', ['tag:none'], 1],
  ['a note that nobody wrote', ['1:3', '--severity', 'low'], 1],
])('refuses %s', async (_, args, status) => {
  const before = await list();
  const done = await commands.run(['findings', folder, ...args]);
  expect(done.status).toBe(status);
  assertClearMessage(done.err);
  expect(await list()).toEqual(before);
});
