/**
 * Builds the window into `renderer/dist`: static files without any absolute address, each with its
 * compressed forms beside it. The oldest browser it runs in is Chromium 83, the one of the oldest
 * Electron that the tests know.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const COMPRESSED = /[.](js|css|html|svg|json)$/;

/** Files of an earlier build are kept that long for windows that are loading them. */
const KEPT_MS = 10 * 60_000;

/**
 * Writes `.br` and `.gz` beside what compresses, and takes away what builds before left: not at once,
 * for a shell may be serving it.
 */
function compressed(folder: string): Plugin {
  const built = new Set<string>();
  return {
    name: 'daybook-compressed',
    apply: 'build',
    writeBundle(_, bundle) {
      for (const name of Object.keys(bundle)) built.add(path.normalize(name));
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const file = path.join(folder, name);
        const stat = statSync(file);
        if (!stat.isFile()) continue;
        const source = name.replace(/[.](br|gz)$/, '');
        if (name.startsWith('assets') && !built.has(source)) {
          if (Date.now() - stat.mtimeMs > KEPT_MS) rmSync(file);
          continue;
        }
        if (!COMPRESSED.test(name) || stat.size < 1000) continue;
        const bytes = readFileSync(file);
        writeFileSync(
          `${file}.br`,
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
        );
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

const SIDES: Readonly<Record<string, string>> = {
  'inset-inline-start': 'left',
  'inset-inline-end': 'right',
};

/** The window is read from left to right, and Chromium 83 knows no insets by direction: they would be left out. */
const insetsBySide = {
  postcssPlugin: 'daybook-insets-by-side',
  Declaration(declaration: { prop: string }): void {
    declaration.prop = SIDES[declaration.prop] ?? declaration.prop;
  },
};

const dist = path.join(import.meta.dirname, 'dist');

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), compressed(dist)],
  css: { postcss: { plugins: [insetsBySide] } },
  build: {
    outDir: dist,
    emptyOutDir: false,
    target: 'chrome83',
    cssTarget: 'chrome83',
    modulePreload: { polyfill: false },
    // Fonts and images as files: a strict content security policy has no data: for scripts and fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
});
