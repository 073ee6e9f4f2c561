/** Open lists while the case changes and their segments are merged with others and removed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ColumnBatch, cell } from '../../contract/wire/column-batch.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { compactAll } from '../../ingest/compaction/compact.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import type { Client } from '../handler.ts';
import { listRows, openList } from './open-results.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-open-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const { signal } = new AbortController();
const fields = ['message'];

const log = (from: number, word: string): string =>
  Array.from({ length: 20 }, (_, i) => {
    const time = new Date(Date.UTC(2026, 9, 1) + (from + i) * 1000).toISOString();
    return `${time} web app[1]: ${word} ${i}\n`;
  }).join('');

const messages = (batch: ColumnBatch): unknown[] => {
  const column = batch.columns.find(({ name }) => name === 'message')!;
  return Array.from({ length: batch.rows }, (_, row) => cell(column, row));
};

/**
 * What the list shows when it is made, and after its segments were merged, with others if `more` was imported in
 * between.
 */
async function beforeAndAfter(query: string, more: string | undefined) {
  const folder = mkdtempSync(join(root, 'x-'));
  const path = join(folder, 'x.daybook');
  const evidence = join(folder, 'evidence');
  mkdirSync(evidence);
  for (const [name, text] of Object.entries({ a: log(0, 'one'), b: log(10, 'two') })) {
    writeFileSync(join(evidence, `${name}.log`), text);
    await importInProcess(path, [evidence]);
  }
  const options = { memoryLimit: 3e8, threads: 1 };
  const client: Client = { kept: new Map() };
  let before: unknown[] = [];
  const one = CaseSession.open(path, options);
  const { result } = await openList(
    one,
    path,
    { query, zone: 'UTC', sort: { field: 'ts', descending: true }, fields, first: 50 },
    client,
    signal,
    async (batch) => void (before = messages(batch)),
  );
  await one.close();
  if (more !== undefined) {
    writeFileSync(join(evidence, 'c.log'), more);
    await importInProcess(path, [evidence]);
  }
  const writer = await CaseWriter.open(path, 'test', BUILDER);
  await compactAll(writer).finally(() => writer.close());
  // As after a time without requests.
  const two = CaseSession.open(path, options);
  try {
    const range = { offset: 0, limit: 50, fields };
    const after = await listRows(two, result, range, client, signal).then(
      ({ batch }) => messages(batch),
      (error: unknown) => (error as { code?: string }).code,
    );
    return { before, after };
  } finally {
    await two.close();
  }
}

it.each(['*', '* | head 25', 'one | tail 5', '* | head 90', '* | dedup message'])(
  'shows the same events of "%s"',
  async (query) => {
    const { before, after } = await beforeAndAfter(query, undefined);
    expect(before.length).toBeGreaterThan(4);
    expect(after).toEqual(before);
  },
);

it.each(['one', 'one | head 90'])('shows the same events of "%s" beside others', async (query) => {
  const { before, after } = await beforeAndAfter(query, log(-5, 'three'));
  expect(before).toHaveLength(20);
  expect(after).toEqual(before);
});

it.each(['*', '* | head 25', '* | tail 5', '* | head 90'])(
  'says that "%s" is gone where it would show others',
  async (query) => {
    const { after } = await beforeAndAfter(query, log(-5, 'three') + log(90, 'three'));
    expect(after).toBe('not-found');
  },
);
