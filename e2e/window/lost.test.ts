/**
 * Lost files, in each shell: evidence whose bytes are requested, and the folder of the open case, as when a drive
 * is removed.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { daybook } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell, electronShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const space = scratch();
afterAll(() => space.remove());

/** A folder of so long a name that its path fits no panel. */
const FOLDER = 'evidence-of-the-second-workstation-in-the-office-on-the-third-floor';

for (const shell of [browserShell, electronShell]) {
  const title = shell.whyNot === undefined ? shell.name : `${shell.name}: ${shell.whyNot}`;
  describe.skipIf(shell.whyNot !== undefined)(title, () => {
    const folder = path.join(space.folder, shell.name);
    const log = path.join(folder, FOLDER, 'auth.log');
    const target = path.join(folder, 'office.daybook');
    let opened: OpenWindow;
    let window: DaybookWindow;

    beforeAll(async () => {
      mkdirSync(path.dirname(log), { recursive: true });
      const lines = Array.from(
        { length: 30 },
        (_, i) => `<86>1 2026-03-04T10:10:${10 + i}Z web-02 sshd 411 - - Failed password for root`,
      );
      writeFileSync(log, `${lines.join('\n')}\n`);
      const run = await daybook(['import', target, log]);
      if (run.status !== 0) throw new Error(run.err);
      opened = await shell.open({ openCase: target });
      window = new DaybookWindow(opened.page);
      await expect(window.caseButton).toHaveAccessibleName('Case office');
    }, 120_000);
    afterAll(() => opened?.close());
    afterEach(() => expect(opened.problems).toEqual([]));

    it('says at whole length that evidence is gone, and leads to verifying the case', async () => {
      await window.events.open(0);
      await expect(window.details.region.getByRole('tab', { name: 'Raw' })).toBeVisible();
      renameSync(log, `${log}.away`);
      try {
        await window.details.show('Raw');
        const problem = window.details.region.getByRole('alert');
        await expect(problem).toContainText('The original bytes cannot be shown');
        await expect(problem).toContainText('auth.log');
        // None of it is cut off at the side.
        const cut = await opened.page.evaluate<
          string[]
        >(`[...document.querySelectorAll('[role="alert"], [role="alert"] *')]
          .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth)
          .map((one) => one.outerHTML.slice(0, 200))`);
        expect(cut).toEqual([]);
        await shot(opened.page, `${shell.name}-evidence-gone`);
        await problem.getByRole('button', { name: /^Verify the case/ }).click();
        await expect(opened.page.getByRole('dialog', { name: 'Verify the case' })).toBeVisible();
        await opened.page.keyboard.press('Escape');
      } finally {
        renameSync(`${log}.away`, log);
      }
    });

    it('locates evidence that was moved, and verifies it there', async () => {
      const moved = path.join(folder, 'moved');
      mkdirSync(moved);
      renameSync(log, path.join(moved, 'renamed.log'));
      await window.caseMenu('Verify the case and its evidence…');
      const dialog = opened.page.getByRole('dialog', { name: 'Verify the case' });
      await expect(dialog).toContainText('1 file missing');
      await expect(dialog).not.toContainText('daybook sources');
      const where = dialog.getByRole('textbox', { name: 'Evidence was moved' });
      await where.fill(path.join(folder, FOLDER));
      await dialog.getByRole('button', { name: 'Locate evidence' }).click();
      await expect(dialog.getByRole('list', { name: 'Not located' })).toContainText('auth.log');
      await where.fill(moved);
      await where.press('Enter');
      await expect(dialog).toContainText('The evidence is unchanged: 1 file');
      await expect(where).toHaveCount(0);
      await shot(opened.page, `${shell.name}-evidence-located`);
      await opened.page.keyboard.press('Escape');
      await expect(window.details.region).toContainText('<86>1 2026-03-04T10:10:10Z');
    });

    it('says once that the case is gone, and goes on when it is there again', async () => {
      renameSync(target, `${target}.away`);
      try {
        await window.query.run('root');
        const banner = opened.page.getByRole('alert');
        await expect(banner).toHaveCount(1);
        await expect(banner).toContainText('The case folder is no longer there');
        await expect(banner).toContainText(target);
        await expect(opened.page.getByText('daybook import')).toHaveCount(0);
        await expect(window.events.grid).toBeHidden();
        await shot(opened.page, `${shell.name}-case-gone`);
        await banner.getByRole('button', { name: 'Try again' }).click();
        await expect(banner).toBeVisible();
      } finally {
        renameSync(`${target}.away`, target);
      }
      // The try before may have been answered after the case was back.
      await expect(async () => {
        const again = opened.page.getByRole('button', { name: 'Try again' });
        if (await again.isVisible()) await again.press('Enter', { timeout: 2000 });
        await expect(window.events.grid).toBeVisible({ timeout: 2000 });
      }).toPass();
      await expect.poll(() => window.found()).toBe(30);
    });

    it('starts an engine that was given up once that is asked for, and goes on', async () => {
      const again = opened.page.getByRole('button', { name: 'Start again' });
      // An engine that ends 5 times in a row, each soon after its start, is given up.
      const killed = new Set<number>();
      await expect(async () => {
        const pid = await opened.enginePid();
        if (!killed.has(pid)) process.kill(pid, 'SIGKILL');
        killed.add(pid);
        await expect(again).toBeVisible({ timeout: 100 });
      }).toPass({ intervals: [50] });
      await expect(window.engineBanner).toContainText('is not restarted');
      await shot(opened.page, `${shell.name}-engine-given-up`);
      await again.click();
      await expect(window.engineBanner).toBeHidden();
      await window.query.run('root');
      await expect.poll(() => window.found()).toBe(30);
    });
  });
}
