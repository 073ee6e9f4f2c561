/**
 * Texts around the window's answers: limits and repeated lines of an import, tags and bookmarks by name, a wrong
 * query that was not run, and hints for an empty answer.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect, IMPORT_MS } from './pages/expect.ts';
import { browserShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const LINES = 120;
/** Lines of the first log that the second has as well. */
const [REPEATED_FROM, REPEATED_TO] = [40, 80];
const REPEATED = REPEATED_TO - REPEATED_FROM;

const line = (n: number, text: string): string =>
  `2026-03-${String(1 + Math.floor(n / 60)).padStart(2, '0')}T10:${String(n % 60).padStart(2, '0')}:00Z gate app[7]: ${text} ${n}\n`;
const lines = (from: number, to: number, text: string): string =>
  Array.from({ length: to - from }, (_, n) => line(from + n, text)).join('');

describe.skipIf(browserShell.whyNot !== undefined)(
  browserShell.whyNot === undefined ? 'around answers' : `around answers: ${browserShell.whyNot}`,
  () => {
    const space = scratch();
    const evidence = path.join(space.folder, 'evidence');
    let opened: OpenWindow;
    let window: DaybookWindow;

    beforeAll(async () => {
      mkdirSync(evidence);
      const put = (name: string, content: string | Buffer) =>
        writeFileSync(path.join(evidence, name), content);
      put('first.log', lines(0, LINES, 'request'));
      const repeated = lines(REPEATED_FROM, REPEATED_TO, 'request');
      put('second.log', `${lines(0, 20, 'other')}${repeated}${lines(1100, 1120, 'other')}`);
      put('nested.log.gz.gz', gzipSync(gzipSync(lines(0, 20, 'nested'))));
      opened = await browserShell.open();
      window = new DaybookWindow(opened.page);
      await window.start.newCase();
      await window.newCase.create(path.join(space.folder, 'care.daybook'));
      await expect(opened.page.getByText('This case is empty')).toBeVisible();
      const fields = opened.page.getByRole('region', { name: 'Fields', exact: true });
      await expect(fields).toContainText(
        'Fields of events and their most frequent values appear here',
      );
    }, 120_000);
    afterAll(async () => {
      await opened?.close();
      space.remove();
    });
    afterEach(() => expect(opened.problems).toEqual([]));

    const switchFor = (scope: DaybookWindow['sources']['panel']) =>
      scope.getByRole('switch', { name: /^Leave out lines of second\.log/ });

    it('an import keeps to the limits that a person sets', async () => {
      await window.drop([path.join(evidence, 'nested.log.gz.gz')]);
      const { before } = window.importing;
      await expect(before.getByText('1 source', { exact: true })).toBeVisible({
        timeout: IMPORT_MS,
      });
      await before.getByText('Limits for archives and compressed files').click();
      await before.getByRole('textbox', { name: 'Nesting of archives' }).fill('1');
      await shot(opened.page, 'import-limits');
      await window.importing.begin();
      const { ledger } = window.importing;
      await expect(ledger).toContainText('compressed more than 1 times over', {
        timeout: IMPORT_MS,
      });
      await ledger.getByRole('button', { name: 'Close', exact: true }).click();
      await expect(ledger).toBeHidden();
    });

    it('lines of another source are left out and shown again by a switch in the ledger', async () => {
      await window.drop(['first.log', 'second.log'].map((name) => path.join(evidence, name)));
      await expect(window.importing.before.getByText('2 sources')).toBeVisible({
        timeout: IMPORT_MS,
      });
      await window.importing.begin();
      const { ledger } = window.importing;
      await expect(ledger).toContainText(`${REPEATED} lines are in first.log, too`, {
        timeout: IMPORT_MS,
      });
      await shot(opened.page, 'ledger-overlap');
      await switchFor(ledger).click({ force: true });
      await expect(window.notice(`${REPEATED} events left out`)).toBeVisible();
      await expect(switchFor(ledger)).toBeChecked();
      await window.importing.showEvents();
      await window.query.run('request');
      await expect.poll(() => window.found()).toBe(LINES);

      await window.show('Sources & imports');
      const detail = await window.sources.open('second.log');
      await expect(switchFor(detail)).toBeChecked();
      await switchFor(detail).click();
      const notice = window.notice(`${REPEATED} events shown again`);
      await expect(notice).toBeVisible();
      // Everything beneath it can be used, except under its own button.
      const inTheWay = await opened.page.evaluate<string[]>(`(() => {
        const all = [...document.querySelectorAll('[role="status"]')];
        const notice = all.find((one) => one.textContent.includes('shown again'));
        const { left, top, width, height } = notice.getBoundingClientRect();
        return [0.02, 0.25, 0.5, 0.75].flatMap((x) => [0.1, 0.5, 0.9].flatMap((y) => {
          const hit = document.elementFromPoint(left + x * width, top + y * height);
          return notice.contains(hit) ? [hit.outerHTML.slice(0, 80)] : [];
        }));
      })()`);
      expect(inTheWay).toEqual([]);
      await notice.getByRole('button').click();
      await expect(notice).toBeHidden();
      await window.show('Events');
      await expect.poll(() => window.found()).toBe(LINES + REPEATED);
    });

    it('lines of top talkers span the events of the view', async () => {
      await window.query.run('source:first.log');
      await window.show('Top talkers');
      await opened.page.getByRole('combobox', { name: 'Ready-made groups' }).click();
      await opened.page.getByRole('option', { name: 'Programs', exact: true }).click();
      // The case has events of 19 March, too.
      await expect(
        opened.page.getByRole('columnheader', { name: /^1 Mar.* – 2 Mar/ }),
      ).toBeVisible();
      await window.show('Events');
    });

    it('a tag is named in the table, and a bookmark by its time and text', async () => {
      await window.query.run('source:first.log');
      await window.events.open(3);
      await window.events.grid.press(' ');
      await expect(window.events.row(3)).toContainText('bookmark');
      const side = opened.page.getByRole('navigation', { name: /^Fields/ });
      await expect(
        side.getByRole('button', { name: /^2026-03-01 10:03:00.* request 3$/ }),
      ).toBeVisible();
      await shot(opened.page, 'bookmark');
    });

    it('the timeline says where bookmarked events are, whatever the query finds', async () => {
      await window.query.run('source:first.log');
      await window.timeline.chart.press('Home');
      await expect.poll(() => window.timeline.said()).toContain('1 tagged or noted in the case');
      await window.query.run('source:second.log');
      await expect.poll(() => window.found()).toBe(80);
      await window.timeline.chart.press('Home');
      await expect.poll(() => window.timeline.said()).toContain('1 tagged or noted in the case');
      await window.timeline.chart.press('End');
      expect(await window.timeline.said()).not.toContain('tagged or noted');
    });

    it('says that an answer is that of the query before one that is wrong', async () => {
      const note = opened.page
        .getByRole('note')
        .filter({ hasText: 'the answer to the previous one' });
      await window.query.run('request');
      await expect(note).toBeHidden();
      await window.query.run('request AND (');
      await expect(note).toBeVisible();
      // The problem itself is hidden once the bar loses the focus.
      await window.events.grid.focus();
      await expect(window.query.problem).toBeHidden();
      await expect(note).toBeVisible();
      await window.query.run('request 3');
      await expect(note).toBeHidden();
    });

    it('an empty answer says what the query may have meant', async () => {
      await window.query.run('tcp nosuchword');
      await expect(
        opened.page.getByText(
          'Tcp was searched for as a word; for events of that protocol write proto:tcp.',
        ),
      ).toBeVisible();
    });
  },
);
