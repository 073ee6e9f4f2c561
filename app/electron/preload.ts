/**
 * The bridge between the window's page and the main process: the only part of Electron visible to the page. Runs
 * sandboxed, in an isolated context.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { Bridge, FileFilter, ShellCommand } from '../../engine/contract/wire/bridge.ts';
import {
  CHOOSE_CASE,
  CHOOSE_EVIDENCE,
  CHOOSE_NEW_CASE,
  CHOOSE_SAVE,
  COMMAND,
  FRAME,
  PAGE,
  SET_THEME,
  SET_TITLE,
  SHOW_FILE,
  TAKEN,
} from './ipc.ts';

/** Frames of the page that was here before a reload carry another number. */
const page = Math.random();

/** Calls the single handler; earlier messages wait for it. */
class Mailbox<T> {
  private handler: ((message: T) => void) | undefined;
  private readonly kept: T[] = [];

  set(handler: (message: T) => void): void {
    this.handler = handler;
    for (const message of this.kept.splice(0)) handler(message);
  }

  put(message: T): void {
    if (this.handler === undefined) this.kept.push(message);
    else this.handler(message);
  }
}

const frames = new Mailbox<Uint8Array>();
const commands = new Mailbox<ShellCommand>();

ipcRenderer.on(FRAME, (_event, forPage: number, number: number, frame: Uint8Array) => {
  if (forPage !== page) return;
  // Messages waiting for a page that is still loading count as taken: they are a few states of the engine.
  frames.put(frame);
  ipcRenderer.send(TAKEN, page, number);
});
ipcRenderer.on(COMMAND, (_event, command: ShellCommand) => commands.put(command));

/** Electron before 32 provides the path with the file; later ones by a function. */
function pathOfFile(file: File): string {
  if (typeof webUtils !== 'undefined') return webUtils.getPathForFile(file);
  return 'path' in file && typeof file.path === 'string' ? file.path : '';
}

const bridge: Bridge = {
  shell: 'electron',
  platform: process.platform,
  send: (frame: Uint8Array) => ipcRenderer.send(FRAME, frame),
  onFrame: (handler) => frames.set(handler),
  onCommand: (handler) => commands.set(handler),
  pathOfFile,
  chooseEvidence: (kind) => ipcRenderer.invoke(CHOOSE_EVIDENCE, kind) as Promise<string[]>,
  chooseCase: () => ipcRenderer.invoke(CHOOSE_CASE) as Promise<string | undefined>,
  chooseNewCase: (suggested) =>
    ipcRenderer.invoke(CHOOSE_NEW_CASE, suggested) as Promise<string | undefined>,
  chooseSave: (suggested: string, filters: readonly FileFilter[]) =>
    ipcRenderer.invoke(CHOOSE_SAVE, suggested, filters) as Promise<string | undefined>,
  showFile: (path) => ipcRenderer.send(SHOW_FILE, path),
  setTitle: (title) => ipcRenderer.send(SET_TITLE, title),
  setTheme: (theme) => ipcRenderer.send(SET_THEME, theme),
};

contextBridge.exposeInMainWorld('daybook', bridge);
ipcRenderer.send(PAGE, page);
