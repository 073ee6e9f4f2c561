/** `daybook serve` as a process: what it prints where, and how it ends. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { daybook, start, type Running } from '../cli/harness.ts';
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
    await expect(fetch(url)).rejects.toThrow();
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
  expect(run.err).toContain(`DAYBOOK_WINDOW names ${DAYBOOK_WINDOW}, where no built window is`);
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
