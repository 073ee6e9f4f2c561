/** Tables with many columns, whose segments need too much memory when several are built at once. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { importInProcess } from '../testing/in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-wide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('are imported with little memory', async () => {
  const [tables, columns, rows] = [40, 120, 20];
  const evidence = join(folder, 'evidence');
  mkdirSync(evidence);
  for (let table = 0; table < tables; table++) {
    const names = Array.from({ length: columns }, (_, i) => `t${table}_${i}`);
    const lines = Array.from({ length: rows }, (_, row) => {
      const at = new Date(Date.UTC(2026, 10, 2, row, table)).toISOString();
      return [at, ...names.map((name) => `${name} ${row}`)].join(',');
    });
    writeFileSync(join(evidence, `${table}.csv`), `ts,${names.join(',')}\n${lines.join('\n')}\n`);
  }
  const { total } = await importInProcess(join(folder, 'wide.daybook'), [evidence], {
    memoryLimit: 96e6,
  });
  expect(total).toMatchObject({ read: tables * rows, stored: tables * rows });
});
