/** Conversations of flows that state neither sent nor received bytes. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { importInto } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

/** One with a total for both directions only, one with a number for each, one with none. */
const FILES = {
  'totals.csv': [
    'StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,TotPkts,TotBytes',
    '2026/11/21 10:00:00,1,tcp,10.0.0.7,5,->,10.0.0.8,6,CON,12,5000000',
  ],
  'ways.csv': [
    'ts,src_ip,src_port,dst_ip,dst_port,proto,packets,packets_rev,bytes,bytes_rev',
    '2026-11-21T10:00:00Z,10.0.0.5,5,10.0.0.6,6,tcp,3,0,4000,0',
  ],
  'none.csv': [
    'ts,src_ip,src_port,dst_ip,dst_port,proto',
    '2026-11-21T10:00:00Z,10.0.0.1,5,10.0.0.2,6,tcp',
  ],
};

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(
  whyNot === undefined ? 'conversations' : `conversations: ${whyNot}`,
  () => {
    let opened: OpenWindow;
    let window: DaybookWindow;
    const makeCase = (folder: string): Promise<string> => {
      const files = Object.entries(FILES).map(([name, lines]) => {
        const file = path.join(folder, name);
        writeFileSync(file, `${lines.join('\n')}\n`);
        return file;
      });
      return importInto(path.join(folder, 'ways.daybook'), ...files);
    };
    onCase(makeCase, (...all) => ([opened, window] = all));

    it('says which of sent, received and both ways is stated, and which is not', async () => {
      const { conversations } = window;
      await window.show('Conversations');
      await conversations.row(2).waitFor();
      const of = async (row: number) => {
        const [a] = await conversations.hosts(row);
        const ways = conversations.row(row).getByRole('img');
        return [a, await ways.getAttribute('aria-label'), await ways.innerText()];
      };
      expect((await of(0)).slice(0, 2)).toEqual([
        '10.0.0.7',
        'Sent by the client: unknown, received: unknown, both ways together: 5.0 MB',
      ]);
      expect((await of(0))[2]).not.toContain('MB');
      expect((await of(1)).slice(0, 2)).toEqual([
        '10.0.0.5',
        'Sent by the client: 4.0 kB, received: 0 B',
      ]);
      expect((await of(2)).slice(0, 2)).toEqual([
        '10.0.0.1',
        'Sent by the client: unknown, received: unknown',
      ]);
      await expect(
        conversations.panel.getByRole('columnheader', { name: 'both ways' }),
      ).toBeVisible();
      await expect(conversations.row(0)).toContainText('5.0 MB');
      await expect(conversations.row(0).getByRole('cell').nth(5)).toHaveText('12');
      await expect(conversations.row(2).getByRole('cell').nth(5)).toHaveText('–');
      await shot(opened.page, 'conversations-ways');
    });

    it('says so in the pictures', async () => {
      const { conversations } = window;
      await conversations.as('Matrix');
      await expect(conversations.panel).toContainText(
        '10.0.0.7 → 10.0.0.8 · 5.0 MB (5.0 MB of it stated for both ways together) of 1 flow',
      );
      await shot(opened.page, 'conversations-ways-matrix');
      await conversations.as('Graph');
      await expect(
        conversations.panel.locator('title', {
          hasText: '10.0.0.8 → 10.0.0.7: 5.0 MB (5.0 MB of it stated for both ways together)',
        }),
      ).toHaveCount(1);
      await conversations.as('Table');
    });
  },
);
