/** Counts of fields: from the catalog, and by counting rows where that does not have them, they are the same. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RowHashes } from '../../../catalog/row-hashes.ts';
import { Catalog } from '../../../catalog/catalog.ts';
import { importInProcess } from '../../../ingest/testing/in-process.ts';
import { CaseSession } from '../../../search/index.ts';
import { compactCase } from '../compact.ts';
import { caseFields } from './fields.ts';
import { deleteEvents } from '../../marks/mark.ts';

const BUILDER = { memoryLimit: 3e8, threads: 2 };
const EVENTS = 120;

let root: string;
let folder: string;
let cases = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-fields-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(root, `${cases++}.daybook`);
});

const time = (n: number): string => new Date(Date.UTC(2026, 2, 1 + (n % 3), 0, 0, n)).toISOString();

/** Alerts from addresses of both families, every tenth with a name spelled in two ways. */
function alerts(): string {
  return Array.from({ length: EVENTS }, (_, n) => {
    const address = n % 4 === 0 ? `2001:db8::${n}` : `192.0.2.${n}`;
    return `${JSON.stringify({
      ...{ timestamp: time(n), event_type: 'alert', src_ip: address, dest_ip: '198.51.100.9' },
      ...{ src_port: 1000 + n, dest_port: 443, proto: 'TCP' },
      alert: { signature_id: n, signature: `rule ${n}`, category: 'scan', severity: 2 },
      ...(n % 10 === 0 ? { note: 'a', Note: 'b' } : n % 10 === 1 ? { Note: 'c' } : {}),
    })}\n`;
  }).join('');
}
const logs = (): string =>
  Array.from(
    { length: EVENTS },
    (_, n) => `${time(n)} host app[${n}]: session ${n} opened for user u${n % 7}\n`,
  ).join('');

async function makeCase(): Promise<void> {
  const files = [
    ['eve.json', alerts()],
    ['app.log', logs()],
  ] as const;
  const paths = files.map(([name, text]) => {
    const path = join(root, name);
    writeFileSync(path, text);
    return path;
  });
  await importInProcess(folder, paths);
}

/** Restores the catalog of a version without counts. */
function forgetCounts(): void {
  const catalog = new Database(join(folder, 'case.sqlite'));
  const hashes = new RowHashes(catalog);
  for (const { id } of catalog.prepare<[], { id: number }>('SELECT id FROM segments').all())
    hashes.change('segments', 'id = ?', [id], () =>
      catalog.prepare('UPDATE segments SET value_counts = NULL WHERE id = ?').run(id),
    );
  catalog.close();
}

/** Fields with their numbers of events, and the statements that were executed. */
async function counted(): Promise<{ fields: Map<string, number>; statements: string[] }> {
  const session = CaseSession.open(folder, BUILDER);
  session.toleratesDamage = true;
  try {
    const asked = vi.spyOn(session.store, 'rows');
    const fields = await caseFields(session);
    return {
      fields: new Map(fields.map(({ field, events }) => [field, events])),
      statements: asked.mock.calls.map(([sql]) => sql),
    };
  } finally {
    await session.close();
  }
}

describe('the fields of a case', () => {
  it('are also those that extractors cut out of messages', async () => {
    const path = join(root, 'auth.log');
    const port = (n: number): string => `from 192.0.2.${n} port ${4000 + n} ssh2`;
    const lines = Array.from({ length: 30 }, (_, n) => {
      const text =
        n % 3 === 0
          ? `Failed password for root ${port(n)}`
          : n % 3 === 1
            ? 'Exiting on signal 15'
            : `Accepted password for u${n} ${port(n)}`;
      return `${time(n)} host sshd[${n}]: ${text}\n`;
    });
    writeFileSync(path, lines.join(''));
    await importInProcess(folder, [path]);
    const { fields } = await counted();
    expect(fields.get('user')).toBe(20);
    expect(fields.get('src_ip')).toBe(20);
    expect(fields.get('src_port')).toBe(20);
    expect(fields.get('outcome')).toBe(20);
    expect(fields.get('extractor')).toBe(20);
    expect(fields.get('message')).toBe(30);
  });

  it('come from the catalog, but for names that a segment has in two spellings', async () => {
    await makeCase();
    const { fields, statements } = await counted();
    expect(fields.get('src_ip')).toBe(EVENTS);
    expect(fields.get('message')).toBeGreaterThanOrEqual(EVENTS);
    expect(fields.get('Note')).toBe(EVENTS / 5);
    for (const sql of statements) expect(sql.match(/count\(/g)).toHaveLength(1);
  });

  it('are the same where an earlier Daybook kept no counts, and after these were filled', async () => {
    await makeCase();
    const { fields } = await counted();
    forgetCounts();
    const before = await counted();
    expect(before.fields).toEqual(fields);
    expect(before.statements.length).toBeGreaterThan(0);
    await compactCase(folder, BUILDER);
    const after = await counted();
    expect(after.fields).toEqual(fields);
    const catalog = Catalog.open(folder);
    expect([...catalog.segments.valueCounts().keys()].sort()).toEqual(
      catalog.segments
        .all()
        .map(({ id }) => id)
        .sort(),
    );
    catalog.close();
  });

  it('are without deleted events', async () => {
    await makeCase();
    const session = CaseSession.open(folder, BUILDER);
    const text = 'src_ip:"2001:db8::/32"';
    await deleteEvents({ session, text, zone: 'UTC', reason: 'test' });
    await session.close();
    const { fields } = await counted();
    expect(fields.get('src_ip')).toBe((EVENTS * 3) / 4);
    await compactCase(folder, BUILDER);
    expect((await counted()).fields).toEqual(fields);
  });

  it('are all there, of whatever number a source has', async () => {
    const path = join(root, 'many.json');
    const lines = Array.from({ length: 30 }, (_, n) => {
      const rest = Array.from({ length: 400 }, (_, i) => [
        `field_${i}`,
        i % 2 === 0 || n < 10 ? n : null,
      ]);
      return JSON.stringify({ timestamp: time(n), ...Object.fromEntries(rest) });
    });
    writeFileSync(path, `${lines.join('\n')}\n`);
    await importInProcess(folder, [path]);
    const { fields } = await counted();
    const events = Array.from({ length: 400 }, (_, i) => fields.get(`field_${i}`));
    expect(events).toEqual(events.map((_, i) => (i % 2 === 0 ? 30 : 10)));
    const session = CaseSession.open(folder, BUILDER);
    await deleteEvents({ session, text: 'field_399:3', zone: 'UTC', reason: 'test' });
    await session.close();
    expect((await counted()).fields.get('field_399')).toBe(9);
  });

  it('count an event once that has a name in a column and among the others, or in two spellings there', async () => {
    const path = join(root, 'spelled.json');
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`field_${i}`, i]));
    const lines = Array.from({ length: 20 }, (_, n) =>
      JSON.stringify({
        ...{ timestamp: time(0), first: n, ...many },
        // Only the first of these has a column.
        ...(n % 2 === 0 ? { First: n } : {}),
        ...(n % 4 === 0 ? { late: n, Late: n } : n % 4 === 1 ? { LATE: n } : {}),
        // DuckDB and JavaScript lower-case these differently.
        ...(n % 2 === 0 ? { İŞLEM: n, ΟΔΟΣ: n } : { οδος: n }),
      }),
    );
    writeFileSync(path, `${lines.join('\n')}\n`);
    await importInProcess(folder, [path]);
    const { fields } = await counted();
    const of = (name: string) =>
      [...fields].filter(([field]) => field.toLowerCase() === name).map(([, events]) => events);
    expect(of('first')).toEqual([20]);
    expect(of('late')).toEqual([10]);
    expect(of('İŞLEM'.toLowerCase())).toEqual([10]);
    expect(of('οδος')).toEqual([20]);
  });

  it('are counted in statements of bounded size, however many there are', async () => {
    const path = join(root, 'wide.json');
    const names = Array.from({ length: 1500 }, (_, n) => `field_${n}`);
    const lines = Array.from({ length: 20 }, (_, n) => {
      const chosen = names.filter((_, i) => i % 20 === n || i < 3);
      const values = Object.fromEntries(chosen.map((name) => [name, n]));
      return `${JSON.stringify({ timestamp: time(0), ...values })}\n`;
    });
    writeFileSync(path, lines.join(''));
    await importInProcess(folder, [path]);
    const { fields, statements } = await counted();
    expect(statements.filter((sql) => !sql.includes('json_keys'))).toEqual([]);
    forgetCounts();
    const before = await counted();
    expect(before.fields).toEqual(fields);
    expect(fields.get('field_0')).toBe(20);
    expect(fields.size).toBeGreaterThanOrEqual(names.length);
    for (const sql of before.statements)
      expect(sql.match(/count\(/g)!.length).toBeLessThanOrEqual(200);
  });
});
