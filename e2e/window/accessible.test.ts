/**
 * axe finds no serious or critical problem on any screen, in either theme. Dialogs are opened through the palette,
 * so that each is reached by the keyboard as well.
 */
import path from 'node:path';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { daybook, generateEvidence } from '../harness.ts';
import { DaybookWindow, type TabName } from './pages/daybook-window.ts';
import { expect, PATIENCE_MS } from './pages/expect.ts';
import { ListDialog } from './pages/list-dialog.ts';
import { Palette } from './pages/palette.ts';
import { sampleCase } from './sample-case.ts';
import { browserShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const GRAVE = new Set(['serious', 'critical']);

/** Rules whose answer depends on colours: the only ones that the second theme can change. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Parts that may show the answer to another query: tables, the list of events and the timeline. */
const DIMMED =
  ':is([class*="_dim_"], [class*="_stale_"]:is([class*="_scroller_"], [class*="_chart_"]))';

/**
 * axe's findings about the page, or about the dialog that covers it: the page has screens of its own. axe stays loaded in the page, and only its violations are returned: loading it for
 * each screen and returning all results takes ten times as long.
 */
async function analyse(page: Page, coloursOnly: boolean): Promise<AxeResults['violations']> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe.source);
  const options: RunOptions = {
    resultTypes: ['violations'],
    // Nothing is fetched for it: style sheets are the page's own.
    preload: false,
    ...(coloursOnly && { runOnly: { type: 'rule', values: OF_COLOURS } }),
  };
  return page.evaluate(
    `axe.run(document.querySelector('[role="dialog"][aria-modal="true"]') ?? document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
}

/** The same for a page whose answers belong to the current query: others are dimmed until they are replaced. */
async function undimmed(page: Page, coloursOnly: boolean): Promise<AxeResults['violations']> {
  const dimmed = page.locator(DIMMED);
  for (;;) {
    await expect(dimmed).toHaveCount(0);
    await faded(page);
    const violations = await analyse(page, coloursOnly);
    if ((await dimmed.count()) === 0) return violations;
  }
}

/** Until no colour is on its way to another. */
async function faded(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const running = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.all(running.map((one) => one.finished.catch(() => undefined)));
  })()`);
}

describe.skipIf(browserShell.whyNot !== undefined)(
  browserShell.whyNot === undefined ? 'accessible' : `accessible: ${browserShell.whyNot}`,
  () => {
    const space = scratch();
    let opened: OpenWindow;
    let window: DaybookWindow;
    let palette: Palette;
    let office: string;

    /** Violations on the screen, as lines of text. */
    const violations = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const scheme of ['dark', 'light'] as const) {
        await opened.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await expect(opened.page.locator('html')).toHaveAttribute(
          'data-mantine-color-scheme',
          scheme,
        );
        for (const { id, impact, nodes } of await undimmed(opened.page, scheme === 'light')) {
          if (!GRAVE.has(impact ?? '')) continue;
          for (const node of nodes.slice(0, 5)) {
            const why = [...node.any, ...node.all, ...node.none].map((check) => check.message);
            found.push(`${scheme} ${id}: ${node.html.slice(0, 200)}: ${why.join('; ')}`);
          }
        }
      }
      return found;
    };

    beforeAll(async () => {
      office = await sampleCase(space.folder);
      // Findings, and events that show their tag.
      const tagged = await daybook(['tag', office, 'sshd', 'guessed']);
      expect(tagged.status, tagged.err).toBe(0);
      opened = await browserShell.open();
      opened.page.setDefaultTimeout(PATIENCE_MS);
      window = new DaybookWindow(opened.page);
      palette = new Palette(opened.page);
    }, 120_000);
    afterAll(async () => {
      await opened?.close();
      space.remove();
    });
    afterEach(() => expect(opened.problems).toEqual([]));

    it('start page', async () => {
      await expect(window.start.heading).toBeVisible();
      expect(await violations()).toEqual([]);
    });

    it('dialog to open a case', async () => {
      await palette.run('Open a case');
      const dialog = opened.page.getByRole('dialog', { name: 'Open a case' });
      await expect(dialog).toBeVisible();
      await shot(opened.page, 'accessible-open-case');
      expect(await violations()).toEqual([]);
      await dialog.getByRole('textbox', { name: 'Or the path of its folder' }).fill(office);
      await opened.page.keyboard.press('Enter');
      await expect(window.events.row(0)).toBeVisible();
    });

    it('case window with the events', async () => {
      await window.query.run('sshd');
      await expect(window.events.row(0)).toBeVisible();
      await shot(opened.page, 'accessible-events');
      expect(await violations()).toEqual([]);
    });

    it.each(['Fields', 'Raw', 'Around'] as const)('details: %s', async (tab) => {
      await window.events.open(0);
      await window.details.show(tab);
      expect(await violations()).toEqual([]);
    });

    it('details of a packet', async () => {
      await window.query.run('kind:packet');
      await expect(window.events.row(0)).toContainText('packet');
      await window.events.open(0);
      await window.details.show('Packet');
      await expect(window.details.layers).toBeVisible();
      await shot(opened.page, 'accessible-packet');
      expect(await violations()).toEqual([]);
      await window.details.close();
    });

    it.each<TabName>(['Top talkers', 'Conversations', 'Hosts', 'Sources & imports', 'Diagnostics'])(
      'tab: %s',
      async (tab) => {
        await window.query.run('');
        if (tab === 'Diagnostics') await window.openDiagnostics();
        else await window.show(tab);
        const panel = opened.page.getByRole('tabpanel', { name: tab });
        await expect(panel.getByRole('row').or(panel.getByRole('option')).first()).toBeVisible();
        expect(await violations()).toEqual([]);
      },
    );

    it('tab: Findings', async () => {
      await window.show('Findings');
      const severity = opened.page.getByRole('combobox', { name: 'Severity of guessed' });
      for (const value of ['critical', 'high', 'medium']) {
        await severity.selectOption(value);
        await expect(opened.page.locator(`[data-severity="${value}"]`)).toBeVisible();
        expect(await violations()).toEqual([]);
      }
    });

    it.each(['Imports', 'Quarantine', 'Audit log'])('sources: %s', async (section) => {
      await window.show('Sources & imports');
      await opened.page
        .getByRole('radiogroup', { name: 'View' })
        .getByText(section, { exact: true })
        .click();
      expect(await violations()).toEqual([]);
    });

    it.each(['Matrix', 'Graph'])('conversations as a picture: %s', async (picture) => {
      await window.show('Conversations');
      await opened.page
        .getByRole('radiogroup', { name: 'Shown as' })
        .getByText(picture, { exact: true })
        .click();
      expect(await violations()).toEqual([]);
    });

    it('tab: Answer', async () => {
      await window.show('Events');
      await window.query.run('* | top 5 host');
      await expect(window.tab('Answer')).toHaveAttribute('aria-selected', 'true');
      await expect(opened.page.getByRole('tabpanel').getByRole('row').first()).toBeVisible();
      expect(await violations()).toEqual([]);
      await window.query.run('kind:log');
    });

    it('a table that is asked for while another tab is open', async () => {
      await window.show('Top talkers');
      await window.query.run('* | top 3 program');
      await expect(window.tab('Answer')).toHaveAttribute('aria-selected', 'true');
      await window.query.run('kind:log');
    });

    it('the case menu', async () => {
      await window.caseButton.click();
      await expect(opened.page.getByRole('menu').first()).toBeVisible();
      expect(await violations()).toEqual([]);
      await opened.page.keyboard.press('Escape');
    });

    it('an error in a query', async () => {
      await window.query.run('host:(');
      await expect(window.query.underlined).toBeVisible();
      expect(await violations()).toEqual([]);
      await window.query.run('kind:log');
    });

    it('palette', async () => {
      await palette.open();
      expect(await violations()).toEqual([]);
      await opened.page.keyboard.press('Escape');
    });

    it.each([
      ['Add evidence', 'Add evidence'],
      ['Match a list', 'Match a list'],
      ['Search payloads', 'Search payloads'],
      ['Export events', 'Export events'],
      ['Write a report', /report/i],
      ['Hand over', 'Hand the case over'],
      ['Tag all events', 'Tag events'],
      ['Delete all events', 'Delete events'],
      ['Save this search', 'Save this search'],
      ['New case', 'New case'],
      ['Case details', 'Case details'],
      ['Settings', 'Settings'],
      ['Keyboard shortcuts', 'Keyboard shortcuts'],
      ['The query language', /query language/i],
    ])('dialog: %s', async (command, name) => {
      await palette.run(command);
      const dialog = opened.page.getByRole('dialog', { name });
      await expect(dialog).toBeVisible();
      await shot(opened.page, `accessible-${command.toLowerCase().replace(/ /g, '-')}`);
      expect(await violations()).toEqual([]);
      await opened.page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    });

    it('a list that is matched, and what it missed', async () => {
      const list = new ListDialog(opened.page);
      await list.open();
      await list.text.fill('host,port\nbastion01,\nnowhere,22\n');
      await expect(list.match).toBeEnabled();
      expect(await violations()).toEqual([]);
      await list.match.click();
      await expect(list.chip).toBeVisible();
      await list.missed();
      expect(await violations()).toEqual([]);
      await opened.page.keyboard.press('Escape');
      await list.takeOff();
    });

    it('an import: decisions before it, its ledger after it', async () => {
      const more = path.join(space.folder, 'more');
      await generateEvidence(more, '--scale', '0.05');
      const log = path.join(more, 'evidence/syslog/auth.log');
      await window.drop([log, path.join(more, 'evidence/capture/bastion01.pcap')]);
      const { importing } = window;
      await expect(importing.before).toBeVisible();
      await importing.look('auth.log');
      await shot(opened.page, 'accessible-before-import');
      expect(await violations()).toEqual([]);
      // Answers are updated while events arrive; none is dimmed as if it belonged to another query.
      const dimmed = await opened.page.evaluateHandle<Set<string>>(`(() => {
        const met = new Set();
        new MutationObserver(() => {
          for (const one of document.querySelectorAll('[class*="_dim_"]')) met.add(one.className);
        }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['class'] });
        return met;
      })()`);
      await importing.begin();
      await expect(importing.ledger).toBeVisible();
      await shot(opened.page, 'accessible-ledger');
      expect(await violations()).toEqual([]);
      expect(await dimmed.evaluate((met) => [...met])).toEqual([]);
      await importing.showEvents();
    });
  },
);
