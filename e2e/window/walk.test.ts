/**
 * A newcomer's walk, in each shell, on real evidence that is no part of the repository
 * (../shared/data): open the window, drop a bundle, read the ledger, find the noisiest source, narrow by
 * brushing, pivot to its conversations, open one packet's bytes, read how long each step took.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { ROOT } from '../harness.ts';
import { DaybookWindow } from './pages/daybook-window.ts';
import { expect, IMPORT_MS } from './pages/expect.ts';
import { addsUp } from './pages/ledger.ts';
import { browserShell, electronShell, scratch, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const SHARED = process.env['DAYBOOK_SHARED'] ?? path.resolve(ROOT, '../shared');
const CAPTURE = 'pcap/ndpi-history/cfgs/default/pcap/skype.pcap';
/** Packets of the capture, as capinfos counts them. */
const PACKETS = 2509;
const LOG = 'syslog/loghub/Linux/Linux_2k.log';
const LINES = 2000;
const FLOWS = 'flows/slips/test2-malicious.binetflow';
const BUNDLE = [CAPTURE, LOG, FLOWS].map((name) => path.join(SHARED, 'data', name));
const absent = BUNDLE.find((file) => !existsSync(file));

const space = scratch();
afterAll(() => space.remove());

for (const shell of [browserShell, electronShell]) {
  const why = shell.whyNot ?? (absent === undefined ? undefined : `${absent} is not here`);
  const title = why === undefined ? shell.name : `${shell.name}: ${why}`;
  describe.skipIf(why !== undefined)(title, () => {
    let opened: OpenWindow;
    let window: DaybookWindow;
    let noisiest = '';

    beforeAll(async () => {
      opened = await shell.open();
      window = new DaybookWindow(opened.page);
    }, 120_000);
    afterAll(() => opened?.close());
    afterEach(() => expect(opened.problems).toEqual([]));

    it('opens, takes a bundle that is dropped, and accounts for every record', async () => {
      await expect(window.start.heading).toBeVisible();
      await window.drop(BUNDLE);
      await window.newCase.create(path.join(space.folder, `${shell.name}.daybook`));
      await expect(window.importing.before.getByText('3 sources')).toBeVisible({
        timeout: IMPORT_MS,
      });
      await window.importing.begin();
      await expect(window.importing.ledger).toBeVisible({ timeout: IMPORT_MS });
      const total = await window.importing.total();
      expect(addsUp(total), JSON.stringify(total)).toBe(true);
      expect((await window.importing.counts('skype.pcap')).stored).toBe(PACKETS);
      expect((await window.importing.counts('Linux_2k.log')).read).toBe(LINES);
      await shot(opened.page, `walk-${shell.name}-1-ledger`);
      await window.importing.showEvents();
      await expect.poll(() => window.events.count()).toBeGreaterThan(1000);
      await shot(opened.page, `walk-${shell.name}-2-events`);
    });

    it('tells the noisiest source', async () => {
      await window.query.run('source:*skype.pcap');
      await window.show('Top talkers');
      await window.talkers.groupBy('Sources');
      await expect.poll(async () => window.talkers.measure(0)).toBeGreaterThan(100);
      noisiest = await window.talkers.value(0);
      expect(await window.talkers.measure(0)).toBeGreaterThanOrEqual(
        await window.talkers.measure(1),
      );
      await shot(opened.page, `walk-${shell.name}-3-talkers`);
      await window.talkers.valueButton(0).click();
      await window.menu.choose('Include');
      await expect(window.query.input).toContainText(noisiest);
    });

    it('narrows to a part of its time', async () => {
      await window.show('Events');
      // Either may still show what the query before found.
      const both = async () => [await window.found(), await window.timeline.total()];
      await expect
        .poll(async () => {
          const [found, total] = await both();
          return (found ?? 0) > 0 && found === total;
        })
        .toBe(true);
      const found = (await window.found()) ?? 0;
      await window.timeline.brush(0.2, 0.8);
      await expect.poll(() => window.found()).toBeLessThan(found);
      await expect.poll(() => window.found()).toBeGreaterThan(0);
      await shot(opened.page, `walk-${shell.name}-4-brushed`);
    });

    it('goes to its conversations, and from one to a packet and its bytes', async () => {
      await window.show('Conversations');
      await window.conversations.row(0).waitFor();
      const [a, b] = await window.conversations.hosts(0);
      expect([a, b]).toContain(noisiest);
      await shot(opened.page, `walk-${shell.name}-5-conversations`);
      await window.conversations.pivot(0);
      await window.menu.choose('These flows, either way');
      await expect(window.query.input).toContainText('flow:');
      await expect(window.events.row(0)).toContainText(a);
      await expect(window.events.row(0)).toContainText(b);
      await window.events.open(0);
      await window.details.show('Packets');
      await window.details.packet(0).click();
      await window.details.show('Packet');
      await expect(window.details.layers).toContainText(/Internet Protocol/);
      const { offset, bytes } = await window.details.bytes();
      const file = readFileSync(BUNDLE[0] ?? '');
      expect(bytes.length).toBeGreaterThan(20);
      expect(bytes.equals(file.subarray(offset, offset + bytes.length))).toBe(true);
      await shot(opened.page, `walk-${shell.name}-6-packet`);
    });

    it('reads how long each step took', async () => {
      await window.openDiagnostics();
      for (const operation of [
        ...['result.open', 'top.run', 'timeline.run'],
        ...['conversations.run', 'event.packet'],
      ]) {
        const { count, p50 } = await window.latency.of(operation);
        expect(count, operation).toBeGreaterThanOrEqual(1);
        expect(p50, operation).toMatch(/^\d[\d.,]* m?s$/);
      }
      await window.latency.recent.last().click();
      await expect(window.latency.chosen).toContainText(/\d m?s/);
      await shot(opened.page, `walk-${shell.name}-7-latency`);
    });
  });
}
