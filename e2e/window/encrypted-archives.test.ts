/** An encrypted archive is unlocked before it is imported. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ARCHIVES } from '../../importers/shared/testing/encrypted-zips.ts';
import { daybook } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect, IMPORT_MS } from './pages/expect.ts';
import { browserShell, scratch, type OpenWindow } from './shells.ts';

const space = scratch();
afterAll(() => space.remove());

const evidence = path.join(space.folder, 'evidence');
const target = path.join(space.folder, 'locked.daybook');

describe.skipIf(browserShell.whyNot !== undefined)(browserShell.name, () => {
  let opened: OpenWindow;
  let window: DaybookWindow;

  beforeAll(async () => {
    mkdirSync(evidence, { recursive: true });
    const first = path.join(space.folder, 'first.log');
    writeFileSync(first, '<38>1 2026-03-04T10:00:00Z host app 1 - - first\n');
    for (const { name, bytes } of ARCHIVES.slice(0, 1))
      writeFileSync(path.join(evidence, `${name}.zip`), bytes);
    const run = await daybook(['import', target, first]);
    expect(run.status, run.err).toBe(0);
    opened = await browserShell.open({ openCase: target });
    window = new DaybookWindow(opened.page);
  }, 180_000);
  afterAll(() => opened?.close());

  it('asks for the password, says that one is wrong, and imports with the right one', async () => {
    await window.caseMenu('Add evidence…');
    await window.importing.choosePath(space.folder, 'evidence');
    const { before } = window.importing;
    const password = before.getByLabel(/^Password of 1 encrypted file/);
    await expect(password).toBeVisible({ timeout: IMPORT_MS });
    await expect(before.getByText('0 sources')).toBeVisible();
    await password.fill('another');
    await password.press('Enter');
    await expect(before.getByText('None of the passwords given so far')).toBeVisible({
      timeout: IMPORT_MS,
    });
    await password.fill(ARCHIVES[0]!.password);
    await before.getByRole('button', { name: 'Unlock' }).click();
    await expect(before.getByText('1 source', { exact: true })).toBeVisible({ timeout: IMPORT_MS });
    await expect(password).toBeHidden();
    await window.importing.begin();
    await expect(window.importing.ledger).toContainText('opened with a password', {
      timeout: IMPORT_MS,
    });
    await window.importing.ledger.getByRole('button', { name: 'Close' }).last().click();
    await window.query.run('Accepted password');
    await expect(window.status).toContainText('1 of 3 events');
    expect(opened.problems).toEqual([]);
  });
});
