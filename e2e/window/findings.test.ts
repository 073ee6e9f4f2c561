/** Findings in the window: rated, coloured, moved, and printed in that order with a classification. */
import { readFileSync } from 'node:fs';
import type { Locator } from '@playwright/test';
import { describe, it } from 'vitest';
import { daybook } from '../harness.ts';
import { taggedCase } from '../tagged-case.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect, ready } from './pages/expect.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(
  whyNot === undefined ? 'browser' : `browser: ${whyNot}`,
  () => {
    let folder: string;
    let opened: OpenWindow;
    let window: DaybookWindow;
    let panel: Locator;

    onCase(
      async (space) => (folder = await taggedCase(space, 'everything')),
      (...all) => {
        [opened, window] = all;
        panel = opened.page.getByRole('tabpanel', { name: 'Findings' });
      },
    );

    /** The findings as the panel lists them. */
    const names = (): Promise<string[]> =>
      panel.locator('tbody tr td:nth-child(3)').allInnerTexts();
    const choice = (what: string, name: string): Locator =>
      panel.getByRole('combobox', { name: `${what} of ${name}` });
    const mover = (name: string, by: 'up' | 'down'): Locator =>
      panel.getByRole('button', { name: `Move ${name} ${by}` });

    it('says when the events of a tag happened', async () => {
      await window.show('Findings');
      const times = panel.getByRole('row').filter({ hasText: 'stolen' }).locator('time');
      await expect(times).toHaveText([/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/]);
      const all = panel.getByRole('row').filter({ hasText: 'everything' }).locator('time');
      await expect(all).toHaveCount(2);
      expect((await all.nth(0).innerText()) < (await all.nth(1).innerText())).toBe(true);
    });

    it('rates findings and puts the most severe first', async () => {
      await window.show('Findings');
      await expect.poll(names).toEqual(['everything', 'guessed', 'stolen']);
      await choice('Severity', 'stolen').selectOption('critical');
      await expect.poll(names).toEqual(['stolen', 'everything', 'guessed']);
      await choice('Severity', 'guessed').selectOption('low');
      await expect.poll(names).toEqual(['stolen', 'guessed', 'everything']);
      await expect(choice('Severity', 'everything')).toHaveValue('');
    });

    it('moves one up and down with the keyboard, and keeps the focus on it', async () => {
      await expect(mover('stolen', 'up')).toBeDisabled();
      await mover('stolen', 'down').focus();
      await opened.page.keyboard.press('Enter');
      await expect.poll(names).toEqual(['guessed', 'stolen', 'everything']);
      await expect(mover('stolen', 'down')).toBeFocused();
      await opened.page.keyboard.press('Enter');
      await expect.poll(names).toEqual(['guessed', 'everything', 'stolen']);
      // It is the last: it can only be moved up.
      await expect(mover('stolen', 'up')).toBeFocused();
      // The move is done: a focus that was given up meanwhile is not restored by the next change.
      await mover('stolen', 'up').blur();
      const tag = await daybook(['findings', folder, 'tag:stolen', '--severity', 'high']);
      expect(tag.status).toBe(0);
      await expect(choice('Severity', 'stolen')).toHaveValue('high');
      await expect(mover('stolen', 'up')).not.toBeFocused();
    });

    it('lists those that matter, in the order that is asked for', async () => {
      await panel.getByText('Most severe first').click();
      await expect.poll(names).toEqual(['stolen', 'guessed', 'everything']);
      await expect(mover('guessed', 'up')).toBeDisabled();
      const least = panel.getByRole('combobox', { name: 'Which severities' });
      await least.selectOption('medium');
      await expect.poll(names).toEqual(['stolen']);
      await least.selectOption('');
      await panel.getByText('Order of the report').click();
      await expect.poll(names).toEqual(['guessed', 'everything', 'stolen']);
    });

    it('gives a tag a colour, which its events have, in both themes', async () => {
      await choice('Colour', 'stolen').selectOption('red');
      const chip = panel.getByText('stolen', { exact: true });
      for (const [scheme, red] of [
        ['light', 'rgb(221, 95, 58)'],
        ['dark', 'rgb(240, 128, 90)'],
      ] as const) {
        await opened.page.emulateMedia({ colorScheme: scheme });
        await expect(chip).toHaveCSS('border-left-color', red);
        await shot(opened.page, `findings-${scheme}`);
      }
      await panel.getByRole('button', { name: 'stolen', exact: true }).click();
      await expect.poll(() => window.found()).toBe(1);
      await expect(window.events.row(0).getByText('stolen', { exact: true })).toHaveCSS(
        'border-left-color',
        'rgb(240, 128, 90)',
      );
      await shot(opened.page, 'findings-events-dark');
      await opened.page.emulateMedia({ colorScheme: 'light' });
      await window.query.run('');
    });

    it('lists a note that is written, and opens its event', async () => {
      await window.events.open(0);
      const note = opened.page.getByRole('textbox', { name: 'Note on this event' });
      await note.fill('the first line');
      await window.show('Findings');
      await expect.poll(names).toEqual(['guessed', 'everything', 'stolen', 'the first line']);
      await panel.getByRole('button', { name: 'the first line', exact: true }).click();
      await expect(note).toHaveValue('the first line');
      await shot(opened.page, 'findings-note');
    });

    it('resets the order, and prints it with a classification', async () => {
      await panel.getByRole('button', { name: 'Reset order' }).click();
      await expect.poll(names).toEqual(['stolen', 'guessed', 'the first line', 'everything']);
      await panel.getByRole('button', { name: 'Write a report…' }).click();
      const dialog = opened.page.getByRole('dialog', { name: 'Write a report' });
      await ready(dialog);
      await expect(dialog).toContainText('findings in the order of the report');
      await expect(dialog).toContainText('on the first and the last');
      await dialog.getByRole('textbox', { name: 'Classification' }).fill('TLP:AMBER');
      await shot(opened.page, 'findings-report-dialog');
      const saved = opened.page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Write the report' }).click();
      const page = readFileSync(await (await saved).path(), 'utf8');
      expect(page.split('<p class="classification">TLP:AMBER</p>')).toHaveLength(3);
      const linked = [...page.matchAll(/<a href="#finding-\d">(?:<span[^>]*>)?([^<]+)</g)];
      expect(linked.map(([, name]) => name)).toEqual(await names());
    });
  },
);
