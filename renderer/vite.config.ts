/**
 * Builds the window into `renderer/dist`: static files without any absolute address, each with its
 * compressed forms beside it. The oldest browser it runs in is Chromium 83, the one of the oldest
 * Electron that the tests know.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const COMPRESSED = /[.](js|css|html|svg|json)$/;

/** Writes `.br` and `.gz` beside what compresses. */
function compressed(folder: string): Plugin {
  return {
    name: 'daybook-compressed',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const file = path.join(folder, name);
        if (!COMPRESSED.test(name) || !statSync(file).isFile()) continue;
        const bytes = readFileSync(file);
        if (bytes.length < 1000) continue;
        writeFileSync(
          `${file}.br`,
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
        );
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

const dist = path.join(import.meta.dirname, 'dist');

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), compressed(dist)],
  build: {
    outDir: dist,
    emptyOutDir: true,
    target: 'chrome83',
    cssTarget: 'chrome83',
    modulePreload: { polyfill: false },
    // Fonts and images as files: a strict content security policy has no data: for scripts and fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
});
