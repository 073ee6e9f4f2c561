/**
 * A word, a pattern and a line of a list are searched in every text of an event: events of tables and captures have
 * fields and no message.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { TextColumn } from '../columns/columns.ts';
import { CaseWriter } from '../ingest/case/case-writer.ts';
import { compactAll } from '../ingest/compaction/compact.ts';
import { BUILDER, importInProcess } from '../ingest/testing/in-process.ts';
import { SideFile, writeSideFile } from '../index/side-file.ts';
import { TextIndexBuilder } from '../index/text/write/builder.ts';
import { checked, withCheck } from '../index/text/format/bytes.ts';
import { HEAD } from '../index/text/format/layout.ts';
import { CaseSession } from './session/case-session.ts';
import { startQuery } from './index.ts';
import { caseOfFiles } from './testing/case-of-files.ts';
import { unmatchedLines } from './lists/unmatched-lines.ts';

const [MD5, SHA1, SHA256] = ['0f', '1a', 'c5'].map((pair, at) => pair.repeat([16, 20, 32][at]!));
const NOWHERE = 'd'.repeat(64);

const files = [
  ['10.0.0.1', SHA256, '', ''],
  ['10.0.0.2', '', MD5!.toUpperCase(), ''],
  ['10.0.0.3', '', '', SHA1],
  ['10.0.0.4', `${SHA256}00`, '', ''],
].map((cells, n) => [`2026-01-01T00:00:0${n}Z`, ...cells].join(','));
const requests = [
  '2026-01-02T00:00:01Z,10.0.1.1,zoe,http://portal.example/enter?next=%2F,Probe/2.0 (agent),BLOCKED,gambling',
  '2026-01-02T00:00:02Z,10.0.1.2,Zoë Ann,http://198.51.100.9/x,curl/8.1,allowed,news',
];
vi.stubEnv('DAYBOOK_INDEX_ROWS', '1');
const session = await caseOfFiles({
  'files.csv': `timestamp,src_ip,sha256,md5,sha1\n${files.join('\n')}\n`,
  'scan.log': `2026-01-01T00:00:09Z web1 scan[1]: infected ${SHA256} quarantined\n`,
  'requests.csv': `timestamp,src_ip,user,url,user_agent,action,category\n${requests.join('\n')}\n`,
  'sshd.log':
    '2026-01-02T00:00:03Z web1 sshd[7]: Accepted password for zoe from 10.0.1.3 port 7 ssh2\n',
});
vi.unstubAllEnvs();

const OPTIONS = { memoryLimit: 3e8, threads: 2 };
const given = (text: string) => ({ bytes: new TextEncoder().encode(text) });

function count(text: string, list?: string, path?: 'scan'): Promise<number> {
  return countIn(session, text, list, path);
}

async function countIn(
  one: CaseSession,
  text: string,
  list?: string,
  path?: 'scan',
): Promise<number> {
  const asked = { text: `${text} | count`, zone: 'UTC', path };
  const running = startQuery(one, list === undefined ? asked : { ...asked, list: given(list) });
  const answer = await running.answer();
  if (answer.shape !== 'count') throw new TypeError('a number was asked for');
  return Number(answer.count);
}

it.each([
  [SHA256!, 2],
  [SHA256!.toUpperCase(), 2],
  [MD5!, 1],
  [SHA1!, 1],
  [NOWHERE, 0],
  [SHA256!.slice(1), 0],
  ['zoe', 2],
  ['Zoë', 1],
  ['portal', 1],
  ['probe', 1],
  ['198.51.100.9', 1],
  ['blocked', 1],
  // A conclusion of an extractor is not a text of the evidence.
  ['login', 0],
  ['gambling', 1],
])('finds %s in fields and in text: %i', async (hash, expected) => {
  for (const path of [undefined, 'scan'] as const) {
    expect(await count(hash, undefined, path)).toBe(expected);
    expect(await count(`NOT ${hash}`, undefined, path)).toBe(8 - expected);
    expect(await count(`* | where ${hash}`, undefined, path)).toBe(expected);
    expect(await count('*', `${hash}\n`, path)).toBe(expected);
    expect(await count('*', `${hash}\n10.0.0.4\n${NOWHERE}\n`, path)).toBe(expected + 1);
  }
});

it.each([
  ['"Probe/2.0 (agent)"', 1],
  ['"zoë ann"', 1],
  ['/PORTAL[.]example/i', 1],
  ['/^zoe$/', 2],
  ['prob* curl', 0],
  ['prob* OR curl', 2],
])('finds %s: %i', async (text, expected) => {
  for (const path of [undefined, 'scan'] as const)
    expect(await count(text, undefined, path)).toBe(expected);
});

it('says which lines of a list are nowhere', async () => {
  const list = given([MD5, NOWHERE, SHA256, SHA1, 'infected', '10.9.9.9'].join('\n'));
  for (const query of ['*', '* | head 3']) {
    const { lines } = await unmatchedLines(session, { query, zone: 'UTC', list });
    expect([...lines]).toEqual(query === '*' ? [2, 6] : [2, 5, 6]);
  }
});

it('looks for words in no action that an extractor concludes, in merged segments, too', async () => {
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '1');
  const line = (user: string) =>
    `2026-01-02T00:00:03Z web1 sshd[7]: Accepted password for ${user} from 10.0.1.3 port 7 ssh2\n`;
  const { folder } = await caseOfFiles({
    'a.log': line('zoe'),
    'c.csv': `timestamp,src_ip,action\n2026-01-02T00:00:01Z,10.0.1.1,login\n`,
  });
  const more = join(folder, '..', 'b.log');
  writeFileSync(more, line('yan'));
  await importInProcess(folder, [more]);
  const writer = await CaseWriter.open(folder, 'test', BUILDER);
  const { before, after } = await compactAll(writer).finally(() => writer.close());
  vi.unstubAllEnvs();
  expect(after).toBeLessThan(before);
  const merged = CaseSession.open(folder, OPTIONS);
  try {
    for (const path of [undefined, 'scan'] as const) {
      expect(await countIn(merged, 'login', undefined, path)).toBe(1);
      expect(await countIn(merged, '*ogi*', undefined, path)).toBe(1);
      expect(await countIn(merged, 'action:login', undefined, path)).toBe(2);
    }
  } finally {
    await merged.close();
  }
});

it.each([1, 2])('finds them in a case whose index is of version %i', async (version) => {
  const words = ['zoe', 'portal', 'infected'];
  const before = await Promise.all(words.map((word) => count(word)));
  const days = join(session.folder, 'days');
  const names = readdirSync(days, { recursive: true, encoding: 'utf8' });
  const indexes = names.filter((name) => name.endsWith('.idx'));
  expect(indexes.length).toBeGreaterThan(1);
  session.indexes.close();
  for (const name of indexes) makeOlder(join(days, name), version);
  const older = CaseSession.open(session.folder, OPTIONS);
  try {
    for (const [i, word] of words.entries()) expect(await countIn(older, word)).toBe(before[i]);
  } finally {
    await older.close();
  }
});

/**
 * Replaces a side file by one whose text index has only an action, for all rows: version 2 may have it for rows in
 * which it is not searched, and version 1 has no such texts.
 */
function makeOlder(path: string, version: number): void {
  const file = SideFile.open(path)!;
  const { rows } = file;
  file.close();
  const action = new TextColumn(rows);
  const value = new TextEncoder().encode('login');
  for (let row = 0; row < rows; row++) action.set(row, value, 0, value.length);
  const builder = new TextIndexBuilder();
  const others = { numbers: new Map(), ip6: new Map() };
  builder.add({ kind: 'log', length: rows, texts: new Map([['action', action]]), ...others });
  const sections = builder.finish(undefined).sections.map(({ name, bytes }) => {
    if (name !== HEAD) return { name, bytes };
    const content = checked(bytes, bytes.length).slice();
    content[0] = version;
    return { name, bytes: withCheck(content) };
  });
  writeSideFile(path, rows, sections);
}
