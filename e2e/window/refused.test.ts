/** A refusal is a sentence, with what to do next: cases that cannot be opened, read or changed, and queries. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { daybook, ROOT } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { Palette } from './pages/palette.ts';
import { browserShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(whyNot === undefined ? 'refused' : whyNot, () => {
  const space = scratch();
  const at = (name: string): string => path.join(space.folder, `${name}.daybook`);
  let opened: OpenWindow;
  let window: DaybookWindow;

  beforeAll(async () => {
    // Of more names than have columns: a field that is no column may yet be there.
    const names = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`name${n}`, `v${n}`]));
    const line = `${JSON.stringify({ ts: '2026-03-04T10:00:00Z', host: 'web-02', ...names })}\n`;
    const evidence = path.join(space.folder, 'wide.json');
    writeFileSync(evidence, line);
    const run = await daybook(['import', at('whole'), evidence]);
    if (run.status !== 0) throw new Error(run.err);
    for (const name of ['newer', 'other', 'damaged', 'written'])
      cpSync(at('whole'), at(name), { recursive: true });
    const catalog = readFileSync(path.join(at('newer'), 'case.sqlite'));
    // `user_version` of SQLite's header.
    catalog.writeUInt32BE(999, 60);
    writeFileSync(path.join(at('newer'), 'case.sqlite'), catalog);
    writeFileSync(path.join(at('other'), 'case.sqlite'), 'no database\n');
    const days = path.join(at('damaged'), 'days');
    for (const file of readdirSync(days, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.duckdb')) writeFileSync(path.join(days, file), 'no segment\n');
    opened = await browserShell.open({ size: { width: 1280, height: 800 } });
    window = new DaybookWindow(opened.page);
  }, 120_000);
  afterAll(async () => {
    await opened?.close();
    space.remove();
  });
  afterEach(() => expect(opened.problems).toEqual([]));

  const open = async (folder: string): Promise<void> => {
    const palette = new Palette(opened.page);
    await palette.run('Open a case');
    const dialog = opened.page.getByRole('dialog', { name: 'Open a case' });
    await dialog.getByRole('textbox', { name: 'Or the path of its folder' }).fill(folder);
    await opened.page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
  };
  const edges = async (place: Locator): Promise<{ left: number; right: number }> => {
    const box = await place.boundingBox();
    return {
      left: box?.x ?? Number.NaN,
      right: Math.round((box?.x ?? 0) + (box?.width ?? Number.NaN)),
    };
  };

  it.each([
    ['newer', 'was written by a newer Daybook', 'Open it with that version of Daybook or a later'],
    ['other', 'cannot be read: file is not a database.', 'Restore the folder from a copy'],
    ['nowhere', 'is not a Daybook case', 'Choose another folder, or make a new case.'],
  ])('a case that cannot be opened: %s', async (name, what, next) => {
    await open(at(name));
    const problem = opened.page.getByRole('alert');
    await expect(problem).toContainText(at(name));
    await expect(problem).toContainText(what);
    await expect(problem).toContainText(next);
    await expect(problem).not.toContainText('daybook import');
    await expect(problem.getByRole('button', { name: 'Open another case' })).toBeVisible();
    const choices = opened.page.getByRole('button', { name: /^(New case|Try the sample)/ });
    const { left } = await edges(choices.first());
    const { right } = await edges(choices.last());
    expect(await edges(problem)).toEqual({ left, right });
    await shot(opened.page, `refused-${name}`);
  });

  it('a damaged segment: what, and a way to verify the case', async () => {
    await open(at('damaged'));
    const problem = opened.page.getByRole('alert');
    await expect(problem).toContainText(/Segment \S+ has \d+ bytes, and was written with/);
    await expect(problem).toContainText('Verifying the case says what else is');
    const side = opened.page.getByRole('navigation', { name: /^Fields/ });
    await expect(side.getByRole('status')).toHaveCount(0);
    await shot(opened.page, 'refused-damaged');
    await problem.getByRole('button', { name: /^Verify the case/ }).click();
    await expect(opened.page.getByRole('dialog', { name: 'Verify the case' })).toBeVisible();
    await opened.page.keyboard.press('Escape');
  });

  describe('queries of a case', () => {
    // Once: a case that opens again while a query is typed clears it.
    beforeAll(async () => {
      await open(at('whole'));
      await expect(window.caseButton).toHaveAccessibleName('Case whole');
    });

    it.each([
      ['* | tpo 10 host', 'Unknown stage "tpo"', 'Did you mean top?'],
      ['* | top', 'expected a field', 'Write: top N field, … [by count | sum(field) | …].'],
      [
        '* | lookup hosts.csv on host',
        'The file "hosts.csv" was not read',
        'Only the command line',
      ],
      ['dst_port:abc', 'dst_port has no value "abc"', 'Write dst_port:22'],
    ])('a query that is wrong: %s', async (query, what, next) => {
      await window.query.run(query);
      await expect(window.query.problem).toContainText(what);
      await expect(window.query.problem).toContainText(next);
      await shot(opened.page, 'refused-query');
    });

    it('a field that no event has may be the reason that nothing is found', async () => {
      await window.query.run('nosuchfield:5');
      const results = opened.page.getByRole('tabpanel', { name: /^Events/ });
      await expect(results).toContainText('"nosuchfield": in no column');
      await shot(opened.page, 'refused-field');
    });
  });

  describe('a case that another process changes', () => {
    let writer: ChildProcess;
    beforeAll(async () => {
      const args = ['import', at('written'), '-', '--name', 'piped.log'];
      writer = spawn(process.execPath, [path.join(ROOT, 'app/cli/daybook.mjs'), ...args], {
        stdio: ['pipe', 'ignore', 'ignore'],
      });
    });
    afterAll(async () => {
      const ended = once(writer, 'exit');
      writer.stdin?.end();
      await ended;
    });

    it('is read, and says who changes it', async () => {
      const status = opened.page.getByText('Another process is changing the case: import');
      await expect(async () => {
        await open(at('written'));
        await expect(status).toBeVisible({ timeout: 2000 });
      }).toPass();
      await window.query.run('');
      await window.events.open(0);
      await window.events.grid.press(' ');
      const notice = window.notice(/^Not bookmarked/);
      await expect(notice).toContainText(/The case is being written by process \d+/);
      await expect(notice).toContainText('Wait until it has finished, or stop it');
      // The message covers nothing of the line below.
      const [above, below] = [await notice.boundingBox(), await status.boundingBox()];
      expect((above?.y ?? Infinity) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
      await shot(opened.page, 'refused-written');
    });
  });
});
