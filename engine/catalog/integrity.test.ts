/** Every change made to a catalog outside Daybook is found, and none that Daybook makes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from './catalog.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-integrity-'));
  const catalog = Catalog.open(folder, { create: true });
  fill(catalog);
  catalog.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const COUNTS = { read: 3, stored: 2, duplicate: 0, quarantined: 1, skipped: 0 };

/** Rows in every table, changed and removed in every way. */
function fill(catalog: Catalog): void {
  const run = catalog.imports.begin({ paths: ['a.log'] });
  const source = catalog.sources.add({
    ...{ id: 1, name: 'a.log', path: '/evidence/a.log', location: { path: '/evidence/a.log' } },
    ...{ rawSize: 100, modifiedMs: 1, headSha256: 'aa', headSize: 100, importer: 'syslog' },
    ...{ importerVersion: 1, format: 'syslog', options: {}, importId: run },
  });
  const row = catalog.sources.get(source)!;
  catalog.sources.update({ ...row, ...COUNTS, status: 'complete', decisions: { tz: 'UTC' } });
  catalog.ledger.add({
    ...{ importId: run, ordinal: 1, name: 'a.log', sourceId: 1, status: 'partial' },
    ...{ message: undefined, ...COUNTS },
  });
  catalog.ledger.add({
    ...{ importId: run, ordinal: 1, name: 'a.log', sourceId: 1, status: 'complete' },
    ...{ message: undefined, ...COUNTS },
  });
  for (const id of [1, 2]) {
    catalog.segments.add({
      ...{
        id,
        day: '2026-11-21',
        days: undefined,
        kind: 'log',
        file: `days/2026-11-21/0000000${id}.duckdb`,
      },
      ...{ rows: 64, minTs: 1, maxTs: 2, bytes: 10, sha256: 'bb', columns: ['seq'], sources: [1] },
      ...{ shapes: 0, numberForm: 'bytes', unflowedPackets: 0, importId: run, index: undefined },
    });
    catalog.marks.set(id, 0, Uint32Array.of(1, 5));
  }
  catalog.segments.setSideFile(2, { bytes: 5, sha256: 'cc' });
  const tag = catalog.marks.tagId('seen');
  catalog.marks.set(2, tag, Uint32Array.of(7));
  catalog.marks.set(2, tag, Uint32Array.of(7, 9));
  catalog.marks.set(1, tag, Uint32Array.of(2));
  catalog.marks.set(1, tag, new Uint32Array(0));
  catalog.segments.remove(1);
  catalog.marks.addHandTag(tag, { sourceId: 1, seq: 1 });
  catalog.marks.addHandTag(tag, { sourceId: 1, seq: 1 });
  catalog.marks.addHandTag(tag, { sourceId: 1, seq: 2 });
  catalog.marks.removeHandTag(0, { sourceId: 1, seq: 2 });
  catalog.notes.set({ sourceId: 1, seq: 1 }, 'first');
  catalog.notes.set({ sourceId: 1, seq: 1 }, 'second');
  catalog.notes.set({ sourceId: 1, seq: 2 }, 'gone');
  catalog.notes.set({ sourceId: 1, seq: 2 }, '');
  const search = catalog.searches.add({ name: 'x', view: '?q=x', note: '' });
  catalog.searches.update({ id: search, name: 'y', view: '?q=y', note: 'n' });
  catalog.searches.remove(catalog.searches.add({ name: 'z', view: '?q=z', note: '' }));
  catalog.imports.setQuarantine(run, 3, 'dd');
  catalog.overlaps.setLineHashes(1, Uint32Array.of(1, 2));
  catalog.overlaps.setLeftOut(
    catalog.overlaps.add({
      ...{ sourceId: 1, from: 0, to: 9, otherId: 1, records: 1, superseded: false },
    }),
    true,
  );
  catalog.audit.add('note', { event: '1:1' });
  catalog.changes.add('import', { import: run });
  catalog.imports.finish(run, 'complete');
  catalog.transaction(() => catalog.audit.add('import', { import: run }));
  catalog.operations.add([
    {
      ...{ at: 'now', operation: 'query', text: 'a', status: 'done', totalMs: 1.5, spans: {} },
      ...{ path: 'scan', days: 1, segments: 1, rowsExamined: 3, rowsReturned: 2 },
    },
  ]);
}

function problems(): string[] {
  const catalog = Catalog.open(folder);
  try {
    return catalog.integrityProblems();
  } finally {
    catalog.close();
  }
}

/** Runs SQL like a person who has SQLite and not Daybook. */
function edit(sql: string): void {
  const db = new Database(join(folder, 'case.sqlite'));
  db.exec(sql);
  db.close();
}

/** SQL for a different value, by one bit if possible. */
function other(value: unknown): string {
  if (value instanceof Uint8Array)
    return `X'${Buffer.from(value.map((byte, at) => (at === 0 ? byte ^ 1 : byte))).toString('hex')}'`;
  if (typeof value === 'number') return String(value ^ 4096);
  if (typeof value !== 'string' || value === '') return "'x'";
  return `'${String.fromCharCode(value.charCodeAt(0) ^ 1)}${value.slice(1)}'`;
}

const TABLES = [
  ...['imports', 'sources', 'ledger', 'segments', 'tags', 'marks'],
  ...['hand_tags', 'notes', 'line_hashes', 'overlaps', 'searches', 'changes', 'operations', 'meta'],
];

it('finds nothing in what Daybook wrote, moved, replaced and removed', () => {
  expect(problems()).toEqual([]);
});

it('finds nothing where the oldest measurements and changes are removed', () => {
  const catalog = Catalog.open(folder);
  catalog.transaction(() => {
    for (let i = 0; i < 10_050; i++) catalog.changes.add('x', {});
  });
  catalog.close();
  expect(problems()).toEqual([]);
});

describe.each(TABLES)('table %s', (table) => {
  it('every value of it that is changed is found', () => {
    const path = join(folder, 'case.sqlite');
    const whole = readFileSync(path);
    const db = new Database(path, { readonly: true });
    const row = db.prepare(`SELECT * FROM ${table} LIMIT 1`).get() as Record<string, unknown>;
    db.close();
    for (const [name, value] of Object.entries(row)) {
      edit(`PRAGMA foreign_keys = OFF; UPDATE OR REPLACE ${table} SET ${name} = ${other(value)}`);
      expect([name, problems().length > 0]).toEqual([name, true]);
      writeFileSync(path, whole);
    }
    expect(problems()).toEqual([]);
  });

  it('a row that is removed is found', () => {
    edit(`PRAGMA foreign_keys = OFF; DELETE FROM ${table}`);
    expect(problems()).toContainEqual(expect.stringContaining(`table ${table}`));
  });
});

it('writes large rows once', () => {
  const catalog = Catalog.open(folder);
  const large = new Uint32Array(250_000).map((_, i) => i);
  catalog.overlaps.setLineHashes(1, large);
  catalog.marks.set(2, 0, large);
  catalog.close();
  const db = new Database(join(folder, 'case.sqlite'), { readonly: true });
  const free = db.pragma('freelist_count', { simple: true }) as number;
  const pages = db.pragma('page_count', { simple: true }) as number;
  db.close();
  expect(pages).toBeGreaterThan(480);
  expect(free).toBeLessThan(10);
  expect(problems()).toEqual([]);
});

it('names the row', () => {
  edit("UPDATE marks SET rows = X'0100000006000000' WHERE tag_id = 0");
  expect(problems()).toEqual([
    'table marks, segment_id 2, tag_id 0: differs from what was written',
  ]);
});

it.each([
  [
    'an entry in between',
    "DROP TRIGGER audit_no_delete; DELETE FROM audit WHERE id = 1; CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;",
  ],
  [
    'the last entry',
    "DROP TRIGGER audit_no_delete; DELETE FROM audit WHERE id = 2; CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;",
  ],
])('finds that %s of the audit log was removed', (_, sql) => {
  edit(sql);
  expect(problems()).toContainEqual(expect.stringContaining('audit'));
});

it('finds that a row and its digest were set back to what they were before an audited change', () => {
  const keep = new Database(join(folder, 'case.sqlite'), { readonly: true });
  const row = keep.prepare('SELECT text, at, hex(row_hash) AS hash FROM notes').get() as Record<
    string,
    string
  >;
  const digest = keep.prepare("SELECT * FROM digests WHERE name = 'notes'").get() as Record<
    string,
    string
  >;
  keep.close();
  const catalog = Catalog.open(folder);
  catalog.transaction(() => {
    catalog.notes.set({ sourceId: 1, seq: 1 }, 'third');
    catalog.audit.add('note', { event: '1:1' });
  });
  catalog.close();
  edit(
    `UPDATE notes SET text = '${row['text']}', at = '${row['at']}', row_hash = X'${row['hash']}';
     UPDATE digests SET rows = ${digest['rows']}, sum = '${digest['sum']}', after_audit = ${digest['after_audit']} WHERE name = 'notes'`,
  );
  expect(problems()).toEqual(['table notes is not what the last audit entry vouches for']);
});

it.each([
  ['a table that was added', 'CREATE TABLE mine (x)', /table mine is not one/],
  ['an index that is missing', 'DROP INDEX sources_by_path', /index sources_by_path is missing/],
  ['a trigger that is missing', 'DROP TRIGGER audit_no_update', /audit_no_update is missing/],
])('finds %s', (_, sql, expected) => {
  edit(sql);
  expect(problems()).toContainEqual(expect.stringMatching(expected));
});

it.each([
  [
    'view',
    'ALTER TABLE segments RENAME TO other; CREATE VIEW segments AS SELECT * FROM other UNION ALL SELECT * FROM other',
  ],
  ['trigger', 'CREATE TRIGGER mine AFTER INSERT ON tags BEGIN DELETE FROM notes; END'],
])('does not read a case with a %s of somebody else', (type, sql) => {
  edit(sql);
  expect(() => Catalog.open(folder)).toThrow(
    new RegExp(`${type} (segments|mine), which Daybook does not make`),
  );
});
