/** The palette, which has every action, driven by its keyboard. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './expect.ts';

export class Palette {
  readonly search: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.search = page.getByRole('textbox', { name: /^Search commands/ });
  }

  async open(): Promise<void> {
    // A key that is pressed while a case is being opened goes to a page that is being replaced.
    await expect(async () => {
      if (!(await this.search.isVisible())) await this.page.keyboard.press('Control+K');
      await this.search.waitFor({ timeout: 2_000 });
    }).toPass();
    // It takes the focus a moment after it appears: text typed before goes elsewhere.
    await expect(this.search).toBeFocused();
  }

  /** The entry that is run is the first that has the words. */
  async run(words: string): Promise<void> {
    await this.open();
    await this.page.keyboard.type(words);
    await this.page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp(words, 'i') })
      // Enter runs the marked entry; the first one is marked a moment after it appears.
      .and(this.page.locator('[data-selected]'))
      .waitFor();
    await this.page.keyboard.press('Enter');
    await this.search.waitFor({ state: 'hidden' });
  }
}
