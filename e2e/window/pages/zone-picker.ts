/** The zone in which every time is shown, and the range of time. */
import type { Locator, Page } from '@playwright/test';

export class ZonePicker {
  readonly button: Locator;
  readonly range: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.button = page.getByRole('button', { name: /^Time zone: / });
    this.range = page.getByRole('group', { name: 'Time range' });
  }

  async choose(zone: string): Promise<void> {
    await this.button.click();
    await this.page.getByRole('textbox', { name: 'Find a time zone' }).fill(zone);
    await this.page.getByRole('option').filter({ hasText: zone }).first().click();
  }
}
