/**
 * Products that a checkout builds from its sources (the window, the desktop shell): built if missing or older than
 * the sources. An installed Daybook includes them.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CancelledError, DaybookError, hasCode } from '../engine/contract/errors.ts';
import { takeLock } from './lock-file.ts';

const ROOT = resolve(import.meta.dirname, '..');
const BUILDER = join(ROOT, 'node_modules/vite/bin/vite.js');
const NOT_SOURCES = /(^|[/\\])(dist|node_modules)([/\\]|$)|[.]test[.]tsx?$|[.]md$/;
/** Lines of a failed build's output that are shown. */
const MOST_LINES = 40;

/** Paths are relative to the checkout. */
export interface Build {
  /** Its name in messages. */
  readonly title: string;
  /** The folder with the `vite.config.ts`. */
  readonly config: string;
  /** The file that is written last: its age is the age of all. */
  readonly product: string;
  readonly sources: readonly string[];
}

/**
 * Builds what is missing or outdated; `say` reports progress. If the build fails, an earlier product is used.
 * @throws DaybookError unreadable if there is none and none can be built; cancelled
 */
export async function ensureBuilt(
  build: Build,
  say: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  if (isFresh(build)) return;
  const isThere = () => existsSync(join(ROOT, build.product));
  if (!existsSync(BUILDER) || !existsSync(join(ROOT, build.config, 'vite.config.ts'))) {
    if (isThere()) return;
    throw new DaybookError(
      'unreadable',
      `${build.title} is not built, and the tools that build it are not installed`,
      'run "npm ci" in the Daybook folder; the command line works without the window',
    );
  }
  const unlock = await lock(build, signal);
  try {
    if (!isFresh(build)) await run(build, say, signal);
  } catch (error) {
    const isOld = hasCode(error, 'unreadable');
    if (!isOld || !isThere()) throw error;
    say(`${build.title} cannot be built; using the previous build`);
  } finally {
    unlock();
  }
}

/** Whether the product is newer than all of its sources. */
function isFresh({ product, sources }: Build): boolean {
  const file = join(ROOT, product);
  if (!existsSync(file)) return false;
  const built = statSync(file).mtimeMs;
  return sources.every((name) => newest(join(ROOT, name)) <= built);
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

/** Shells that start at the same time build once. */
function lock({ config }: Build, signal: AbortSignal | undefined): Promise<() => void> {
  const name = `daybook-${config.replaceAll('/', '-')}.lock`;
  return takeLock(join(ROOT, 'node_modules/.cache', name), signal);
}

function run(
  { title, config }: Build,
  say: (text: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  say(`building ${title} (once; again after its sources change) …`);
  const started = performance.now();
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [BUILDER, 'build', config, '--logLevel', 'warn'], {
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
          : new DaybookError('internal', `${title} cannot be built: ${error.message}`),
      );
    });
    child.on('close', (status) => {
      if (status === 0) {
        say(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
        done();
      } else {
        for (const line of lines.join('').trim().split('\n').slice(0, MOST_LINES)) say(line);
        fail(new DaybookError('unreadable', `${title} cannot be built: see above`));
      }
    });
  });
}
