/** Each event that is found shows why: the word is seen in its row, or the text that has it is named there. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { importInto } from '../harness.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell } from './shells.ts';
import { onCase } from './on-case.ts';

const FILLER = 'a part of the request that says nothing '.repeat(8);

async function makeCase(folder: string): Promise<string> {
  const lines = [
    { message: 'zoe has signed in', client: 'desk-4' },
    { message: 'a request was served', client: 'zoe/laptop' },
    { message: `${FILLER}for zoe, who waited`, client: 'desk-5' },
    { message: 'nobody was here', client: 'desk-6' },
  ].map((record, at) => JSON.stringify({ time: `2026-03-01T10:00:0${at}Z`, ...record }));
  const log = path.join(folder, 'zoe-portal.jsonl');
  writeFileSync(log, `${lines.join('\n')}\n`);
  return importInto(path.join(folder, 'portal.daybook'), log);
}

describe.skipIf(browserShell.whyNot !== undefined)('what an event was found by', () => {
  let window: DaybookWindow;
  onCase(makeCase, (_, shown) => (window = shown), { size: { width: 1280, height: 720 } });

  it('is highlighted in each row, and named where no column shows it', async () => {
    await window.query.run('zoe');
    await expect.poll(() => window.found()).toBe(3);
    const [inMessage, inField, beyond] = [0, 1, 2].map((row) => window.events.row(row));
    for (const row of [inMessage!, inField!, beyond!])
      await expect(row.locator('mark').first()).toHaveText('zoe');
    await expect(inMessage!).toContainText('zoe has signed in');
    await expect(inField!).toContainText('client zoe/laptop');
    await expect(inField!).toContainText('a request was served');
    await expect(beyond!).toContainText('…thing for zoe, who wa…');
  });

  it('is named where a column has the word that it is not looked for in', async () => {
    await window.query.run('zoe | fields source, message');
    await expect.poll(() => window.found()).toBe(3);
    const row = window.events.row(1);
    await expect(row).toContainText('client zoe/laptop');
    await expect(row.getByRole('gridcell', { name: 'zoe-portal.jsonl' })).toBeVisible();
    await expect(row.locator('mark')).toHaveText(['zoe']);
  });

  it('is highlighted among the fields of the event', async () => {
    await window.query.run('zoe');
    await expect.poll(() => window.found()).toBe(3);
    await window.events.open(1);
    await expect(window.details.region.locator('mark')).toHaveText(['zoe']);
    await window.details.close();
  });

  it('is highlighted where a pattern or a field found it', async () => {
    const row = window.events.row(0);
    for (const [query, marks] of [
      ['/zo.\\shas/', ['zoe has']],
      ['message:/ZOE HAS/i', ['zoe has']],
      // No column shows it.
      ['client:desk-4*', ['desk-4']],
      ['client:desk-4 | fields message, attrs.client', ['desk-4']],
    ] as const) {
      await window.query.run(query);
      await expect.poll(() => window.found()).toBe(1);
      await expect(row.locator('mark')).toHaveText(marks);
    }
    await expect(row).toContainText('zoe has signed in');
  });

  it('says nothing of rows that were asked for by a field', async () => {
    await window.query.run('client:desk-6');
    await expect.poll(() => window.found()).toBe(1);
    await expect(window.events.row(0).locator('mark')).toHaveCount(0);
  });
});
