/**
 * Electron's bridge as the suite of the contract sees it: `window.daybook` of real windows of the
 * real shell, each with the product's preload and an empty page.
 */
import type { ElectronApplication } from '@playwright/test';
import type { Bridge } from '../../engine/contract/wire/bridge.ts';
import { Connection, type FramePipe } from '../../engine/contract/wire/client.ts';
import { openDesktop, PRELOAD } from '../electron/electron.ts';
import { reached, type EndedCall, type Shell } from './shell.ts';

/** An empty page with the window's own address. */
const EMPTY_PAGE = 'daybook://window/icon.svg';
/** Their number is in their address. */
let windows = 0;

/** Names in the page: its bridge, and a function that calls this process. */
declare const globalThis: {
  readonly daybook: Bridge;
  frameForTest(base64: string): Promise<void>;
};

async function bridgePipe(app: ElectronApplication): Promise<FramePipe> {
  windows += 1;
  const url = `${EMPTY_PAGE}#${windows}`;
  const opening = app.waitForEvent('window');
  await app.evaluate(
    ({ BrowserWindow }, { target, preload }) => {
      const webPreferences = { preload, sandbox: true, contextIsolation: true };
      return new BrowserWindow({ show: false, webPreferences }).loadURL(target);
    },
    { target: url, preload: PRELOAD },
  );
  const page = await opening;
  const handlers: ((frame: Uint8Array) => void)[] = [];
  const closers: ((reason: string) => void)[] = [];
  await page.exposeFunction('frameForTest', (base64: string) => {
    const frame = new Uint8Array(Buffer.from(base64, 'base64'));
    for (const handler of handlers) handler(frame);
  });
  let open = true;
  return {
    send: (frame) => {
      if (!open) return;
      // A page that is gone receives nothing.
      page
        .evaluate((base64) => {
          const text = atob(base64);
          const frame = new Uint8Array(text.length);
          for (let at = 0; at < text.length; at++) frame[at] = text.charCodeAt(at);
          globalThis.daybook.send(frame);
        }, Buffer.from(frame).toString('base64'))
        .catch(() => undefined);
    },
    onFrame: (handler) => {
      handlers.push(handler);
      void page.evaluate(() => {
        globalThis.daybook.onFrame((frame) => {
          let text = '';
          // All at once would be too many arguments for a call.
          for (let at = 0; at < frame.length; at += 8192)
            text += String.fromCharCode(...frame.subarray(at, at + 8192));
          void globalThis.frameForTest(btoa(text));
        });
      });
    },
    onClose: (handler) => void closers.push(handler),
    close: () => {
      if (!open) return;
      open = false;
      void app.evaluate(({ BrowserWindow }, target) => {
        for (const window of BrowserWindow.getAllWindows()) {
          if (window.webContents.getURL() === target) window.destroy();
        }
      }, url);
      for (const handler of closers) handler('the window was closed');
    },
  };
}

export const electronBridge: Shell = {
  name: 'Electron bridge',
  async start(env) {
    const desktop = await openDesktop({ ...env, DAYBOOK_TRACE: '1' });
    const ended: EndedCall[] = [];
    let rest = desktop.said.join('');
    const take = (text: string): void => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const told = line.replace('daybook engine: ', '');
        if (told.startsWith('{"operation"')) ended.push(JSON.parse(told) as EndedCall);
      }
    };
    desktop.app.process().stderr?.on('data', (data: Buffer) => take(data.toString()));
    return {
      connect: async () => {
        const connection = new Connection(await bridgePipe(desktop.app));
        await reached(connection, 'ready');
        return connection;
      },
      stop: () => desktop.close(),
      ended: () => ended,
    };
  },
};
