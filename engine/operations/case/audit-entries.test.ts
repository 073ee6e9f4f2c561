/**
 * Every change of a case has an entry in its audit log, even if no person requested it, and even if it was aborted.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { compactCase } from './compact.ts';
import { deleteEvents } from '../marks/mark.ts';
import { retimeSources } from './retime.ts';
import { maintainCase } from '../evidence/background-maintenance.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'daybook-audit-'));
  folder = join(home, 'case');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function log(name: string, day: number, lines = 20): string {
  const path = join(home, name);
  writeFileSync(
    path,
    Array.from(
      { length: lines },
      (_, n) => `2026-03-0${day} 10:00:${String(n % 60).padStart(2, '0')} host app: ${name} ${n}\n`,
    ).join(''),
  );
  return path;
}

interface Case {
  readonly entries: { operation: string; detail: unknown }[];
  readonly segments: number[];
}

function state(): Case {
  const catalog = Catalog.open(folder);
  try {
    return {
      entries: catalog.audit.entries().map(({ operation, detail }) => ({ operation, detail })),
      segments: catalog.segments.all().map(({ id }) => id),
    };
  } finally {
    catalog.close();
  }
}

/** Entries that were added by `change`, which has replaced segments. */
async function added(change: () => Promise<unknown>): Promise<Case['entries']> {
  const before = state();
  await change();
  const after = state();
  expect(after.segments).not.toEqual(before.segments);
  return after.entries.slice(before.entries.length);
}

it('of each merge within an import, beside it, and on demand', async () => {
  for (let n = 0; n < 4; n++)
    await importInProcess(folder, [log(`a${n}.log`, 4)], { lowLatency: true });
  const within = await added(() => importInProcess(folder, [log('b.log', 4)]));
  expect(within).toMatchObject([
    { operation: 'merge', detail: { import: 5, kind: 'log', days: ['2026-03-04'] } },
    { operation: 'import' },
  ]);
  for (let n = 0; n < 10; n++)
    await importInProcess(folder, [log(`c${n}.log`, 4)], { lowLatency: true });
  const beside = await added(() => maintainCase(folder, BUILDER));
  expect(beside.length).toBeGreaterThan(0);
  expect(beside.every(({ operation }) => operation === 'merge')).toBe(true);
  const session = CaseSession.open(folder, { memoryLimit: 5e8, threads: 1 });
  try {
    await deleteEvents({ session, text: '"c3.log 7"', zone: 'UTC', reason: 'test' });
  } finally {
    await session.close();
  }
  const demanded = await added(() => compactCase(folder, BUILDER));
  expect(demanded).toMatchObject([
    { operation: 'merge', detail: { rows: { before: 300, after: 299 } } },
    { operation: 'compact' },
  ]);
});

it('of each kind whose times were changed, in the transaction that changes them', async () => {
  await importInProcess(folder, [log('a.log', 4)]);
  const entries = await added(() =>
    retimeSources({
      ...{ folder, sources: ['a.log'], timeZone: '+02:00', year: undefined, builder: BUILDER },
    }),
  );
  expect(entries).toMatchObject([
    {
      operation: 'retime',
      detail: { kind: 'log', rows: { before: 20 }, decisions: { tz: '+02:00' } },
    },
    { operation: 'retime', detail: { before: {}, after: {} } },
  ]);
});

it('of an import that was cancelled', async () => {
  const stop = new AbortController();
  stop.abort();
  await expect(
    importInProcess(folder, [log('a.log', 4)], { signal: stop.signal }),
  ).rejects.toMatchObject({ code: 'cancelled' });
  expect(state().entries).toMatchObject([
    { operation: 'import', detail: { import: 1, status: 'cancelled' } },
  ]);
});

it('of an import that failed, with the reason', async () => {
  await importInProcess(folder, [log('a.log', 4)]);
  const staging = join(folder, 'staging');
  await expect(
    importInProcess(folder, [log('b.log', 5)], {
      onSource: () => {
        throw new Error('the reason');
      },
    }),
  ).rejects.toThrow('the reason');
  expect(readdirSync(staging)).toEqual([]);
  expect(state().entries.at(-1)).toMatchObject({
    operation: 'import',
    detail: { import: 2, status: 'failed', reason: 'the reason' },
  });
});

it('of imports that were interrupted and files that were removed, whoever writes next', async () => {
  await importInProcess(folder, [log('a.log', 4)]);
  const killed = await CaseWriter.open(folder, 'import', BUILDER);
  killed.catalog.imports.begin({});
  killed.close();
  mkdirSync(join(folder, 'days/2026-01-01'), { recursive: true });
  writeFileSync(join(folder, 'days/2026-01-01/000000ff.duckdb'), 'half');
  await importInProcess(folder, [log('b.log', 5)]);
  expect(state().entries.map(({ operation }) => operation)).toEqual([
    'import',
    'recover',
    'import',
  ]);
  expect(state().entries[1]).toMatchObject({
    detail: { interruptedImports: [2], removedFiles: ['days/2026-01-01/000000ff.duckdb'] },
  });
});
