/** The desktop shell on a real Electron: the permissions of a page, and the services for its window. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect as expectPage } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daybook } from '../harness.ts';
import { completeOlderChromium } from '../window/older-chromium.ts';
import { provision, startDisplay, whyNot, type Display } from '../provision/index.ts';
import { BUNDLE, openDesktop, SANDBOX_ARGUMENTS, scratch, type Desktop } from './electron.ts';

/** Communication between processes takes its time on a busy machine. */
const SOON = { timeout: 20_000 };
const reason = whyNot('electron');

describe.skipIf(reason !== undefined)(`the desktop shell${reason ? ` (${reason})` : ''}`, () => {
  const { folder, remove } = scratch();
  const state = join(folder, 'state');
  const env = { DAYBOOK_STATE: state, DAYBOOK_CASES: join(folder, 'cases') };
  const casePath = join(folder, 'acme & co.daybook');
  let display: Display;
  let desktop: Desktop;
  let requests: string[];
  let local: string;
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.setHeader('Access-Control-Allow-Origin', '*').end('reached');
  });

  beforeAll(async () => {
    display = await startDisplay();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    local = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const log = join(folder, 'auth.log');
    writeFileSync(log, '2026-03-01T10:00:00Z gate sshd[7]: Accepted publickey for root\n');
    const made = await daybook(['import', casePath, log], env);
    if (made.status !== 0) throw new Error(made.err);
    desktop = await openDesktop(env, [], display);
    await completeOlderChromium(desktop.page);
  });
  afterAll(async () => {
    await desktop.close();
    display.stop();
    server.close();
    remove();
  });

  const enginePids = (): number[] =>
    execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(desktop.app.process().pid)])
      .toString()
      .split('\n')
      .filter((line) => line.includes('app/engine/start.mjs'))
      .map((line) => Number(line.trim().split(' ')[0]));

  it('opens one window with the page of the product, and its engine answers', async () => {
    expect(desktop.page.url()).toBe('daybook://window/index.html');
    await expectPage(desktop.page.getByText('Daybook', { exact: true }).first()).toBeVisible();
    expect(desktop.app.windows()).toHaveLength(1);
    await expectPage(desktop.page.getByText(/^Daybook \d+\.\d+\.\d+$/)).toBeVisible();
    expect(enginePids()).toHaveLength(1);
  });

  it('gives the page nothing of Node and nothing of Electron but the bridge', async () => {
    const found = await desktop.page.evaluate<unknown>(`({
      global: ['process', 'require', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer'].filter(
        (name) => name in window,
      ),
      bridge: Object.keys(window.daybook).sort(),
    })`);
    expect(found).toEqual({
      global: [],
      bridge: [
        ...['chooseCase', 'chooseEvidence', 'chooseNewCase', 'chooseSave', 'onCommand', 'onFrame'],
        ...['pathOfFile', 'platform', 'send', 'setTheme', 'setTitle', 'shell', 'showFile'],
      ],
    });
    const sandboxed = await desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => {
        // Not in the types, and the only way to ask.
        const ask: unknown = Reflect.get(window.webContents, 'getLastWebPreferences');
        const told: unknown =
          typeof ask === 'function' ? Reflect.apply(ask, window.webContents, []) : undefined;
        const { sandbox, contextIsolation, nodeIntegration, webSecurity } = Object(told) as Record<
          string,
          unknown
        >;
        return { sandbox, contextIsolation, nodeIntegration, webSecurity };
      }),
    );
    expect(sandboxed).toEqual([
      { sandbox: true, contextIsolation: true, nodeIntegration: false, webSecurity: true },
    ]);
  });

  it('goes nowhere else', async () => {
    requests = [];
    const before = desktop.page.url();
    const isRefused = desktop.app.evaluate(
      ({ BrowserWindow }) =>
        new Promise<boolean>((resolve) => {
          const [window] = BrowserWindow.getAllWindows();
          window?.webContents.once('will-navigate', (event) => resolve(event.defaultPrevented));
        }),
    );
    // The question above has arrived once another is answered.
    await desktop.app.evaluate(() => undefined);
    await desktop.page.evaluate(`void (window.location.href = '${local}')`);
    expect(await isRefused).toBe(true);
    expect(await desktop.page.evaluate<string>('location.href')).toBe(before);
    expect(requests).toEqual([]);
  });

  it('runs no script that is not a file of the window', async () => {
    const found = await desktop.page.evaluate<{
      ran?: string;
      violations: string[];
    }>(`(async () => {
      const violations = new Set();
      const three = new Promise((resolve) =>
        document.addEventListener('securitypolicyviolation', (event) => {
          violations.add(event.effectiveDirective.replace(/-(elem|attr)$/, ''));
          if (violations.size === 3) resolve();
        }),
      );
      const script = document.createElement('script');
      script.textContent = 'document.documentElement.dataset.ran = "script"';
      const holder = document.createElement('div');
      holder.innerHTML = '<img src="x:" onerror="document.documentElement.dataset.ran = 1">';
      const frame = document.createElement('iframe');
      frame.src = 'data:text/html,frame';
      document.body.append(script, holder, frame);
      await three;
      for (const one of [script, holder, frame]) one.remove();
      return { ran: document.documentElement.dataset.ran, violations: [...violations].sort() };
    })()`);
    expect(found.ran).toBeUndefined();
    expect(found.violations).toEqual(['frame-src', 'img-src', 'script-src']);
  });

  it('reaches nothing but its own files', async () => {
    requests = [];
    const urls = [
      local,
      'https://example.invalid/',
      'file:///etc/passwd',
      'daybook://other/index.html',
      'daybook://window/../../package.json',
      'daybook://window/..%2f..%2fpackage.json',
      'daybook://window/%2e%2e/vite.config.ts',
      'daybook://window/assets',
      'daybook://window/icon.svg',
    ];
    const outcomes = await desktop.page.evaluate<unknown>(
      `Promise.all(${JSON.stringify(urls)}.map((url) =>
        fetch(url).then(({ status }) => status, () => 'failed')))`,
    );
    expect(outcomes).toEqual([...Array<string>(4).fill('failed'), 404, 404, 404, 404, 200]);
    // Even where no policy of a page prevents it.
    const main = await desktop.app.evaluate(
      ({ BrowserWindow, session }, url) =>
        new Promise<string>((resolve) => {
          const window = new BrowserWindow({ show: false });
          const isDefault = window.webContents.session === session.defaultSession;
          const done = (how: string) => {
            window.destroy();
            resolve(isDefault ? how : 'another session');
          };
          window.loadURL(url).then(
            () => done('reached'),
            () => done('refused'),
          );
        }),
      local,
    );
    expect(main).toBe('refused');
    expect(requests).toEqual([]);
  });

  it('grants no permission', async () => {
    const found = await desktop.page.evaluate<unknown>(`(async () => ({
      notification: await Notification.requestPermission(),
      place: await new Promise((resolve) =>
        navigator.geolocation.getCurrentPosition(() => resolve('given'), ({ code }) => resolve(code))),
    }))()`);
    expect(found).toEqual({ notification: 'denied', place: 1 });
  });

  it('knows the path of a file that was dropped or chosen', async () => {
    const file = join(folder, 'auth.log');
    await desktop.page.evaluate(`document.body.append(
      Object.assign(document.createElement('input'), { type: 'file', id: 'file-for-test' }))`);
    await desktop.page.setInputFiles('#file-for-test', file);
    const path = await desktop.page.evaluate<string>(`(() => {
      const input = document.querySelector('#file-for-test');
      const [first] = input.files;
      input.remove();
      // Electron before 12 cannot hand a file over its bridge: renderer/client/pipe.ts.
      return first.path || window.daybook.pathOfFile(first);
    })()`);
    expect(path).toBe(file);
  });

  it('asks with native dialogs, and refuses what it does not understand', async () => {
    await desktop.app.evaluate(({ dialog }) => {
      dialog.showOpenDialog = async (...args: unknown[]) => ({
        canceled: false,
        filePaths: [JSON.stringify(args[1])],
      });
      dialog.showSaveDialog = async (...args: unknown[]) => ({
        canceled: false,
        filePath: (args[1] as { defaultPath: string }).defaultPath,
      });
    });
    const found = await desktop.page.evaluate<{
      evidence: string[];
      newCase: string;
      save: string;
      wrong: string[];
    }>(`(async ({ chooseEvidence, chooseNewCase, chooseSave }) => {
      const refused = (call) => call.then(() => 'answered', ({ message }) => message);
      return {
        evidence: await chooseEvidence('folder'),
        newCase: await chooseNewCase('/x/y'),
        save: await chooseSave('a.csv', [{ name: 'CSV', extensions: ['csv'] }]),
        wrong: [
          await refused(chooseEvidence('everything')),
          await refused(chooseSave(7, [])),
          await refused(chooseSave('a', [{ name: 'x', extensions: [7] }])),
        ],
      };
    })(window.daybook)`);
    expect(found.evidence[0]).toContain('openDirectory');
    expect(found.newCase).toBe('/x/y.daybook');
    expect(found.save).toBe('a.csv');
    for (const message of found.wrong) expect(message).toMatch(/expected/);
  });

  it('shows a title as text', async () => {
    await desktop.page.evaluate(`window.daybook.setTitle('a\\u202egpj\\u0007.b · Daybook')`);
    await expect
      .poll(
        () =>
          desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getTitle()),
        SOON,
      )
      .toBe('a\ufffdgpj\ufffd.b · Daybook');
  });

  it('sends what is chosen in the menu', async () => {
    await desktop.page.reload();
    const settings = desktop.page.getByRole('dialog');
    await desktop.app.evaluate(({ Menu }) => {
      const file = Menu.getApplicationMenu()?.items.find(({ label }) => label === '&File');
      file?.submenu?.items.find(({ label }) => label === '&Settings…')?.click();
    });
    await expectPage(settings).toBeVisible();
    await desktop.page.keyboard.press('Escape');
  });

  it('hands a second start over to the first, which opens the case', async () => {
    const second = spawn(
      provision().electron?.path ?? '',
      [...SANDBOX_ARGUMENTS, BUNDLE, 'acme & co.daybook'],
      { env: desktop.env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const said: Buffer[] = [];
    second.stderr.on('data', (data: Buffer) => said.push(data));
    const [status] = (await once(second, 'exit')) as [number];
    expect(status).toBe(0);
    expect(Buffer.concat(said).toString()).toContain('Daybook is already open');
    await expect
      .poll(() => new URLSearchParams(new URL(desktop.page.url()).hash.slice(1)).get('case'), SOON)
      .toBe(casePath);
    expect(enginePids()).toHaveLength(1);
    // It is among the recent ones now.
    await expect
      .poll(
        () =>
          desktop.app.evaluate(({ Menu }) => {
            const file = Menu.getApplicationMenu()?.items.find(({ label }) => label === '&File');
            const recent = file?.submenu?.items.find(({ label }) => label === 'Open &Recent');
            return recent?.submenu?.items.map(({ label }) => label) ?? [];
          }),
        SOON,
      )
      .toEqual(['acme && co']);
  });

  it('shows in the menu the keys that the page has for its tabs', async () => {
    const items = await desktop.app.evaluate(({ Menu }) => {
      const view = Menu.getApplicationMenu()?.items.find(({ label }) => label === '&View');
      return (view?.submenu?.items ?? []).map(({ label, accelerator }) => ({ label, accelerator }));
    });
    const tabs = items.filter(({ accelerator }) => /^Alt\+\d$/.test(accelerator ?? ''));
    expect(tabs).toHaveLength(7);
    const selected = desktop.page.locator('main [role="tab"][aria-selected="true"]').first();
    for (const { label, accelerator } of tabs) {
      await desktop.page.keyboard.press(String(accelerator));
      const title = label.replace('&', '').replace(' and ', ' & ');
      await expectPage(selected).toContainText(new RegExp(`^${title}`, 'i'));
    }
    await desktop.page.keyboard.press('Alt+1');
  });

  it('tells a person that the engine died, and starts it again with the case open', async () => {
    const { page } = desktop;
    const [pid] = enginePids();
    const banner = page.getByRole('alert').filter({ hasText: /engine/ });
    // The engine may be back before the next frame, in which a wait of Playwright would look for the banner.
    await page.evaluate(`(() => {
      const said = (window.alertsForTest = []);
      new MutationObserver(() => {
        for (const alert of document.querySelectorAll('[role="alert"]')) said.push(alert.textContent);
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    })()`);
    expect(pid).toBeGreaterThan(1);
    process.kill(pid!, 'SIGKILL');
    const said = () => page.evaluate<string>(`window.alertsForTest.join(' ')`);
    await expect.poll(said, SOON).toMatch(/engine stopped/);
    await expectPage(banner).toBeHidden(SOON);
    await expect.poll(enginePids, SOON).toEqual([expect.not.toSatisfy((one) => one === pid)]);
    expect(page.url()).toContain('case=');
  });

  it('loads the page again when its process dies, with the case open', async () => {
    const { page, app } = desktop;
    const before = page.url();
    await app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      process.kill(window?.webContents.getOSProcessId() ?? 0, 'SIGKILL');
    });
    const alive = () =>
      app.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        return contents === undefined || contents.isLoading() || contents.isCrashed()
          ? undefined
          : contents.getURL();
      });
    await expect.poll(() => desktop.said.join(''), SOON).toContain("the window's page crashed");
    await expect.poll(alive, SOON).toBe(before);
    const title = () =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getTitle());
    await expect.poll(title, SOON).toBe('acme & co · Daybook');
  });
});

describe.skipIf(reason !== undefined)('other windows', () => {
  it.each([
    ['by a script', (url: string) => `window.open('${url}')`],
    [
      'by a link',
      (url: string) =>
        `document.body.appendChild(
          Object.assign(document.createElement('a'), { href: '${url}', target: '_blank' })).click()`,
    ],
  ])('are not opened %s', async (_what, script) => {
    const { folder, remove } = scratch();
    let reached = 0;
    const server = createServer((_request, response) => {
      reached += 1;
      response.end('reached');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const desktop = await openDesktop({ DAYBOOK_STATE: folder });
    // Electron's event when a page requests a window, before that is decided.
    await desktop.app.evaluate(({ BrowserWindow }) => {
      const emitter: NodeJS.EventEmitter | undefined =
        BrowserWindow.getAllWindows()[0]?.webContents;
      emitter?.once('-will-add-new-contents', () => Reflect.set(globalThis, 'isAsked', true));
    });
    // Not waited for: Playwright waits for the window that is not opened.
    desktop.page.evaluate(script(`http://127.0.0.1:${port}/`)).catch(() => undefined);
    const isAsked = () => desktop.app.evaluate(() => Reflect.has(globalThis, 'isAsked'));
    await expect.poll(isAsked, SOON).toBe(true);
    const urls = await desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.webContents.getURL()),
    );
    expect(urls).toEqual(['daybook://window/index.html']);
    expect(reached).toBe(0);
    await desktop.close();
    server.close();
    remove();
  });
});

describe.skipIf(reason !== undefined)('the place of the window', () => {
  const { folder, remove } = scratch();
  const file = join(folder, 'window.json');
  let display: Display;
  beforeAll(async () => {
    display = await startDisplay();
  });
  afterAll(() => {
    display.stop();
    remove();
  });

  const bounds = async ({ app }: Desktop) =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds());

  it('is kept between starts, with the case that is given', async () => {
    const place = { x: 120, y: 60, width: 1100, height: 720 };
    const first = await openDesktop({ DAYBOOK_STATE: folder }, [], display);
    await first.app.evaluate(({ BrowserWindow }, wanted) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(wanted);
    }, place);
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), SOON).toContain('1100');
    await first.close();
    const missing = join(folder, 'missing.daybook');
    const second = await openDesktop({ DAYBOOK_STATE: folder }, [missing], display);
    expect(await bounds(second)).toEqual(place);
    expect(second.page.url()).toBe(
      `daybook://window/index.html#case=${encodeURIComponent(missing)}`,
    );
    await second.close();
  });

  it.each([
    ['beyond every screen', '{"bounds":{"x":9000,"y":60,"width":1100,"height":720}}'],
    ['with its title above the screen', '{"bounds":{"x":10,"y":-700,"width":1100,"height":720}}'],
    ['of no size', '{"bounds":{"x":10,"y":10,"width":1,"height":1}}'],
    ['that is no place', '{"bounds":{"x":"1e9"}'],
  ])('is forgotten when it was one %s', async (_what, kept) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, kept);
    const desktop = await openDesktop({ DAYBOOK_STATE: folder }, [], display);
    const { x, y, width, height } = (await bounds(desktop)) ?? {
      x: -1,
      y: -1,
      width: 0,
      height: 0,
    };
    expect(x).toBeGreaterThanOrEqual(0);
    expect(y).toBeGreaterThanOrEqual(0);
    expect([width, height]).toEqual([1440, 900]);
    await desktop.close();
  });
});
