/**
 * Attributes whose names differ only in case: to a database they are one name. No value and no name may be lost,
 * replaced or confused because of that.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importInProcess, rowsOf } from '../testing/in-process.ts';

const ROWS = 40;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-alike-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function attributesOf(name: string, content: string): Promise<Record<string, unknown>[]> {
  const evidence = join(folder, name);
  writeFileSync(evidence, content);
  const path = join(folder, `${name}.daybook`);
  await importInProcess(path, [evidence]);
  const rows = await rowsOf(path, 'SELECT to_json(e)::VARCHAR FROM events e ORDER BY seq');
  return rows.map(([row]) =>
    Object.fromEntries(
      Object.entries(JSON.parse(String(row)) as Record<string, unknown>).filter(([column]) =>
        /^a\d*:/.test(column),
      ),
    ),
  );
}

const numbers = Array.from({ length: ROWS }, (_, n) => n);

it('keeps all values of members, one of which is always the same', async () => {
  const json = numbers.map((n) =>
    JSON.stringify({ src_ip: '10.0.0.1', src_port: n, A: `x${n}`, a: `y${n}`, a_1: 'same' }),
  );
  const rows = await attributesOf('alike.json', json.join('\n'));
  expect(rows.map((row) => Object.values(row))).toEqual(
    numbers.map((n) => [`x${n}`, `y${n}`, 'same']),
  );
});

it('columns of a table are numbered as repeated ones are', async () => {
  const table = numbers.map((n) => `10.0.0.1,${n},x${n},y${n},same`);
  const rows = await attributesOf(
    'alike.csv',
    ['src_ip,src_port,Note,note,NOTE_1', ...table].join('\n'),
  );
  expect(rows).toEqual(
    numbers.map((n) => ({ 'a:Note': `x${n}`, 'a:note.1': `y${n}`, 'a1:NOTE_1': 'same' })),
  );
});
