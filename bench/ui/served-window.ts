/** The window in a browser on `daybook serve`, with the probe in it and the browser's own counters. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type CDPSession, type Page } from '@playwright/test';
import { provision } from '../../e2e/provision/index.ts';
import { PROGRAM } from '../harness/program.ts';

export interface Counters {
  /** Bytes of the JavaScript heap after a collection. */
  readonly heap: number;
  /** Resident bytes of the renderer's process. */
  readonly resident: number;
  readonly nodes: number;
  readonly listeners: number;
  readonly documents: number;
  readonly timeouts: number;
  readonly intervals: number;
}

export interface ServedWindow {
  readonly page: Page;
  /** From the start of the program to its address. */
  readonly addressMs: number;
  readonly url: string;
  counters(): Promise<Counters>;
  close(): Promise<void>;
}

const SIZE = { width: 1440, height: 900 };
const WAIT_MS = 60_000;

/** Starts `script args`, which prints an address, and opens that in the browser of the tests. */
export async function openServed(script: string, args: readonly string[]): Promise<ServedWindow> {
  const found = provision().chromium;
  if (found === null) throw new Error('there is no Chromium: node .ci/provision.mjs');
  const state = mkdtempSync(join(tmpdir(), 'daybook-bench-state-'));
  const begun = performance.now();
  const child = spawn(process.execPath, [join(PROGRAM, script), ...args], {
    env: { ...process.env, DAYBOOK_STATE: state, DISPLAY: '', WAYLAND_DISPLAY: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let browser: Browser | undefined;
  const close = async (): Promise<void> => {
    await browser?.close();
    await stopped(child);
    rmSync(state, { recursive: true, force: true });
  };
  try {
    const url = await address(child);
    const addressMs = performance.now() - begun;
    browser = await chromium.launch({
      executablePath: found.path,
      args: ['--enable-precise-memory-info'],
    });
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'dark' });
    await page.addInitScript({
      content: readFileSync(join(import.meta.dirname, 'page-probe.js'), 'utf8'),
    });
    const session = await page.context().newCDPSession(page);
    const whole = await browser.newBrowserCDPSession();
    await session.send('Performance.enable');
    return {
      ...{ page, url, addressMs, close },
      counters: () => counters(page, session, whole),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function counters(page: Page, session: CDPSession, whole: CDPSession): Promise<Counters> {
  // Twice: what the first releases may hold others.
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? NaN;
  const { processInfo } = await whole.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  const timers = await page.evaluate<{ timeouts: number; intervals: number }>(
    'window.probe.timers()',
  );
  return {
    heap: metric('JSHeapUsedSize'),
    resident: Math.max(...renderers.map(({ id }) => residentBytes(id))),
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
    documents: metric('Documents'),
    ...timers,
  };
}

function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? NaN) * 1024;
  } catch {
    return NaN;
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function address(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    const fail = (why: string) => reject(new Error(`${why}: ${err.slice(-1000)}`));
    const timer = setTimeout(() => fail('no address came'), WAIT_MS);
    child.stderr?.on('data', (data: Buffer) => (err += data.toString()));
    child.stdout?.on('data', (data: Buffer) => {
      out += data.toString();
      const end = out.indexOf('\n');
      if (end < 0) return;
      clearTimeout(timer);
      resolve(out.slice(0, end));
    });
    child.on('exit', () => {
      clearTimeout(timer);
      fail('the program ended');
    });
  });
}
