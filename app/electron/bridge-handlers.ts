/** The main process's half of the bridge: native dialogs, title, theme. Arguments are checked. */
import { isAbsolute } from 'node:path';
import { BrowserWindow, dialog, ipcMain, nativeTheme, shell } from 'electron';
import type { IpcMainEvent, IpcMainInvokeEvent, OpenDialogOptions, WebContents } from 'electron';
import { filtersOf, oneOf, textOf, titleOf } from './arguments.ts';
import {
  CHOOSE_CASE,
  CHOOSE_EVIDENCE,
  CHOOSE_NEW_CASE,
  CHOOSE_SAVE,
  SET_THEME,
  SET_TITLE,
  SHOW_FILE,
} from './ipc.ts';

const CASE_FILTER = { name: 'Daybook cases', extensions: ['daybook'] };

interface BridgeHandlers {
  readonly isOurs: (contents: WebContents) => boolean;
  /** Another case is shown. */
  readonly onTitle: () => void;
}

export function handleBridge({ isOurs, onTitle }: BridgeHandlers): void {
  const windowOf = ({ sender }: IpcMainInvokeEvent | IpcMainEvent): BrowserWindow => {
    const window = isOurs(sender) ? BrowserWindow.fromWebContents(sender) : null;
    if (window === null) throw new TypeError('only the window may ask');
    return window;
  };
  /** A request without an answer; a malformed one is ignored. */
  const on = (channel: string, handler: (window: BrowserWindow, value: unknown) => void) => {
    ipcMain.on(channel, (event, value: unknown) => {
      try {
        handler(windowOf(event), value);
      } catch (error) {
        process.stderr.write(`daybook: ${channel} is refused: ${String(error)}\n`);
      }
    });
  };
  const open = async (window: BrowserWindow, options: OpenDialogOptions): Promise<string[]> => {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
    return canceled ? [] : filePaths;
  };

  ipcMain.handle(CHOOSE_EVIDENCE, (event, kind: unknown) => {
    const folder = oneOf(kind, ['files', 'folder']) === 'folder';
    return open(windowOf(event), {
      title: folder ? 'Add a folder of evidence' : 'Add evidence',
      buttonLabel: 'Add',
      properties: [folder ? 'openDirectory' : 'openFile', 'multiSelections', 'showHiddenFiles'],
    });
  });
  ipcMain.handle(CHOOSE_CASE, async (event) => {
    // A case is a folder; macOS shows it as one file.
    const [path] = await open(windowOf(event), {
      title: 'Open a case',
      buttonLabel: 'Open',
      properties: [
        'openDirectory',
        ...(process.platform === 'darwin' ? ['openFile' as const] : []),
      ],
      filters: [CASE_FILTER],
    });
    return path;
  });
  ipcMain.handle(CHOOSE_NEW_CASE, async (event, suggested: unknown) => {
    const { canceled, filePath } = await dialog.showSaveDialog(windowOf(event), {
      title: 'New case',
      buttonLabel: 'Create',
      defaultPath: textOf(suggested),
      filters: [CASE_FILTER],
    });
    if (canceled || filePath === undefined || filePath === '') return undefined;
    return filePath.endsWith('.daybook') ? filePath : `${filePath}.daybook`;
  });
  ipcMain.handle(CHOOSE_SAVE, async (event, suggested: unknown, filters: unknown) => {
    const { canceled, filePath } = await dialog.showSaveDialog(windowOf(event), {
      defaultPath: textOf(suggested),
      filters: filtersOf(filters).map(({ name, extensions }) => ({
        name,
        extensions: [...extensions],
      })),
    });
    return canceled || filePath === '' ? undefined : filePath;
  });
  on(SHOW_FILE, (_window, value) => {
    const path = textOf(value);
    if (isAbsolute(path)) shell.showItemInFolder(path);
  });
  on(SET_TITLE, (window, value) => {
    window.setTitle(titleOf(value));
    onTitle();
  });
  on(SET_THEME, (_window, value) => {
    const theme = oneOf(value, ['light', 'dark', 'auto']);
    nativeTheme.themeSource = theme === 'auto' ? 'system' : theme;
  });
}
