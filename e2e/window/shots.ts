/**
 * Pictures of the window's states, for people. They go where DAYBOOK_SHOTS says, and otherwise
 * nowhere.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';

/** `name`: of the file, without its ending. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['DAYBOOK_SHOTS'];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
}
