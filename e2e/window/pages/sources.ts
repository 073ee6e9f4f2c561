/** Sources and imports. */
import type { Locator, Page } from '@playwright/test';
import { ledgerIn, type LedgerCounts } from './ledger.ts';

export class Sources {
  readonly panel: Locator;
  readonly table: Locator;

  constructor(page: Page) {
    this.panel = page.getByRole('tabpanel', { name: /^Sources & imports/ });
    this.table = this.panel.getByRole('table', { name: 'Sources' });
  }

  async section(name: 'Sources' | 'Imports' | 'Quarantine' | 'Audit log'): Promise<void> {
    const sections = this.panel.getByRole('radiogroup', { name: 'View' });
    await sections.getByText(name, { exact: true }).click();
  }

  /** Opens all that is known of a source. */
  async open(name: string): Promise<Locator> {
    await this.table.getByRole('button', { name, exact: true }).click();
    return this.panel.getByRole('region', { name: `Source ${name}` });
  }

  /** Chooses an item from the maintenance menu. */
  async care(item: RegExp): Promise<void> {
    await this.panel.getByRole('button', { name: 'Maintenance' }).click();
    const menu = this.panel.page().getByRole('menu', { name: 'Maintenance' });
    await menu.getByRole('menuitem', { name: item }).click();
  }

  /** An import, newest first. */
  import(at: number): Locator {
    return this.panel.getByRole('region', { name: /^Import \d+$/ }).nth(at);
  }

  async ledger(at: number): Promise<LedgerCounts> {
    return ledgerIn(await this.import(at).innerText());
  }

  async resume(at: number): Promise<void> {
    await this.import(at).getByRole('button', { name: 'Resume' }).click();
  }
}
