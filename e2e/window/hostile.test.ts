/**
 * Evidence whose every field is markup, script, reversed direction, control characters, a line of a megabyte or ten
 * thousand attributes: wherever it is shown it is text, none of it runs, and the window's layout stays intact.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { daybook } from '../harness.ts';
import { HOSTILE, HOSTILE_NAME, writeHostileEvidence } from './hostile-evidence.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect, PATIENCE_MS } from './pages/expect.ts';
import { Palette } from './pages/palette.ts';
import { browserShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

/**
 * Effects of the hostile text in a page: whether it ran, elements that it created, characters that reverse or hide
 * text around them, and whether the window overflows.
 */
const EFFECTS = `(() => {
  const effects = [];
  if (window.pwned !== undefined) effects.push('it ran');
  for (const one of document.querySelectorAll('img[onerror], svg[onload], body b > script, [src="x"]')) {
    effects.push('an element: ' + one.outerHTML.slice(0, 200));
  }
  const hidden = /[\\u0007\\u001b\\u200b\\u202e\\u2066]/;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (hidden.test(node.data)) effects.push('in a text: ' + escape(node.data.slice(0, 200)) + ' of ' + node.parentElement.className);
  }
  for (const one of document.querySelectorAll('[title], [aria-label], [aria-valuetext], [placeholder]')) {
    for (const name of ['title', 'aria-label', 'aria-valuetext', 'placeholder']) {
      const value = one.getAttribute(name);
      if (value !== null && hidden.test(value)) effects.push(name + ': ' + escape(value.slice(0, 200)));
    }
  }
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > innerWidth || scrollHeight > innerHeight) {
    effects.push('larger than its room: ' + scrollWidth + ' x ' + scrollHeight);
  }
  return effects;
})()`;

const effectsIn = (page: Page): Promise<string[]> => page.evaluate<string[]>(EFFECTS);

describe.skipIf(browserShell.whyNot !== undefined)(
  browserShell.whyNot === undefined ? 'hostile' : `hostile: ${browserShell.whyNot}`,
  () => {
    const space = scratch();
    const evidence = writeHostileEvidence(space.folder);
    const target = path.join(space.folder, `case ${HOSTILE_NAME}daybook`);
    let opened: OpenWindow;
    let window: DaybookWindow;
    let palette: Palette;

    /** Waits for hostile text in a place, as text with its hidden characters made visible. */
    const shownIn = async (place: Locator): Promise<void> => {
      await expect(place).toContainText('<img');
      await expect(place).toContainText('\\u202e');
    };

    beforeAll(async () => {
      const run = await daybook(['import', target, evidence.log, evidence.table, evidence.records]);
      // Some of it is quarantined.
      if (run.status !== 3) throw new Error(`import ended with ${run.status}: ${run.err}`);
      opened = await browserShell.open({ openCase: target, size: { width: 1280, height: 800 } });
      opened.page.setDefaultTimeout(PATIENCE_MS);
      window = new DaybookWindow(opened.page);
      palette = new Palette(opened.page);
    }, 120_000);
    afterAll(async () => {
      await opened?.close();
      space.remove();
    });
    afterEach(async () => {
      expect(await effectsIn(opened.page)).toEqual([]);
      expect(opened.problems).toEqual([]);
    });

    it('in the table of events and the name of the case', async () => {
      await shownIn(window.events.row(0));
      await shownIn(window.caseButton);
      const box = await window.events.row(0).boundingBox();
      expect(box?.height).toBe(26);
      await shot(opened.page, 'hostile-events');
    });

    it('in the list of fields and of sources', async () => {
      const side = opened.page.getByRole('navigation', { name: /^Fields, bookmarks/ });
      await side.getByRole('textbox', { name: 'Find a field' }).or(side).first().waitFor();
      await shownIn(side);
    });

    it.each(['Fields', 'Raw', 'Around'] as const)('in details: %s', async (tab) => {
      await window.query.run('kind:log');
      await window.events.open(0);
      await window.details.show(tab);
      await shownIn(window.details.region.getByRole('tabpanel'));
      await shot(opened.page, `hostile-details-${tab.toLowerCase()}`);
    });

    it('in the details of ten thousand attributes', async () => {
      await window.query.run('wide');
      await expect.poll(() => window.found()).toBe(1);
      await window.events.open(0);
      await window.details.show('Fields');
      await shownIn(window.details.region.getByRole('tabpanel'));
      await expect(window.details.region.getByRole('tabpanel')).toContainText('<b>0</b>');
      await shot(opened.page, 'hostile-wide');
    });

    it('in the details of a line of a megabyte', async () => {
      await window.query.run('length:>900000 program:*');
      await expect.poll(() => window.found()).toBe(1);
      await window.events.open(0);
      await window.details.show('Raw');
      await shownIn(window.details.region.getByRole('tabpanel'));
      await shot(opened.page, 'hostile-long');
      await window.details.close();
    });

    it('in top talkers', async () => {
      await window.show('Events');
      await window.query.run('kind:* | top 20 host, program');
      await shownIn(opened.page.getByRole('tabpanel', { name: 'Answer' }));
      await window.query.run('');
      await window.show('Top talkers');
      await window.talkers.groupBy('Hosts').catch(() => undefined);
      await opened.page.keyboard.press('Escape');
      await shot(opened.page, 'hostile-talkers');
    });

    it.each(['Table', 'Matrix', 'Graph'])('in conversations: %s', async (picture) => {
      await window.show('Conversations');
      await opened.page
        .getByRole('radiogroup', { name: 'Shown as' })
        .getByText(picture, { exact: true })
        .click();
      await expect(opened.page.getByRole('tabpanel', { name: 'Conversations' })).toContainText(
        '10.0.0.1',
      );
    });

    it('in sources and the details of one', async () => {
      await window.show('Sources & imports');
      const panel = opened.page.getByRole('tabpanel', { name: 'Sources & imports' });
      const sources = panel.getByRole('table', { name: 'Sources' });
      await shownIn(sources);
      await sources.getByRole('button', { name: /csv/ }).first().click();
      await shownIn(panel.getByRole('region', { name: /^Source / }));
      await shot(opened.page, 'hostile-source');
    });

    it.each(['Imports', 'Quarantine', 'Audit log'])('in %s', async (section) => {
      await window.show('Sources & imports');
      await opened.page
        .getByRole('radiogroup', { name: 'View' })
        .getByText(section, { exact: true })
        .click();
      await shownIn(opened.page.getByRole('tabpanel', { name: 'Sources & imports' }));
      await shot(opened.page, `hostile-${section.toLowerCase().replace(' ', '-')}`);
    });

    it('in the decisions before an import', async () => {
      const more = writeHostileEvidence(path.join(space.folder, 'more'));
      // Sources that are already in the case are not listed again.
      appendFileSync(more.table, '2026-11-21T10:00:00Z,10.0.0.1,192.0.2.1,1,2,tcp,3,a,b,c,d\n');
      await window.drop([more.table]);
      const { importing } = window;
      await expect(importing.before.getByRole('row').nth(1)).toContainText('<img');
      // Its columns are guessed: it is opened for a decision automatically.
      await shownIn(importing.before.getByRole('region', { name: 'First records' }));
      expect(await effectsIn(opened.page)).toEqual([]);
      await shot(opened.page, 'hostile-import');
      await importing.before.getByRole('button', { name: 'Cancel' }).click();
      await expect(importing.before).toBeHidden();
    });

    it('in names of tags and searches', async () => {
      await window.show('Events');
      await window.query.run('kind:log');
      await palette.run('Save this search');
      const search = opened.page.getByRole('dialog', { name: 'Save this search' });
      await search.getByRole('textbox').first().fill(`search ${HOSTILE}`);
      await search.getByRole('button', { name: 'Save' }).click();
      await expect(search).toBeHidden();
      await palette.run('Tag all events');
      const tag = opened.page.getByRole('dialog', { name: 'Tag events' });
      await tag
        .getByRole('combobox', { name: 'Tags' })
        .or(tag.getByRole('textbox', { name: 'Tags' }))
        .fill(`tag ${HOSTILE_NAME}`);
      await opened.page.keyboard.press('Enter');
      await tag.getByRole('button', { name: /^Tag/ }).click();
      await expect(tag).toBeHidden();
      const side = opened.page.getByRole('navigation', { name: /^Fields, bookmarks/ });
      await expect(side).toContainText('search "\'><img');
      await expect(side).toContainText('tag <img');
      await shot(opened.page, 'hostile-marks');
    });

    it('in the query bar, its completions and its past', async () => {
      await window.query.type('host:');
      await window.query.complete();
      await expect(window.query.completions).toContainText('<img');
      await shot(opened.page, 'hostile-completions');
      expect(await effectsIn(opened.page)).toEqual([]);
      await opened.page.keyboard.press('Escape');
      await window.query.run('"<img src=x onerror=window.pwned=1>"');
      await expect.poll(() => window.found()).toBeGreaterThan(0);
    });

    it('in the palette', async () => {
      await palette.open();
      await opened.page.keyboard.type('<img');
      await expect(opened.page.getByRole('dialog')).toContainText('<img');
      await shot(opened.page, 'hostile-palette');
      expect(await effectsIn(opened.page)).toEqual([]);
      await opened.page.keyboard.press('Escape');
    });

    it('in the report', async () => {
      const out = path.join(space.folder, 'report.html');
      const run = await daybook(['report', target, '--out', out, '--title', HOSTILE]);
      expect(run.err).toBe('');
      expect(run.status).toBe(0);
      const page = await opened.page.context().browser()?.newPage();
      if (page === undefined) throw new Error('there is no browser for the report');
      await page.setContent(readFileSync(out, 'utf8'));
      await shownIn(page.locator('body'));
      const effects = await effectsIn(page);
      // A report is as long as it is.
      expect(effects.filter((effect) => !effect.startsWith('larger'))).toEqual([]);
      await shot(page, 'hostile-report');
      await page.close();
    });
  },
);
