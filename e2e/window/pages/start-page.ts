/** The start page, and the dialog that creates a case. */
import type { Locator, Page } from '@playwright/test';
import { ready } from './expect.ts';

export class StartPage {
  readonly heading: Locator;
  readonly sample: Locator;
  readonly recent: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.heading = page.getByRole('heading', { name: 'Daybook', level: 1 });
    this.sample = page.getByRole('button', { name: /^Try the sample evidence/ });
    this.recent = page.getByRole('region', { name: 'Recent cases' });
  }

  async newCase(): Promise<void> {
    await this.page.getByRole('button', { name: /^New case/ }).click();
  }
}

export class NewCaseDialog {
  readonly dialog: Locator;
  readonly problem: Locator;

  constructor(page: Page) {
    this.dialog = page.getByRole('dialog', { name: 'New case' });
    this.problem = this.dialog.getByRole('alert');
  }

  /** `folder`: the case itself. */
  async create(folder: string): Promise<void> {
    await ready(this.dialog);
    await this.dialog.getByRole('textbox', { name: 'Folder' }).fill(folder);
    await this.dialog.getByRole('button', { name: 'Create case' }).click();
  }
}
