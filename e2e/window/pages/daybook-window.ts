/** The whole window by its parts, as a person finds them: by role and label. */
import type { Locator, Page } from '@playwright/test';
import { Conversations } from './conversations.ts';
import { Details } from './details.ts';
import { dropFiles, dropPaths } from './drop.ts';
import { Events, ValueMenu } from './events.ts';
import { ImportDialog } from './import-dialog.ts';
import { Latency } from './latency.ts';
import { numberIn } from './numbers.ts';
import { QueryBar } from './query-bar.ts';
import { Sources } from './sources.ts';
import { NewCaseDialog, StartPage } from './start-page.ts';
import { Talkers } from './talkers.ts';
import { Timeline } from './timeline.ts';
import { ZonePicker } from './zone-picker.ts';

export type TabName =
  | 'Events'
  | 'Top talkers'
  | 'Conversations'
  | 'Hosts'
  | 'Answer'
  | 'Sources & imports'
  | 'Findings'
  | 'Diagnostics';

export class DaybookWindow {
  readonly page: Page;
  readonly start: StartPage;
  readonly newCase: NewCaseDialog;
  readonly importing: ImportDialog;
  readonly query: QueryBar;
  readonly timeline: Timeline;
  readonly events: Events;
  readonly menu: ValueMenu;
  readonly details: Details;
  readonly talkers: Talkers;
  readonly conversations: Conversations;
  readonly sources: Sources;
  readonly latency: Latency;
  readonly zone: ZonePicker;

  constructor(page: Page) {
    this.page = page;
    this.start = new StartPage(page);
    this.newCase = new NewCaseDialog(page);
    this.importing = new ImportDialog(page);
    this.query = new QueryBar(page);
    this.timeline = new Timeline(page);
    this.events = new Events(page);
    this.menu = new ValueMenu(page);
    this.details = new Details(page);
    this.talkers = new Talkers(page);
    this.conversations = new Conversations(page);
    this.sources = new Sources(page);
    this.latency = new Latency(page);
    this.zone = new ZonePicker(page);
  }

  /**
   * Whether this Chromium reports the offsets of named zones. Electron 9's does not (it is older than
   * `longOffset`), so only fixed offsets can be chosen there.
   */
  knowsNamedZones(): Promise<boolean> {
    return this.page.evaluate<boolean>(`(() => {
      try {
        new Intl.DateTimeFormat('en-US', { timeZoneName: 'longOffset' });
        return true;
      } catch {
        return false;
      }
    })()`);
  }

  drop(paths: readonly string[]): Promise<void> {
    return dropFiles(this.page, paths);
  }

  /** The same for folders, in a browser. */
  dropFolders(paths: readonly string[]): Promise<void> {
    return dropPaths(this.page, paths);
  }

  tab(name: TabName): Locator {
    return this.page.getByRole('tab', { name: new RegExp(`^${name}`) });
  }

  async show(name: TabName): Promise<void> {
    await this.tab(name).click();
  }

  /** Through the settings: they have no tab until then. */
  async openDiagnostics(): Promise<void> {
    await this.caseMenu('Settings…');
    await this.page.getByRole('button', { name: /^Diagnostics/ }).click();
  }

  /** The line below. */
  get status(): Locator {
    return this.page.getByRole('status').filter({ hasText: /of [\d,]+ events/ });
  }

  /** The number of matching events in the status bar. */
  async found(): Promise<number | undefined> {
    return numberIn(await this.status.innerText(), /([\d,]+) of [\d,]+ events/);
  }

  /** The number of the case's events in the status bar. */
  async inCase(): Promise<number | undefined> {
    return numberIn(await this.status.innerText(), /of ([\d,]+) events/);
  }

  /** Chooses from the menu of the case. */
  async caseMenu(item: string): Promise<void> {
    await this.caseButton.click();
    // Another menu may still be fading out.
    const menu = this.page.getByRole('menu', { name: /^Case / });
    await menu.getByRole('menuitem', { name: item }).click();
  }

  get engineBanner(): Locator {
    return this.page.getByRole('alert', { name: /^The engine stopped/ });
  }

  /** A message in the corner. */
  notice(text: string | RegExp): Locator {
    const { page } = this;
    return page.getByRole('alert').or(page.getByRole('status')).filter({ hasText: text });
  }

  get caseButton(): Locator {
    return this.page.getByRole('button', { name: /^Case / });
  }
}
