/** Connections from private to public addresses, in Top talkers and Conversations: those alone, by what their clients sent. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { importInto } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const INSIDE = ['10.0.0.5', '192.168.7.9'] as const;
const OUTSIDE = ['198.18.0.1', '8.8.8.8'] as const;
/** From, to, bytes of the client and bytes of the server. */
const CONNECTIONS = [
  [INSIDE[0], OUTSIDE[1], 1000, 7],
  [INSIDE[0], OUTSIDE[1], 234, 7],
  // What a server inside answers is not what it sends by itself.
  [OUTSIDE[1], INSIDE[0], 5, 900_000],
  [INSIDE[0], INSIDE[1], 70_000, 70_000],
  [OUTSIDE[1], '1.1.1.1', 80_000, 80_000],
] as const;

function connLog(): string {
  const fields = ['ts', 'uid', 'id.orig_h', 'id.orig_p', 'id.resp_h', 'id.resp_p', 'proto'];
  const all = [...fields, 'orig_bytes', 'resp_bytes'];
  const rows = CONNECTIONS.map(([from, to, sent, answered], i) =>
    [1_772_000_000 + i, `C${i}`, from, 40_000 + i, to, 443, 'tcp', sent, answered].join('\t'),
  );
  return [
    ...['#separator \\x09', '#set_separator\t,', '#empty_field\t(empty)', '#unset_field\t-'],
    ...['#path\tconn', `#fields\t${all.join('\t')}`],
    '#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tcount\tcount',
    ...rows,
    '',
  ].join('\n');
}

describe.skipIf(browserShell.whyNot !== undefined)(
  browserShell.whyNot === undefined ? 'browser' : `browser: ${browserShell.whyNot}`,
  () => {
    let opened: OpenWindow;
    let window: DaybookWindow;

    const makeCase = (folder: string): Promise<string> => {
      const log = path.join(folder, 'conn.log');
      writeFileSync(log, connLog());
      return importInto(path.join(folder, 'flows.daybook'), log);
    };
    onCase(makeCase, (...all) => ([opened, window] = all));

    it('lists their pairs', async () => {
      await window.show('Conversations');
      const { panel } = window.conversations;
      await expect(panel.getByText('3 pairs')).toBeVisible();
      await panel.getByRole('button', { name: 'Private to public' }).click();
      await expect(panel.getByText('1 pair')).toBeVisible();
      expect(await window.conversations.hosts(0)).toEqual([INSIDE[0], OUTSIDE[1]]);
      await expect(window.query.input).toHaveText('src_ip:private dst_ip:public');
    });

    it('tells which host sent most to whom, besides what else is asked for', async () => {
      await window.query.run('dst_port:443');
      await expect.poll(() => window.found()).toBe(CONNECTIONS.length);
      await window.show('Top talkers');
      const { talkers } = window;
      await talkers.panel.getByRole('button', { name: 'Private to public' }).click();
      await expect.poll(() => window.found()).toBe(2);
      await shot(opened.page, 'private-to-public');
      await expect(talkers.panel.getByText('the only group')).toBeVisible();
      await expect(talkers.row(0)).toContainText(INSIDE[0]);
      await expect(talkers.row(0)).toContainText(OUTSIDE[1]);
      await expect(talkers.row(0).getByTitle('1,234', { exact: true })).toBeVisible();
      await expect(window.query.input).toHaveText('dst_port:443 src_ip:private dst_ip:public');
    });
  },
);
