/** What the engine's operations took. */
import type { Locator, Page } from '@playwright/test';

export class Latency {
  readonly panel: Locator;

  constructor(page: Page) {
    this.panel = page.getByRole('tabpanel', { name: /^Latency/ });
  }

  /** The line of an operation: `[name, count, p50, p95, p99, max, …]`. */
  async of(operation: string): Promise<string[]> {
    const row = this.panel
      .getByRole('row')
      .filter({ has: this.panel.page().getByRole('cell', { name: operation, exact: true }) });
    await row.waitFor();
    return row.getByRole('cell').allInnerTexts();
  }

  get recent(): Locator {
    return this.panel.getByRole('option');
  }

  get chosen(): Locator {
    return this.panel.getByRole('region', { name: 'The chosen operation' });
  }
}
