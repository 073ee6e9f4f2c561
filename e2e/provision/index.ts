/**
 * The browser, the display and the Electron of the tests, as `.ci/provision.mjs` found or brought
 * them; and why a test skips where one is missing.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** `folder` has to be on Python's path. */
export interface PythonPackage {
  python: string;
  folder: string;
  version: string;
}

interface Provision {
  /** `args`: command line arguments that it needs here. */
  chromium: { path: string; kind: string; version: string; args: string[] } | null;
  electron: { path: string; dist: string; version: string } | null;
  xvfb: string | null;
  /** `shell` is a program. */
  duckdb: { oldest: PythonPackage; newest: PythonPackage; shell: string } | null;
  /** `tool` is required to use it, the rest is for people. */
  /** `module` is chdb's. */
  clickhouse: { module: string } | null;
  /** moto: a server of buckets. */
  s3: Omit<PythonPackage, 'version'> | null;
  missing: { tool: string; what: string; why: string; how: string }[];
}

let found: Provision | undefined;

/** The tools that are available. Runs the provision if it has not been run on this machine. */
export function provision(): Provision {
  if (found !== undefined) return found;
  const cache =
    process.env['DAYBOOK_TEST_CACHE'] ??
    path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'daybook-tests');
  const file = path.join(cache, 'provision.json');
  found = read(file);
  if (found !== undefined && usable(found)) return found;
  spawnSync(process.execPath, [path.join(root, '.ci/provision.mjs')], {
    stdio: 'inherit',
    timeout: 400_000,
  });
  found = read(file) ?? {
    ...{ chromium: null, electron: null, xvfb: null, duckdb: null, clickhouse: null, s3: null },
    missing: [],
  };
  return found;
}

function read(file: string): Provision | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Provision;
  } catch {
    return undefined;
  }
}

/** Whether a tool found earlier is still there. */
function usable(one: Provision): boolean {
  // Written before DuckDB, or its shell, was provided.
  if (one.duckdb === undefined || (one.duckdb !== null && !('shell' in one.duckdb))) return false;
  if (one.clickhouse === undefined || one.s3 === undefined) return false;
  const files = [
    ...[one.chromium?.path, one.electron?.path, one.xvfb ?? undefined],
    ...[one.duckdb?.oldest.folder, one.duckdb?.newest.folder, one.duckdb?.shell],
    ...[one.clickhouse?.module, one.s3?.folder],
  ];
  return files.every((file) => file === undefined || existsSync(file));
}

/** chdb's module: that of `DAYBOOK_CHDB`, otherwise the provided one; undefined: there is none. */
export function clickhouseModule(): string | undefined {
  return process.env['DAYBOOK_CHDB'] ?? provision().clickhouse?.module;
}

/** An S3 server; undefined: there is none. */
export function bucketServer(): NonNullable<Provision['s3']> | undefined {
  return provision().s3 ?? undefined;
}

/** Why tests that need `what` cannot run here; undefined when they can. */
export function whyNot(
  what: 'chromium' | 'electron' | 'duckdb' | 'clickhouse' | 's3',
): string | undefined {
  if (what === 'clickhouse' && process.env['DAYBOOK_CHDB'] !== undefined) return undefined;
  const here = provision();
  const hasNoDisplay = what === 'electron' && process.platform === 'linux' && here.xvfb === null;
  if (here[what] !== null && !hasNoDisplay) return undefined;
  const reasons = here.missing
    .filter((one) => one.tool === what || one.tool === 'provision')
    .map((one) => `${one.what} is missing: ${one.why}. To have it: ${one.how}`);
  return [...reasons, 'then run node .ci/provision.mjs'].join('; ');
}

export interface Display {
  /** For `DISPLAY`. */
  readonly name: string;
  stop(): void;
}

/** A separate display for Electron, 1600 by 1000. It ends with this process at the latest. */
export async function startDisplay(): Promise<Display> {
  const { xvfb } = provision();
  if (xvfb === null) throw new Error('there is no Xvfb');
  // Xvfb chooses a free display and writes its number to descriptor 3.
  const args = ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'];
  // A test process that is killed cannot stop it: the kernel does, where setpriv asks it to.
  const guard = '/usr/bin/setpriv';
  const [program, ...rest] = existsSync(guard)
    ? [guard, '--pdeathsig', 'TERM', xvfb, ...args]
    : [xvfb, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const stop = (): void => {
    process.off('exit', stop);
    child.kill();
  };
  process.on('exit', stop);
  try {
    return { name: `:${await displayNumber(child)}`, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** The number that Xvfb writes once it takes clients. */
function displayNumber(child: ChildProcess): Promise<string> {
  const pipe = child.stdio[3];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Xvfb did not start within 20 s')), 20_000);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    let text = '';
    child.on('error', fail);
    child.on('exit', (status) => fail(new Error(`Xvfb ended with status ${status}`)));
    pipe?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      clearTimeout(timer);
      resolve(text.trim());
    });
  });
}
