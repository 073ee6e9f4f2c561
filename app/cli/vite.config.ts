/**
 * Bundles the command line and the engine's process into `dist/`: they start in about half the time that some
 * hundred modules of TypeScript take. `bundled.mjs` makes them run the bundle as long as no source has changed
 * since, according to `dist/bundle.json`, which lists its entries and the size and modification time of every
 * module in it.
 *
 * The bundle includes the threads that they start, and DuckDB's driver, which consists of some hundred small files.
 * Other packages are loaded as files.
 */
import { readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const folder = import.meta.dirname;
const root = resolve(folder, '../..');
const entries = ['app/cli/main.ts', 'app/cli/command-line.ts', 'app/engine/main.ts'];
const out = join(folder, 'dist');
/** How long chunks of older bundles stay: a running engine loads threads and modules of its own bundle. */
const OLD_MS = 7 * 86_400_000;

function fromRoot(path: string): string {
  return relative(root, path).split(sep).join('/');
}

/** The file that states the version of a module's package; undefined for our own modules. */
function packageOf(module: string): string | undefined {
  const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(module)?.[0];
  return folder && `${folder}package.json`;
}

/** A module refers to files next to it, wherever the bundle is. */
function moduleFolder(): Plugin {
  return {
    name: 'daybook-own-folder',
    transform(code, id) {
      if (!code.includes('import.meta.dirname')) return undefined;
      const path = JSON.stringify(`/../../../${fromRoot(dirname(id))}`);
      return { code: code.replaceAll('import.meta.dirname', `(import.meta.dirname + ${path})`) };
    },
  };
}

/** Threads run the bundled form of their entries. */
function threads(): Plugin {
  return {
    name: 'daybook-threads',
    transform(code, id) {
      return code.replaceAll(
        /join\(import\.meta\.dirname, ["']((?:[\w-]+\/)?[\w-]+-worker\.ts)["']\)/g,
        (_, file: string) => {
          const chunk = this.emitFile({ type: 'chunk', id: join(dirname(id), file) });
          // Relative to the folder of all chunks, which is passed as the root.
          return `new URL("." + import.meta.ROLLUP_FILE_URL_${chunk}, import.meta.url)`;
        },
      );
    },
  };
}

/** The age of a bundle's chunks counts from now on. @param file its bundle.json, which may not be there or be older */
function superseded(file: string): void {
  try {
    const { files } = JSON.parse(readFileSync(file, 'utf8')) as { files: string[] };
    const now = new Date();
    for (const name of files) utimesSync(join(out, name), now, now);
  } catch {
    // They stay for a week after they were built.
  }
}

/** Written last, so that nobody runs an incomplete bundle. */
function contents(): Plugin {
  const file = join(out, 'bundle.json');
  let started = 0;
  return {
    name: 'daybook-contents',
    buildStart() {
      started = Date.now();
    },
    generateBundle() {
      superseded(file);
      // Chunks of the same name are written over now.
      rmSync(file, { force: true });
    },
    writeBundle(_, bundle) {
      const sources: Record<string, readonly [number, number]> = {};
      const chunks: Record<string, string> = {};
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        const facade = chunk.facadeModuleId === null ? '' : fromRoot(chunk.facadeModuleId);
        if (entries.includes(facade)) chunks[facade] = chunk.fileName;
        for (const module of chunk.moduleIds) {
          // Virtual modules of the bundler are not files.
          if (module.startsWith('\0')) continue;
          const id = packageOf(module) ?? module;
          const stat = statSync(id, { throwIfNoEntry: false });
          if (stat === undefined) continue;
          // Possibly changed since it was read: the bundle would not match the sources.
          if (stat.mtimeMs >= started) return;
          sources[fromRoot(id)] = [stat.size, stat.mtimeMs];
        }
      }
      writeFileSync(file, JSON.stringify({ entries: chunks, sources, files: Object.keys(bundle) }));
      for (const name of readdirSync(out)) {
        if (name === 'bundle.json' || Object.hasOwn(bundle, name)) continue;
        const chunk = join(out, name);
        if (Date.now() - statSync(chunk).mtimeMs > OLD_MS) rmSync(chunk, { force: true });
      }
    },
  };
}

export default defineConfig({
  root: folder,
  plugins: [threads(), moduleFolder(), contents()],
  ssr: { noExternal: ['@duckdb/node-api', 'zod'], external: ['@duckdb/node-bindings'] },
  build: {
    ssr: true,
    target: 'node24',
    outDir: out,
    emptyOutDir: false,
    minify: false,
    reportCompressedSize: false,
    rollupOptions: {
      input: entries.map((one) => join(root, one)),
      // V8 folds a constant that is one; of a variable it loads the value wherever it is used.
      optimization: { inlineConst: { mode: 'all' } },
      output: {
        format: 'es',
        topLevelVar: false,
        entryFileNames: '[name]-[hash].mjs',
        chunkFileNames: '[name]-[hash].mjs',
      },
    },
  },
});
