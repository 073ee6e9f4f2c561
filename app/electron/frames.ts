/**
 * Carries frames between pages and the engine: a channel for each page, closed when the page is closed, reloaded or
 * crashes. It does not interpret frames.
 */
import { ipcMain } from 'electron';
import type { WebContents } from 'electron';
import { encodeFrame, MAX_FRAME_BYTES } from '../../engine/contract/wire/frame.ts';
import type { EngineChannel, EngineProcess } from '../engine/process.ts';
import { FRAME, PAGE, TAKEN } from './ipc.ts';

/** A page and its way to the engine. */
class PageLink {
  readonly page: number;
  readonly channel: EngineChannel;
  private readonly contents: WebContents;
  private sent = 0;
  private untaken: { readonly number: number; readonly taken: () => void }[] = [];
  private closed = false;

  constructor(page: number, contents: WebContents, engine: EngineProcess) {
    this.page = page;
    this.contents = contents;
    this.channel = engine.openChannel();
    this.channel.onFrame((frame) => this.send(frame));
    this.channel.onClose((reason) => {
      if (this.closed) return;
      const restarts = engine.state.restarts;
      void this.send(encodeFrame({ frame: 'engine', state: 'down', restarts, reason }));
    });
  }

  /** Resolves when the page has taken it: the engine counts what a busy page has not taken as in flight. */
  private send(frame: Uint8Array): Promise<void> {
    if (this.closed || this.contents.isDestroyed()) return Promise.resolve();
    this.sent += 1;
    const number = this.sent;
    this.contents.send(FRAME, this.page, number, frame);
    return new Promise((taken) => this.untaken.push({ number, taken }));
  }

  taken(number: number): void {
    const done = this.untaken.filter((one) => one.number <= number);
    this.untaken = this.untaken.filter((one) => one.number > number);
    for (const { taken } of done) taken();
  }

  close(): void {
    this.closed = true;
    this.channel.close();
    this.taken(this.sent);
  }
}

export class Frames {
  private readonly engine: EngineProcess;
  private readonly isOurs: (contents: WebContents) => boolean;
  private readonly onPage: (contents: WebContents) => void;
  private readonly links = new Map<WebContents, PageLink>();

  /** Calls `onPage` when a page has loaded and receives messages. */
  constructor(
    engine: EngineProcess,
    isOurs: (contents: WebContents) => boolean,
    onPage: (contents: WebContents) => void,
  ) {
    this.engine = engine;
    this.isOurs = isOurs;
    this.onPage = onPage;
    ipcMain.on(PAGE, ({ sender }, page: unknown) => {
      if (typeof page === 'number' && this.isOurs(sender)) this.open(sender, page);
    });
    ipcMain.on(FRAME, ({ sender }, frame: unknown) => {
      const isFrame = frame instanceof Uint8Array && frame.length <= MAX_FRAME_BYTES;
      if (isFrame && this.isOurs(sender)) this.links.get(sender)?.channel.send(frame);
    });
    ipcMain.on(TAKEN, ({ sender }, page: unknown, number: unknown) => {
      const link = this.links.get(sender);
      if (link !== undefined && link.page === page && typeof number === 'number')
        link.taken(number);
    });
  }

  /** Whether there is a page that receives what is sent. */
  has(contents: WebContents): boolean {
    return this.links.has(contents);
  }

  private open(contents: WebContents, page: number): void {
    const before = this.links.get(contents);
    if (before === undefined) {
      contents.on('destroyed', () => this.close(contents));
      contents.on('render-process-gone', () => this.close(contents));
    }
    before?.close();
    this.links.set(contents, new PageLink(page, contents, this.engine));
    this.onPage(contents);
  }

  private close(contents: WebContents): void {
    this.links.get(contents)?.close();
    this.links.delete(contents);
  }
}
