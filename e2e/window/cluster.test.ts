/**
 * The window on a case that was attached to a cluster: it shows the contents of the case, and unsupported actions
 * are disabled, with a reason. Skipped where Chromium or chdb is missing; the test's name says so.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { type ClickHouseServer, clickhouseServer } from '../clickhouse-server.ts';
import { daybook } from '../harness.ts';
import { clickhouseModule, whyNot } from '../provision/index.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { sampleCase } from './sample-case.ts';
import { browserShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const space = scratch();
const reason = browserShell.whyNot ?? whyNot('clickhouse');
let server: ClickHouseServer | undefined;
let opened: OpenWindow;
let window: DaybookWindow;
let folder: string;
let address: string;

async function run(...args: string[]): Promise<string> {
  const { status, out, err } = await daybook(args);
  if (status !== 0) throw new Error(err);
  return out;
}

/** The command line's count on the case itself. */
async function counted(query: string): Promise<number> {
  return (JSON.parse(await run('count', folder, query, '--json')) as { count: number }).count;
}

const title = reason === undefined ? 'the window on a cluster' : `a cluster (${reason})`;
describe.skipIf(reason !== undefined)(title, () => {
  beforeAll(async () => {
    folder = await sampleCase(space.folder, 0.01);
    await run('tag', folder, 'failed', 'odd');
    const handedOver = path.join(space.folder, 'handed-over');
    await run('hand-over', folder, handedOver);
    const tables = path.join(space.folder, 'server');
    mkdirSync(tables);
    server = await clickhouseServer(clickhouseModule()!, tables);
    address = `clickhouse://127.0.0.1:${server.port}/office`;
    await run('attach', address, handedOver);
    opened = await browserShell.open({ openCase: address });
    window = new DaybookWindow(opened.page);
    await expect(window.caseButton).toHaveAccessibleName('Case office');
  }, 240_000);
  afterAll(async () => {
    await opened?.close();
    await server?.close();
    space.remove();
  });
  afterEach(() => expect(opened.problems).toEqual([]));

  it('shows the events of a query, and everything about one', async () => {
    const want = await counted('failed');
    await window.query.run('failed');
    await expect.poll(() => window.found()).toBe(want);
    await expect.poll(() => window.events.count()).toBe(want);
    await expect.poll(() => window.timeline.total()).toBe(want);
    await window.events.open(0);
    await expect(window.details.region).toContainText('odd');
    await expect(window.details.region).toContainText('Failed password');
    await expect(window.details.region).toContainText('a cluster has no bytes of it');
    await expect(window.details.region.getByRole('tab', { name: 'Raw' })).toBeDisabled();
    await shot(opened.page, 'cluster-details');
    await window.details.close();
  });

  it('answers in the other tabs', async () => {
    await window.query.run('kind:flow');
    await window.show('Top talkers');
    await expect(opened.page.getByRole('main')).toContainText('more groups');
    await window.show('Conversations');
    await expect(window.conversations.row(0)).toBeVisible();
    await window.show('Hosts');
    await expect(opened.page.getByRole('main')).toContainText('10.20.');
    await window.query.run('kind:log | patterns 5');
    await expect(opened.page.getByRole('main')).toContainText('<*>');
    await window.show('Sources & imports');
    await expect(opened.page.getByRole('main')).toContainText('auth.log');
    await shot(opened.page, 'cluster-sources');
    for (const section of ['Imports', 'Quarantine', 'Audit log'])
      await expect(opened.page.getByRole('radio', { name: section })).toBeDisabled();
    await window.show('Events');
  });

  it('saves a search there, rates a finding, and exports', async () => {
    const { page } = opened;
    const on = (...args: string[]) => run(args[0]!, address, ...args.slice(1));
    await window.query.run('failed');
    await page.getByRole('button', { name: 'Save this search' }).click();
    const search = page.getByRole('dialog', { name: 'Save this search' });
    await search.getByRole('textbox').first().fill('guesses');
    await search.getByRole('button', { name: 'Save' }).click();
    await expect(search).toBeHidden();
    await expect(page.getByRole('navigation', { name: /^Fields, bookmarks/ })).toContainText(
      'guesses',
    );
    expect(await on('searches')).toContain('guesses');
    await window.show('Findings');
    await page.getByRole('combobox', { name: 'Severity of odd' }).selectOption('high');
    await expect.poll(() => on('findings')).toContain('high');
    await window.show('Events');
    await window.caseMenu('Export events…');
    const dialog = page.getByRole('dialog', { name: 'Export events' });
    await expect(dialog.getByRole('button', { name: /^Export/ })).toBeEnabled();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  });

  it('greys what a cluster cannot do, and says why', async () => {
    const { page } = opened;
    await window.caseButton.click();
    const menu = page.getByRole('menu', { name: /^Case / });
    await expect(menu).toContainText('Do what is greyed out on the computer that has the case.');
    for (const item of ['Add evidence…', 'Search payloads…', 'Write a report…', 'Hand over…']) {
      const one = menu.getByRole('menuitem', { name: item });
      await expect(one).toBeDisabled();
      await expect(one).toHaveAttribute('title', /^[A-Z].*\.$/);
    }
    await shot(page, 'cluster-menu');
    await page.keyboard.press('Escape');
    // A shortcut opens no dialog either.
    await page.keyboard.press('Control+i');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});
