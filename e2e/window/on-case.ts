/** One window in a browser on one case, for the tests around it. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell, scratch, type OpenWindow, type WindowOptions } from './shells.ts';

/**
 * Makes the case and opens it before the tests, closes the window after them, and looks after each for what the window did
 * wrong.
 * @param make writes the case below `folder` and gives its path
 * @param use takes the window, once it shows the first event
 * @returns the folder, which is removed in the end
 */
export function onCase(
  make: (folder: string) => Promise<string>,
  use: (opened: OpenWindow, window: DaybookWindow) => void,
  options: WindowOptions = {},
): string {
  const space = scratch();
  let opened: OpenWindow | undefined;
  beforeAll(async () => {
    opened = await browserShell.open({ ...options, openCase: await make(space.folder) });
    const window = new DaybookWindow(opened.page);
    await expect(window.events.row(0)).toBeVisible();
    use(opened, window);
  }, 120_000);
  afterAll(async () => {
    await opened?.close();
    space.remove();
  });
  afterEach(() => expect(opened?.problems).toEqual([]));
  return space.folder;
}
