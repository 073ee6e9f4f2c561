/** Starts the desktop shell for tests, on a separate display. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import { ROOT } from '../harness.ts';
import { provision, startDisplay, type Display } from '../provision/index.ts';

export { scratch } from '../harness.ts';

export const BUNDLE = join(ROOT, 'app/electron/dist/main.cjs');
export const PRELOAD = join(ROOT, 'app/electron/dist/preload.cjs');

/** Chromium has no sandbox for root. */
export const SANDBOX_ARGUMENTS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export interface Desktop {
  readonly app: ElectronApplication;
  /** The product's window. */
  readonly page: Page;
  readonly env: Record<string, string>;
  /** Its standard error, as it arrives. */
  readonly said: string[];
  close(): Promise<void>;
}

const QUIT_MS = 30_000;
/** Time for an Electron whose engine has ended to end, too. */
const HUNG_MS = 3000;

/** The command lines of a process's children, as far as the system reports them. */
function childrenOf(pid: number): string {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout ?? '';
}

function isEngine(children: string): boolean {
  return /engine[\\/]main/.test(children);
}

let built = false;

/** Builds the window and the shell if need be; once for a test file. */
export function build(): void {
  if (built) return;
  execFileSync(process.execPath, [join(ROOT, 'app/build.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  built = true;
}

/** Text variables only: an environment as a child process takes it. */
export function environment(more: NodeJS.ProcessEnv): Record<string, string> {
  const all = { ...process.env, ...more };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * The desktop shell with an open window.
 * @param display where; by default a new one, which ends with the shell
 */
export async function openDesktop(
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
  display?: Display,
): Promise<Desktop> {
  build();
  const shown = display ?? (await startDisplay());
  const all = environment({ ...env, DISPLAY: shown.name });
  const said: string[] = [];
  const app = await _electron.launch({
    executablePath: provision().electron?.path ?? '',
    args: [...SANDBOX_ARGUMENTS, BUNDLE, ...args],
    env: all,
  });
  app.process().stderr?.on('data', (data: Buffer) => said.push(data.toString()));
  const close = async (): Promise<void> => {
    // One that does not quit is gone before the next test begins. Its engine is what the product has to
    // end: where that has ended, it is this old Electron itself that hangs, often on a busy machine.
    const child = app.process();
    const began = performance.now();
    let engineSeen = began;
    let left: string | undefined;
    const watch = setInterval(() => {
      const now = performance.now();
      const children = childrenOf(child.pid ?? 0);
      if (isEngine(children)) engineSeen = now;
      if (now - began < QUIT_MS && now - engineSeen < HUNG_MS) return;
      left = children;
      child.kill('SIGKILL');
    }, 500);
    await app.close();
    clearInterval(watch);
    if (display === undefined) shown.stop();
    if (left !== undefined && isEngine(left))
      throw new Error(`the application did not quit: ${left}`);
  };
  try {
    return { app, page: await app.firstWindow(), env: all, said, close };
  } catch (error) {
    await close();
    throw new Error(`no window: ${said.join('')}`, { cause: error });
  }
}
