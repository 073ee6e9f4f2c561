/**
 * The main states in both themes, from a small laptop to a large screen: nothing is larger than its
 * room, no text of the window's frame is cut. The pictures are for people (DAYBOOK_SHOTS).
 */
import { describe, it } from 'vitest';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { sampleCase } from './sample-case.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
];

/** Scrollbars where there must be none, and labels of buttons and tabs that do not fit. */
const LAYOUT = `(() => {
  const wrong = [];
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > innerWidth || scrollHeight > innerHeight) wrong.push('larger than its room');
  for (const one of document.querySelectorAll('header button, [role="tab"]')) {
    const box = one.getBoundingClientRect();
    if (box.width > 0 && (box.right > innerWidth + 1 || box.left < -1)) wrong.push('outside: ' + one.textContent);
    if (one.scrollWidth > one.clientWidth + 1) wrong.push('cut: ' + one.textContent);
    const list = one.closest('[role="tablist"]')?.getBoundingClientRect();
    if (list !== undefined && box.right > list.right + 1) wrong.push('hidden: ' + one.textContent);
  }
  return wrong;
})()`;

describe.skipIf(browserShell.whyNot !== undefined)(
  browserShell.whyNot === undefined ? 'themes' : `themes: ${browserShell.whyNot}`,
  () => {
    let opened: OpenWindow;
    let window: DaybookWindow;

    onCase(
      (folder) => sampleCase(folder),
      (...all) => ([opened, window] = all),
    );

    const inAll = async (state: string): Promise<void> => {
      for (const scheme of ['dark', 'light'] as const) {
        await opened.page.emulateMedia({ colorScheme: scheme });
        await expect(opened.page.locator('html')).toHaveAttribute(
          'data-mantine-color-scheme',
          scheme,
        );
        for (const size of SIZES) {
          await opened.page.setViewportSize(size);
          await expect.poll(() => opened.page.evaluate<string[]>(LAYOUT)).toEqual([]);
          await shot(opened.page, `themes-${state}-${scheme}-${size.width}`);
        }
      }
    };

    it('events with the details of one', async () => {
      await window.query.run('host:bastion01 AND (failed OR accepted)');
      await expect(window.events.row(3)).toContainText('Accepted');
      await window.events.open(3);
      await expect(window.details.region.getByRole('tab', { name: 'Fields' })).toBeVisible();
      await expect(window.details.region).toContainText('Around');
      await inAll('events');
    });

    it('bars to scroll by in the colours of each theme', async () => {
      const colors = new Set<string>();
      for (const scheme of ['dark', 'light'] as const) {
        await opened.page.emulateMedia({ colorScheme: scheme });
        await expect(opened.page.locator('html')).toHaveAttribute(
          'data-mantine-color-scheme',
          scheme,
        );
        colors.add(
          await opened.page.evaluate<string>(
            `getComputedStyle(document.querySelector('[role="grid"]')).scrollbarColor`,
          ),
        );
      }
      expect(colors).not.toContain('auto');
      expect(colors.size).toBe(2);
    });

    it('the bytes of a packet', async () => {
      await window.query.run('kind:packet');
      await expect(window.events.row(5)).toContainText('packet');
      await window.events.open(5);
      await window.details.show('Packet');
      await expect(window.details.layers).toBeVisible();
      await inAll('packet');
    });

    it('conversations', async () => {
      await window.details.close();
      await window.query.run('');
      await window.show('Conversations');
      await expect(
        opened.page.getByRole('tabpanel', { name: 'Conversations' }).getByRole('row').nth(1),
      ).toBeVisible();
      await inAll('conversations');
      // At 200 % zoom of a laptop's window the panel keeps a height in which its rows can be read.
      await opened.page.setViewportSize({ width: 640, height: 400 });
      const panel = opened.page.getByRole('tabpanel', { name: 'Conversations' });
      await expect.poll(async () => (await panel.boundingBox())?.height ?? 0).toBeGreaterThan(220);
      await panel.getByRole('row').nth(1).scrollIntoViewIfNeeded();
      // The columns together are wider than the window, and it scrolls by whole pixels: a part of one of the
      // cell's padding may be outside, nothing of its text.
      const cell = panel.getByRole('row').nth(1).getByRole('cell').first();
      await expect(cell.locator('*').first()).toBeInViewport({ ratio: 1 });
      await shot(opened.page, 'themes-conversations-zoomed');
    });
  },
);
