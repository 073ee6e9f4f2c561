/** `daybook report` as scripts run it. The page's content is tested next to the engine's code. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Commands, daybook, assertClearMessage, json, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
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
afterAll(async () => {
  await commands.close();
  space.remove();
});

it('writes one page and says its hash, which verify finds in an audit log that is whole', async () => {
  const done = await commands.run([
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
  expect((await commands.run(['verify', folder])).status).toBe(0);
});

it('names the number of the case and its examiner', async () => {
  const described = await commands.run([
    ...['describe', folder, '--number', '2026/17 <b>', '--examiner', 'A. Example', '--json'],
  ]);
  expect(json(described)).toEqual({ number: '2026/17 <b>', examiner: 'A. Example' });
  const page = path.join(space.folder, 'numbered.html');
  expect((await commands.run(['report', folder, '--out', page])).status).toBe(0);
  const text = readFileSync(page, 'utf8');
  expect(text).toMatch(/<dt>Case number<\/dt>\s*<dd>2026\/17 &lt;b&gt;<\/dd>/);
  expect(text).toMatch(/<dt>Examiner<\/dt>\s*<dd>A\. Example<\/dd>/);
  expect((await commands.run(['describe', folder, '--number', ''])).out).toBe(
    'number:   -\nexaminer: A. Example\n',
  );
  expect((await commands.run(['verify', folder])).status).toBe(0);
});

it('has its classification at the top and the bottom of the page, on paper of each page', async () => {
  const page = path.join(space.folder, 'marked.html');
  const args = ['report', folder, '--out', page, '--classification', ' TLP:AMBER <x> '];
  expect((await commands.run(args)).status).toBe(0);
  const text = readFileSync(page, 'utf8');
  const marking = '<p class="classification">TLP:AMBER &lt;x&gt;</p>';
  expect(text.split(marking)).toHaveLength(3);
  expect(text.indexOf(marking)).toBeLessThan(text.indexOf('<header>'));
  expect(text.lastIndexOf(marking)).toBeGreaterThan(text.indexOf('</footer>'));
  for (const place of ['top', 'bottom'])
    expect(text).toContain(`@${place}-center { content: "TLP\\3a AMBER \\3c x\\3e "`);
  const catalog = new DatabaseSync(path.join(folder, 'case.sqlite'), { readOnly: true });
  const [last] = catalog.prepare('SELECT detail FROM audit ORDER BY id DESC LIMIT 1').all();
  catalog.close();
  expect(JSON.parse(String(last?.['detail']))).toMatchObject({ classification: 'TLP:AMBER <x>' });
  // It is not truncated: a text that is too long is refused.
  const long = await commands.run([...args.slice(0, 5), 'x'.repeat(101), '--force']);
  expect(long.status).toBe(2);
  assertClearMessage(long.err);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

it('prints findings before sources, each event once, and marks what of its time was decided', async () => {
  const log = path.join(space.folder, 'old.log');
  writeFileSync(
    log,
    Array.from(
      { length: 60 },
      (_, i) => `Mar  4 10:00:${String(i).padStart(2, '0')} host sshd: line-${i}-\n`,
    ).join(''),
  );
  const other = path.join(space.folder, 'found.daybook');
  for (const args of [
    ['import', other, log],
    ['tag', other, 'sshd', 'all'],
    ['tag', other, '"line-3-"', 'some'],
  ])
    expect((await commands.run(args)).status).toBe(0);
  const page = path.join(space.folder, 'found.html');
  const done = await commands.run([
    'report',
    other,
    '--out',
    page,
    '--title',
    '"</style>',
    '--author',
    'A. B',
  ]);
  expect(done.status, done.err).toBe(0);
  const text = readFileSync(page, 'utf8');
  const at = (part: string): number => {
    expect(text).toContain(part);
    return text.indexOf(part);
  };
  const order = ['summary', 'findings', 'views', 'sources', 'audit', 'method'];
  const places = order.map((id) => at(`<h2 id="${id}">`));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  // Forty of sixty lines, and the one with two tags once.
  const findings = text.slice(places[1], places[2]);
  expect(findings.match(/line-\d+-/g)).toHaveLength(40);
  expect(findings.match(/line-3-/g)).toHaveLength(1);
  expect(text).toContain('20 more events not printed; to list all: ');
  expect(text).toContain('1 event with this tag is printed with another finding');
  // The log states neither year nor zone.
  expect(text.match(/<sup class="basis">Y Z<\/sup>/g)).toHaveLength(40);
  expect(text).toContain('the record states no year; it was inferred, assumed or set by the user');
  // Details of the audit trail are words.
  expect(text).not.toContain('{&quot;');
  // Title, author and case are in the margins of pages, where nothing ends the style sheet.
  expect(text).toContain('@top-left { content: "\\22 \\3c \\2f style\\3e "');
  expect(text.match(/<\/style>/g)).toHaveLength(1);
  expect(text).toContain('@bottom-left { content: "A\\2e  B');
  const sheet = /<style>([\s\S]*)<\/style>/.exec(text)![1]!;
  expect(text).toContain(
    `style-src 'sha256-${createHash('sha256').update(sheet).digest('base64')}'`,
  );
});

it.each([
  ['no place to write to', []],
  ['a place in the case', ['--out', path.join(folder, 'report.html')]],
  ['evidence', ['--out', evidence]],
  ['a zone that is none', ['--out', out, '--tz', 'Mars/Base']],
])('refuses %s with status 2', async (_, args) => {
  const before = readFileSync(evidence);
  const done = await commands.run(['report', folder, ...args]);
  expect(done.status).toBe(2);
  assertClearMessage(done.err);
  expect(readFileSync(evidence)).toEqual(before);
  expect(readdirSync(folder)).not.toContain('report.html');
});
