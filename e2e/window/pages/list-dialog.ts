/** The dialog that narrows a view by a list, the query bar's chip for it, and the lines that matched nothing. */
import type { Locator, Page } from '@playwright/test';
import { numberIn } from './numbers.ts';
import { Palette } from './palette.ts';

export class ListDialog {
  readonly dialog: Locator;
  readonly text: Locator;
  readonly match: Locator;
  /** Whether and how the list is understood. */
  readonly verdict: Locator;
  /** In the query bar. */
  readonly chip: Locator;
  readonly unmatched: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.dialog = page.getByRole('dialog', { name: 'Match a list' });
    this.text = this.dialog.getByRole('textbox', { name: 'Paste the list' });
    this.match = this.dialog.getByRole('button', { name: /^Match/ });
    this.verdict = this.dialog.getByRole('status').or(this.dialog.getByRole('alert'));
    this.chip = page.getByRole('search').getByRole('group', { name: /^List / });
    this.unmatched = page.getByRole('dialog', { name: 'Lines that matched nothing' });
  }

  async open(): Promise<void> {
    await new Palette(this.page).run('Match a list');
    await this.dialog.waitFor();
  }

  /**
   * Pastes a text, repeated that many times; the driver's own method waits for a text area that is gone by then.
   */
  async paste(text: string, times: number): Promise<void> {
    await this.text.waitFor();
    await this.page.evaluate(`{
      const area = document.querySelector('[role="dialog"] textarea');
      const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
      set.call(area, ${JSON.stringify(text)}.repeat(${times}));
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
  }

  /** Chooses the field that a column is matched as, by the column's name in the list. */
  async matchAs(column: string, field: string): Promise<void> {
    const select = this.dialog.getByLabel(`How ${column} is matched`);
    await select.click();
    await select.fill(field);
    await this.page.getByRole('option', { name: field, exact: true }).click();
  }

  async takeOff(): Promise<void> {
    await this.chip.getByRole('button', { name: 'Remove list' }).click();
  }

  /** Lines that matched nothing, and of how many. */
  async missed(): Promise<{ missed: number | undefined; of: number | undefined }> {
    await this.chip.getByRole('button', { name: 'Lines that matched nothing' }).click();
    const told = this.unmatched.getByRole('status').filter({ hasText: /lines/ });
    const text = await told.innerText();
    return { missed: numberIn(text, /^([\d,]+) of/), of: numberIn(text, /of ([\d,]+) lines/) };
  }
}
