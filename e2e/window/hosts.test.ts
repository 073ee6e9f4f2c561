/** From a TLS fingerprint to the host that has it, to a file that the host received, and the file itself. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { classicFile } from '../../importers/pcap/testing/build.ts';
import {
  CLIENT,
  type Frame,
  SERVER,
  stream,
} from '../../importers/pcap/protocols/testing/frames.ts';
import { clientHello, handshake } from '../../importers/pcap/protocols/testing/hellos.ts';
import { importInto } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { Palette } from './pages/palette.ts';
import { expect } from './pages/expect.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const CONTENT = 'what was got\n'.repeat(50);
let opened: OpenWindow;
let window: DaybookWindow;

function frames(): Frame[] {
  const tls = stream(443);
  const web = stream(8080);
  const ask = 'GET /tool.bin HTTP/1.1\r\nHost: files.example.com\r\n\r\n';
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${CONTENT.length}\r\n\r\n${CONTENT}`;
  return [
    ...[tls.client(0, '', 2), tls.server(0, '', 18, 1), tls.client(1, handshake(1, clientHello()))],
    ...[web.client(0, '', 2), web.server(0, '', 18, 1), web.client(1, ask)],
    web.server(1, answer, 16, 1 + ask.length),
  ];
}

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(
  whyNot === undefined ? 'browser' : `browser: ${whyNot}`,
  () => {
    const makeCase = (folder: string): Promise<string> => {
      const capture = classicFile(
        {},
        frames().map((bytes, i) => ({
          seconds: 1_700_000_000 + i,
          fraction: 0,
          bytes,
          wire: bytes.length,
        })),
      );
      const file = path.join(folder, 'walk.pcap');
      writeFileSync(file, capture);
      return importInto(path.join(folder, 'walk.daybook'), file);
    };
    onCase(makeCase, (...all) => ([opened, window] = all));

    it('cuts the name of an address in the conversations, not the address', async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      await window.show('Conversations');
      await expect(window.conversations.row(0)).toContainText('files.example.com');
      const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('td button')]
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => one.innerText)`);
      expect(cut).toEqual([]);
      await page.setViewportSize({ width: 1440, height: 900 });
      await window.show('Events');
    });

    it('goes from a fingerprint to its host, and on to the events of that', async () => {
      const { page } = opened;
      await window.query.run('ja4:*');
      await expect.poll(() => window.found()).toBe(1);
      await page.getByRole('tab', { name: 'Hosts' }).click();
      const host = page.getByRole('button', { name: CLIENT, exact: true });
      await expect(host).toBeVisible();
      await expect(page.getByText('2 hosts', { exact: true })).toBeVisible();
      await window.query.run('*');
      await page.getByRole('button', { name: SERVER, exact: true }).click();
      const facts = page.getByRole('region', { name: `Host ${SERVER}` });
      await expect(facts).toContainText('files.example.com');
      await expect(facts).toContainText('8080/tcp http');
      await shot(page, 'browser-hosts');
      await facts.getByRole('button', { name: 'Its events' }).click();
      await expect(window.query.input).toHaveText(`ip:${SERVER}`);
    });

    it('says how long two hosts talked, and their names', async () => {
      await window.query.run('*');
      await window.show('Conversations');
      expect(await window.conversations.hosts(0)).toEqual([CLIENT, SERVER]);
      await expect(window.conversations.row(0)).toContainText('files.example.com');
      await expect(window.conversations.row(0)).toContainText('6.00 s');
      await shot(opened.page, 'browser-conversation-names');
      await window.show('Events');
    });

    it('saves a file that a connection carried', async () => {
      const { page } = opened;
      await window.query.run('kind:file');
      await expect.poll(() => window.found()).toBe(1);
      await window.events.row(0).click();
      const save = page.getByRole('button', { name: 'Save the file…' });
      const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
      expect(download.suggestedFilename()).toBe('tool.bin');
      expect(readFileSync(await download.path(), 'latin1')).toBe(CONTENT);
      const sha256 = createHash('sha256').update(CONTENT).digest('hex');
      await expect(page.getByText(`SHA-256 ${sha256}`)).toBeVisible();
      await shot(page, 'browser-file');
      await window.details.show('Stream');
      const client = window.details.region.getByLabel('From the client');
      await expect(client).toContainText('GET /tool.bin HTTP/1.1');
      await expect(window.details.region.getByLabel('From the server')).toContainText(
        'what was got',
      );
      await shot(page, 'browser-stream');
    });

    it('says which packets an export leaves out', async () => {
      await window.query.run('');
      await expect(window.status).toContainText('packets hidden under flows');
      await window.caseMenu('Export events…');
      const dialog = window.page.getByRole('dialog', { name: 'Export events' });
      await expect(dialog).toContainText(
        /without a filter; not included: .*\d packets hidden under flows/,
      );
      await window.page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    });

    it('exports the table that answers a query', async () => {
      await window.query.run('kind:* | stats count() by kind | sort -count');
      await window.caseMenu('Export events…');
      const dialog = window.page.getByRole('dialog', { name: 'Export the answer' });
      await expect(dialog).toContainText('The table that answers kind:* | stats count() by kind');
      await expect(dialog.getByLabel('Columns')).toHaveCount(0);
      const download = window.page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Export', exact: true }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(/-answer\.csv$/);
      expect(readFileSync(await file.path(), 'utf8')).toMatch(/^kind,count\n/);
      await window.page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    });

    it('shows a stream as bytes where it is no text', async () => {
      const { region } = window.details;
      for (const [kind, as] of [
        ['tls', 'Hex'],
        ['http', 'Text'],
      ] as const) {
        await window.query.run(`kind:${kind}`);
        await expect.poll(() => window.found()).toBe(1);
        // Both queries find one event: the row may still be that of the query before.
        await expect(window.events.row(0)).toContainText(kind);
        await window.events.open(0);
        await expect(region).toContainText(kind);
        await window.details.show('Stream');
        await expect(region.getByRole('radio', { name: as })).toBeChecked();
      }
    });

    it('searches payloads, and shows the flow of a match', async () => {
      const { page } = opened;
      const palette = new Palette(page);
      await window.query.run('kind:flow');
      await palette.run('Search payloads');
      const dialog = page.getByRole('dialog', { name: 'Search payloads' });
      await dialog.getByLabel('Text, /regular expression/ or hex:bytes').fill('FILES.example');
      await page.keyboard.press('Enter');
      const matches = dialog.getByRole('region', { name: 'Matches' });
      await expect(matches.getByRole('status')).toContainText('1 match in');
      await expect(matches.locator('mark')).toHaveText('files.example');
      await shot(page, 'browser-payload-search');
      const [csv] = await Promise.all([
        page.waitForEvent('download'),
        matches.getByRole('button', { name: 'CSV', exact: true }).click(),
      ]);
      expect(readFileSync(await csv.path(), 'utf8')).toMatch(/,client,\d+,13,files\.example,/);
      await matches.getByRole('button', { name: 'Tag the flow…' }).click();
      const tagging = page.getByRole('dialog', { name: 'Tag events' });
      await tagging.getByRole('combobox', { name: 'Tags' }).fill('downloads');
      await page.keyboard.press('Enter');
      await tagging.getByRole('button', { name: 'Tag this event' }).click();
      await expect(window.notice('1 event has the tag downloads')).toBeVisible();
      await palette.run('Search payloads');
      await matches.getByRole('button', { name: /Show the flow of/ }).click();
      await expect(dialog).toBeHidden();
      await expect(window.details.region).toContainText('8080');
      // The meaning of the flow's history, in words.
      await window.details.show('Fields');
      await expect(window.details.region.getByRole('heading', { name: 'Volume' })).toBeVisible();
      await expect(window.details.region).toContainText(/client .*data → server .*data/);
      // The results are still there; an invalid pattern is reported.
      await window.query.run('dst_port:443');
      await palette.run('Search payloads');
      await expect(matches.locator('mark')).toHaveText('files.example');
      await dialog.getByLabel('Only in connections that the query finds').check();
      await dialog.getByRole('button', { name: 'Search' }).click();
      await expect(matches.getByRole('status')).toContainText('0 matches in');
      await dialog.getByLabel('Text, /regular expression/ or hex:bytes').fill('/(/');
      await dialog.getByRole('button', { name: 'Search' }).click();
      await expect(dialog.getByRole('alert')).toContainText('unclosed (');
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    });
  },
);
