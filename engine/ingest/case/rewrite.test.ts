/** If some segments cannot be rewritten, nothing of the others is left behind. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DaybookError } from '../../contract/errors.ts';
import { CaseWriter } from './case-writer.ts';
import { rewriteSegments } from './rewrite.ts';
import { BUILDER, importInProcess } from '../testing/in-process.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-rewrite-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('keeps the tags of segments that are merged after others could not be', async () => {
  const folder = join(root, 'work.daybook');
  const evidence = join(root, 'evidence');
  mkdirSync(evidence);
  const days = ['2026-03-01', '2026-03-02'];
  for (const day of days) {
    const lines = [1, 2, 3].map((n) => `<13>1 ${day}T00:00:0${n}Z host app - - - line ${n}\n`);
    writeFileSync(join(evidence, `${day}.log`), lines.join(''));
  }
  vi.stubEnv('DAYBOOK_DENSE_ROWS', '1');
  await importInProcess(folder, [evidence]);
  const writer = await CaseWriter.open(folder, 'test', BUILDER);
  try {
    const { catalog, builder } = writer;
    const tag = catalog.marks.tagId('seen');
    const [first, second] = catalog.segments.all();
    for (const { id } of [first!, second!]) catalog.marks.set(id, tag, Uint32Array.of(1));
    const rows = builder.rows.bind(builder);
    const reading = vi.spyOn(builder, 'rows').mockImplementation((sql) => {
      if (sql.includes('made.events'))
        throw new DaybookError('case-damaged', 'a block cannot be read');
      return rows(sql);
    });
    await expect(rewriteSegments(writer, [first!])).rejects.toThrow('a block cannot be read');
    reading.mockRestore();
    const [made] = await rewriteSegments(writer, [second!]);
    expect([...catalog.marks.of(made!.id, tag)]).toEqual([1]);
  } finally {
    writer.close();
    vi.unstubAllEnvs();
  }
});

it('works out new values once, however many days they are put on', async () => {
  vi.stubEnv('DAYBOOK_DENSE_ROWS', '1');
  const folder = join(root, 'days.daybook');
  const log = join(root, 'days.log');
  const lines = Array.from({ length: 200 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 2, 1 + Math.floor(n / 10))).toISOString();
    return `${at} host app: line ${n}\n`;
  });
  writeFileSync(log, lines.join(''));
  await importInProcess(folder, [log]);
  const writer = await CaseWriter.open(folder, 'test', BUILDER);
  try {
    const { catalog, builder } = writer;
    const before = catalog.segments.all();
    expect(before).toHaveLength(20);
    await builder.rows('CREATE TEMP SEQUENCE calls');
    const added = await rewriteSegments(writer, before, {
      replace: { ts: `ts + to_days(1) + to_microseconds(0 * nextval('calls'))` },
    });
    expect(added.map(({ day, rows }) => [day, rows])).toEqual(
      before.map(({ minTs }) => [new Date(minTs! / 1e3 + 864e5).toISOString().slice(0, 10), 10]),
    );
    const [[calls]] = (await builder.rows(`SELECT currval('calls')::DOUBLE`)) as [[number]];
    expect(calls).toBe(200);
    // No working table is left.
    expect(await builder.rows(`SELECT table_name FROM duckdb_tables() WHERE temporary`)).toEqual(
      [],
    );
  } finally {
    writer.close();
    vi.unstubAllEnvs();
  }
});
