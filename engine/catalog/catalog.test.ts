import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import { WriterLock } from './writer-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-catalog-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'no error';
};

describe('Catalog.open', () => {
  it('refuses a folder without a catalog', () => {
    expect(codeOf(() => Catalog.open(folder))).toBe('not-a-case');
  });

  it('refuses a catalog of a newer version and leaves it as it is', () => {
    Catalog.open(folder, { create: true }).close();
    const db = new Database(join(folder, 'case.sqlite'));
    db.pragma('user_version = 9999');
    db.close();
    expect(codeOf(() => Catalog.open(folder))).toBe('case-too-new');
    const after = new Database(join(folder, 'case.sqlite'));
    expect(after.pragma('user_version', { simple: true })).toBe(9999);
    after.close();
  });

  it('refuses an SQLite database of another program', () => {
    const db = new Database(join(folder, 'case.sqlite'));
    db.pragma('user_version = 3');
    db.exec('CREATE TABLE t (x)');
    db.close();
    expect(codeOf(() => Catalog.open(folder))).toBe('not-a-case');
  });

  it('calls a file that is no database damaged', () => {
    writeFileSync(
      join(folder, 'case.sqlite'),
      'this is not a database, but it is long enough to look like one'.repeat(30),
    );
    expect(codeOf(() => Catalog.open(folder))).toBe('case-damaged');
  });
});

describe('a catalog that stays open', () => {
  it('is the case’s until the case is another one, or a newer Daybook has been there', () => {
    Catalog.open(folder, { create: true }).close();
    const kept = Catalog.open(folder);
    expect(kept.isCurrent()).toBe(true);
    const other = new Database(join(folder, 'case.sqlite'));
    const version = other.pragma('user_version', { simple: true }) as number;
    other.pragma('user_version = 9999');
    expect(kept.isCurrent()).toBe(false);
    other.pragma(`user_version = ${version}`);
    other.close();
    expect(kept.isCurrent()).toBe(true);
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(folder, `case.sqlite${end}`), { force: true });
    expect(kept.isCurrent()).toBe(false);
    Catalog.open(folder, { create: true }).close();
    expect(kept.isCurrent()).toBe(false);
    kept.close();
  });
});

describe('audit log', () => {
  it('cannot be changed through the catalog, and shows when it was changed otherwise', () => {
    const catalog = Catalog.open(folder, { create: true });
    catalog.audit.add('import', { n: 1 });
    catalog.audit.add('tag', { n: 2 });
    catalog.audit.add('delete', { n: 3 });
    expect(catalog.audit.entries().map((entry) => entry.intact)).toEqual([true, true, true]);
    catalog.close();
    const db = new Database(join(folder, 'case.sqlite'));
    expect(() => db.exec(`UPDATE audit SET detail = '{}' WHERE id = 2`)).toThrow(/append-only/);
    expect(() => db.exec('DELETE FROM audit WHERE id = 3')).toThrow(/append-only/);
    db.exec(`DROP TRIGGER audit_no_update; UPDATE audit SET detail = '{"n":9}' WHERE id = 2`);
    db.close();
    const again = Catalog.open(folder);
    expect(again.audit.entries().map((entry) => entry.intact)).toEqual([true, false, true]);
    again.close();
  });
});

describe('marks', () => {
  it('come back as they were set', () => {
    const catalog = Catalog.open(folder, { create: true });
    catalog.segments.add({
      id: 1,
      day: '2026-01-01',
      days: undefined,
      kind: 'log',
      file: 'days/2026-01-01/1.duckdb',
      rows: 10,
      minTs: 0,
      maxTs: 1,
      bytes: 1,
      sha256: '',
      columns: [],
      sources: [],
      shapes: 0,
      numberForm: 'bytes',
      unflowedPackets: 0,
      importId: undefined,
      index: undefined,
    });
    catalog.marks.set(1, 0, Uint32Array.of(3, 70_000, 4_000_000_000));
    expect([...catalog.marks.of(1, 0)]).toEqual([3, 70_000, 4_000_000_000]);
    expect(catalog.marks.summary()).toEqual([{ segmentId: 1, tagId: 0, count: 3 }]);
    const [some, none] = [catalog.marks.tagId('some'), catalog.marks.tagId('none')];
    catalog.marks.set(1, some, Uint32Array.of(1, 3, 5, 4_000_000_000));
    expect(catalog.marks.countedTags()).toMatchObject([
      { id: none, name: 'none', marked: 0, visible: 0 },
      { id: some, name: 'some', marked: 4, visible: 2 },
    ]);
    catalog.marks.set(1, some, new Uint32Array(0));
    catalog.marks.set(1, 0, new Uint32Array(0));
    expect(catalog.marks.summary()).toEqual([]);
    catalog.close();
  });
});

describe('WriterLock', () => {
  it('names the holder to the second writer and is free again afterwards', () => {
    const first = WriterLock.take(folder, 'import');
    let message = '';
    try {
      WriterLock.take(folder, 'compact');
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`process ${process.pid}`);
    expect(message).toMatch(/import, since \d{4}-\d\d-\d\dT/);
    first.release();
    WriterLock.take(folder, 'compact').release();
  });
});
