/** Adding evidence: what was found, decisions, progress, ledger. */
import type { Locator, Page } from '@playwright/test';
import { ready } from './expect.ts';
import { ledgerIn, type LedgerCounts } from './ledger.ts';

export class ImportDialog {
  readonly before: Locator;
  readonly running: Locator;
  readonly ledger: Locator;
  readonly cancelled: Locator;
  readonly choosing: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.choosing = page.getByRole('dialog', { name: 'Add evidence' });
    this.before = page.getByRole('dialog', { name: 'Review before import' });
    this.running = page.getByRole('dialog', { name: 'Importing' });
    this.ledger = page.getByRole('dialog', { name: 'Ledger of the import' });
    this.cancelled = this.ledger.getByText('The import was cancelled');
  }

  /** In a browser: opens a folder of the machine, ticks an entry of it, and previews it. */
  async choosePath(folder: string, entry: string): Promise<void> {
    const place = this.choosing.getByRole('textbox', { name: 'Folder' });
    await ready(this.choosing);
    await place.fill(folder);
    await place.press('Enter');
    await this.choosing.getByRole('checkbox', { name: `Choose ${entry}`, exact: true }).check();
    await this.choosing.getByRole('button', { name: 'Preview 1 item' }).click();
  }

  /** The row of a source before the import. */
  source(name: string): Locator {
    return this.before
      .getByRole('row')
      .filter({ has: this.page.getByRole('button', { name, exact: true }) });
  }

  /** Opens the details of a source; returns the region of its first records. */
  async look(name: string): Promise<Locator> {
    await this.source(name).getByRole('button', { name, exact: true }).click();
    return this.before.getByRole('region', { name: 'First records' });
  }

  zoneOf(name: string): Locator {
    return this.before.getByRole('combobox', { name: `Time zone of ${name}` });
  }

  yearOf(name: string): Locator {
    return this.before.getByRole('textbox', { name: `Year of ${name}` });
  }

  /** The input for a clock's error: that of a source, whose details are open, or of `all`. */
  clockOf(name: string): Locator {
    return this.before.getByRole('textbox', { name: `Clock of ${name}`, exact: true });
  }

  get import(): Locator {
    return this.before.getByRole('button', { name: 'Import', exact: true });
  }

  /** The choice of a table's column for this field. */
  columnFor(field: string): Locator {
    return this.before.getByRole('combobox', { name: `Column for ${field}`, exact: true });
  }

  async mapColumn(field: string, column: string): Promise<void> {
    await this.columnFor(field).click();
    await this.page.getByRole('option', { name: column, exact: true }).click();
  }

  /** Maps one more field: to the first unmapped column. */
  async addField(field: string): Promise<void> {
    await this.before.getByRole('combobox', { name: 'Add a field' }).click();
    await this.page.getByRole('option', { name: field, exact: true }).click();
  }

  async begin(): Promise<void> {
    await this.import.click();
  }

  /** By the keyboard: while sources are added to the table above it, the button moves away from a pointer. */
  async cancel(): Promise<void> {
    await this.running.getByRole('button', { name: 'Cancel the import' }).press('Enter');
  }

  async resume(): Promise<void> {
    await this.ledger.getByRole('button', { name: 'Resume' }).click();
  }

  async showEvents(): Promise<void> {
    await this.ledger.getByRole('button', { name: 'Show events' }).click();
  }

  /** The sum over all sources. */
  async total(): Promise<LedgerCounts> {
    return ledgerIn(
      await this.ledger
        .getByText(/^[\d,]+ read= /)
        .first()
        .innerText(),
    );
  }

  /** The line of one source in the ledger. */
  async counts(name: string): Promise<LedgerCounts> {
    const row = this.ledger.getByRole('row').filter({ hasText: name });
    return ledgerIn(await row.getByRole('cell').nth(2).innerText());
  }
}
