/**
 * The provisioned tools work: a Chromium and an Electron that Playwright controls, a page in each, and text drawn
 * in a font. Skipped where one is missing; the test's name says why.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { _electron, chromium, type Page } from '@playwright/test';
import { afterAll, describe, expect, it } from 'vitest';
import { provision, startDisplay, whyNot } from './index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'daybook-provision-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PAGE = `<meta charset="utf-8"><title>up</title>
<style>body { margin: 20px; background: #fff; font: 13px/1.45 "DejaVu Sans", sans-serif }</style>
<p><span id="text">10.0.0.1 → 10.0.0.2 · Failed password for root · “quoted”, мир</span>
<p><code id="narrow" style="font-family: 'DejaVu Sans Mono'">iiiiiiii</code>
<p><code id="wide" style="font-family: 'DejaVu Sans Mono'">WWWWWWWW</code>
<p><span id="narrow-sans">iiiiiiii</span>`;

/**
 * Content of a page: a sum, and widths in CSS pixels that only real fonts have (each letter of a monospaced font is
 * as wide as the others, those of the other font are not).
 */
const SHOWN = `(() => {
  const width = (id) => document.getElementById(id).getBoundingClientRect().width;
  return {
    sum: 1 + 1,
    title: document.title,
    textIsWide: width('text') > 300,
    monospaced: width('narrow') > 0 && width('narrow') === width('wide'),
    proportional: width('narrow-sans') > 0 && width('narrow-sans') < width('narrow'),
  };
})()`;

const WORKS = { sum: 2, title: 'up', textIsWide: true, monospaced: true, proportional: true };

/** Dark and light pixels of a screenshot, as decoded by the page itself: whether text was drawn. */
async function inked(page: Page): Promise<{ dark: number; light: number }> {
  const image = (await page.screenshot()).toString('base64');
  return page.evaluate(`(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,${image}';
    await picture.decode();
    const canvas = document.createElement('canvas');
    canvas.width = picture.width;
    canvas.height = picture.height;
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let dark = 0;
    let light = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] < 255) continue;
      if (data[at] < 80) dark++;
      else if (data[at] > 240) light++;
    }
    return { dark, light };
  })()`);
}

const named = (name: string, reason: string | undefined): string =>
  reason === undefined ? name : `${name} (skipped: ${reason})`;

describe('the tests’ browser', () => {
  const reason = whyNot('chromium');
  it.skipIf(reason !== undefined)(named('opens a page and draws text', reason), async () => {
    const found = provision().chromium;
    const browser = await chromium.launch({
      executablePath: found?.path ?? '',
      args: found?.args ?? [],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 800, height: 300 } });
      await page.goto(`data:text/html,${encodeURIComponent(PAGE)}`);
      expect(await page.evaluate(SHOWN)).toEqual(WORKS);
      const { dark, light } = await inked(page);
      expect(dark).toBeGreaterThan(500);
      expect(light).toBeGreaterThan(200_000);
      expect(browser.version()).toBe(found?.version);
    } finally {
      await browser.close();
    }
  });
});

describe('the tests’ Electron', () => {
  const reason = whyNot('electron');
  it.skipIf(reason !== undefined)(named('opens a window and draws text', reason), async () => {
    const main = path.join(folder, 'main.cjs');
    writeFileSync(
      main,
      `const { app, BrowserWindow } = require('electron');
app.whenReady().then(() => {
  const window = new BrowserWindow({
    width: 800,
    height: 300,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false },
  });
  window.loadURL('data:text/html,' + encodeURIComponent(${JSON.stringify(PAGE)}));
});
`,
    );
    const display = await startDisplay();
    try {
      const electron = await _electron.launch({
        executablePath: provision().electron?.path ?? '',
        args: [
          ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
          `--user-data-dir=${path.join(folder, 'profile')}`,
          main,
        ],
        env: { ...(process.env as Record<string, string>), DISPLAY: display.name },
      });
      try {
        const page = await electron.firstWindow();
        await page.waitForLoadState();
        expect(await page.evaluate(SHOWN)).toEqual(WORKS);
        const { dark, light } = await inked(page);
        expect(dark).toBeGreaterThan(500);
        expect(light).toBeGreaterThan(100_000);
        const version = await electron.evaluate(() => process.versions['electron']);
        expect(version).toBe(provision().electron?.version);
      } finally {
        await electron.close();
      }
    } finally {
      display.stop();
    }
  });
});
