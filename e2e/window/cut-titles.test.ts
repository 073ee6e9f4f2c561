/** Truncated text can be read all the same: its whole text is its title. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { importInto } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const ADDRESS = '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff';
const MESSAGE = `app: the session of ${'somebody-with-a-long-name '.repeat(12)}was opened`;
const OTHER = `app: ${'another text that is too long for its column '.repeat(8)}`.trim();
const NAME = 'a-log-whose-name-is-longer-than-the-list-of-sources-has-room-for.log';

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(
  whyNot === undefined ? 'cut text' : `cut text: ${whyNot}`,
  () => {
    let opened: OpenWindow;
    let window: DaybookWindow;
    const makeCase = (folder: string): Promise<string> => {
      const [table, log] = [path.join(folder, 'evidence.csv'), path.join(folder, NAME)];
      writeFileSync(
        table,
        `ts,src_ip,src_port,dst_ip,dst_port,proto,bytes\n2026-11-21T10:00:00Z,${ADDRESS},1024,10.0.0.1,80,tcp,5\n`,
      );
      writeFileSync(
        log,
        [`web01 ${MESSAGE}`, `web01 ${MESSAGE}`, `web02 ${OTHER}`]
          .map((line, i) => `2026-11-21T10:00:0${i}Z ${line}\n`)
          .join(''),
      );
      return importInto(path.join(folder, 'cut.daybook'), table, log);
    };
    onCase(makeCase, (...all) => ([opened, window] = all), { size: { width: 1280, height: 800 } });

    it('in the table of events, and only while the pointer is on it', async () => {
      await window.query.run('kind:log | fields ts, host, message');
      await expect.poll(() => window.found()).toBe(3);
      const message = await window.events.cell(0, 'message');
      await message.hover();
      await expect(message).toHaveAttribute('title', MESSAGE);
      const host = await window.events.cell(0, 'host');
      await host.hover();
      await expect(message).not.toHaveAttribute('title');
      await expect(host).not.toHaveAttribute('title');
    });

    it('in the shapes of messages, which have the room that the other columns leave', async () => {
      const { page } = opened;
      await window.query.run('kind:log | patterns');
      const panel = page.getByRole('tabpanel', { name: /^Answer/ });
      const template = panel.getByRole('cell').filter({ hasText: 'the session of' }).first();
      await template.hover();
      await expect(template).toHaveAttribute('title', MESSAGE);
      await shot(page, 'cut-titles-patterns');
      const table = panel.getByRole('table');
      await expect
        .poll(async () => (await table.boundingBox())?.width ?? Infinity)
        .toBeLessThanOrEqual((await panel.boundingBox())?.width ?? 0);
    });

    it('as it is now, when the text under a pointer that rests becomes another', async () => {
      const panel = opened.page.getByRole('tabpanel', { name: /^Answer/ });
      const template = panel
        .getByRole('cell')
        .filter({ hasText: /^app: / })
        .first();
      await window.query.run('host:web01 | patterns');
      await expect(template).toHaveText(MESSAGE);
      await template.hover();
      await expect(template).toHaveAttribute('title', MESSAGE);
      await window.query.input.focus();
      await opened.page.keyboard.press('Control+A');
      await opened.page.keyboard.type('host:web02 | patterns');
      await opened.page.keyboard.press('Enter');
      await expect(template).toHaveText(OTHER);
      await expect(template).toHaveAttribute('title', OTHER);
    });
  },
);
