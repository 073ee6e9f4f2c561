import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './harness/program.ts';
import { withTables } from './tables.ts';

const page = readFileSync(join(ROOT, 'docs/benchmarks.md'), 'utf8');

test('the tables of docs/benchmarks.md are those of bench/results', () => {
  expect(page).toContain('<!-- table nitro -->');
  expect(withTables(page)).toBe(page);
});

test('at most 200 lines of docs/benchmarks.md are written by hand', () => {
  const byHand = page.replaceAll(/<!-- table [\w-]+ -->[^]*?<!-- end -->/g, '');
  expect(byHand.split('\n').length).toBeLessThanOrEqual(200);
});
