/** The query bar, driven by its keyboard. */
import type { Locator, Page } from '@playwright/test';

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
