/** A process that begins to change an open case is shown before it has committed anything, and no longer once it has ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { importInto, ROOT } from '../harness.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { onCase } from './on-case.ts';
import { browserShell } from './shells.ts';

const line = (second: number, text: string): string =>
  `<38>1 2026-03-04T10:00:0${second}Z gate app - - - ${text}\n`;

async function makeCase(folder: string): Promise<string> {
  const log = path.join(folder, 'gate.log');
  writeFileSync(log, line(0, 'the first') + line(1, 'the second'));
  return importInto(path.join(folder, 'gate.daybook'), log);
}

describe.skipIf(browserShell.whyNot !== undefined)('another process that changes the case', () => {
  let window: DaybookWindow;
  const folder = onCase(makeCase, (_, shown) => (window = shown));

  it('is shown from its beginning to its end', async () => {
    const told = window.page.getByText('Another process is changing the case: import');
    await expect(told).toHaveCount(0);
    const importing = spawn(
      process.execPath,
      [path.join(ROOT, 'app/cli/daybook.mjs'), 'import', path.join(folder, 'gate.daybook'), '-'],
      { stdio: ['pipe', 'ignore', 'ignore'] },
    );
    const ended = once(importing, 'exit');
    await expect(told).toBeVisible();
    expect(await window.inCase()).toBe(2);
    importing.stdin.end(line(2, 'the third'));
    await ended;
    await expect.poll(() => window.inCase()).toBe(3);
    await expect(told).toHaveCount(0);
  });
});
