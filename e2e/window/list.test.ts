/**
 * A list in the window: pasted or a file, recognised or explained by the user; it finds the same events as the
 * command line everywhere; its lines without a match; removed, and restored by the history.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { daybook } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { dropFiles } from './pages/drop.ts';
import { expect } from './pages/expect.ts';
import { ListDialog } from './pages/list-dialog.ts';
import { sampleCase } from './sample-case.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

describe.skipIf(browserShell.whyNot !== undefined)(
  browserShell.whyNot === undefined ? 'a list' : `a list: ${browserShell.whyNot}`,
  () => {
    let office: string;
    let opened: OpenWindow;
    let window: DaybookWindow;
    let list: ListDialog;
    /** Flows of the case, by their columns. */
    let flows: string[][];

    const ask = async (...args: string[]): Promise<string[]> => {
      const run = await daybook(['query', office, ...args]);
      if (run.status !== 0) throw new Error(run.err);
      return run.out.trim().split('\n');
    };

    const counted = async (query: string, ...args: string[]): Promise<number> =>
      Number((await ask(`${query} | count`, '--format', 'csv', ...args))[1]);

    const makeCase = async (folder: string): Promise<string> => {
      office = await sampleCase(folder, 0.05);
      const rows = await ask(
        'kind:flow | fields src_ip,dst_ip,dst_port | head 20',
        ...['--format', 'csv'],
      );
      flows = rows.slice(1).map((row) => row.split(','));
      return office;
    };
    const folder = onCase(makeCase, (...all) => {
      [opened, window] = all;
      list = new ListDialog(opened.page);
    });

    it('is pasted, and finds what the command line finds by it; what it missed is told', async () => {
      const text = ['src_ip,dst_ip,dst_port', ...flows.map(String), '192.0.2.250,192.0.2.251,9'];
      const file = path.join(folder, 'flows.csv');
      writeFileSync(file, `${text.join('\n')}\n`);
      const [all, count] = [await counted('kind:flow'), await counted('kind:flow', '--list', file)];
      expect(count).toBeLessThan(all);
      await window.query.run('kind:flow');
      await expect.poll(() => window.found()).toBe(all);
      await list.open();
      await list.text.fill(text.join('\n'));
      await expect(list.verdict).toHaveText(
        '21 lines, matched as src_ip, dst_ip, dst_port, in either direction',
      );
      await shot(opened.page, 'list-pasted');
      await list.match.click();
      await expect.poll(() => window.found()).toBe(count);
      await expect.poll(() => window.timeline.total()).toBe(count);
      await expect(list.chip).toContainText('pasted list · 21 lines');
      await shot(opened.page, 'list-on');
      expect(await list.missed()).toEqual({ missed: 1, of: 21 });
      await expect(list.unmatched).toContainText('192.0.2.250,192.0.2.251,9');
      await shot(opened.page, 'list-unmatched');
      await opened.page.keyboard.press('Escape');

      await window.show('Top talkers');
      await expect.poll(() => window.talkers.total()).toBe(count);
      await window.show('Events');
      await list.takeOff();
      await expect.poll(() => window.found()).toBe(all);
      await expect(list.chip).toBeHidden();
      await opened.page.keyboard.press('Alt+ArrowLeft');
      await expect.poll(() => window.found()).toBe(count);
      await expect(list.chip).toBeVisible();
    });

    it('is kept by the window when the engine is started again', async () => {
      const [found, engine] = [await window.found(), await opened.enginePid()];
      process.kill(engine, 'SIGKILL');
      await expect(window.engineBanner).toBeVisible();
      await expect(window.engineBanner).toBeHidden();
      await expect.poll(() => opened.enginePid()).not.toBe(engine);
      expect(await list.missed()).toEqual({ missed: 1, of: 21 });
      await opened.page.keyboard.press('Escape');
      await expect.poll(() => window.found()).toBe(found);
      await list.takeOff();
    });

    it('is dropped on the dialog, its columns named by a person; the dialog opens with it again', async () => {
      const file = path.join(folder, 'alerts.csv');
      const [[source, target] = []] = flows;
      writeFileSync(file, `attacker;victim;note\n${source};${target};seen\n`);
      await list.open();
      await dropFiles(opened.page, [file]);
      await expect(list.dialog).toContainText('alerts.csv');
      await expect(list.verdict).toHaveText('Choose above how each column is matched.');
      await expect(list.match).toBeDisabled();
      await shot(opened.page, 'list-not-understood');
      await list.matchAs('attacker', 'src_ip');
      await list.matchAs('victim', 'dst_ip');
      await list.dialog.getByRole('switch', { name: 'Only in the direction as written' }).check();
      await expect(list.verdict).toHaveText('1 line, matched as src_ip, dst_ip; not matched: note');
      await list.match.click();
      const count = await counted(`src_ip:${source} dst_ip:${target}`);
      await window.query.run('');
      await expect.poll(() => window.found()).toBe(count);
      await list.chip.getByRole('button', { name: /Change the list.*alerts\.csv/ }).click();
      await expect(list.dialog).toContainText('alerts.csv');
      await expect(list.dialog.getByLabel('How victim is matched')).toHaveValue('dst_ip');
      await list.dialog.getByRole('button', { name: 'Remove list' }).click();
      await expect(list.chip).toBeHidden();
    });

    it('is left by Escape on a choice that nobody opened', async () => {
      await list.open();
      await list.text.fill('attacker;victim;note\n192.0.2.250;192.0.2.251;seen\n');
      // Reached by the Tab key it opens nothing that would take the Escape.
      await list.dialog.getByLabel('How attacker is matched').focus();
      await opened.page.keyboard.press('Escape');
      await expect(list.dialog).toBeHidden();
    });

    it('of which no row is met says so', async () => {
      await list.open();
      // A list that is too long to be edited is shown as a file.
      await list.paste('192.0.2.250\n', 50_000);
      await expect(list.match).toHaveText('Match 50,000 lines');
      await expect(list.text).toBeHidden();
      await list.dialog.getByRole('button', { name: 'Replace the list' }).click();
      await list.text.fill('192.0.2.250\n192.0.2.251\n');
      await expect(list.verdict).toHaveText('2 lines: 2 addresses');
      await list.match.click();
      await expect(opened.page.getByText('Nothing in the list was found')).toBeVisible();
      await shot(opened.page, 'list-nothing');
      await opened.page.keyboard.press('Alt+ArrowLeft');
      await expect(window.events.row(0)).toBeVisible();
    });
  },
);
