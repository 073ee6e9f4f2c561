/** Playwright's expectations, which wait for what they expect, with timeouts for a loaded machine. */
import { expect as base, type Locator } from '@playwright/test';

export const PATIENCE_MS = 60_000;
/** For previews and imports of evidence. */
export const IMPORT_MS = 180_000;
export const expect = base.configure({ timeout: PATIENCE_MS });

/**
 * A dialog is ready once it has taken the focus: text typed into one of its fields before that is lost when the
 * focus moves to another.
 */
export async function ready(dialog: Locator): Promise<Locator> {
  await expect(dialog.locator(':focus')).toHaveCount(1);
  return dialog;
}
