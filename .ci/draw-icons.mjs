/**
 * Draws the application's icons from renderer/public/icon.svg into app/electron/icons: a PNG for Linux
 * and the window, an ICO for Windows, an ICNS for macOS. Both are containers of PNGs. Run it when the
 * drawing changes; it needs the Chromium of the tests.
 *
 *     node .ci/draw-icons.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { provision } from '../e2e/provision/index.ts';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'app/electron/icons');
/** macOS's name for an entry of each size in pixels. */
const ICNS = {
  16: 'icp4',
  32: 'icp5',
  64: 'icp6',
  128: 'ic07',
  256: 'ic08',
  512: 'ic09',
  1024: 'ic10',
};
const ICO = [16, 24, 32, 48, 64, 128, 256];

const drawing = readFileSync(path.join(root, 'renderer/public/icon.svg'), 'utf8');
const found = provision().chromium;
if (found === null) throw new Error('there is no Chromium: node .ci/provision.mjs');
const browser = await chromium.launch({ executablePath: found.path });
const page = await browser.newPage();

/** The drawing as a PNG of `size` by `size` pixels. */
async function draw(size) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${drawing}`,
  );
  return page.screenshot({ omitBackground: true });
}

const images = new Map();
for (const size of new Set([...ICO, ...Object.keys(ICNS).map(Number)]))
  images.set(size, await draw(size));
await browser.close();

/** A header, an entry of 16 bytes for each image, the images. */
function ico(sizes) {
  const head = Buffer.alloc(6 + 16 * sizes.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(sizes.length, 4);
  let at = head.length;
  sizes.forEach((size, i) => {
    const entry = 6 + 16 * i;
    const { length } = images.get(size);
    // 256 is written as 0.
    head.writeUInt8(size % 256, entry);
    head.writeUInt8(size % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(length, entry + 8);
    head.writeUInt32LE(at, entry + 12);
    at += length;
  });
  return Buffer.concat([head, ...sizes.map((size) => images.get(size))]);
}

/** Chunks of a name, their length with this header, and an image. */
function icns() {
  const chunk = (name, content) => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32BE(8 + content.length, 4);
    return Buffer.concat([head, content]);
  };
  const all = Object.entries(ICNS).map(([size, name]) => chunk(name, images.get(Number(size))));
  return chunk('icns', Buffer.concat(all));
}

writeFileSync(path.join(folder, 'icon.png'), images.get(1024));
writeFileSync(path.join(folder, 'icon.ico'), ico(ICO));
writeFileSync(path.join(folder, 'icon.icns'), icns());
