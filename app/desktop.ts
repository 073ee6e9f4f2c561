/**
 * The interface to the desktop shell: whether Electron is there, and how it is started. Nothing is ever downloaded:
 * what `npm ci` did not install is unavailable.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DaybookError } from '../engine/contract/errors.ts';
import { ensureBuilt, type Build } from './built.ts';
import { windowFiles } from './web/window-files.ts';

const ROOT = resolve(import.meta.dirname, '..');
const BUNDLE = join(ROOT, 'app/electron/dist/main.cjs');

const SHELL: Build = {
  title: 'the desktop shell',
  config: 'app/electron',
  // The last one that its configuration builds.
  product: 'app/electron/dist/preload.cjs',
  sources: [
    ...['app/electron', 'app/engine', 'app/page.ts', 'app/folders.ts', 'app/cache-folder.mjs'],
    ...['engine/contract', 'package.json', 'package-lock.json'],
  ],
};

interface Desktop {
  /** Electron's binary. */
  readonly file: string;
}

/** The desktop shell, or why it is unavailable. */
export function findDesktop(env: NodeJS.ProcessEnv): Desktop | { readonly why: string } {
  const folder = env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(ROOT, 'node_modules/electron/dist');
  const file = join(folder, binaryName());
  if (!existsSync(file)) return { why: `Electron is not installed (${file} is not there)` };
  if (!hasDisplay(env)) return { why: 'there is no display' };
  return { file };
}

/** Whether windows can be shown here. */
export function hasDisplay(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'win32' || process.platform === 'darwin') return true;
  return [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((one) => one !== undefined && one !== '');
}

/**
 * Builds the window and the desktop shell if they are missing or outdated.
 * @throws DaybookError unreadable if the build fails; cancelled
 */
export async function ensureDesktop(
  say: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  await windowFiles(say, signal);
  await ensureBuilt(SHELL, say, signal);
}

/**
 * Runs the desktop shell until its window is closed; returns its exit status. Missing or outdated parts are built
 * first, reported through `say`.
 * @throws DaybookError unreadable if it cannot be started; cancelled
 */
export async function runDesktop(
  desktop: Desktop,
  openCase: string | undefined,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<number> {
  await ensureDesktop(say, signal);
  const env = { ...process.env };
  // With it Electron would act as plain Node.
  delete env['ELECTRON_RUN_AS_NODE'];
  // Chromium has no sandbox for root, and starts only with this flag.
  const root = process.platform === 'linux' && process.getuid?.() === 0;
  const args = [...(root ? ['--no-sandbox'] : []), BUNDLE];
  if (openCase !== undefined) args.push(openCase);
  return new Promise((done, fail) => {
    const child = spawn(desktop.file, args, { stdio: 'inherit', env });
    const stop = () => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop);
    child.on('error', (error) => {
      fail(new DaybookError('unreadable', `Electron cannot be started: ${error.message}`));
    });
    child.on('close', (status) => {
      signal.removeEventListener('abort', stop);
      done(status ?? 1);
    });
  });
}

function binaryName(): string {
  switch (process.platform) {
    case 'win32':
      return 'electron.exe';
    case 'darwin':
      return 'Electron.app/Contents/MacOS/Electron';
    default:
      return 'electron';
  }
}
