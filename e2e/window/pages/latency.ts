/** The panel with the duration of the engine's operations. */
import type { Locator, Page } from '@playwright/test';

export class Latency {
  readonly panel: Locator;

  constructor(page: Page) {
    this.panel = page.getByRole('tabpanel', { name: /^Diagnostics/ });
  }

  /** How often an operation ran, and its median time as the window writes it. */
  async of(operation: string): Promise<{ count: number; p50: string }> {
    const row = this.panel
      .getByRole('row')
      .filter({ has: this.panel.page().getByRole('cell', { name: operation, exact: true }) });
    await row.waitFor();
    const text = (n: number) => row.getByRole('cell').nth(n).innerText();
    return { count: Number((await text(1)).replace(/,/g, '')), p50: await text(3) };
  }

  get recent(): Locator {
    return this.panel.getByRole('option');
  }

  get chosen(): Locator {
    return this.panel.getByRole('region', { name: 'The chosen operation' });
  }
}
