/** Opening and closing a case for writing when something in it is not as it should be. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { IdleSlot } from '../../util/idle-slot.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { RECOVERY, WriterLock } from '../../catalog/writer-lock.ts';
import { CaseWriter } from './case-writer.ts';
import { BUILDER } from '../testing/in-process.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'daybook-writer-')), 'x.daybook');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

it('cuts quarantine files to what is committed, and leaves other files beside them alone', async () => {
  const writer = await CaseWriter.open(folder, 'import', BUILDER, true);
  const id = writer.catalog.imports.begin({ items: [], recursive: true });
  writer.catalog.imports.setQuarantine(id, writer.appendQuarantine(id, 0, Buffer.from('{}\n')), '');
  writer.appendQuarantine(id, 3, Buffer.from('{"never":"committed"}\n'));
  writer.close();
  const others = [`${id}`, `0${id}.ndjson`, `${id}.ndjson.old`, `${id}.0.ndjson`, 'x.ndjson'];
  for (const name of others) writeFileSync(join(folder, 'quarantine', name), 'somebody keeps this');
  const again = await CaseWriter.open(folder, 'import', BUILDER);
  expect(again.recovery.interruptedImports).toEqual([id]);
  again.close();
  const texts = [`${id}.ndjson`, ...others].map((name) =>
    readFileSync(join(folder, 'quarantine', name), 'utf8'),
  );
  expect(texts).toEqual(['{}\n', ...others.map(() => 'somebody keeps this')]);
});

it('has no lock any more after closing, though something of the case was removed meanwhile', async () => {
  const writer = await CaseWriter.open(folder, 'import', BUILDER, true);
  rmSync(join(folder, 'staging'), { recursive: true });
  writeFileSync(join(folder, 'staging'), 'in its place');
  expect(() => writer.close()).toThrow();
  WriterLock.take(folder, 'test').release();
});

it('opens a catalog of its own where the one that was kept is of no use', async () => {
  const catalogs = new IdleSlot<Catalog>(60_000, (catalog) => catalog.close());
  (await CaseWriter.open(folder, 'import', BUILDER, true)).close();
  const spent = Catalog.open(folder);
  spent.close();
  catalogs.keep(spent, folder);
  const writer = await CaseWriter.open(folder, 'import', { ...BUILDER, catalogs });
  expect(writer.catalog).not.toBe(spent);
  writer.close(true);
  const next = await CaseWriter.open(folder, 'import', { ...BUILDER, catalogs });
  expect(next.catalog).toBe(writer.catalog);
  next.close(true);
  catalogs.close();
  expect(existsSync(join(folder, 'case.sqlite-wal'))).toBe(false);
});

it('waits for a recovery that is under way, and for nothing else', async () => {
  (await CaseWriter.open(folder, 'import', BUILDER, true)).close();
  const recovery = WriterLock.take(folder, RECOVERY);
  const opening = CaseWriter.open(folder, 'import', BUILDER);
  recovery.release();
  const writer = await opening;
  await expect(CaseWriter.open(folder, 'import', BUILDER)).rejects.toMatchObject({
    code: 'case-locked',
  });
  writer.close();
});
