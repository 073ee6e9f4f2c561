/**
 * Bundles Electron's main process and the preload into `dist/main.cjs` and `dist/preload.cjs`, each as a single
 * file (a sandboxed preload cannot load a second one). The oldest supported Electron is 9: Node 12, Chromium 83.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type EnvironmentOptions, type Plugin } from 'vite';

const folder = import.meta.dirname;
const manifest = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8')) as {
  version: string;
};

/** Electron and Node's modules stay external; Node 12 does not support `node:` names. */
function builtIn(): Plugin {
  return {
    name: 'daybook-built-in',
    enforce: 'pre',
    resolveId(id) {
      if (id === 'electron') return { id, external: true };
      return id.startsWith('node:') ? { id: id.slice(5), external: true } : undefined;
    },
  };
}

function bundle(name: string, target: string): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { noExternal: true, external: ['child_process', 'fs', 'path'] },
    define: { DAYBOOK_VERSION: JSON.stringify(manifest.version) },
    build: {
      target,
      outDir: join(folder, 'dist'),
      emptyOutDir: false,
      minify: false,
      ssr: true,
      rollupOptions: {
        input: join(folder, `${name}.ts`),
        output: { format: 'cjs', entryFileNames: `${name}.cjs`, codeSplitting: false },
      },
    },
  };
}

export default defineConfig({
  root: folder,
  plugins: [builtIn()],
  environments: { main: bundle('main', 'node12'), preload: bundle('preload', 'chrome83') },
  builder: {
    async buildApp(builder) {
      for (const name of ['main', 'preload']) {
        const environment = builder.environments[name];
        if (environment !== undefined) await builder.build(environment);
      }
    },
  },
});
