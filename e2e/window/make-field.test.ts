/**
 * Making a field: text is selected in the message of an event, the template is proposed and tried, the field is
 * saved, the events of the case get it, and are grouped by it. Once with the mouse, once with keys.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { importInto } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const LINES = 600;
const DOORS = LINES / 2;
const NAMES = ['alice', 'bob', 'carol'];

/** Every second line says who opened a door; no extractor of Daybook reads it. */
function gateLog(): string {
  return Array.from({ length: LINES }, (_, n) => {
    const time = new Date(Date.UTC(2026, 9, 14, 8) + n * 1000).toISOString();
    const message =
      n % 2 === 0
        ? `gate[${n}]: door ${n % 9} opened by ${NAMES[(n / 2) % 3]!} at pillar ${n}`
        : `app: all is well ${n}`;
    return `${time} fw1 ${message}\n`;
  }).join('');
}

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(
  whyNot === undefined ? 'making a field' : `making a field: ${whyNot}`,
  () => {
    let opened: OpenWindow;
    let window: DaybookWindow;
    const makeCase = (folder: string): Promise<string> => {
      const log = path.join(folder, 'gate.log');
      writeFileSync(log, gateLog());
      return importInto(path.join(folder, 'gate.daybook'), log);
    };
    onCase(makeCase, (...all) => ([opened, window] = all));

    const dialog = () => opened.page.getByRole('dialog', { name: 'Make a field' });
    const fieldBox = () => dialog().getByRole('combobox', { name: 'Field' });
    const trial = () => dialog().getByRole('region', { name: 'Messages that the template fits' });

    it('proposes a template of text that is selected in the details', async () => {
      const { page } = opened;
      await window.query.run('program:gate alice');
      await expect.poll(() => window.found()).toBe(DOORS / 3);
      await window.events.open(0);
      const name = window.details.region.getByText('alice', { exact: false }).last();
      await name.waitFor();
      await page.evaluate(`(() => {
        const region = document.querySelector('[aria-label="Details of the selected event"]');
        const walker = document.createTreeWalker(region, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const at = node.data.indexOf('alice');
          // The word that was searched for is marked within the message.
          const parent = node.parentElement;
          const around = parent.tagName === 'MARK' ? parent.parentElement : parent;
          if (at < 0 || !around.textContent.includes('door')) continue;
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 5);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          return;
        }
        throw new Error('the message is not there');
      })()`);
      await window.details.region.getByRole('button', { name: 'Make a field…' }).click();
      await expect(dialog().getByText('Selected: alice')).toBeVisible();
      await expect(fieldBox()).toBeFocused();
      await fieldBox().fill('user');
      await fieldBox().press('Tab');
      await expect(dialog().getByRole('textbox', { name: 'Template' })).toHaveValue(
        'door {:number} opened by {user:word} at pillar {:number}',
      );
      await expect(trial()).toContainText(`Fits ${DOORS} of ${DOORS} events`);
      await expect(trial().getByRole('row').nth(1)).toContainText(/alice|bob|carol/);
      await shot(page, 'make-field');
    });

    it('says what is wrong with a template, and what fits nothing', async () => {
      const template = dialog().getByRole('textbox', { name: 'Template' });
      await template.fill('door {nonsense} opened by {user:word}');
      await expect(dialog().getByRole('alert')).toContainText('cannot fill a field nonsense');
      await expect(dialog().getByRole('button', { name: 'Save' })).toBeDisabled();
      await template.fill('window {:number} opened by {user:word}');
      await expect(trial()).toContainText(`Fits none of ${DOORS} events`);
      await expect(dialog().getByRole('button', { name: 'Save' })).toBeDisabled();
      await shot(opened.page, 'make-field-nothing');
      await template.fill('door {:number} opened by {user:word} at {:rest}');
      await expect(trial()).toContainText(`Fits ${DOORS} of ${DOORS} events`);
    });

    it('saves it, cuts the fields of the events again, and groups by it', async () => {
      const { page } = opened;
      await dialog().getByRole('button', { name: 'Save' }).click();
      await expect(dialog().getByRole('status')).toContainText('Saved as own-gate, version 1');
      await expect(dialog().getByRole('button', { name: 'Extract fields again' })).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(dialog()).toBeHidden();
      await window.query.run('program:gate | top 10 user');
      for (const name of NAMES)
        await expect(
          page.getByRole('row', { name: new RegExp(`${name}\\b.*${DOORS / 3}`) }),
        ).toBeVisible();
      // The event that is open has its new field, too.
      await expect(window.details.region.getByText('user', { exact: true })).toBeVisible();
      await shot(page, 'make-field-grouped');
    });

    it('makes another of the same message by keys alone', async () => {
      const { page } = opened;
      await window.query.run('program:gate bob');
      await expect.poll(() => window.found()).toBe(DOORS / 3);
      await window.events.open(0);
      await window.details.region.getByRole('button', { name: 'Make a field…' }).focus();
      await page.keyboard.press('Enter');
      const message = dialog().getByRole('textbox', { name: 'Message of gate' });
      await message.focus();
      await page.keyboard.press('Home');
      for (let i = 0; i < 'door '.length; i++) await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await fieldBox().fill('session');
      await fieldBox().press('Tab');
      await expect(dialog().getByRole('textbox', { name: 'Template' })).toHaveValue(
        'door {session:word} opened by {user:word} at pillar {:number}',
      );
      await expect(trial()).toContainText(`Fits ${DOORS} of ${DOORS} events`);
      await dialog().getByRole('button', { name: 'Save' }).press('Enter');
      await expect(dialog().getByRole('status')).toContainText('Saved as own-gate, version 2');
      await page.keyboard.press('Enter');
      await expect(dialog()).toBeHidden();
      await window.query.run('user:bob session:* | count');
      await expect(page.getByRole('main')).toContainText(String(DOORS / 3));
    });
  },
);
