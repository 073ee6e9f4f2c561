/**
 * Work on a case after its first import, in each shell: the sample, a table of unknown format, a zone and a year
 * changed, settings, verifying and joining, a dropped folder, and an import whose engine was killed and which is
 * resumed from the notice about it.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { eventsOf, type Expected } from '../../fixtures/generate.ts';
import { generateEvidence } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect, IMPORT_MS, ready } from './pages/expect.ts';
import { addsUp } from './pages/ledger.ts';
import { browserShell, electronShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

// Small chunks: a killed import loses one.
process.env['DAYBOOK_CHUNK_ROWS'] = '4000';

const LOG = 'auth.log';
const ODD = 'odd.csv';
const ODD_ROWS = 40;

const space = scratch();
const folder = path.join(space.folder, 'from-a-colleague');
const evidence = path.join(space.folder, 'more', 'evidence');
let logRecords: number;
let more: Expected;

/** A table with misleading headings: the user swaps its sides. */
function oddTable(): string {
  const rows = Array.from({ length: ODD_ROWS }, (_, i) => {
    const time = new Date(Date.UTC(2026, 9, 14, 8, 0, i)).toISOString();
    return `${time},10.1.0.${1 + (i % 7)},192.0.2.${1 + (i % 3)},${443 + (i % 2)},${1000 + i},${5000 + i}`;
  });
  return `time,src,dst,dd,ee,ff\n${rows.join('\n')}\n`;
}

beforeAll(async () => {
  const made = path.join(space.folder, 'made');
  await generateEvidence(made, '--scale', '0.05');
  const expected = JSON.parse(readFileSync(path.join(made, 'expected.json'), 'utf8')) as Expected;
  logRecords = expected.sources[`syslog/${LOG}`]?.records ?? Number.NaN;
  mkdirSync(path.join(folder, 'logs'), { recursive: true });
  copyFileSync(path.join(made, 'evidence/syslog', LOG), path.join(folder, 'logs', LOG));
  writeFileSync(path.join(folder, ODD), oddTable());
  const large = path.dirname(evidence);
  await generateEvidence(large, '--scale', '1');
  more = JSON.parse(readFileSync(path.join(large, 'expected.json'), 'utf8')) as Expected;
}, 120_000);
afterAll(() => space.remove());

for (const shell of [browserShell, electronShell]) {
  const title = shell.whyNot === undefined ? shell.name : `${shell.name}: ${shell.whyNot}`;
  describe.skipIf(shell.whyNot !== undefined)(title, () => {
    const state = path.join(space.folder, shell.name, 'state');
    const caseAt = (name: string): string => path.join(space.folder, shell.name, `${name}.daybook`);
    let opened: OpenWindow;
    let window: DaybookWindow;

    beforeAll(async () => {
      mkdirSync(state, { recursive: true });
      opened = await shell.open({ state });
      window = new DaybookWindow(opened.page);
    }, 120_000);
    afterAll(() => opened?.close());
    afterEach(() => expect(opened.problems).toEqual([]));

    it('brings the sample evidence in, from the button to its events', async () => {
      await window.start.sample.click();
      const { importing } = window;
      await expect(importing.before).toBeVisible({ timeout: IMPORT_MS });
      await expect(importing.before.getByText(/^\d+ sources$/)).toBeVisible();
      await expect(window.caseButton).toHaveAccessibleName('Case sample');
      await shot(opened.page, `${shell.name}-sample-preview`);
      await importing.begin();
      await expect(importing.ledger).toBeVisible({ timeout: IMPORT_MS });
      const total = await importing.total();
      expect(addsUp(total), JSON.stringify(total)).toBe(true);
      expect(total.stored).toBeGreaterThan(50_000);
      await importing.showEvents();
      await expect(window.events.row(0)).toBeVisible();
      await shot(opened.page, `${shell.name}-sample`);
    });

    it('reads a table that it does not know as a person says', async () => {
      await window.caseMenu('New case…');
      await window.newCase.create(caseAt('work'));
      await expect(window.caseButton).toHaveAccessibleName('Case work');
      const { importing } = window;
      await window.drop([path.join(folder, ODD), path.join(folder, 'logs', LOG)]);
      await expect(importing.before.getByText('2 sources')).toBeVisible({ timeout: IMPORT_MS });
      // The mapping taken from the headings is open for review.
      await expect(importing.columnFor('src_ip')).toHaveValue('src');
      await expect(importing.columnFor('dst_ip')).toHaveValue('dst');
      await shot(opened.page, `${shell.name}-mapping-guessed`);
      await importing.mapColumn('src_ip', 'dst');
      await expect(importing.columnFor('src_ip')).toHaveValue('dst');
      await importing.mapColumn('dst_ip', 'src');
      await expect(importing.columnFor('dst_ip')).toHaveValue('src');
      const records = importing.before.getByRole('region', { name: 'First records' });
      await expect(records.getByRole('row').nth(1)).toContainText('192.0.2.1');
      await shot(opened.page, `${shell.name}-mapping`);
      await importing.begin();
      await expect(importing.ledger).toBeVisible({ timeout: IMPORT_MS });
      expect((await importing.counts(ODD)).stored).toBe(ODD_ROWS);
      await importing.showEvents();
      await window.query.run('src_ip:192.0.2.1 dst_ip:10.1.0.1');
      // Rows 0, 21, 42, …: of seven and of three.
      await expect.poll(() => window.found()).toBe(Math.ceil(ODD_ROWS / 21));
    });

    it('has a number and an examiner', async () => {
      await window.caseMenu('Case details…');
      const dialog = opened.page.getByRole('dialog', { name: 'Case details' });
      await dialog.getByRole('textbox', { name: 'Case number' }).fill('2026/17');
      await dialog.getByRole('textbox', { name: 'Examiner' }).fill('A. Example');
      await shot(opened.page, `${shell.name}-case-details`);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(dialog).toBeHidden();
      // As the window learns from the change of the case.
      await window.caseMenu('Case details…');
      await expect(dialog.getByRole('textbox', { name: 'Case number' })).toHaveValue('2026/17');
      await opened.page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    });

    // The desktop shell has no part in these.
    if (shell === browserShell) {
      it('moves the times of a source when its zone, year and clock are changed', async () => {
        await window.query.run('kind:log');
        await expect.poll(() => window.found()).toBe(logRecords);
        const before = await window.events.text(0, 'time');
        await window.show('Sources & imports');
        const detail = await window.sources.open(LOG);
        const zone = detail.getByRole('combobox', { name: 'Another zone' });
        await zone.fill('+05:00');
        await zone.press('Enter');
        await detail.getByRole('textbox', { name: 'Another year of the last record' }).fill('2024');
        const clock = detail.getByRole('textbox', { name: 'How wrong the clock was' });
        await clock.fill('90');
        // The zone and the year are not changed without the correction that the user meant to enter.
        const apply = detail.getByRole('button', { name: 'Apply' });
        await expect(detail.getByRole('alert')).toContainText(
          '“90” does not say how wrong the clock was',
        );
        await expect(apply).toBeDisabled();
        await shot(opened.page, `${shell.name}-retime-mistyped`);
        await clock.fill('90s fast');
        await expect(detail.getByRole('alert')).toBeHidden();
        await clock.press('Enter');
        await expect(clock).toHaveValue('1m30s fast');
        await shot(opened.page, `${shell.name}-retime`);
        await apply.click();
        await expect(window.notice(/events have new times/)).toBeVisible();
        await expect(clock).toHaveAttribute('placeholder', '1m30s fast');
        await window.show('Events');
        expect(before).not.toMatch(/^2024-/);
        await expect.poll(() => window.events.text(0, 'time')).toMatch(/^2024-/);
        await expect.poll(() => window.found()).toBe(logRecords);
        await window.show('Sources & imports');
        await window.sources.section('Audit log');
        const audit = window.sources.panel.getByRole('table', { name: 'Audit log' });
        await expect(audit.getByRole('row').nth(1)).toContainText('retime');
        await shot(opened.page, `${shell.name}-audit`);
      });

      it('changes all sources of the case together, and names those that stay as they are', async () => {
        await window.caseMenu('Audit log');
        await window.sources.section('Sources');
        // It is still open.
        const detail = window.sources.panel.getByRole('region', { name: `Source ${LOG}` });
        const zone = detail.getByRole('combobox', { name: 'Another zone' });
        await zone.fill('+06:00');
        await zone.press('Enter');
        await detail.getByRole('combobox', { name: 'Sources to change' }).click();
        await shot(opened.page, `${shell.name}-retime-scope`);
        await opened.page.getByRole('option', { name: '2 sources of the case' }).click();
        await detail.getByRole('button', { name: 'Apply' }).click();
        await expect(window.notice(`the zone of ${ODD} was not decided`)).toBeVisible();
        await expect(zone).toHaveAttribute('placeholder', '+06:00');
        // The clock of every source can be decided.
        const clock = detail.getByRole('textbox', { name: 'How wrong the clock was' });
        await clock.fill('2m slow');
        await clock.press('Enter');
        await detail.getByRole('button', { name: 'Apply' }).click();
        await expect(window.notice(`${logRecords + ODD_ROWS} events have new times`)).toBeVisible();
        await expect(clock).toHaveAttribute('placeholder', '2m slow');
        const other = await window.sources.open(ODD);
        await expect(
          other.getByRole('textbox', { name: 'How wrong the clock was' }),
        ).toHaveAttribute('placeholder', '2m slow');
      });
    }

    it('joins segments and verifies that case and evidence are intact', async () => {
      await window.caseMenu('Audit log');
      await window.sources.care(/^Compact/);
      await expect(window.notice('The case is compact')).toBeVisible();
      await window.caseMenu('Verify the case and its evidence…');
      const dialog = opened.page.getByRole('dialog', { name: 'Verify the case and its evidence' });
      const verdicts = dialog.getByRole('status');
      await expect(verdicts).toContainText('The case is intact', { timeout: IMPORT_MS });
      await expect(verdicts).toContainText('The evidence is unchanged: 2 files');
      await expect(verdicts).toContainText('equal the evidence in every field');
      await shot(opened.page, `${shell.name}-verified`);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await expect(dialog).toBeHidden();
    });

    it('hands the case over to a folder, and a second time only what is new', async () => {
      const target = path.join(space.folder, shell.name, 'handed-over');
      await window.caseMenu('Hand over…');
      const dialog = opened.page.getByRole('dialog', { name: 'Hand the case over' });
      await ready(dialog);
      const hand = dialog.getByRole('button', { name: 'Hand over' });
      await dialog.getByRole('textbox', { name: 'Folder' }).fill(caseAt('work'));
      await hand.click();
      await expect(dialog.getByRole('alert')).toContainText('is a case');
      await dialog.getByRole('textbox', { name: 'Folder' }).fill(target);
      await hand.click();
      const outcome = dialog.getByRole('status');
      await expect(outcome).toContainText('The hand-over is written', { timeout: IMPORT_MS });
      await expect(outcome).toContainText(target);
      await shot(opened.page, `${shell.name}-handed-over`);
      await hand.click();
      await expect(outcome).toContainText('1 file written');
      const manifest = readFileSync(path.join(target, 'manifest.json'), 'utf8');
      expect(JSON.parse(manifest)).toMatchObject({ case: { name: 'work.daybook' } });
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await expect(dialog).toBeHidden();
    });

    it('keeps settings, in the window and on disk', async () => {
      const dialog = opened.page.getByRole('dialog', { name: 'Settings' });
      const memory = dialog.getByRole('textbox', { name: 'Memory for queries (MB)' });
      const workers = dialog.getByRole('textbox', { name: 'Import workers' });
      await window.caseMenu('Settings…');
      await ready(dialog);
      await memory.fill('700');
      await workers.fill('1');
      await shot(opened.page, `${shell.name}-settings`);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(dialog).toBeHidden();
      await window.caseMenu('Settings…');
      await expect(memory).toHaveValue('700');
      await expect(workers).toHaveValue('1');
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      const kept = readFileSync(path.join(state, 'settings.json'), 'utf8');
      expect(JSON.parse(kept)).toMatchObject({ memory: 700e6, jobs: 1 });
    });

    it.skipIf(shell.name === 'electron')(
      'takes a folder that is dropped, and its files by their place in it',
      async () => {
        await window.caseMenu('New case…');
        await window.newCase.create(caseAt('folder'));
        await expect(window.caseButton).toHaveAccessibleName('Case folder');
        await window.dropFolders([folder]);
        const { importing } = window;
        await expect(importing.before.getByText('2 sources')).toBeVisible({ timeout: IMPORT_MS });
        await expect(importing.before).toContainText(`logs/${LOG}`);
        await importing.begin();
        await expect(importing.ledger).toBeVisible({ timeout: IMPORT_MS });
        expect((await importing.counts(`logs/${LOG}`)).stored).toBe(logRecords);
        await importing.showEvents();
        await expect.poll(() => window.inCase()).toBe(logRecords + ODD_ROWS);
      },
    );

    // Engines of both shells die during an import in import.test.ts; resuming is the window's part.
    if (shell === browserShell)
      it('goes on with an import whose engine was killed, from where that is told', async () => {
        await window.caseMenu('New case…');
        await window.newCase.create(caseAt('killed'));
        await expect(window.caseButton).toHaveAccessibleName('Case killed');
        const { importing } = window;
        const files = Object.keys(more.sources).map((name) => path.join(evidence, name));
        expect(files.filter((file) => !existsSync(file))).toEqual([]);
        await window.drop(files);
        await expect(importing.before.getByText('8 sources')).toBeVisible({ timeout: IMPORT_MS });
        await importing.begin();
        await expect(importing.running.getByText(/[1-9]\d* %/)).toBeVisible();
        process.kill(await opened.enginePid(), 'SIGKILL');
        await expect(window.engineBanner).toBeVisible();
        await expect(window.engineBanner).toBeHidden();
        await expect(importing.ledger.getByText('The import stopped')).toBeVisible();
        await shot(opened.page, `${shell.name}-killed-import`);
        await importing.resume();
        // The text shown instead is part of the failure.
        await expect
          .poll(() => importing.ledger.innerText({ timeout: IMPORT_MS }), { timeout: IMPORT_MS })
          .toMatch(/^[\d,]+ events$/m);
        const total = await importing.total();
        expect(addsUp(total), JSON.stringify(total)).toBe(true);
        await importing.showEvents();
        const events = eventsOf(more.byKind);
        await expect.poll(() => window.inCase()).toBe(events);
      });
  });
}
