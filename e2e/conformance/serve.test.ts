/** `daybook serve` as a process: its output, and how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { daybook, start, type Running } from '../cli/harness.ts';
import { ROOT } from '../harness.ts';
import { scratch } from './shell.ts';

const { folder, remove } = scratch();
const env = { DAYBOOK_STATE: join(folder, 'state'), DAYBOOK_WINDOW: join(folder, 'window') };

beforeAll(() => {
  mkdirSync(env.DAYBOOK_WINDOW);
  writeFileSync(join(env.DAYBOOK_WINDOW, 'index.html'), '<html><head></head>the window</html>');
});
afterAll(remove);

async function urlOf({ child }: Running): Promise<URL> {
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return new URL(line.toString());
}

it.skipIf(process.platform === 'win32')(
  'prints its address and nothing else, and ends cleanly',
  async () => {
    const running = start(['serve', join(folder, 'acme & co.daybook')], { env });
    const url = await urlOf(running);
    expect(url.host).toMatch(/^127\.0\.0\.1:\d+$/);
    const entered = await fetch(url);
    const page = await entered.text();
    expect(page).toContain(`#case=${encodeURIComponent(join(folder, 'acme & co.daybook'))}"`);
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    const shown = await fetch(new URL('/', url), { headers: { cookie } });
    expect(await shown.text()).toContain('the window');

    running.child.kill('SIGINT');
    const { status, out, err } = await running.outcome;
    expect(status).toBe(0);
    expect(out).toBe(`${url.href}\n`);
    expect(err).not.toContain(url.searchParams.get('token'));
    // The address for the next browser.
    expect(err).toMatch(
      new RegExp(`for another browser: http://${url.host}/[?]token=[\\w-]{43}\n`),
    );
    await expect(fetch(url)).rejects.toThrow();
  },
);

it.skipIf(process.platform !== 'linux')(
  'npm start gives the browser a private file, and no argument has the token',
  async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const seen = join(folder, 'opened');
    const opener = [
      '#!/bin/sh',
      'file=$(printf %s "$1" | sed "s,^file://,,")',
      `printf '%s\\n' "$*" "$(stat -c %a "$file")" "$(stat -c %a "$(dirname "$file")")" "$(cat "$file")" > ${seen}.part`,
      `mv ${seen}.part ${seen}`,
    ];
    writeFileSync(join(bin, 'xdg-open'), `${opener.join('\n')}\n`, { mode: 0o755 });
    const child = spawn(process.execPath, [join(ROOT, 'app/start.ts')], {
      env: {
        ...{ ...process.env, ...env },
        ...{ PATH: `${bin}:${process.env['PATH'] ?? ''}`, DISPLAY: ':77' },
        ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'no-electron'),
      },
    });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const token = new URL(line.toString()).searchParams.get('token') ?? '';
      await vi.waitUntil(() => existsSync(seen), 30_000);
      const [args = '', fileMode, folderMode, page = ''] = readFileSync(seen, 'utf8').split('\n');
      expect(args).toMatch(/^file:.*daybook[.]html$/);
      expect(args).not.toContain(token);
      expect([fileMode, folderMode]).toEqual(['600', '700']);
      const url = /url=([^"]+)"/.exec(page)?.[1] ?? '';
      expect(new URL(url).searchParams.get('token')).toBe(token);
      expect((await fetch(url)).status).toBe(200);
      await vi.waitUntil(() => !existsSync(fileURLToPath(args)), 30_000);
      expect((await fetch(url)).status).toBe(403);
    } finally {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
  },
);

it('takes the port that it is given, and says when it cannot', async () => {
  const running = start(['serve'], { env });
  const { port } = await urlOf(running);
  const second = await daybook(['serve', '--port', port], { env });
  expect(second).toMatchObject({ status: 2, out: '' });
  expect(second.err).toContain(`port ${port} is used by another program`);
  running.child.kill('SIGTERM');
  await running.outcome;
  const wrong = await daybook(['serve', '--port', '70000'], { env });
  expect(wrong.status).toBe(2);
});

it('says what to do where DAYBOOK_WINDOW names no window', async () => {
  const DAYBOOK_WINDOW = join(folder, 'empty');
  const run = await daybook(['serve'], { env: { ...env, DAYBOOK_WINDOW } });
  expect(run).toMatchObject({ status: 1, out: '' });
  expect(run.err).toContain(`DAYBOOK_WINDOW names ${DAYBOOK_WINDOW}, which holds no built window`);
  expect(run.err).toContain('npm run build');
  expect(run.err).not.toMatch(/\n\s+at /);
});

it('has no option that would let others in', async () => {
  const run = await daybook(['serve', '--host', '0.0.0.0'], { env });
  expect(run).toMatchObject({ status: 2, out: '' });
});

it('open says why there is no desktop window, and what to do', async () => {
  const run = await daybook(['open', 'x.daybook'], {
    env: { ...env, ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'no-electron') },
  });
  expect(run.status).toBe(1);
  expect(run.err).toContain('Electron is not installed');
  expect(run.err).toContain('daybook serve x.daybook');
});
