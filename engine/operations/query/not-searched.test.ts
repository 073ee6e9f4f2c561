/** What an empty answer says about data that was not searched. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { pcapOf, zeekConn } from '../../ingest/testing/small-evidence.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { notSearched, notSearchedText, unsearched } from './not-searched.ts';
import { startQuery } from '../../search/query.ts';

let folder: string;
let session: CaseSession;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-not-searched-'));
  const at = (name: string) => join(folder, name);
  // Two rows that are not connections: they go to the quarantine.
  writeFileSync(
    at('conn.log'),
    Buffer.concat([
      Buffer.from(zeekConn(20)),
      Buffer.from(
        'SSH::Password_Guessing 222.186.30.112 appears to be guessing\nanother broken row\n',
      ),
    ]),
  );
  writeFileSync(at('a.pcap'), pcapOf(10));
  writeFileSync(at('undated.log'), 'nothing with a time\n');
  writeFileSync(
    at('data.bin'),
    Buffer.concat([Buffer.alloc(9000, 1), Buffer.from(' hidden words ')]),
  );
  const names = ['conn.log', 'a.pcap', 'undated.log', 'data.bin'];
  await importInProcess(at('case'), names.map(at));
  keepArguments(at('case'), names.map(at));
  session = CaseSession.open(at('case'), { memoryLimit: 3e8, threads: 2 });
});
afterAll(async () => {
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As an import of the product stores its arguments. */
function keepArguments(target: string, paths: readonly string[]): void {
  const catalog = new Database(join(target, 'case.sqlite'));
  const items = paths.map((path) => ({ path, options: {} }));
  catalog.prepare('UPDATE imports SET arguments = ?').run(JSON.stringify({ items }));
  catalog.close();
}

const left = (text: string, list?: string) =>
  notSearched(
    session,
    startQuery(session, {
      ...{ text, zone: 'UTC' },
      list: list === undefined ? undefined : { bytes: new TextEncoder().encode(list) },
    }).plan,
  );

it('there are two such records', async () => {
  expect((await left('*')).quarantined).toEqual({ count: 2, matching: 0, looked: 0 });
});

it.each([
  ['Password_Guessing', 1],
  ['"appears to be guessing" kind:flow', 1],
  ['broken OR guessing', 2],
  ['broken guessing', 0],
  ['NOT guessing broken', 1],
  ['222.186.30.0/24', 1],
  ['222.186.31.0/24', 0],
  ['ip:222.186.30.112', 1],
  ['host:*guess*', 1],
  ['message:/appears\\s+to/', 1],
  ['nosuchword', 0],
])('%s: %i of them contain it', async (text, matching) => {
  expect((await left(text)).quarantined).toEqual({ count: 2, matching, looked: 2 });
});

it('the addresses of a list are looked for, too', async () => {
  expect((await left('*', '222.186.30.112\n10.9.9.9\n')).quarantined.matching).toBe(1);
  expect((await left('*', '222.186.0.0/16\n')).quarantined.matching).toBe(1);
  expect((await left('*', '222.187.0.0/16\n')).quarantined.matching).toBe(0);
});

it('a file that no importer knows is looked through', async () => {
  expect((await left('"hidden words"')).unread).toEqual({ count: 1, matching: 1, looked: 1 });
  expect((await left('nosuchword')).unread).toEqual({ count: 1, matching: 0, looked: 1 });
});

it('a file of a folder is looked through, one that is compressed is not', async () => {
  const evidence = join(folder, 'evidence');
  mkdirSync(join(evidence, 'more'), { recursive: true });
  const binary = (text: string, encoding?: BufferEncoding) =>
    Buffer.concat([Buffer.alloc(9000, 1), Buffer.from(text, encoding)]);
  writeFileSync(join(evidence, 'plain.bin'), binary(' first word '));
  writeFileSync(join(evidence, 'more/wide.bin'), binary(' second word ', 'utf16le'));
  writeFileSync(join(evidence, 'more/packed.gz'), gzipSync(binary(' third word ')));
  writeFileSync(join(evidence, 'more/some.log'), '2026-03-04T10:00:00Z web1 app: text\n');
  const target = join(folder, 'of-folder');
  await importInProcess(target, [evidence], { recursive: true });
  keepArguments(target, [evidence]);
  const session = CaseSession.open(target, { memoryLimit: 3e8, threads: 2 });
  try {
    const of = async (text: string) =>
      notSearched(session, startQuery(session, { text, zone: 'UTC' }).plan);
    expect((await of('"first word"')).unread).toEqual({ count: 3, matching: 1, looked: 2 });
    expect((await of('"second word"')).unread).toEqual({ count: 3, matching: 1, looked: 2 });
    expect(notSearchedText(await of('"third word"'))).toEqual([
      '3 files that were not read in full are not among the events: the raw text of none of the 2 that were searched matches',
    ]);
  } finally {
    await session.close();
  }
});

it('a range of time leaves out what has none', async () => {
  expect((await left('nosuchword')).undated).toBe(0);
  expect((await left('nosuchword ts:2020')).undated).toBeGreaterThan(0);
});

it('is said in words', async () => {
  expect(notSearchedText(await left('kind:flow'), { packets: false })).toEqual([
    '2 quarantined records and 1 file that was not read in full are not among the events: their raw text was not searched',
  ]);
  expect(notSearchedText(await left('Password_Guessing'), { packets: false })).toEqual([
    '2 quarantined records and 1 file that was not read in full are not among the events: the raw text of 1 of them matches',
  ]);
});

it('a window is told the same', async () => {
  const { signal } = new AbortController();
  const found = await unsearched(session, { query: 'Password_Guessing', zone: 'UTC' }, signal);
  expect(found.quarantined.matching).toBe(1);
  expect(found.lines[0]).toBe(
    '2 quarantined records and 1 file that was not read in full are not among the events: the raw text of 1 of them matches',
  );
  const stopped = unsearched(session, { query: 'x', zone: 'UTC' }, AbortSignal.abort());
  await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
});
