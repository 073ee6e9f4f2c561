/**
 * The browser, the display and the Electron of the tests, as `.ci/provision.mjs` found or brought
 * them; and why a test skips where one is missing.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

export interface Provision {
  chromium: { path: string; kind: string } | null;
  electron: { path: string; dist: string; version: string } | null;
  xvfb: string | null;
  missing: { what: string; why: string; how: string }[];
}

let found: Provision | undefined;

/** What is there. Runs the provision if it has not been run on this machine. */
export function provision(): Provision {
  if (found !== undefined) return found;
  const cache =
    process.env['DAYBOOK_TEST_CACHE'] ??
    path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'daybook-tests');
  const file = path.join(cache, 'provision.json');
  const read = (): Provision => JSON.parse(readFileSync(file, 'utf8')) as Provision;
  const usable = (one: Provision): boolean =>
    (one.chromium === null || existsSync(one.chromium.path)) &&
    (one.electron === null || existsSync(one.electron.path)) &&
    (one.xvfb === null || existsSync(one.xvfb));
  if (!existsSync(file) || !usable(read())) {
    spawnSync(process.execPath, [path.join(root, '.ci/provision.mjs')], { stdio: 'inherit' });
  }
  found = read();
  return found;
}

/** Why tests in a browser, or in Electron, cannot run here; undefined when they can. */
export function whyNot(what: 'chromium' | 'electron'): string | undefined {
  const here = provision();
  const lacking =
    what === 'chromium' ? here.chromium === null : here.electron === null || here.xvfb === null;
  if (!lacking) return undefined;
  return here.missing.map((one) => `${one.what} is missing: ${one.why}; ${one.how}`).join('. ');
}

export interface Display {
  /** For `DISPLAY`. */
  readonly name: string;
  stop(): void;
}

/** A display of its own for Electron, 1600 by 1000. */
export async function startDisplay(): Promise<Display> {
  const { xvfb } = provision();
  if (xvfb === null) throw new Error('there is no Xvfb');
  // Xvfb chooses a free display and writes its number to descriptor 3.
  const child: ChildProcess = spawn(
    xvfb,
    ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const pipe = child.stdio[3];
  if (pipe === null || pipe === undefined) throw new Error('Xvfb has no pipe');
  const number = await new Promise<string>((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error('Xvfb did not start within 20 s')), 20_000);
    child.on('exit', (status) => reject(new Error(`Xvfb ended with status ${status}`)));
    pipe.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      clearTimeout(timer);
      resolve(text.trim());
    });
  });
  return {
    name: `:${number}`,
    stop: () => void child.kill(),
  };
}
