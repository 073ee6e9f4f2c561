/**
 * A name means the column and every attribute with that name, in any case; an attribute that is a list matches by
 * its members. The same by index, rollup, statement and scan of the file.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scanTools } from '../../app/compose.ts';
import { importInProcess } from '../ingest/testing/in-process.ts';
import type { ShownRecord } from '../query/index.ts';
import { CaseSession } from './session/case-session.ts';
import { fieldList } from '../operations/case/fields/field-list.ts';
import { shownRows, startQuery } from './query.ts';
import { startScan } from '../operations/scan/scan.ts';

const RECORDS: readonly Record<string, unknown>[] = [
  { note: 'yy', Note: 'Z5', answers: ['23.62.7.160', 'a "b" é'], TTLs: [60, 300] },
  { Note: 'Z5', host: 'web01', 'event.code': '4624', answers: ['x,23.62.7.160,y'] },
  { note: 'z5', host: 'web02', severity: 'high', TTLs: '[7' },
  { NOTE: 'other', service: 'ssh', tx_hosts: ['192.168.0.4'], TTLs: [5] },
  { note_1: 'own', answers: '23.62.7.160', TTLs: 200, source: 'edr', empty: [] },
];
const TIME = '2026-01-01T00:00:0';

let folder: string;
let file: string;
let session: CaseSession;

beforeAll(async () => {
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '1');
  folder = mkdtempSync(join(tmpdir(), 'daybook-names-'));
  file = join(folder, 'records.json');
  const lines = RECORDS.map((record, i) =>
    JSON.stringify({ timestamp: `${TIME}${i}Z`, n: i, ...record }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  // A second source, which spells the names differently and has an index.
  const other = join(folder, 'other.json');
  const more = Array.from({ length: 40 }, (_, i) =>
    JSON.stringify({
      timestamp: `${TIME}9Z`,
      host: `h${i % 3}`,
      NOTE: `n${i}`,
      attr: { host: 'in' },
    }),
  );
  writeFileSync(other, `${more.join('\n')}\n`);
  await importInProcess(join(folder, 'case'), [file, other]);
  session = CaseSession.open(join(folder, 'case'), { memoryLimit: 3e8, threads: 2 });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

async function rows(source: AsyncGenerator<ShownRecord[]>): Promise<ShownRecord[]> {
  const out: ShownRecord[] = [];
  for await (const some of source) out.push(...some);
  return out;
}

async function byCase(text: string, path?: 'scan'): Promise<unknown> {
  const running = startQuery(session, { text, zone: 'UTC', path });
  if (running.plan.shape !== 'rows') return running.answer();
  return rows(shownRows(running, 'UTC'));
}

async function byScan(text: string): Promise<unknown> {
  const running = startScan(
    {
      ...{ path: file, text, from: undefined, to: undefined, zone: 'UTC', limit: undefined },
      ...{ signal: new AbortController().signal, format: undefined, timeZone: undefined },
      ...{ year: 2026, mapping: undefined, standardInput: Readable.from([]), threads: 1 },
      onProgress: () => undefined,
    },
    scanTools,
  );
  if (running.plan.shape !== 'rows') return running.answer();
  return rows(running.rows());
}

const numbers = (found: unknown): number[] =>
  Array.isArray(found)
    ? found.map((row: { attrs?: { n?: string } }) => Number(row.attrs?.n)).sort()
    : [];

describe('a condition', () => {
  it.each([
    ['note:Z5', [0, 1, 2]],
    ['Note:z5', [0, 1, 2]],
    ['attrs.NOTE:Z5', [0, 1, 2]],
    ['note:yy', [0]],
    ['note:/^Z5/', [0, 1]],
    ['note:*', [0, 1, 2, 3]],
    ['note_1:own', [4]],
    ['host:web01', [1]],
    ['hOST:web02', [2]],
    ['attrs.event.code:4624', [1]],
    ['event.code:4624', [1]],
    ['event_type:*', []],
    ['severity:high', [2]],
    ['source:edr', [4]],
    ['answers:23.62.7.160', [0, 4]],
    ['answers:"a \\"b\\" É"', [0]],
    ['answers:a*é', [0]],
    ['answers:x*', [1]],
    ['answers:23.62.0.0/16', [0, 4]],
    ['tx_hosts:192.168.0.4', [3]],
    ['tx_hosts:192.168.0.0/24', [3]],
    ['TTLs:>100', [0, 4]],
    ['ttls:[5 TO 60]', [0, 3]],
    ['TTLs:60', [0]],
    ['TTLs:"60"', [0]],
    ['TTLs:(5 OR 200)', [3, 4]],
    ['attributes:300', [0]],
    ['empty:*', [4]],
    ['empty:""', []],
    ['NOT TTLs:>100 TTLs:*', [2, 3]],
  ])('%s', async (text, expected) => {
    const query = `source:records.json ${text}`;
    for (const path of [undefined, 'scan'] as const)
      expect(numbers(await byCase(query, path))).toEqual(expected);
    // Values that are not in a vocabulary are unknown until the evidence is read.
    if (!/^(?:severity|source):/.test(text)) expect(numbers(await byScan(text))).toEqual(expected);
  });
});

describe('values', () => {
  it.each([
    'values note',
    'values NOTE',
    'top 10 host',
    'top 10 event.code, note',
    'stats count() as n, min(host) as first, distinct(host) as hosts by event.code',
    'stats count() by service',
  ])('%s', async (text) => {
    const ofCase = await byCase(`source:records.json | ${text}`);
    expect(await byCase(`source:records.json | ${text}`, 'scan')).toEqual(ofCase);
    expect(await byScan(`* | ${text}`)).toEqual(ofCase);
  });

  it('are the column where there is one, else the attribute', async () => {
    expect(await byCase('n:* | fields n, event.code | sort n', 'scan')).toEqual([
      { n: '0' },
      { n: '1', event_code: '4624' },
      { n: '2' },
      { n: '3' },
      { n: '4' },
    ]);
  });
});

it('shows the names that evidence has, whichever segments are read', async () => {
  const shown = (await byCase('source:records.json')) as { attrs: Record<string, string> }[];
  expect(
    shown.map(({ attrs }) => Object.keys(attrs).filter((name) => /^note/i.test(name))),
  ).toEqual([['Note', 'note'], ['Note'], ['note'], ['NOTE'], ['note_1']]);
  expect(await byCase('note:* | dedup n', 'scan')).toEqual(await byCase('note:* | dedup n'));
});

it('lists a name once', async () => {
  const { fields } = await fieldList(session, new AbortController().signal);
  const names = fields.map(({ field }) => field.toLowerCase());
  expect(names.filter((name) => name === 'host')).toHaveLength(1);
  expect(fields.filter(({ field }) => /^(attrs\.)?note$/i.test(field))).toMatchObject([
    { field: 'NOTE', events: 44 },
  ]);
  expect(names).toContain('note_1');
  expect(names.filter((name) => name === 'source')).toHaveLength(1);
});
