/** Conversations: pairs of hosts as a table, a matrix or a graph. */
import type { Locator, Page } from '@playwright/test';

export class Conversations {
  readonly panel: Locator;

  constructor(page: Page) {
    this.panel = page.getByRole('tabpanel', { name: /^Conversations/ });
  }

  async as(form: 'Table' | 'Matrix' | 'Graph'): Promise<void> {
    const forms = this.panel.getByRole('radiogroup', { name: 'Shown as' });
    await forms.getByText(form, { exact: true }).click();
  }

  /** A pair, from 0; the heading does not count. */
  row(at: number): Locator {
    return this.panel.getByRole('row').nth(at + 1);
  }

  /** The two addresses of a pair. */
  async hosts(at: number): Promise<[string, string]> {
    const cells = this.row(at).getByRole('cell');
    const text = async (n: number) => (await cells.nth(n).getByRole('button').innerText()).trim();
    return [await text(0), await text(2)];
  }

  /** Opens the menu of a pair. */
  async pivot(at: number): Promise<void> {
    await this.row(at)
      .getByRole('button', { name: /: pivots$/ })
      .click();
  }
}
