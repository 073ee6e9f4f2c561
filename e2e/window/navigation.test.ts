/**
 * Navigation, in each shell: Back and Forward as in a browser, from the query bar to the table and on by the
 * keyboard alone, a query entered where no events are shown.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { daybook } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { Palette } from './pages/palette.ts';
import { sampleCase } from './sample-case.ts';
import { browserShell, electronShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const space = scratch();
/** Before all events. */
const EMPTY = { from: Date.UTC(2020, 0, 1) * 1000, to: Date.UTC(2020, 0, 2) * 1000 };
let office: string;
/** Events with and without a time. */
const mixed = path.join(space.folder, 'mixed.daybook');

beforeAll(async () => {
  office = await sampleCase(space.folder);
  const records = path.join(space.folder, 'records.ndjson');
  const times = ['2026-03-04T10:00:00Z', '2026-03-04T10:00:01Z', undefined];
  const lines = times.map((ts) => ({ ts, msg: `${ts === undefined ? 'undated' : 'dated'} word` }));
  writeFileSync(records, lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const made = await daybook(['import', mixed, records]);
  if (made.status !== 0) throw new Error(made.err);
}, 120_000);
afterAll(() => space.remove());

for (const shell of [browserShell, electronShell]) {
  const title = shell.whyNot === undefined ? shell.name : `${shell.name}: ${shell.whyNot}`;
  describe.skipIf(shell.whyNot !== undefined)(title, () => {
    let opened: OpenWindow;
    let window: DaybookWindow;

    /** Runs a query and waits for its events: Escape would stop requests in progress. */
    const run = async (query: string, kind: string): Promise<void> => {
      await window.query.run(query);
      await isShown(kind);
    };
    const isShown = async (kind: string): Promise<void> => {
      await expect(window.events.row(0)).toContainText(kind);
      await expect(opened.page.locator('[aria-busy="true"]')).toHaveCount(0);
    };

    beforeAll(async () => {
      opened = await shell.open({ openCase: office });
      window = new DaybookWindow(opened.page);
      await expect(window.caseButton).toHaveAccessibleName('Case office');
    }, 120_000);
    afterAll(() => opened?.close());
    afterEach(() => expect(opened.problems).toEqual([]));

    it("goes back and forward through views by the browser's history", async () => {
      const { page } = opened;
      const back = page.getByRole('button', { name: 'Back', exact: true });
      await expect(back).toHaveAttribute('aria-disabled', 'true');
      await run('kind:flow', 'flow');
      await run('kind:log', 'log');
      await window.show('Top talkers');
      await page.evaluate('history.back()');
      await expect(window.tab('Events')).toHaveAttribute('aria-selected', 'true');
      await expect(window.query.input).toHaveText('kind:log');
      await page.evaluate('history.back()');
      await expect(window.query.input).toHaveText('kind:flow');
      await expect(window.caseButton).toHaveAccessibleName('Case office');
      await page.getByRole('button', { name: 'Forward', exact: true }).click();
      await expect(window.query.input).toHaveText('kind:log');
      await back.click();
      await expect(window.query.input).toHaveText('kind:flow');
      await shot(page, `${shell.name}-back`);
      // A new view takes the place of those that were ahead.
      await run('kind:packet', 'packet');
      await expect(page.getByRole('button', { name: 'Forward', exact: true })).toHaveAttribute(
        'aria-disabled',
        'true',
      );
      await page.keyboard.press('Alt+ArrowLeft');
      await expect(window.query.input).toHaveText('kind:flow');
    });

    it('goes from the query bar to the table, and opens the menu of a value by its key', async () => {
      const { page } = opened;
      await isShown('flow');
      for (const key of ['Escape', 'ArrowDown', 'Alt+1']) {
        await page.keyboard.press('Control+L');
        await expect(window.query.input).toBeFocused();
        await page.keyboard.press(key);
        await expect(window.events.grid, key).toBeFocused();
      }
      await page.keyboard.press('ArrowDown');
      for (const key of ['Shift+F10', 'ContextMenu']) {
        await page.keyboard.press(key);
        await expect(window.menu.menu, key).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(window.menu.menu).toBeHidden();
        await expect(window.events.grid).toBeFocused();
      }
    });

    it('keeps the focus in the window when the button that was pressed is gone', async () => {
      const { page } = opened;
      await window.events.open(0);
      const close = window.details.region.getByRole('button', { name: 'Close the details' });
      await close.focus();
      await page.keyboard.press('Enter');
      await expect(close).toBeHidden();
      await expect(window.events.grid).toBeFocused();
      await window.query.run('nothinghasthis');
      const clear = page.getByRole('tabpanel').getByRole('button', { name: 'Clear the query' });
      await clear.focus();
      await page.keyboard.press('Enter');
      await expect(clear).toBeHidden();
      // In the events, or in the bar while they are loading.
      await expect(
        window.events.grid.or(window.query.input).and(page.locator(':focus')),
      ).toHaveCount(1);
      await window.query.run('kind:flow');
      await isShown('flow');
      await window.events.open(0);
    });

    it('keeps the focus in the results where their button shows others, or none again', async () => {
      const { page } = opened;
      const inResults = page.locator('[data-part="results"] :focus');
      const press = async (name: string): Promise<void> => {
        const button = page.getByRole('tabpanel').getByRole('button', { name, exact: true });
        await button.focus();
        await page.keyboard.press('Enter');
        await expect(button).toBeHidden();
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      };
      const look = (query: string): Promise<void> =>
        page.evaluate(
          `window.location.hash = ${JSON.stringify(
            `case=${encodeURIComponent(mixed)}&q=${encodeURIComponent(query)}&from=${EMPTY.from}&to=${EMPTY.to}`,
          )}`,
        );
      await look('nothinghasthis');
      await expect(window.caseButton).toHaveAccessibleName('Case mixed');
      await press('Show all time');
      await expect(page.getByText('No event matches')).toBeVisible();
      await expect(inResults).toHaveText('Clear the query');

      await look('word');
      await press('Show all time');
      await isShown('dated word');
      await expect(window.events.grid).toBeFocused();

      await look('word');
      await press('Show undated events');
      await isShown('undated word');
      await expect(window.events.grid).toBeFocused();
      await shot(page, `${shell.name}-undated-focused`);
    });

    // Only a browser changes its size at once.
    it.skipIf(shell.name !== 'browser')(
      'keeps the focus in the results, and opens no list, where the window gets narrow',
      async () => {
        const { page } = opened;
        const wide = { width: 1440, height: 900 };
        await window.query.run('');
        await window.show('Top talkers');
        const groups = window.talkers.panel.getByRole('combobox', { name: 'Ready-made groups' });
        await expect(groups).toBeVisible();
        for (const size of [{ width: 640, height: 400 }, wide]) {
          await page.setViewportSize(size);
          await expect(page.locator('[data-part="results"] :focus')).toHaveCount(1);
          await expect(page.getByRole('listbox')).toHaveCount(0);
        }
        await window.show('Events');
      },
    );

    it('keeps the focus in a list whose entry is removed', async () => {
      const { page } = opened;
      await new Palette(page).run('Close the case');
      const remove = window.start.recent.getByRole('button', { name: /^Remove / });
      await expect(remove).toHaveCount(2);
      await remove.first().focus();
      await page.keyboard.press('Enter');
      await expect(remove).toHaveCount(1);
      await expect(window.start.recent.locator(':focus')).toHaveAccessibleName(/^office/);
      await page.keyboard.press('Enter');
      await run('kind:flow', 'flow');
      await window.events.open(0);
    });

    it('walks through the parts of the window by F6', async () => {
      const { page } = opened;
      const here = () =>
        page.evaluate<string>(
          `document.activeElement.closest('[data-part]')?.dataset.part ?? 'none'`,
        );
      await window.details.region.getByRole('tab', { name: 'Fields' }).waitFor();
      await page.keyboard.press('Control+L');
      const parts: string[] = [];
      for (let step = 0; step < 5; step++) {
        await page.keyboard.press('F6');
        parts.push(await here());
      }
      expect(parts).toEqual(['side', 'timeline', 'results', 'details', 'query']);
      await page.keyboard.press('Shift+F6');
      expect(await here()).toBe('details');
    });

    it('shows what a query finds that is entered beside the sources', async () => {
      await window.show('Sources & imports');
      await window.query.run('kind:flow dst_port:443');
      await expect(window.events.grid).toBeVisible();
      await window.show('Sources & imports');
      // The same again.
      await window.query.input.click();
      await opened.page.keyboard.press('Enter');
      await expect(window.events.grid).toBeVisible();
    });

    it('offers fields, unasked, after the name of a stage and a blank', async () => {
      await window.query.type('kind:flow | sort ');
      await expect(window.query.option(/bytes/).first()).toBeVisible();
      await opened.page.keyboard.press('Escape');
    });

    it('keeps no query in the history that only a part of the window asked', async () => {
      const { page } = opened;
      const capture = path.join(space.folder, 'made/evidence/capture', 'bastion01.pcap');
      await window.query.run(`kind:flow source:*${path.basename(capture)}`);
      // The rows may still be those of the query before.
      await expect(async () => {
        await window.events.open(0);
        const packets = window.details.region.getByRole('tab', { name: 'Packets', exact: true });
        await expect(packets).toBeVisible({ timeout: 2000 });
      }).toPass();
      await window.details.show('Packets');
      await shot(page, `${shell.name}-packets`);
      await expect(window.details.packet(0)).toContainText(/→ .*\d+ B/);
      await expect(window.details.packet(1)).toContainText('←');
      await page.getByRole('button', { name: 'Past queries' }).click();
      const past = page.getByRole('menu').filter({ hasText: 'kind:log' });
      await expect(past).toBeVisible();
      await expect(past).not.toContainText('flow_id');
      await page.keyboard.press('Escape');
    });

    it('zooms into a bar of the timeline that is clicked', async () => {
      await run('kind:flow', 'flow');
      const all = await window.found();
      await window.timeline.click(0.5);
      await expect.poll(() => window.found()).toBeLessThan(all ?? 0);
      await expect.poll(() => window.found()).toBeGreaterThan(0);
      await expect(window.zone.range).not.toContainText('All time');
      // The year is shown.
      await expect(window.zone.range).toContainText('2026');
    });

    // Electron's window has its own size.
    it.skipIf(shell.name === 'electron')(
      'keeps the events in sight in a narrow window, with the side and every tab in reach',
      async () => {
        const { page } = opened;
        await page.setViewportSize({ width: 640, height: 450 });
        await page.getByRole('button', { name: 'Close the details' }).click();
        const side = page.getByRole('navigation', { name: /^Fields/ });
        await expect(side).toBeHidden();
        const box = await window.events.grid.boundingBox();
        expect(box?.width).toBe(640);
        await page.getByRole('button', { name: /^Fields, bookmarks/ }).click();
        await expect(side).toBeVisible();
        await page.getByRole('button', { name: /^Fields, bookmarks/ }).click();
        // A pane over the events can be closed by the keyboard, too.
        await window.events.open(0);
        const close = page.getByRole('button', { name: 'Close the details' });
        await expect(close).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(close).toBeHidden();
        // Narrower still the names of the tabs have no room.
        await page.setViewportSize({ width: 420, height: 450 });
        await page.getByRole('button', { name: 'All tabs' }).click();
        await page.getByRole('menuitem', { name: 'Sources & imports' }).click();
        await expect(window.tab('Sources & imports')).toHaveAttribute('aria-selected', 'true');
        await shot(page, 'narrow');
      },
    );

    it.skipIf(shell.name === 'electron')(
      'stops a search by Escape in a narrow window, too',
      async () => {
        const { page } = opened;
        await page.setViewportSize({ width: 640, height: 450 });
        await window.tab('Events').click();
        await run('kind:flow', 'flow');
        const engine = await opened.enginePid();
        // An engine that does not answer for a while.
        process.kill(engine, 'SIGSTOP');
        try {
          await window.events.grid.getByRole('columnheader').first().click();
          await window.events.grid.focus();
          await page.keyboard.press('Escape');
          await expect(page.getByText('The search was stopped').first()).toBeVisible();
        } finally {
          process.kill(engine, 'SIGCONT');
        }
      },
    );
  });
}
