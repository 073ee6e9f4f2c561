/** What importers take a member for is found by the member's own name, beside attributes that are called so. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importInProcess } from '../ingest/testing/in-process.ts';
import { startQuery } from './query.ts';
import { CaseSession } from './session/case-session.ts';

let folder: string;
let session: CaseSession;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-members-'));
  const record = (second: number, eventName: string, sourceIPAddress: string) => ({
    ...{ eventVersion: '1.08', eventTime: `2026-01-01T00:00:0${second}Z`, eventName },
    ...{ eventSource: 'signin.amazonaws.com', awsRegion: 'eu-west-1', sourceIPAddress },
  });
  const trail = {
    Records: [
      record(1, 'ConsoleLogin', '192.0.2.1'),
      record(2, 'CreateUser', '192.0.2.2'),
      record(3, 'CreateUser', 'rds.amazonaws.com'),
    ],
  };
  const audit = {
    ...{ CreationTime: '2026-01-01T00:00:05', Operation: 'FileAccessed', Workload: 'OneDrive' },
    ...{ Id: 'a', RecordType: 6, UserId: 'u', ClientIP: '192.0.2.1' },
  };
  writeFileSync(join(folder, 'trail.json'), JSON.stringify(trail));
  writeFileSync(join(folder, 'audit.json'), `${JSON.stringify(audit)}\n`);
  await importInProcess(
    join(folder, 'case'),
    ['trail.json', 'audit.json'].map((name) => join(folder, name)),
  );
  session = CaseSession.open(join(folder, 'case'), { memoryLimit: 3e8, threads: 2 });
});
afterAll(async () => {
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  ['eventName:ConsoleLogin', 1],
  ['eventname:create*', 2],
  ['sourceIPAddress:192.0.2.0/24', 3],
  ['sourceIPAddress:192.0.2.2', 1],
  ['eventTime:2026-01-01T00:00:02', 1],
  ['Operation:FileAccessed', 1],
  ['ClientIP:192.0.2.1 CreationTime:2026-01-01', 2],
])('%s finds %i', async (query, expected) => {
  const text = `${query} | count`;
  const answer = await startQuery(session, { text, zone: 'UTC' }).answer();
  expect('count' in answer ? Number(answer.count) : undefined).toBe(expected);
});
