/** Cases by earlier versions: upgraded if they may be written, read otherwise. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Catalog } from './catalog.ts';

let folder: string;
/** A catalog as the first migration left it, with one tag in it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-migrations-'));
  const db = new Database(join(folder, 'case.sqlite'));
  db.pragma('journal_mode = WAL');
  db.exec(readFileSync(join(import.meta.dirname, 'migrations/0001-initial.sql'), 'utf8'));
  db.exec("INSERT INTO tags(name, created_at) VALUES ('kept', '2026-01-01T00:00:00.000Z')");
  db.pragma('user_version = 1');
  db.pragma(`application_id = ${0x4461796b}`);
  db.close();
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

const versionOnDisk = (): unknown => {
  const db = new Database(join(folder, 'case.sqlite'), { readonly: true });
  try {
    return db.pragma('user_version', { simple: true });
  } finally {
    db.close();
  }
};

it('brings an older catalog up to date and keeps what is in it', () => {
  const catalog = Catalog.open(folder);
  expect(catalog.marks.tags().map(({ name }) => name)).toEqual(['kept']);
  expect(catalog.notes.all()).toEqual([]);
  const id = catalog.searches.add({ name: 'a', view: '?q=b', note: '' });
  expect(catalog.searches.get(id)).toMatchObject({ id, name: 'a', view: '?q=b', note: '' });
  catalog.close();
  expect(versionOnDisk()).toBe(16);
});

it.each([
  ['', false],
  [' while its log lies beside it', true],
])('reads an older catalog that may not be written%s, and leaves it as it is', (_, isOpen) => {
  const path = join(folder, 'case.sqlite');
  const other = isOpen ? new Database(path) : undefined;
  other?.exec("INSERT INTO tags(name, created_at) VALUES ('logged', '2026-01-01T00:00:00.000Z')");
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
  chmodSync(folder, 0o555);
  const script = `
    const { Catalog } = await import(${JSON.stringify(join(import.meta.dirname, 'catalog.ts'))});
    const catalog = Catalog.open(${JSON.stringify(folder)});
    console.log(JSON.stringify([catalog.readOnly, catalog.marks.tags().length, catalog.notes.all(), catalog.searches.all()]));`;
  // Permissions do not bind the superuser.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { encoding: 'utf8', ...user },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual([true, isOpen ? 2 : 1, [], []]);
  chmodSync(folder, 0o755);
  other?.close();
  expect(versionOnDisk()).toBe(1);
});

it('covers the rows of a case of an earlier Daybook, and says since when', () => {
  const catalog = Catalog.open(folder);
  expect(catalog.integrityProblems()).toEqual([]);
  expect(catalog.coveredSince()).toMatch(/^\d{4}-\d\d-\d\dT/);
  catalog.close();
  const db = new Database(join(folder, 'case.sqlite'));
  db.exec("UPDATE tags SET name = 'kepr'");
  db.close();
  const again = Catalog.open(folder);
  expect(again.integrityProblems()).toEqual(['table tags, id 1: differs from what was written']);
  again.close();
});

it('says nothing of that in a case that it makes', () => {
  const made = mkdtempSync(join(tmpdir(), 'daybook-made-'));
  const catalog = Catalog.open(made, { create: true });
  expect(catalog.coveredSince()).toBeUndefined();
  catalog.close();
  rmSync(made, { recursive: true });
});
