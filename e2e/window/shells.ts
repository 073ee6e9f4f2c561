/**
 * The window in each of its shells, driven by Playwright: a browser on `daybook serve`, and Electron.
 * Whatever it shows, a window must contact nobody but its shell, break no content security policy
 * and throw nothing: `problems` has what it did wrong, and every test ends by looking at it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium, _electron, type Browser, type Page } from '@playwright/test';
import { ROOT, scratch } from '../harness.ts';
import { build } from '../electron/electron.ts';
import { provision, startDisplay, whyNot, type Display } from '../provision/index.ts';
import { completeOlderChromium } from './older-chromium.ts';
import { PATIENCE_MS } from './pages/expect.ts';

export { scratch };

export interface OpenWindow {
  readonly page: Page;
  /** Requests to others, broken policies, errors that nobody caught. */
  readonly problems: string[];
  /** Process id of the engine, to kill it. */
  enginePid(): Promise<number>;
  close(): Promise<void>;
}

interface WindowShell {
  readonly name: 'browser' | 'electron';
  /** Why it cannot run here. */
  readonly whyNot: string | undefined;
  /** Opens the window; `openCase` as the command line would. */
  open(options?: WindowOptions): Promise<OpenWindow>;
}

export interface WindowOptions {
  readonly openCase?: string;
  readonly state?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly scheme?: 'light' | 'dark';
}

const SIZE = { width: 1440, height: 900 };
/** Where the environment names none, Chromium reads no file whose name has other characters than those of ASCII. */
const LOCALE = { LANG: 'C.UTF-8' };

/** Begins to write down what a window does wrong. `own`: whether an address is its shell's. */
async function watch(page: Page, isAllowed: (url: string) => boolean): Promise<string[]> {
  const problems: string[] = [];
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !isAllowed(url)) problems.push(`request to ${url}`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy/i.test(text)) problems.push(`policy: ${text}`);
    else if (message.type() === 'error') problems.push(`console: ${text}`);
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) => {
      console.error('Content Security Policy: ' + event.violatedDirective + ' ' + event.blockedURI);
    });`,
  });
  return problems;
}

async function enginePid(page: Page): Promise<number> {
  const label = await page.locator('[data-engine-pid]').first().getAttribute('data-engine-pid');
  const pid = Number(label);
  if (!Number.isInteger(pid) || pid <= 1) throw new Error('the window does not know its engine');
  return pid;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export const browserShell: WindowShell = {
  name: 'browser',
  whyNot: whyNot('chromium'),
  async open({ openCase, state, size = SIZE, scheme = 'dark' } = {}) {
    const folder = scratch();
    const child = spawn(
      process.execPath,
      [
        path.join(ROOT, 'app/cli/daybook.mjs'),
        'serve',
        ...(openCase === undefined ? [] : [openCase]),
      ],
      {
        env: {
          ...process.env,
          DAYBOOK_STATE: state ?? folder.folder,
          DAYBOOK_CASES: path.join(state ?? folder.folder, 'cases'),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const said: string[] = [];
    child.stderr.on('data', (data: Buffer) => said.push(data.toString()));
    let browser: Browser | undefined;
    try {
      const url = await address(child, said);
      browser = await chromium.launch({
        executablePath: provision().chromium?.path ?? '',
        env: { ...LOCALE, ...(process.env as Record<string, string>) },
      });
      const page = await browser.newPage({ viewport: size, colorScheme: scheme });
      const problems = await watch(page, (one) => new URL(one).host === url.host);
      await page.goto(url.href);
      // The first page only changes the token for a cookie, and moves on.
      await page.waitForURL((one) => !one.searchParams.has('token'));
      const opened = browser;
      return {
        page,
        problems,
        enginePid: () => enginePid(page),
        async close() {
          await opened.close();
          await stop(child);
          folder.remove();
        },
      };
    } catch (error) {
      await browser?.close();
      await stop(child);
      folder.remove();
      throw new Error(`the window did not open: ${said.join('')}`, { cause: error });
    }
  },
};

/** The address that `daybook serve` prints; it may build the window first. */
function address(child: ChildProcess, said: readonly string[]): Promise<URL> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(
      () => reject(new Error(`no address within 60 s: ${said.join('')}`)),
      60_000,
    );
    child.stdout?.on('data', (data: Buffer) => {
      text += data.toString();
      const end = text.indexOf('\n');
      if (end < 0) return;
      clearTimeout(timer);
      resolve(new URL(text.slice(0, end)));
    });
    child.on('exit', (status) => {
      clearTimeout(timer);
      reject(new Error(`daybook serve ended with status ${status}: ${said.join('')}`));
    });
  });
}

export const electronShell: WindowShell = {
  name: 'electron',
  whyNot: whyNot('electron'),
  async open({ openCase, state, size = SIZE, scheme = 'dark' } = {}) {
    const folder = scratch();
    const { electron } = provision();
    const stateFolder = state ?? folder.folder;
    mkdirSync(stateFolder, { recursive: true });
    let display: Display | undefined;
    try {
      build();
      display = await startDisplay();
      const app = await _electron.launch({
        executablePath: electron?.path ?? '',
        args: [
          ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
          // Its process would draw with a graphics library in software, on the processor that all share. Tests
          // of the desktop shell itself start it as users do.
          '--disable-gpu',
          `--user-data-dir=${path.join(stateFolder, 'electron')}`,
          path.join(ROOT, 'app/electron/dist/main.cjs'),
          ...(openCase === undefined ? [] : [openCase]),
        ],
        colorScheme: scheme,
        env: {
          ...LOCALE,
          ...(process.env as Record<string, string>),
          DISPLAY: display.name,
          // Electron itself would try, after each load of a program that is not packaged, whether the policy allows `eval`.
          ELECTRON_DISABLE_SECURITY_WARNINGS: 'true',
          DAYBOOK_STATE: stateFolder,
          DAYBOOK_CASES: path.join(stateFolder, 'cases'),
        },
      });
      const page = await app.firstWindow();
      await completeOlderChromium(page);
      const problems = await watch(page, (one) => /^(daybook|file|devtools):/.test(one));
      await app.evaluate(({ BrowserWindow }, { width, height }) => {
        BrowserWindow.getAllWindows()[0]?.setContentSize(width, height);
      }, size);
      const shown = display;
      return {
        page,
        problems,
        enginePid: () => enginePid(page),
        async close() {
          await app.close();
          shown.stop();
          folder.remove();
        },
      };
    } catch (error) {
      display?.stop();
      folder.remove();
      throw error;
    }
  },
};
