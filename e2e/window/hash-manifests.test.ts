/** A hash that differs from the one delivered with the evidence is shown after its import, and at its source. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { daybook } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect, IMPORT_MS } from './pages/expect.ts';
import { browserShell, scratch, type OpenWindow } from './shells.ts';

const space = scratch();
afterAll(() => space.remove());

const log = (name: string) =>
  [1, 2, 3].map((n) => `<38>1 2026-03-04T10:00:0${n}Z host app 1 - - ${name} ${n}\n`).join('');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const evidence = path.join(space.folder, 'evidence');
const target = path.join(space.folder, 'sums.daybook');

describe.skipIf(browserShell.whyNot !== undefined)(browserShell.name, () => {
  let opened: OpenWindow;
  let window: DaybookWindow;

  beforeAll(async () => {
    mkdirSync(evidence, { recursive: true });
    writeFileSync(path.join(space.folder, 'first.log'), log('first'));
    writeFileSync(path.join(evidence, 'right.log'), log('right'));
    writeFileSync(path.join(evidence, 'wrong.log'), log('wrong'));
    writeFileSync(
      path.join(evidence, 'SHA256SUMS'),
      `${sha256(log('right'))}  right.log\n${sha256('as it was')}  wrong.log\n`,
    );
    const run = await daybook(['import', target, path.join(space.folder, 'first.log')]);
    expect(run.status, run.err).toBe(0);
    opened = await browserShell.open({ openCase: target });
    window = new DaybookWindow(opened.page);
  }, 180_000);
  afterAll(() => opened?.close());

  it('says after the import which hash differs, and with the source what it is', async () => {
    await window.caseMenu('Add evidence…');
    await window.importing.choosePath(space.folder, 'evidence');
    await expect(window.importing.before.getByText('3 sources')).toBeVisible({
      timeout: IMPORT_MS,
    });
    await expect(window.importing.before.getByText('1 of them a list of hashes')).toBeVisible();
    await expect(window.importing.before.getByText('cannot be read')).toHaveCount(0);
    await window.importing.begin();
    const alert = window.importing.ledger.getByRole('alert');
    await expect(alert).toContainText('1 hash differs', { timeout: IMPORT_MS });
    await expect(alert).toContainText('wrong.log: SHA256SUMS, line 2');
    await window.importing.ledger.getByRole('button', { name: 'Close' }).last().click();
    await window.show('Sources & imports');
    const wrong = await window.sources.open('wrong.log');
    await expect(wrong).toContainText(
      `SHA-256 differs from SHA256SUMS (line 2): the manifest says ${sha256('as it was')}`,
    );
    const right = await window.sources.open('right.log');
    await expect(right).toContainText('SHA-256 agrees with SHA256SUMS (line 1)');
    expect(opened.problems).toEqual([]);
  });
});
