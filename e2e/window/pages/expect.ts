/** Playwright's expectations, which wait for what they expect, with the patience of a loaded machine. */
import { expect as base } from '@playwright/test';

export const PATIENCE_MS = 30_000;
/** Of evidence that is looked at or imported. */
export const IMPORT_MS = 90_000;
export const expect = base.configure({ timeout: PATIENCE_MS });
