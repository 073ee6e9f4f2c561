/** The query bar, driven by its keyboard. */
import type { Locator, Page } from '@playwright/test';
import { expect, PATIENCE_MS } from './expect.ts';

export class QueryBar {
  readonly input: Locator;
  readonly completions: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.input = page.getByRole('textbox', { name: 'Query', exact: true });
    this.completions = page.getByRole('listbox', { name: /completion/i });
  }

  /** Replaces the query, key by key. */
  async type(query: string): Promise<void> {
    await this.input.click();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.type(query);
  }

  async run(query: string): Promise<void> {
    await this.type(query);
    await this.page.keyboard.press('Enter');
  }

  /** Requests completions, repeatedly until they open. */
  async complete(): Promise<void> {
    await expect(async () => {
      await this.page.keyboard.press('Control+Space');
      await expect(this.completions).toBeVisible({ timeout: 3000 });
    }).toPass({ timeout: PATIENCE_MS });
  }

  /** Takes the first completion; one that opened just now takes no key yet, and on a busy machine it may close again. */
  async accept(): Promise<void> {
    await expect(async () => {
      if (!(await this.completions.isVisible())) {
        await this.input.focus();
        await this.page.keyboard.press('Control+Space');
        await expect(this.completions).toBeVisible({ timeout: 3000 });
      }
      await this.page.keyboard.press('ArrowDown');
      const chosen = this.completions.getByRole('option', { selected: true });
      await expect(chosen).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: PATIENCE_MS });
    await this.page.keyboard.press('Tab');
  }

  option(name: RegExp): Locator {
    return this.completions.getByRole('option', { name });
  }

  /** Why the query was not run. */
  get problem(): Locator {
    return this.page.getByRole('search').getByRole('alert');
  }

  /** The text that is underlined as wrong. */
  get underlined(): Locator {
    return this.input.locator('.cm-lintRange-error');
  }
}
