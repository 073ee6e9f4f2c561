/** Top talkers: groups of events with their measure. */
import type { Locator, Page } from '@playwright/test';
import { numberIn } from './numbers.ts';

export class Talkers {
  readonly panel: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.panel = page.getByRole('tabpanel', { name: /^Top talkers/ });
  }

  async groupBy(preset: string): Promise<void> {
    await this.panel.getByRole('combobox', { name: 'Ready-made groups' }).click();
    await this.page.getByRole('option', { name: preset, exact: true }).click();
  }

  async measureBy(measure: string): Promise<void> {
    await this.panel.getByRole('combobox', { name: 'Measured by' }).click();
    await this.page.getByRole('option', { name: measure, exact: true }).click();
  }

  /** A group, from 0; the heading is no group. */
  row(at: number): Locator {
    return this.panel.getByRole('row').nth(at + 1);
  }

  /** The value of a group of one field. */
  async value(at: number): Promise<string> {
    return (await this.row(at).getByRole('cell').nth(1).innerText()).trim();
  }

  async measure(at: number): Promise<number> {
    const text = await this.row(at).getByRole('cell').nth(2).getAttribute('title');
    return numberIn(text ?? '', /([\d,]+)/) ?? Number.NaN;
  }

  /** Events of all groups together. */
  async total(): Promise<number> {
    const row = this.panel.getByRole('row', { name: /all [\d,]+ groups|the only group/ });
    return numberIn(await row.innerText(), /groups\s+([\d,]+)/) ?? Number.NaN;
  }

  async showEvents(at: number): Promise<void> {
    await this.row(at).getByRole('button', { name: 'events' }).click();
  }

  valueButton(at: number): Locator {
    return this.row(at).getByRole('cell').nth(1).getByRole('button');
  }
}
