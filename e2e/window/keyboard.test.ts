/**
 * Without a mouse, in each shell: from the start page to a case, a query, an event and its bytes in the evidence.
 * The focus is visible all the way.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect, PATIENCE_MS } from './pages/expect.ts';
import { focusOf } from './pages/focus.ts';
import { Palette } from './pages/palette.ts';
import { sampleCase } from './sample-case.ts';
import { browserShell, electronShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const CAPTURE = 'bastion01.pcap';
/** Maximum presses of Tab to reach a part of the window. */
const MOST_TABS = 120;

const space = scratch();
let office: string;

beforeAll(async () => {
  office = await sampleCase(space.folder);
}, 120_000);
afterAll(() => space.remove());

for (const shell of [browserShell, electronShell]) {
  const title = shell.whyNot === undefined ? shell.name : `${shell.name}: ${shell.whyNot}`;
  describe.skipIf(shell.whyNot !== undefined)(title, () => {
    let opened: OpenWindow;
    let window: DaybookWindow;
    const unseen = new Set<string>();

    const press = async (key: string): Promise<void> => {
      await opened.page.keyboard.press(key);
      const focus = await focusOf(opened.page);
      if (!focus.seen) unseen.add(focus.what);
    };
    const hasFocus = async (place: Locator): Promise<boolean> =>
      (await place.and(opened.page.locator(':focus')).count()) > 0;

    /** Presses a key until a place has the focus. */
    const goTo = async (place: Locator, key = 'Tab'): Promise<void> => {
      await place.waitFor();
      for (let presses = 0; presses < MOST_TABS; presses++) {
        if (await hasFocus(place)) return;
        await press(key);
      }
      throw new Error(`${MOST_TABS} presses of ${key} do not lead there`);
    };

    beforeAll(async () => {
      opened = await shell.open(shell.name === 'electron' ? { openCase: office } : {});
      opened.page.setDefaultTimeout(PATIENCE_MS);
      window = new DaybookWindow(opened.page);
    }, 120_000);
    afterAll(() => opened?.close());
    afterEach(() => expect(opened.problems).toEqual([]));

    // Electron asks for a folder by a dialog of the system, which no test can press keys in.
    it.skipIf(shell.name === 'electron')('opens a case by its path', async () => {
      await expect(window.start.heading).toBeVisible();
      await goTo(opened.page.getByRole('button', { name: /^Open a case/ }));
      await shot(opened.page, `${shell.name}-keyboard-start`);
      await press('Enter');
      const dialog = opened.page.getByRole('dialog', { name: 'Open a case' });
      await expect(
        dialog.getByRole('textbox', { name: 'Or the path of its folder' }),
      ).toBeFocused();
      await opened.page.keyboard.type(office);
      await press('Enter');
      await expect(window.caseButton).toHaveAccessibleName('Case office');
    });

    it('closes the case, and opens it among those that were open lately', async () => {
      await expect(window.caseButton).toHaveAccessibleName('Case office');
      await new Palette(opened.page).run('Close the case');
      await expect(window.start.heading).toBeVisible();
      await goTo(window.start.recent.getByRole('button', { name: /^office/ }));
      await press('Enter');
      await expect(window.caseButton).toHaveAccessibleName('Case office');
    });

    it('finds packets', async () => {
      await expect(window.events.row(0)).toBeVisible();
      await press('/');
      await expect(window.query.input).toBeFocused();
      await opened.page.keyboard.type(`kind:packet source:*${CAPTURE} dst_port:22`);
      await shot(opened.page, `${shell.name}-keyboard-query`);
      // If completions are open, none is accepted.
      await press('Enter');
      await expect(window.events.row(0)).toContainText('packet');
    });

    it('goes to the query bar from a list to choose from', async () => {
      await press('Alt+2');
      await expect(opened.page.getByRole('combobox', { name: 'Ready-made groups' })).toBeFocused();
      await press('/');
      await expect(window.query.input).toBeFocused();
    });

    it('gives what is typed at once after Ctrl+K to the palette', async () => {
      await window.query.input.focus();
      // Before any timer: the next key may already be in the queue.
      const focused = await opened.page.evaluate<string | null>(`(async () => {
        document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true }),
        );
        for (let turn = 0; turn < 100; turn++) await undefined;
        return document.activeElement.getAttribute('aria-label');
      })()`);
      expect(focused).toMatch(/^Search commands/);
      await opened.page.keyboard.press('Escape');
      await expect(new Palette(opened.page).search).toBeHidden();
    });

    it('walks through the events and opens one', async () => {
      await press('Alt+1');
      await goTo(window.events.grid);
      await press('ArrowDown');
      await press('ArrowDown');
      await shot(opened.page, `${shell.name}-keyboard-grid`);
      await press('Enter');
      await expect(window.details.region.getByRole('tab', { name: 'Fields' })).toBeVisible();
    });

    it('shows an event that was chosen before its row was read', async () => {
      const current = opened.page.locator('[role="row"][aria-selected="true"]');
      const engine = await opened.enginePid();
      process.kill(engine, 'SIGSTOP');
      try {
        await press('End');
        await press('Enter');
      } finally {
        process.kill(engine, 'SIGCONT');
      }
      await expect
        .poll(async () => Number(await current.getAttribute('data-row')))
        .toBeGreaterThan(100);
      await press('Home');
      await press('Enter');
      await expect(current).toHaveAttribute('data-row', '0');
    });

    it('reads the bytes of the packet, which are those of the evidence', async () => {
      await goTo(window.details.region.getByRole('tab', { selected: true }));
      await goTo(window.details.region.getByRole('tab', { name: 'Packet' }), 'ArrowRight');
      await expect(window.details.layers).toBeVisible();
      await shot(opened.page, `${shell.name}-keyboard-packet`);
      const { offset, bytes } = await window.details.bytes();
      const capture = readFileSync(path.join(space.folder, 'made/evidence/capture', CAPTURE));
      expect(bytes.length).toBeGreaterThan(40);
      expect(capture.subarray(offset, offset + bytes.length).equals(bytes)).toBe(true);
    });

    it('closes a menu by Escape, and stops what is asked by the next one', async () => {
      const engine = await opened.enginePid();
      // An engine that does not answer for a while: the question for the details is under way.
      process.kill(engine, 'SIGSTOP');
      try {
        const { menu } = await window.events.pivot(3, 'kind');
        await menu.waitFor();
        await opened.page.keyboard.press('Escape');
        await expect(menu).toBeHidden();
        await expect(window.details.stopped).toBeHidden();
        await opened.page.keyboard.press('Escape');
        await expect(window.details.stopped).toBeVisible();
        await shot(opened.page, `${shell.name}-keyboard-stopped`);
      } finally {
        process.kill(engine, 'SIGCONT');
      }
      await window.details.stopped.getByRole('button', { name: 'Try again' }).click();
      await expect(window.details.region.getByRole('tab', { name: 'Fields' })).toBeVisible();
    });

    it('reaches every part of the window by Tab, and the focus is seen on all the way', async () => {
      const first = opened.page.getByRole('button', { name: /^Case / });
      await goTo(first, 'Shift+Tab');
      await goTo(window.timeline.chart);
      await shot(opened.page, `${shell.name}-keyboard-timeline`);
      await goTo(window.tab('Events'));
      await press('ArrowRight');
      await expect(window.tab('Top talkers')).toHaveAttribute('aria-selected', 'true');
      await shot(opened.page, `${shell.name}-keyboard-tabs`);
      expect([...unseen]).toEqual([]);
    });
  });
}
