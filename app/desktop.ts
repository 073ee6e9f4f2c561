/**
 * The desktop shell as the others see it: whether Electron is there, and how it is started. Nothing
 * is ever downloaded: what `npm ci` did not bring is not there.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DaybookError } from '../engine/contract/errors.ts';

const ROOT = resolve(import.meta.dirname, '..');
const BUNDLE = join(ROOT, 'app/electron/dist/main.cjs');

export interface Desktop {
  /** Electron's binary. */
  readonly file: string;
  readonly bundle: string;
}

/** The desktop shell, or why there is none. */
export function findDesktop(env: NodeJS.ProcessEnv): Desktop | { readonly why: string } {
  const folder = env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(ROOT, 'node_modules/electron/dist');
  const file = join(folder, binaryName());
  if (!existsSync(file)) return { why: `Electron is not installed (${file} is not there)` };
  if (!existsSync(BUNDLE)) return { why: `the desktop shell is not built (${BUNDLE} is missing)` };
  if (!hasDisplay(env)) return { why: 'there is no display' };
  return { file, bundle: BUNDLE };
}

/** Whether windows can be shown here. */
export function hasDisplay(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'win32' || process.platform === 'darwin') return true;
  return [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((one) => one !== undefined && one !== '');
}

/**
 * Runs the desktop shell until its last window is closed; returns its exit status.
 * @throws DaybookError unreadable when it cannot be started
 */
export function runDesktop(
  desktop: Desktop,
  openCase: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  const env = { ...process.env };
  // With it Electron would be a plain Node.
  delete env['ELECTRON_RUN_AS_NODE'];
  const args = [desktop.bundle, ...(openCase === undefined ? [] : [openCase])];
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
