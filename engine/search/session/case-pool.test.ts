import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { rfc3164 } from '../../ingest/testing/small-evidence.ts';
import { DaybookError } from '../../contract/errors.ts';
import { CasePool } from './case-pool.ts';
import type { Client } from '../../operations/handler.ts';
import { listRows, openList } from '../../operations/query/open-results.ts';
import { startQuery } from '../query.ts';

let root: string;
let folder: string;
const pool = new CasePool(() => ({ memoryLimit: 2e8, threads: 1 }));

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-pool-'));
  folder = join(root, 'x.daybook');
});
afterAll(async () => {
  await pool.close();
  rmSync(root, { recursive: true, force: true });
});

async function imported(rows: number): Promise<void> {
  const log = join(root, `${rows}.log`);
  writeFileSync(log, rfc3164(rows));
  await importInProcess(folder, [log]);
}

/** Counts events by reading them. */
const count = () =>
  pool.use(folder, async (session) => {
    const answer = await startQuery(session, {
      text: 'message:* | count',
      zone: 'UTC',
      path: 'scan',
    }).answer();
    return 'count' in answer ? answer.count : undefined;
  });

it('answers from the case that is in a folder now, not from one that was', async () => {
  await imported(30);
  expect(await count()).toBe(30);
  // Work on the earlier case continues with the files that it has.
  const before = pool.use(folder, async (session) => {
    rmSync(folder, { recursive: true });
    await imported(20);
    expect(await count()).toBe(20);
    return session.snapshot().segments.reduce((sum, { rows }) => sum + rows, 0);
  });
  expect(await before).toBe(30);
  expect(await count()).toBe(20);
  renameSync(folder, `${folder}.moved`);
  await expect(count()).rejects.toBeInstanceOf(DaybookError);
  renameSync(`${folder}.moved`, folder);
  expect(await count()).toBe(20);
});

it('says that the events of an open list are gone, rather than show others', async () => {
  rmSync(folder, { recursive: true });
  await imported(40);
  const client: Client = { kept: new Map() };
  const { signal } = new AbortController();
  const fields = ['message'];
  const { result } = await pool.use(folder, (session) =>
    openList(
      session,
      folder,
      {
        ...{ query: '*', from: undefined, to: undefined, zone: 'UTC', path: undefined },
        ...{ sort: { field: 'ts', descending: false }, fields, first: 5 },
      },
      client,
      signal,
      async () => undefined,
    ),
  );
  const rows = () =>
    pool.use(folder, (session) =>
      listRows(session, result, { offset: 10, limit: 5, fields }, client, signal),
    );
  expect((await rows()).batch.rows).toBe(5);
  rmSync(folder, { recursive: true });
  await imported(50);
  await expect(rows()).rejects.toMatchObject({ hint: 'run the query again' });
});
