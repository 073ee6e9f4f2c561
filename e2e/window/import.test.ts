/**
 * From the first start to evidence in a case, in each shell: a capture, an archive of syslog files and a CSV of
 * flows are dropped together, previewed, decided about, imported; an import is cancelled and resumed; the engine is
 * killed, and nothing that was committed is lost.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { eventsOf, type Expected } from '../../fixtures/generate.ts';
import { generateEvidence } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect, IMPORT_MS, ready } from './pages/expect.ts';
import { addsUp } from './pages/ledger.ts';
import { Palette } from './pages/palette.ts';
import { browserShell, electronShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const CAPTURE = 'bastion01.pcap';
const FLOWS = 'border.csv';
const LOGS = ['auth.log', 'auth.log.1'];
const BUNDLE = [CAPTURE, FLOWS, 'syslog.tar.gz'];

// Small chunks: a cancelled import stops at the edge of one, and a killed one loses one.
process.env['DAYBOOK_CHUNK_ROWS'] = '4000';

const space = scratch();
const bundle = path.join(space.folder, 'bundle');
/** Enough to be cut short. */
const evidence = path.join(space.folder, 'more', 'evidence');
let little: Expected;
let more: Expected;

async function generate(folder: string, scale: string): Promise<Expected> {
  await generateEvidence(folder, '--scale', scale);
  return JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Expected;
}

/** A capture, an archive and a table: small, of different kinds, as a colleague would send them. */
beforeAll(async () => {
  const made = path.join(space.folder, 'made');
  little = await generate(made, '0.2');
  // Enough for an import of it to be still running when it is cancelled, or its engine killed.
  more = await generate(path.dirname(evidence), '1.5');
  mkdirSync(bundle);
  copyFileSync(path.join(made, 'evidence/capture', CAPTURE), path.join(bundle, CAPTURE));
  copyFileSync(path.join(made, 'evidence/flows', FLOWS), path.join(bundle, FLOWS));
  const packed = spawnSync('tar', [
    ...['-czf', path.join(bundle, 'syslog.tar.gz')],
    ...['-C', path.join(made, 'evidence/syslog'), ...LOGS],
  ]);
  if (packed.status !== 0) throw new Error(`tar: ${packed.stderr.toString()}`);
}, 120_000);
afterAll(() => space.remove());

const recordsOf = (name: string): number => little.sources[name]?.records ?? Number.NaN;

for (const shell of [browserShell, electronShell]) {
  const title = shell.whyNot === undefined ? shell.name : `${shell.name}: ${shell.whyNot}`;
  describe.skipIf(shell.whyNot !== undefined)(title, () => {
    const folder = (name: string): string => path.join(space.folder, shell.name, `${name}.daybook`);
    let opened: OpenWindow;
    let window: DaybookWindow;
    /** Three hours before UTC in October. */
    let zone = 'Europe/Helsinki';

    beforeAll(async () => {
      mkdirSync(path.join(space.folder, shell.name), { recursive: true });
      opened = await shell.open();
      window = new DaybookWindow(opened.page);
      if (!(await window.knowsNamedZones())) zone = '+03:00';
    }, 120_000);
    afterAll(() => opened?.close());
    afterEach(() => expect(opened.problems).toEqual([]));

    it('starts where there is no case yet, and offers the sample', async () => {
      await expect(window.start.heading).toBeVisible();
      await expect(window.start.sample).toBeEnabled();
      await expect(window.start.recent).toBeHidden();
      await shot(opened.page, `${shell.name}-start`);
    });

    it('makes a case that says what to do next', async () => {
      await window.start.newCase();
      await window.newCase.create(folder('first'));
      await expect(window.caseButton).toHaveAccessibleName('Case first');
      await expect(opened.page.getByText('This case is empty')).toBeVisible();
      expect(existsSync(path.join(folder('first'), 'case.sqlite'))).toBe(true);
      await shot(opened.page, `${shell.name}-empty-case`);
    });

    it('shows what was dropped before it is imported, and takes decisions', async () => {
      await window.drop(BUNDLE.map((name) => path.join(bundle, name)));
      const { importing } = window;
      await expect(importing.before.getByText('4 sources')).toBeVisible({ timeout: IMPORT_MS });
      await expect(importing.source(CAPTURE)).toContainText('in the file');
      const records = await importing.look(CAPTURE);
      await expect(records.getByRole('row').nth(1)).toContainText('2026-10-13 01:30:');
      await shot(opened.page, `${shell.name}-preview`);

      // Half an hour after midnight in Helsinki is the evening before in UTC.
      const log = 'syslog.tar.gz!auth.log';
      await expect(importing.source(log)).toContainText('2026-10-15 ');
      // A guess is shown as one, with its reason.
      await expect(importing.source(log)).toContainText(/guessed from the file's date of 20\d\d-/);
      await expect(importing.source(log)).toContainText('guessed: the records state none');
      // An impossible year is reported, and nothing is imported without the year that the user meant.
      await importing.yearOf(log).fill('1066');
      await importing.yearOf(log).press('Enter');
      await expect(importing.before.getByRole('alert')).toContainText(
        `“1066” cannot be the year of ${log}: give one from 1970 to 2200`,
      );
      await expect(importing.import).toBeDisabled();
      await importing.yearOf(log).fill('2025');
      await importing.yearOf(log).press('Enter');
      await expect(importing.import).toBeEnabled();
      await expect(importing.source(log)).toContainText('2025-10-15 ');
      await expect(importing.source(log)).not.toContainText('guessed from');
      await importing.zoneOf(log).fill(zone);
      await importing.zoneOf(log).press('Enter');
      await expect(importing.source(log)).toContainText('2025-10-14 2');
    });

    it('corrects the clock of all and of one file, and takes no text that is none', async () => {
      const { importing } = window;
      const log = 'syslog.tar.gz!auth.log';
      await expect(importing.source(CAPTURE)).toContainText('2026-10-13 01:30:');
      await importing.clockOf('all').fill('90');
      await expect(importing.before.getByRole('alert')).toContainText(
        '“90” does not say how wrong the clock of all sources was',
      );
      await expect(importing.import).toBeDisabled();
      await shot(opened.page, `${shell.name}-preview-mistyped`);
      await importing.clockOf('all').fill('1h fast');
      await importing.clockOf('all').press('Enter');
      await expect(importing.source(CAPTURE)).toContainText('2026-10-13 00:30:');
      await expect(importing.import).toBeEnabled();

      // A mistyped text stays visible when the details of its source are closed.
      await importing.clockOf(CAPTURE).fill('2h');
      await importing.source(CAPTURE).getByRole('button', { name: CAPTURE, exact: true }).click();
      await expect(importing.clockOf(CAPTURE)).toBeHidden();
      await expect(importing.before.getByRole('alert')).toContainText(CAPTURE);
      await expect(importing.import).toBeDisabled();
      await importing.look(CAPTURE);
      await expect(importing.clockOf(CAPTURE)).toHaveValue('2h');
      await importing.clockOf(CAPTURE).fill('2h slow');
      await importing.clockOf(CAPTURE).press('Enter');
      await expect(importing.source(CAPTURE)).toContainText('2026-10-13 03:30:');
      await importing.clockOf('all').fill('');
      await importing.clockOf('all').press('Enter');
      await expect(importing.source(log)).toContainText('2025-10-14 2');
      await expect(importing.import).toBeEnabled();
      await shot(opened.page, `${shell.name}-preview-clock`);
    });

    it('imports, and its ledger adds up to what the evidence was made of', async () => {
      const { importing } = window;
      await importing.begin();
      await expect(importing.ledger).toBeVisible({ timeout: IMPORT_MS });
      await shot(opened.page, `${shell.name}-ledger`);
      const total = await importing.total();
      expect(addsUp(total), JSON.stringify(total)).toBe(true);
      const logs = LOGS.map((name) => recordsOf(`syslog/${name}`));
      expect(total).toMatchObject({
        stored: [recordsOf(`capture/${CAPTURE}`), recordsOf(`flows/${FLOWS}`), ...logs].reduce(
          (sum, n) => sum + n,
        ),
        duplicate: 0,
        quarantined: 0,
      });
      const capture = await importing.counts(CAPTURE);
      expect(capture.stored).toBe(recordsOf(`capture/${CAPTURE}`));
      await expect(
        importing.ledger.getByRole('row').filter({ hasText: 'syslog.tar.gz!auth.log.1' }),
      ).toContainText(zone);
      await expect(importing.ledger.getByRole('row').filter({ hasText: CAPTURE })).toContainText(
        '2h slow',
      );
      await importing.showEvents();
      await expect.poll(() => window.found()).toBeGreaterThan(1000);
      await shot(opened.page, `${shell.name}-events`);
    });

    it('shows the bytes of packets as they lie in the evidence', async () => {
      const file = readFileSync(path.join(bundle, CAPTURE));
      await window.query.run('kind:packet');
      await expect.poll(() => window.found()).toBe(recordsOf(`capture/${CAPTURE}`));
      // The number is there before the rows are.
      await expect.poll(() => window.events.text(0, 'kind')).toBe('packet');
      for (const row of [0, 7, 12]) {
        await window.events.open(row);
        await window.details.show('Packet');
        await expect(window.details.layers).toBeVisible();
        const { offset, bytes } = await window.details.bytes();
        expect(bytes.length).toBeGreaterThan(20);
        expect(bytes.equals(file.subarray(offset, offset + bytes.length))).toBe(true);
        // The event's own time is in the record's header, before the frame.
        const micros = file.readUInt32LE(offset - 12);
        expect(await window.events.text(row, 'time')).toContain(String(micros).padStart(6, '0'));
      }
      await shot(opened.page, `${shell.name}-packet`);
      const raw = await window.details.rawAsHex();
      expect(raw.bytes.equals(file.subarray(raw.offset, raw.offset + raw.bytes.length))).toBe(true);
    });

    it('stops an import that is cancelled, and goes on when it is resumed', async () => {
      await window.caseMenu('New case…');
      await window.newCase.create(folder('second'));
      await expect(window.caseButton).toHaveAccessibleName('Case second');
      const { importing } = window;
      if (shell.name === 'browser') {
        await window.caseMenu('Add evidence…');
        await importing.choosePath(path.dirname(evidence), 'evidence');
      } else {
        const files = ['capture', 'syslog', 'flows'].flatMap((one) =>
          readdirSync(path.join(evidence, one)).map((name) => path.join(evidence, one, name)),
        );
        await window.drop(files);
      }
      await expect(importing.before.getByText('8 sources')).toBeVisible({ timeout: IMPORT_MS });
      await importing.begin();
      await expect(importing.running.getByText(/[1-9]\d* %/)).toBeVisible();
      await shot(opened.page, `${shell.name}-importing`);
      await importing.cancel();
      await expect(importing.cancelled).toBeVisible();
      await shot(opened.page, `${shell.name}-cancelled`);
      await importing.ledger.getByRole('button', { name: 'Close' }).last().click();
      await expect.poll(() => window.inCase()).toBeLessThan(more.records);

      await window.show('Sources & imports');
      await window.sources.section('Imports');
      await expect(window.sources.import(0)).toContainText('cancelled');
      expect(addsUp(await window.sources.ledger(0))).toBe(true);
      await window.sources.resume(0);
      await expect(importing.running.getByText(/[1-9]\d* %/)).toBeVisible();
    });

    it('survives its engine: a banner, a new engine, the case as it was committed', async () => {
      const { importing } = window;
      const before = await opened.enginePid();
      process.kill(before, 'SIGKILL');
      await expect(window.engineBanner).toBeVisible();
      await shot(opened.page, `${shell.name}-engine-down`);
      await expect(window.engineBanner).toBeHidden();
      await expect.poll(() => opened.enginePid()).not.toBe(before);
      await expect(window.caseButton).toHaveAccessibleName('Case second');
      // The window was told that the import ended; the events that it had committed are there.
      await importing.ledger.getByRole('button', { name: 'Close' }).last().click();
      await window.show('Sources & imports');
      await window.sources.section('Imports');
      await expect(window.sources.import(0)).toContainText('interrupted');
      expect(addsUp(await window.sources.ledger(0))).toBe(true);
      await window.sources.resume(0);
      await expect(importing.ledger).toBeVisible({ timeout: IMPORT_MS });
      await importing.ledger.getByRole('button', { name: 'Close' }).last().click();
      const events = eventsOf(more.byKind);
      await expect.poll(() => window.inCase()).toBe(events);
      expect(addsUp(await window.sources.ledger(0))).toBe(true);
      await shot(opened.page, `${shell.name}-imports`);
    });

    it('makes a case where it is told to, by an engine that is slow to say where cases are', async () => {
      const { page } = opened;
      const engine = await opened.enginePid();
      await new Palette(page).run('Close the case');
      await expect(window.start.heading).toBeVisible();
      const { dialog } = window.newCase;
      const field = dialog.getByRole('textbox', { name: 'Folder' });
      process.kill(engine, 'SIGSTOP');
      try {
        await page.reload();
        await window.start.newCase();
        await ready(dialog);
        await expect(field).toHaveValue('');
        await field.selectText();
      } finally {
        process.kill(engine, 'SIGCONT');
      }
      // The engine has confirmed it: the text typed now replaces the selection.
      await expect(page.getByText(/^Daybook \d/)).toBeAttached();
      await page.keyboard.insertText(folder('slow'));
      await expect(field).toHaveValue(folder('slow'));
      await dialog.getByRole('button', { name: 'Create case' }).click();
      await expect(window.caseButton).toHaveAccessibleName('Case slow');
      expect(existsSync(path.join(folder('slow'), 'case.sqlite'))).toBe(true);
    });

    it('proposes a folder by the name of a case until another is written', async () => {
      await window.caseMenu('New case…');
      const dialog = await ready(window.newCase.dialog);
      const name = dialog.getByRole('textbox', { name: 'Name' });
      const field = dialog.getByRole('textbox', { name: 'Folder' });
      await name.fill('named');
      await expect(field).toHaveValue(/\bnamed\.daybook$/);
      // Focusing the field does not change its value.
      await field.focus();
      await name.fill('renamed');
      await expect(field).toHaveValue(/\brenamed\.daybook$/);
      await field.fill(folder('own'));
      await name.fill('third');
      await expect(field).toHaveValue(folder('own'));
      await opened.page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    });

    // In Electron the engine reads files in their place.
    it.skipIf(shell.name !== 'browser')(
      'takes what was dropped but for a file that no browser can hand over',
      async () => {
        const odd = path.join(space.folder, 'odd');
        mkdirSync(odd);
        writeFileSync(path.join(odd, 'good.log'), 'Nov 20 10:00:00 host app: good\n');
        writeFileSync(path.join(odd, 'two\nlines.log'), 'Nov 20 10:00:00 host app: odd\n');
        await window.caseMenu('New case…');
        await window.newCase.create(folder('third'));
        await expect(window.caseButton).toHaveAccessibleName('Case third');
        await window.dropFolders([odd]);
        const { choosing, before } = window.importing;
        await expect(choosing.getByRole('alert')).toContainText('odd/two');
        await choosing.getByRole('button', { name: 'Continue with the other 1' }).click();
        await expect(before.getByText('1 source')).toBeVisible({ timeout: IMPORT_MS });
        await expect(before.getByText('good.log')).toBeVisible();
      },
    );
  });
}
