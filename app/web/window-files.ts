/**
 * Where the built window is: in the folder that DAYBOOK_WINDOW names, or in the checkout, where it is
 * built when it is missing or older than its sources. An installed Daybook brings it along.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { CancelledError, DaybookError } from '../../engine/contract/errors.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = join(ROOT, 'renderer/dist');
const BUILDER = join(ROOT, 'node_modules/vite/bin/vite.js');
/** What the window is made of. */
const SOURCES = ['renderer', 'engine/contract', 'package-lock.json'].map((name) =>
  join(ROOT, name),
);
const NOT_SOURCES = /(^|[/\\])(dist|node_modules)([/\\]|$)|[.]test[.]tsx?$|[.]md$/;
/** Shells that start at the same time build once: who builds has its process number in this file. */
const LOCK = join(ROOT, 'node_modules/.cache/daybook-window.lock');
/** Of what a failed build said. */
const MOST_LINES = 40;

/**
 * The folder of the built window, built now if need be; `say` is told what happens.
 * @throws DaybookError unreadable when there is none and none can be built
 */
export async function windowFiles(
  say: (text: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  const own = process.env['DAYBOOK_WINDOW'];
  if (own !== undefined && own !== '') return own;
  if (isFresh()) return FILES;
  if (!existsSync(BUILDER) || !existsSync(join(ROOT, 'renderer/vite.config.ts'))) {
    if (existsSync(join(FILES, 'index.html'))) return FILES;
    throw new DaybookError(
      'unreadable',
      'the window is not built, and what builds it is not installed',
      'run "npm ci" in the Daybook folder; the command line works without the window',
    );
  }
  const unlock = await lock(signal);
  try {
    if (!isFresh()) await build(say, signal);
  } catch (error) {
    const isOld = error instanceof DaybookError && error.code === 'unreadable';
    if (!isOld || !existsSync(join(FILES, 'index.html'))) throw error;
    say('the window cannot be built; the one that was built before is shown');
  } finally {
    unlock();
  }
  return FILES;
}

/** Whether what was built is newer than everything it is made of. */
function isFresh(): boolean {
  const page = join(FILES, 'index.html');
  if (!existsSync(page)) return false;
  const built = statSync(page).mtimeMs;
  return SOURCES.every((path) => newest(path) <= built);
}

function newest(path: string): number {
  if (!existsSync(path)) return 0;
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  let latest = 0;
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    if (NOT_SOURCES.test(name)) continue;
    const file = statSync(join(path, name), { throwIfNoEntry: false });
    if (file?.isFile() === true) latest = Math.max(latest, file.mtimeMs);
  }
  return latest;
}

/** Waits for a build that is under way elsewhere; returns how to give the lock back. */
async function lock(signal: AbortSignal | undefined): Promise<() => void> {
  mkdirSync(dirname(LOCK), { recursive: true });
  for (;;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return () => rmSync(LOCK, { force: true });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'EEXIST') throw error;
    }
    if (!isHeld()) rmSync(LOCK, { force: true });
    await setTimeout(200);
    if (signal?.aborted === true) throw new CancelledError();
  }
}

/** Whether who took the lock still runs. A file that is just being written counts as held. */
function isHeld(): boolean {
  try {
    const pid = Number(readFileSync(LOCK, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function build(say: (text: string) => void, signal: AbortSignal | undefined): Promise<void> {
  say('building the window (once; again after its sources change) …');
  const started = performance.now();
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [BUILDER, 'build', 'renderer', '--logLevel', 'warn'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' },
      ...(signal === undefined ? {} : { signal }),
    });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    }
    child.on('error', (error) => {
      fail(
        signal?.aborted === true
          ? new CancelledError()
          : new DaybookError('internal', `the window cannot be built: ${error.message}`),
      );
    });
    child.on('close', (status) => {
      if (status === 0) {
        say(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
        done();
      } else {
        for (const line of lines.join('').trim().split('\n').slice(0, MOST_LINES)) say(line);
        fail(new DaybookError('unreadable', 'the window cannot be built: see above'));
      }
    });
  });
}
