import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { DAYBOOK, figure, Report } from './report.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-report-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [0, '0'],
  [0.0123, '0.012'],
  [3.456, '3.5'],
  [45.67, '45.7'],
  [1234.5, '1,235'],
])('%d is shown as %s', (value, text) => {
  expect(figure(value)).toBe(text);
});

test('cells say how many times Daybook is ahead, whichever way is better', () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  const report = new Report('example', { events: 1000 }, { results: folder });
  report.add('search', 'ms', 'peer', { value: 50 });
  report.add('search', 'ms', DAYBOOK, { value: 10 });
  report.add('import', 'rows/s', DAYBOOK, { value: 200 }, 'more');
  report.add('import', 'rows/s', 'peer', { value: 400, note: 'stores nothing' }, 'more');
  report.add('alone', 'ms', 'peer', { value: 7 });
  report.print();
  expect(printed).toContain('| what | unit | Daybook | peer |');
  expect(printed).toContain('| search | ms | 10 | 50 ×5 |');
  expect(printed).toContain('| import | rows/s | 200 | 400 ×0.5 (stores nothing) |');
  expect(printed).toContain('| alone | ms |  | 7 |');
  const kept = JSON.parse(readFileSync(join(folder, 'example.json'), 'utf8')) as {
    rows: { name: string; cells: Record<string, { value: number }> }[];
  };
  expect(kept.rows.map(({ name }) => name)).toEqual(['search', 'import', 'alone']);
  expect(kept.rows[0]?.cells['peer']?.value).toBe(50);
});
