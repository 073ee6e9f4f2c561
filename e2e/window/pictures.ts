/**
 * `npm run pictures` makes the README's pictures of the window, of the sample evidence, in a browser.
 */
import path from 'node:path';
import { ROOT } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { sampleCase } from './sample-case.ts';
import { browserShell, scratch, type WindowOptions } from './shells.ts';

const FOLDER = path.join(ROOT, 'docs/images');
const SIZE = { width: 1440, height: 900 };

async function picture(
  name: string,
  options: WindowOptions,
  arrange: (window: DaybookWindow) => Promise<void>,
): Promise<void> {
  const opened = await browserShell.open({ ...options, size: SIZE });
  try {
    const window = new DaybookWindow(opened.page);
    await arrange(window);
    await opened.page.mouse.move(0, 0);
    await expect(opened.page.locator('[aria-busy="true"]')).toHaveCount(0);
    await opened.page.waitForLoadState('networkidle');
    await opened.page.screenshot({
      path: path.join(FOLDER, `${name}.png`),
      animations: 'disabled',
    });
  } finally {
    await opened.close();
  }
}

const space = scratch();
try {
  const openCase = await sampleCase(space.folder, 1);
  await picture('window-dark', { openCase, scheme: 'dark' }, async (window) => {
    await window.query.run('ip:203.0.113.66 ts:<2026-10-13T03');
    await expect(window.timeline.region).toContainText('log');
    await window.events.open(9);
  });
  await picture('window-light', { openCase, scheme: 'light' }, async (window) => {
    await window.query.run('kind:flow');
    await window.show('Conversations');
    await window.conversations.row(0).waitFor();
  });
} finally {
  space.remove();
}
