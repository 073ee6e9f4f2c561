/** An earlier copy of a growing log is recognised only where its records have the same dates. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { daybook } from '../harness.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-overlap-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const line = (n: number) =>
  `Mar ${String(1 + (n % 9)).padStart(2)} 10:00:${String(n % 60).padStart(2, '0')} host app[1]: record number ${n}\n`;
const sorted = (n: number) =>
  Array.from({ length: n }, (_, i) => i)
    .sort((a, b) => (a % 9) - (b % 9) || a - b)
    .map(line)
    .join('');

/** Imports `first`, then `second`, and returns the ledger of the second. */
async function overlap(name: string, years: [number, number]): Promise<Record<string, unknown>> {
  const early = sorted(90);
  const files: [string, string, number][] = [
    ['early.log', early, years[0]],
    ['later.log', `${early}Mar 10 10:00:00 host app[1]: one more\n`, years[1]],
  ];
  let ledger: Record<string, unknown> = {};
  for (const [file, content, year] of files) {
    const path = join(folder, `${name}-${file}`);
    writeFileSync(path, content);
    const written = new Date(Date.UTC(year, 5, 1));
    utimesSync(path, written, written);
    const run = await daybook(['import', join(folder, `${name}.daybook`), path, '--json']);
    expect(run.status, run.err).toBe(0);
    ledger = JSON.parse(run.out.split('\n')[0]!) as Record<string, unknown>;
  }
  return ledger;
}

it('stores only what is new when both copies have the same year', async () => {
  expect(await overlap('same', [2026, 2026])).toMatchObject({ read: 91, stored: 1, duplicate: 90 });
});

it('stores everything when the later copy belongs to another year', async () => {
  expect(await overlap('other', [2019, 2026])).toMatchObject({
    read: 91,
    stored: 91,
    duplicate: 0,
  });
  const count = await daybook(['count', join(folder, 'other.daybook'), 'ts:2026', '--json']);
  expect(JSON.parse(count.out)).toMatchObject({ count: 91 });
});
