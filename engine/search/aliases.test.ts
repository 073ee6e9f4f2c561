/**
 * The name of a role means what a record itself calls so, or its column if the record has no such name: the account
 * that reports a failed log-on (`SubjectUserName`) differs from the one that failed (`user`).
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { scanTools } from '../../app/compose.ts';
import { startScan } from '../operations/scan/scan.ts';
import { startQuery } from './index.ts';
import { caseOfFiles, ndjson } from './testing/case-of-files.ts';

const windows = (EventID: number, second: number, more: object) => ({
  ...{ EventID, Channel: 'Security', ProviderName: 'Microsoft-Windows-Security-Auditing' },
  ...{ EventTime: `2026-01-02T00:00:0${second}Z`, Hostname: 'dc1', ...more },
});
vi.stubEnv('DAYBOOK_INDEX_ROWS', '1');
const session = await caseOfFiles({
  'security.json': ndjson([
    windows(4625, 1, { SubjectUserName: 'DC1$', TargetUserName: 'alice' }),
    windows(4625, 2, { SubjectUserName: 'bob', TargetUserName: 'carol' }),
    windows(4688, 3, { SubjectUserName: 'alice' }),
  ]),
  'sshd.log':
    '2026-01-02T00:00:04Z web1 sshd[7]: Failed password for alice from 10.0.1.3 port 7 ssh2\n',
});
vi.unstubAllEnvs();

async function answered(text: string, path?: 'scan') {
  const running = startQuery(session, { text, zone: 'UTC', path });
  const answer = await running.answer();
  return { rows: 'rows' in answer ? answer.rows : answer, notes: running.notes() };
}

async function scanned(text: string) {
  const running = startScan(
    {
      ...{ path: join(session.folder, '..', 'security.json'), text, zone: 'UTC', year: 2026 },
      ...{
        from: undefined,
        to: undefined,
        limit: undefined,
        format: undefined,
        mapping: undefined,
      },
      ...{ timeZone: undefined, standardInput: Readable.from([]), threads: 1 },
      ...{ signal: new AbortController().signal, onProgress: () => undefined },
    },
    scanTools,
  );
  const answer = await running.answer();
  return 'rows' in answer ? answer.rows : answer;
}

it.each([
  ['user:alice', 3],
  ['SubjectUserName:alice', 2],
  ['SubjectUserName:"DC1$"', 1],
  ['NOT SubjectUserName:alice', 2],
  ['SubjectUserName in (alice, bob)', 3],
  ['SubjectUserName contains "li"', 2],
  ['SubjectUserName:*', 4],
  ['TargetUserName:alice', 1],
])('%s finds %i', async (text, expected) => {
  for (const path of [undefined, 'scan'] as const)
    expect((await answered(`${text} | count`, path)).rows).toMatchObject({ count: expected });
});

it.each([
  'SubjectUserName:alice',
  'NOT SubjectUserName:alice',
  'NOT SubjectUserName in (alice, bob)',
])('%s is the same in the case and in a scan', async (filter) => {
  const text = `(${filter}) | count`;
  const { rows } = await answered(`source:security.json ${text}`);
  expect(await scanned(text)).toEqual(rows);
});
