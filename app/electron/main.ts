/**
 * Electron's main process: one instance, one window, one engine. It passes frames between the window and the
 * engine, and owns the system's resources: window, menu, dialogs.
 */
import { join } from 'node:path';
import { app, dialog, nativeTheme } from 'electron';
import type { BrowserWindow, WebContents } from 'electron';
import type { ShellCommand } from '../../engine/contract/wire/bridge.ts';
import { Connection } from '../../engine/contract/wire/client.ts';
import { EngineProcess } from '../engine/process.ts';
import { stateFolder } from '../folders.ts';
import { caseArgument } from './arguments.ts';
import { handleBridge } from './bridge-handlers.ts';
import { Frames } from './frames.ts';
import { COMMAND } from './ipc.ts';
import { lockDown, lockSession } from './lock-down.ts';
import { setMenu } from './menu.ts';
import { announceProtocol, isOwnUrl, pageUrl, serveWindow } from './page-protocol.ts';
import { findPlaces } from './places.ts';
import { openWindow } from './window.ts';

/** Put in by the bundler. */
declare const DAYBOOK_VERSION: string;

// Cases, exports, reports and caches are private to the user: no access for others on this machine.
process.umask(0o077);

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const entry = app.isPackaged ? undefined : __filename;
const state = stateFolder(process.env);

app.setName('Daybook');
app.setAboutPanelOptions({ applicationName: 'Daybook', applicationVersion: DAYBOOK_VERSION });
// Also the location of the single-instance lock: one for each state folder.
app.setPath('userData', join(state, 'window'));
app.setAppUserModelId('org.daybook.Daybook');
announceProtocol();
lockDown();

if (app.requestSingleInstanceLock()) start(caseArgument(process.argv, process.cwd(), entry));
else {
  say('Daybook is already open: its window takes over');
  app.quit();
}

function start(first: string | undefined): void {
  let openCase = first;
  let window: BrowserWindow | undefined;
  let engine: EngineProcess | undefined;
  let frames: Frames | undefined;
  /** Commands for a page that has not loaded yet. */
  const waiting: ShellCommand[] = [];

  const send = (command: ShellCommand): void => {
    if (window === undefined) return;
    if (frames?.has(window.webContents) === true) window.webContents.send(COMMAND, command);
    else waiting.push(command);
  };
  const show = (path: string | undefined): void => {
    if (window === undefined) {
      openCase = path ?? openCase;
      return;
    }
    if (path !== undefined) send({ command: 'open-case', path });
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };

  app.on('second-instance', (_event, argv, folder) => show(caseArgument(argv, folder, entry)));
  app.on('open-file', (event, path) => {
    event.preventDefault();
    show(path);
  });
  app.on('window-all-closed', () => app.quit());
  app.on('will-quit', (event) => {
    if (engine === undefined) return;
    // The engine finishes what it is writing. All windows are closed by now: nothing is left to be asked, and
    // asking again has been seen to leave a process behind.
    event.preventDefault();
    void engine.stop().then(() => app.exit());
  });

  void app.whenReady().then(() => {
    const places = findPlaces({
      bundle: __dirname,
      packaged: app.isPackaged,
      resources: process.resourcesPath,
      env: process.env,
    });
    if (places.engine === undefined) {
      dialog.showErrorBox('Daybook cannot start', 'Its engine is missing: reinstall Daybook.');
      app.exit(1);
      return;
    }
    lockSession();
    serveWindow(places.window);
    const running = new EngineProcess({ command: places.engine, onLog: say });
    engine = running;
    const shell = new Connection(running.openChannel());
    const menuLater = () =>
      void refreshMenu(shell, send).catch((error: unknown) => say(String(error)));
    frames = new Frames(running, isOurs, (contents) => {
      if (contents !== window?.webContents) return;
      for (const command of waiting.splice(0)) contents.send(COMMAND, command);
    });
    handleBridge({ isOurs, onTitle: menuLater });
    setMenu({ send, recent: [], development: !app.isPackaged });
    menuLater();
    window = openWindow({
      url: pageUrl(openCase),
      preload: places.preload,
      icon: places.icon,
      stateFile: join(state, 'window.json'),
      background: nativeTheme.shouldUseDarkColors ? '#141517' : '#ffffff',
    });
    window.on('closed', () => {
      window = undefined;
    });
  });
}

/**
 * Whether a page is ours. Its address is empty while it loads: its preload sends messages before the main process
 * knows it. No page can navigate elsewhere.
 */
function isOurs(contents: WebContents): boolean {
  const url = contents.getURL();
  return url === '' || isOwnUrl(url);
}

/** Lists the recent cases in the menu, and tells the system of the last one. */
async function refreshMenu(
  shell: Connection,
  send: (command: ShellCommand) => void,
): Promise<void> {
  const { recent } = await shell.call('engine.info', {});
  setMenu({
    send,
    recent: recent.map(({ case: path, name }) => ({ path, name })),
    development: !app.isPackaged,
  });
  const last = recent[0];
  if (last !== undefined) app.addRecentDocument(last.case);
}
