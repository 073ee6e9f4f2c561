/**
 * The only window: made with every unneeded capability disabled, kept in its position, reloaded when its page
 * crashes.
 */
import { BrowserWindow, dialog, screen } from 'electron';
import type { WebContents } from 'electron';
import { LEAST_SIZE, readWindowState, writeWindowState } from './window-state.ts';

interface WindowOptions {
  readonly url: string;
  readonly preload: string;
  readonly icon: string;
  /** The file for its position. */
  readonly stateFile: string;
  /** Shown while the page loads. */
  readonly background: string;
}

const FIRST_SIZE = { width: 1440, height: 900 };
const SAVE_MS = 500;
/** With more crashes than this within a minute, a person is asked. */
const MOST_CRASHES = 3;
const CRASH_MS = 60_000;
/** The oldest Chromium with the features of the window's style sheets. */
const MODERN_CHROMIUM = 88;

export function openWindow({
  url,
  preload,
  icon,
  stateFile,
  background,
}: WindowOptions): BrowserWindow {
  const screens = screen.getAllDisplays().map(({ workArea }) => workArea);
  const { bounds, maximized } = readWindowState(stateFile, screens);
  const window = new BrowserWindow({
    ...FIRST_SIZE,
    ...bounds,
    minWidth: LEAST_SIZE.width,
    minHeight: LEAST_SIZE.height,
    title: 'Daybook',
    backgroundColor: background,
    icon,
    show: false,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      // Checking would fetch dictionaries.
      spellcheck: false,
      ...forOldChromium(),
    },
  });
  if (maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('page-title-updated', (event) => event.preventDefault());
  keepState(window, stateFile);
  reloadAfterCrash(window);
  void window.loadURL(url).catch((error: unknown) => {
    process.stderr.write(`daybook: the window cannot be loaded: ${String(error)}\n`);
  });
  return window;
}

/** Chromium 83 has these features, but disabled; later ones enable them and do not know these names. */
function forOldChromium(): { enableBlinkFeatures?: string } {
  if (Number(process.versions['chrome']?.split('.')[0]) >= MODERN_CHROMIUM) return {};
  return {
    enableBlinkFeatures:
      'CSSPseudoIs,CSSPseudoWhere,CSSFocusVisible,CSSLogical,CSSAspectRatioProperty,CSSIndependentTransformProperties',
  };
}

function keepState(window: BrowserWindow, file: string): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    if (timer !== undefined) clearTimeout(timer);
    timer = undefined;
    if (window.isDestroyed()) return;
    // The position to which it returns from being maximized.
    writeWindowState(file, { bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  };
  const later = () => {
    if (timer !== undefined) clearTimeout(timer);
    timer = setTimeout(save, SAVE_MS);
  };
  window.on('resize', later);
  window.on('move', later);
  window.on('close', save);
}

function reloadAfterCrash(window: BrowserWindow): void {
  const crashes: number[] = [];
  const { webContents } = window;
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    process.stderr.write(`daybook: the window's page crashed: ${reason}\n`);
    const now = Date.now();
    crashes.push(now);
    const recent = crashes.filter((at) => now - at < CRASH_MS).length;
    if (recent <= MOST_CRASHES) reload(webContents);
    else void askToReload(window, reason);
  });
}

async function askToReload(window: BrowserWindow, reason: string): Promise<void> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: 'The window keeps crashing',
    detail: `Its page crashed ${MOST_CRASHES + 1} times within a minute (${reason}). The case and everything imported are unaffected.`,
    buttons: ['Try again', 'Close Daybook'],
    defaultId: 0,
    cancelId: 1,
  });
  if (response === 0) reload(window.webContents);
  else window.close();
}

/** Not from within the event, which Electron does not take well. */
function reload(contents: WebContents): void {
  setTimeout(() => {
    if (!contents.isDestroyed()) contents.reload();
  }, 0);
}
