/** Playwright's expectations, which wait for what they expect, with the patience of a loaded machine. */
import { expect as base, type Locator } from '@playwright/test';

export const PATIENCE_MS = 60_000;
/** Of evidence that is looked at or imported. */
export const IMPORT_MS = 180_000;
export const expect = base.configure({ timeout: PATIENCE_MS });

/**
 * A dialog is ready once it has taken the focus: what is typed into one of its fields before that
 * goes astray when the focus moves to another.
 */
export async function ready(dialog: Locator): Promise<Locator> {
  await expect(dialog.locator(':focus')).toHaveCount(1);
  return dialog;
}
