import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { addTurns } from './by-turns.ts';
import { DAYBOOK, type KeptReport, type KeptRow, Report } from './report.ts';

const results = mkdtempSync(join(tmpdir(), 'daybook-turns-'));
afterAll(() => rmSync(results, { recursive: true }));
beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue(undefined));

const ms = (value: number): KeptRow => ({
  ...{ name: 'import', unit: 's', better: 'less' },
  cells: { [DAYBOOK]: { value } },
});

test('each program has the median of its turns, those of before beside those of now', () => {
  const report = new Report('turns', {}, { results });
  const turn = (isBefore: boolean, value: number, more: readonly KeptRow[] = []) => ({
    isBefore,
    kept: {
      ...{ input: { sources: 500 }, commit: isBefore ? 'aaa' : 'bbb' },
      ...{ notes: [], rows: [ms(value), ...more] },
    },
  });
  const added: KeptRow = {
    ...{ name: 'searches', unit: '1/s', better: 'more' },
    cells: { [DAYBOOK]: { value: 7, note: 'of eight users' } },
  };
  addTurns(report, [turn(true, 8), turn(false, 3, [added]), turn(false, 5), turn(true, 10)]);
  const kept = JSON.parse(readFileSync(report.write(), 'utf8')) as KeptReport;
  expect(kept.input).toEqual({ sources: 500 });
  expect(kept.rows).toEqual([
    {
      ...{ name: 'import', unit: 's', better: 'less' },
      cells: {
        [DAYBOOK]: { value: 4, runs: [3, 5] },
        [`${DAYBOOK}, before`]: { value: 9, runs: [8, 10] },
      },
    },
    {
      ...{ name: 'searches', unit: '1/s', better: 'more' },
      cells: { [DAYBOOK]: { value: 7, runs: [7], note: 'of eight users' } },
    },
  ]);
  expect(report.versions).toEqual({ before: 'aaa', now: 'bbb' });
});
