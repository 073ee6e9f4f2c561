/** The table of events. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './expect.ts';

export class Events {
  readonly grid: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.grid = page.getByRole('grid', { name: 'Events' });
  }

  /** A row, from 0. */
  row(at: number): Locator {
    return this.grid.locator(`[role="row"][aria-rowindex="${at + 2}"]`);
  }

  get rows(): Locator {
    return this.grid.locator('[role="row"][data-row]');
  }

  /** The number of events that the table reports. */
  async count(): Promise<number> {
    return Number((await this.grid.getAttribute('aria-rowcount')) ?? '1') - 1;
  }

  private async column(name: string): Promise<number> {
    const heading = this.grid.getByRole('columnheader', { name: new RegExp(`^${name}\\b`) });
    return Number(await heading.getAttribute('aria-colindex'));
  }

  async cell(row: number, column: string): Promise<Locator> {
    const at = await this.column(column);
    return this.row(row).locator(`[role="gridcell"][aria-colindex="${at}"]`);
  }

  async text(row: number, column: string): Promise<string> {
    return (await this.cell(row, column)).innerText();
  }

  /** Opens the details of a row, once the rows are those of the view. */
  async open(row: number): Promise<void> {
    await expect(this.grid).not.toHaveAttribute('aria-busy', 'true');
    // A click is lost if the rows are laid out again between its press and release, as after a resize.
    await expect(async () => {
      await this.row(row).click();
      await expect(this.row(row)).toHaveAttribute('aria-selected', 'true', { timeout: 5000 });
    }).toPass();
  }

  async sortBy(column: string): Promise<void> {
    await this.grid.getByRole('columnheader', { name: new RegExp(`^${column}\\b`) }).click();
  }

  /** Opens the menu of a cell. */
  async pivot(row: number, column: string): Promise<ValueMenu> {
    await (await this.cell(row, column)).click({ button: 'right' });
    return new ValueMenu(this.page);
  }
}

/** The menu of a value. */
export class ValueMenu {
  readonly menu: Locator;

  constructor(page: Page) {
    this.menu = page.getByRole('menu');
  }

  async choose(name: string | RegExp): Promise<void> {
    await this.menu.getByRole('menuitem', { name }).click();
  }
}
