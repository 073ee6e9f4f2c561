/** No table of the window cuts a number, whatever its size, on a small laptop and at twice its size. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { daybook, importInto } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow, TabName } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const FLOWS = 12_000;
/** So that the sums have eleven digits and more. */
const EACH = 1_413_232_871;

/** Flows of one pair of hosts, each of a day and more, and a few of others. */
function flows(): string {
  const lines = Array.from({ length: FLOWS }, (_, i) => {
    const second = String(i % 60).padStart(2, '0');
    const from = i < 40 ? `198.51.100.${i}` : '192.168.100.200';
    return `2026-11-21T10:00:${second}Z,123456,${from},${1024 + i},203.0.113.240,65535,tcp,${EACH},${EACH},${EACH},${EACH}`;
  });
  const heading =
    'ts,duration,src_ip,src_port,dst_ip,dst_port,proto,bytes,bytes_rev,packets,packets_rev';
  return `${[heading, ...lines].join('\n')}\n`;
}

/** Rows before the last, which has longer values than they have; more than are read at once. */
const LATER = 1000;
const LONG_ADDRESS = '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff';
const later = (): string => {
  const line = (second: number, from: string, bytes: number): string =>
    `2026-11-22T10:00:${String(second % 60).padStart(2, '0')}Z,${from},1,203.0.113.1,2,tcp,${bytes}`;
  const lines = Array.from({ length: LATER }, (_, i) => line(0, '10.0.0.1', i % 10));
  const heading = 'ts,src_ip,src_port,dst_ip,dst_port,proto,bytes';
  return `${[heading, ...lines, line(59, LONG_ADDRESS, 123_456_789_012)].join('\n')}\n`;
};

/** Cells that hold a number or an address and are narrower than it, of all tables that are shown. */
const CUT = `(() => {
  const cut = [];
  let numbers = 0;
  for (const cell of document.querySelectorAll('[role="tabpanel"] :is(td, [role="gridcell"])')) {
    const text = cell.innerText.trim();
    const isNumber = /^[~–\\d][\\d,.\\s]*(%|[kMGTP]?B|ms|s|d|h|min|\\s|\\d)*$/.test(text);
    if (!isNumber && !/^[\\da-f:]+:[\\da-f:]+$/.test(text)) continue;
    if (cell.getBoundingClientRect().width === 0) continue;
    numbers += 1;
    for (const one of [cell, ...cell.querySelectorAll('*')])
      if (getComputedStyle(one).display !== 'inline' && one.scrollWidth > one.clientWidth) cut.push(text);
  }
  return { numbers: numbers > 0, cut };
})()`;

/** Rows of a table that are seen wholly. */
const ROWS_SEEN = `(() => {
  const seen = [...document.querySelectorAll('[role="tabpanel"] tbody tr')].filter((row) => {
    const { left, top, bottom } = row.getBoundingClientRect();
    return [top + 2, bottom - 2].every((y) => row.contains(document.elementFromPoint(left + 20, y)));
  });
  return seen.length;
})()`;

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(
  whyNot === undefined ? 'numbers' : `numbers: ${whyNot}`,
  () => {
    let opened: OpenWindow;
    let window: DaybookWindow;
    const makeCase = async (folder: string): Promise<string> => {
      const files = ['large.csv', 'later.csv'].map((name) => path.join(folder, name));
      for (const [i, text] of [flows(), later()].entries()) writeFileSync(files[i]!, text);
      const target = await importInto(path.join(folder, 'large.daybook'), ...files);
      const tagged = await daybook(['tag', target, 'ip:192.168.100.200', 'large']);
      expect(tagged.status, tagged.err).toBe(0);
      return target;
    };
    onCase(makeCase, (...all) => ([opened, window] = all));

    it('numbers and addresses of rows far below the first', async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1600, height: 800 });
      await window.query.run('source:later.csv | fields ts, src_ip, dst_ip, bytes');
      await expect.poll(() => window.found()).toBe(LATER + 1);
      await window.events.grid.press('End');
      const cell = window.events.row(LATER).getByText(LONG_ADDRESS, { exact: true });
      await expect(cell).toBeVisible();
      await expect.poll(() => page.evaluate<object>(CUT)).toEqual({ numbers: true, cut: [] });
      await shot(page, 'numbers-later');
    });

    it('addresses in the list of fields, at the widths that the side has first', async () => {
      const { page } = opened;
      await window.query.run('kind:flow src_ip:192.168.100.200');
      await expect.poll(() => window.found()).toBe(FLOWS - 40);
      for (const width of [1024, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        await page.reload();
        const fields = page.getByRole('region', { name: 'Fields' });
        const value = fields.getByRole('button', { name: '192.168.100.200', exact: true }).first();
        await expect(value).toBeVisible();
        const cut = await page.evaluate<string[]>(`[...document.querySelectorAll(
            'section[aria-label="Fields"] button'
          )]
          .filter((one) => /^[\\d.]+$/.test(one.innerText) && one.scrollWidth > one.clientWidth)
          .map((one) => one.innerText)`);
        expect(cut, `${width}`).toEqual([]);
        await shot(page, `numbers-fields-${width}`);
      }
    });

    const views: readonly { tab: TabName; query: string; first: string }[] = [
      { tab: 'Events', query: '* | fields ts, duration, bytes, bytes_rev, packets', first: '1413' },
      { tab: 'Top talkers', query: '', first: '12,000' },
      { tab: 'Conversations', query: '', first: '11,960' },
      { tab: 'Hosts', query: '', first: '12,000' },
      { tab: 'Findings', query: '', first: '11,960' },
      { tab: 'Answer', query: '* | stats sum(bytes), sum(packets) by src_ip', first: 'GB' },
    ];
    it.each(views)('$tab', async ({ tab, query, first }) => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      await window.query.run(query);
      await window.show(tab);
      if (tab === 'Top talkers') await window.talkers.groupBy('Destinations');
      await expect(page.getByRole('tabpanel', { name: new RegExp(`^${tab}`) })).toContainText(
        first,
      );
      for (const size of [
        { width: 1280, height: 800 },
        { width: 640, height: 400 },
      ]) {
        await page.setViewportSize(size);
        await shot(page, `numbers-${tab.toLowerCase().replace(' ', '-')}-${size.width}`);
        await expect.poll(() => page.evaluate<object>(CUT)).toEqual({ numbers: true, cut: [] });
      }
    });

    it.each(['Top talkers', 'Hosts'] as const)('%s shows some at twice its size', async (tab) => {
      const { page } = opened;
      await page.setViewportSize({ width: 640, height: 400 });
      await window.query.run('');
      await window.show(tab);
      if (tab === 'Top talkers') await window.talkers.groupBy('Sources');
      await expect.poll(() => page.evaluate<number>(ROWS_SEEN)).toBeGreaterThanOrEqual(3);
      await shot(page, `numbers-low-${tab.toLowerCase().replace(' ', '-')}`);
    });
  },
);
