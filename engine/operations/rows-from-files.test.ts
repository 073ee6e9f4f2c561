/** Rows of lists that are read from segments' files are those of the statements that would read them. */
import { closeSync, openSync, readSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, type MockInstance, vi } from 'vitest';
import { evidence } from '../../app/compose.ts';
import { cell, type ColumnBatch } from '../contract/column-batch.ts';
import type { DaybookError } from '../contract/errors.ts';
import { importInProcess } from '../ingest/testing/in-process.ts';
import { CaseSession } from './case-session.ts';
import type { Client } from './handler.ts';
import { openList } from './open-results.ts';
import { type SmallCase, smallCase } from './testing/small-case.ts';

/** Two days of so many lines, in segments large enough to have maps, and few of a third. */
const ROWS = 12_000;
const MESSAGES: readonly ((i: number) => string)[] = [
  (i) =>
    `sshd[${i % 900}]: Failed password for user${i % 70} from 10.${i % 3}.0.${i % 250} port ${i}`,
  (i) => `kernel: key SHA256:${(i * 7919).toString(36)} für Bénédicte${i % 9} 日本`,
  (i) => `cron: ${'quiet '.repeat(i % 9)}${(i * 104_729).toString(36)} it's`,
  (i) => `sensor[${i}]: reading quasar${i % 40} of unit ${i % 64}`,
];
const lineOf = (day: number, i: number): string => {
  const time = new Date(Date.UTC(2026, 9, day) + i * 7000).toISOString();
  return `${time} host${i % 13} ${MESSAGES[(i * 31) % MESSAGES.length]!(i)}\n`;
};
const log = (day: number, rows: number) =>
  Array.from({ length: rows }, (_, i) => lineOf(day, i)).join('');

let small: SmallCase;
let session: CaseSession;
let statements: MockInstance<CaseSession['store']['query']>;
const open = () => {
  session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 1 });
  statements = vi.spyOn(session.store, 'query');
};
beforeAll(async () => {
  const files = { 'a.log': log(1, ROWS), 'b.log': log(2, ROWS), 'c.log': log(3, 50) };
  // On a busy machine an import would end segments early.
  const how = { chunk: { ms: 600_000 } };
  small = await smallCase(files, evidence, how);
  // The times of the second day again, in a segment of their own.
  const again = join(small.evidence, 'd.log');
  writeFileSync(again, log(2, ROWS).replaceAll(' host', ' other'));
  await importInProcess(small.folder, [again], how);
  open();
});
afterAll(async () => {
  await session.close();
  await small.dispose();
});

const { signal } = new AbortController();
const FIELDS = ['host', 'program', 'message', 'pid', 'source', 'summary', 'attrs.nothing'];

interface Asked {
  readonly query: string;
  readonly path?: 'scan';
  readonly descending?: boolean;
  readonly sort?: string;
  readonly fields?: string[];
}

async function listed(asked: Asked): Promise<unknown[]> {
  const { query, path, sort = 'ts', descending = false, fields = FIELDS } = asked;
  const client: Client = { kept: new Map() };
  const batches: ColumnBatch[] = [];
  await openList(
    session,
    small.folder,
    {
      ...{ query, zone: 'UTC', first: 300, fields, path },
      sort: { field: sort, descending },
    },
    client,
    signal,
    async (batch) => void batches.push(batch),
  );
  return batches.flatMap((batch) =>
    Array.from({ length: batch.rows }, (_, row) =>
      Object.fromEntries(batch.columns.map((column) => [column.name, cell(column, row)])),
    ),
  );
}

it.each<[string, Asked]>([
  ['a rare word', { query: 'quasar9 NOT day:2026-10-03' }],
  ['a rare word, the newest first', { query: 'quasar9 day:2026-10-02', descending: true }],
  ['rows of the same times in two segments', { query: 'quasar9 day:2026-10-02' }],
  ['two words', { query: 'failed user12 day:2026-10-01' }],
  ['a host, whose rows lie side by side with others', { query: 'host:host3 day:2026-10-01' }],
  ['an order by another field', { query: 'quasar9 day:2026-10-01', sort: 'pid' }],
])('%s', async (_, asked) => {
  statements.mockClear();
  const rows = await listed(asked);
  const run = statements.mock.calls.filter(([sql]) => sql.includes('"message"')).length;
  expect([rows.length > 20, run]).toEqual([true, 0]);
  expect(rows).toEqual(await listed({ ...asked, path: 'scan' }));
  expect(statements).toHaveBeenCalled();
});

it('leaves rows to a statement where a segment has no map', async () => {
  const asked = { query: 'quasar9' };
  statements.mockClear();
  const rows = await listed(asked);
  expect(statements).toHaveBeenCalled();
  expect(rows).toEqual(await listed({ ...asked, path: 'scan' }));
});

it('leaves rows to a statement where a map is none', async () => {
  const asked = { query: 'quasar9 day:2026-10-01' };
  const rows = await listed(asked);
  await session.close();
  const catalog = new Database(join(small.folder, 'case.sqlite'));
  const maps = catalog.prepare('SELECT segment_id, map FROM segment_maps').all() as {
    segment_id: number;
    map: Buffer;
  }[];
  const put = catalog.prepare('UPDATE segment_maps SET map = ? WHERE segment_id = ?');
  for (const { segment_id: id, map } of maps) put.run(map.subarray(0, 100), id);
  open();
  try {
    expect(await listed(asked)).toEqual(rows);
    expect(statements).toHaveBeenCalled();
  } finally {
    await session.close();
    for (const { segment_id: id, map } of maps) put.run(map, id);
    catalog.close();
    open();
  }
});

it('says of a damaged file what the statement says', async () => {
  await session.close();
  const day = join(small.folder, 'days/2026-10-01');
  const file = join(
    day,
    readdirSync(day).find((name) => name.endsWith('.duckdb'))!,
  );
  const fd = openSync(file, 'r+');
  const kept = Buffer.alloc(1 << 22);
  const length = readSync(fd, kept, 0, kept.length, 0);
  const torn = Buffer.from(kept.subarray(0, length));
  for (let at = 3 * 4096 + 100; at < length; at += 4096) torn[at]! ^= 0x10;
  writeSync(fd, torn, 0, length, 0);
  open();
  try {
    const failed = await listed({ query: 'quasar9 day:2026-10-01' }).catch(
      (error: unknown) => error,
    );
    expect((failed as DaybookError).code).toBe('case-damaged');
  } finally {
    writeSync(fd, kept, 0, length, 0);
    closeSync(fd);
    await session.close();
    open();
  }
});
