/**
 * The engine's process from a shell's point of view: spawned, watched, restarted when it dies. Channels outlive it:
 * their windows get `down`, `starting` and, after the new engine's `hello`, `ready`.
 *
 * Electron's main process bundles this: nothing here needs more than Node 12.
 */
import { spawn } from 'child_process';
import type { ChildProcess } from 'child_process';
import type { EngineState, FramePipe } from '../../engine/contract/wire/client.ts';
import { decodeFrame, encodeFrame, MAX_CALL_HEAD_BYTES } from '../../engine/contract/wire/frame.ts';
import { CLOSE, FRAME, OPEN, TAKEN_STEP, takenMessage, wireHead, WireReader } from './wire.ts';

/** How the engine is started. */
export interface EngineCommand {
  /** The Node to run it on. */
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment; by default, the shell's. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
  readonly cwd?: string | undefined;
}

interface EngineProcessOptions {
  readonly command: EngineCommand;
  /** Told each line that the engine writes to its standard error. */
  readonly onLog?: ((line: string) => void) | undefined;
  /** How long the engine may take to finish after being stopped. */
  readonly graceMs?: number | undefined;
}

/** An engine that lived shorter than this died young. */
const YOUNG_MS = 20000;
/** After this many consecutive early deaths it is not restarted. */
const YOUNG_DEATHS = 5;
/** Doubled with each young death. */
const FIRST_PAUSE_MS = 100;
/** The standard streams may stay open after the process exits: their rest is awaited for this long. */
const DRAIN_MS = 1000;
const GRACE_MS = 15000;
/** Bytes waiting to be written to the engine at which a shell should stop reading from its window. */
const FULL_BYTES = 8 * 1024 * 1024;
const MOST_LINE = 300;

/** One window's way to the engine. */
export class EngineChannel implements FramePipe {
  readonly id: number;
  /** Whether the current engine has sent something on it. */
  greeted = false;
  private readonly engine: ChannelOwner;
  private handler: ((frame: Uint8Array) => void | Promise<void>) | undefined;
  private readonly kept: Uint8Array[] = [];
  private readonly closeHandlers: ((reason: string) => void)[] = [];
  private open = true;

  constructor(id: number, engine: ChannelOwner) {
    this.id = id;
    this.engine = engine;
  }

  send(frame: Uint8Array): void {
    if (this.open) this.engine.sendFrom(this, frame);
  }

  /**
   * Earlier frames are kept for it. If it returns a promise, the frame's size counts as in flight until that
   * resolves: the engine sends no more parts than the window takes.
   */
  onFrame(handler: (frame: Uint8Array) => void | Promise<void>): void {
    this.handler = handler;
    for (const frame of this.kept.splice(0)) this.deliver(frame);
  }

  onClose(handler: (reason: string) => void): void {
    this.closeHandlers.push(handler);
  }

  /** The window was closed: the engine ends its calls. */
  close(): void {
    this.end('the window was closed');
  }

  /** Whether more waits for the engine than should. */
  get full(): boolean {
    return this.engine.full;
  }

  /** Resolves when that is no longer the case. */
  whenRoom(): Promise<void> {
    return this.engine.whenRoom();
  }

  /** For the engine's process: a frame for the window. */
  deliver(frame: Uint8Array): void {
    if (!this.open) return;
    if (this.handler === undefined) {
      this.kept.push(frame);
      return;
    }
    const taken = () => this.engine.taken(this, frame.length);
    const later = this.handler(frame);
    if (later === undefined) taken();
    else later.then(taken, taken);
  }

  /** For the engine's process: ends the channel with a reason. */
  end(reason: string): void {
    if (!this.open) return;
    this.open = false;
    this.engine.forget(this);
    for (const handler of this.closeHandlers) handler(reason);
  }
}

interface ChannelOwner {
  readonly full: boolean;
  sendFrom(channel: EngineChannel, frame: Uint8Array): void;
  taken(channel: EngineChannel, bytes: number): void;
  whenRoom(): Promise<void>;
  forget(channel: EngineChannel): void;
}

export class EngineProcess implements ChannelOwner {
  private readonly options: EngineProcessOptions;
  private readonly channels = new Map<number, EngineChannel>();
  private readonly takenOf = new Map<number, number>();
  private readonly listeners = new Set<(state: EngineState) => void>();
  private readonly roomWaiters: (() => void)[] = [];
  private current: EngineState = { frame: 'engine', state: 'starting', restarts: 0 };
  private child: ChildProcess | undefined;
  private nextChannel = 1;
  private youngDeaths = 0;
  private lastLine = '';
  private pause: ReturnType<typeof setTimeout> | undefined;
  private stopped: Promise<void> | undefined;
  private onStopped: (() => void) | undefined;

  constructor(options: EngineProcessOptions) {
    this.options = options;
    this.spawnChild();
  }

  get state(): EngineState {
    return this.current;
  }

  onState(listener: (state: EngineState) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** A new window's channel. If the engine was given up, it is tried once more. */
  openChannel(): EngineChannel {
    const channel = new EngineChannel(this.nextChannel++, this);
    this.channels.set(channel.id, channel);
    if (this.child !== undefined) this.write(wireHead(OPEN, channel.id, 0));
    else {
      channel.deliver(encodeFrame(this.current));
      this.startIfGivenUp();
    }
    return channel;
  }

  /** Ends the engine: it cancels running work at a safe point, and exits. */
  stop(): Promise<void> {
    if (this.stopped !== undefined) return this.stopped;
    this.stopped = new Promise((resolve) => {
      this.onStopped = resolve;
    });
    if (this.pause !== undefined) clearTimeout(this.pause);
    for (const channel of [...this.channels.values()]) channel.end('Daybook was closed');
    const { child } = this;
    if (child === undefined) this.onStopped?.();
    else {
      const graceMs = this.options.graceMs === undefined ? GRACE_MS : this.options.graceMs;
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      void this.stopped.then(() => clearTimeout(timer));
      if (child.stdin !== null) child.stdin.end();
    }
    return this.stopped;
  }

  // -- what channels ask ----------------------------------------------------------------------

  get full(): boolean {
    const stdin = this.child === undefined ? null : this.child.stdin;
    return stdin !== null && stdin.writableLength > FULL_BYTES;
  }

  whenRoom(): Promise<void> {
    if (!this.full) return Promise.resolve();
    return new Promise((resolve) => this.roomWaiters.push(resolve));
  }

  sendFrom(channel: EngineChannel, frame: Uint8Array): void {
    if (this.child === undefined) {
      this.answerDown(channel, frame);
      return;
    }
    this.write(wireHead(FRAME, channel.id, frame.length));
    this.write(frame);
  }

  taken(channel: EngineChannel, bytes: number): void {
    const sum = (this.takenOf.get(channel.id) || 0) + bytes;
    if (sum < TAKEN_STEP) this.takenOf.set(channel.id, sum);
    else {
      this.takenOf.set(channel.id, 0);
      this.write(takenMessage(channel.id, sum));
    }
  }

  forget(channel: EngineChannel): void {
    this.channels.delete(channel.id);
    this.takenOf.delete(channel.id);
    if (this.stopped === undefined) this.write(wireHead(CLOSE, channel.id, 0));
  }

  // -- the process ----------------------------------------------------------------------------

  private startIfGivenUp(): void {
    if (this.pause === undefined && this.stopped === undefined) this.restart();
  }

  /** No engine runs: a call fails immediately rather than waiting for one that may never start. */
  private answerDown(channel: EngineChannel, bytes: Uint8Array): void {
    let frame: unknown;
    try {
      frame = decodeFrame(bytes, MAX_CALL_HEAD_BYTES);
    } catch {
      return;
    }
    const { id, frame: kind } = frame as { id?: unknown; frame?: unknown };
    if (kind === 'start') this.startIfGivenUp();
    if (typeof id !== 'number' || kind !== 'call') return;
    const why = this.current.reason === undefined ? '' : `: ${this.current.reason}`;
    const error = { code: 'engine-down' as const, message: `the engine is not running${why}` };
    channel.deliver(encodeFrame({ frame: 'error', id, error }));
  }

  private write(bytes: Uint8Array): void {
    const stdin = this.child === undefined ? null : this.child.stdin;
    if (stdin !== null && stdin.writable) stdin.write(bytes);
  }

  private setState(state: EngineState): void {
    this.current = state;
    for (const listener of [...this.listeners]) listener(state);
  }

  private spawnChild(): void {
    const { file, args, env, cwd } = this.options.command;
    const started = Date.now();
    const child = spawn(file, [...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      env: env === undefined ? process.env : { ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.child = child;
    this.lastLine = '';
    let over = false;
    const died = (reason: string) => {
      if (over) return;
      over = true;
      this.childDied(reason, Date.now() - started);
    };
    // A process that could not be started has no exit status.
    child.on('error', (error) => {
      if (child.pid === undefined) died(`it could not be started: ${error.message}`);
    });
    child.on('close', (status, signal) => died(this.howItEnded(status, signal)));
    child.on('exit', (status, signal) => {
      setTimeout(() => died(this.howItEnded(status, signal)), DRAIN_MS);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.on('drain', () => {
      for (const resolve of this.roomWaiters.splice(0)) resolve();
    });
    const reader = new WireReader((type, id, body) => this.fromEngine(type, id, body));
    child.stdout.on('data', (chunk: Uint8Array) => {
      if (over) return;
      try {
        reader.push(chunk);
      } catch (error) {
        this.log(`the engine's output cannot be read: ${(error as Error).message}`);
        child.kill('SIGKILL');
      }
    });
    this.readLog(child);
    this.takenOf.clear();
    for (const channel of this.channels.values()) {
      channel.greeted = false;
      this.write(wireHead(OPEN, channel.id, 0));
    }
  }

  private readLog(child: ChildProcess): void {
    if (child.stderr === null) return;
    let rest = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = (lines.pop() || '').slice(-64 * 1024);
      for (const line of lines) this.log(line);
    });
    child.stderr.on('end', () => {
      if (rest !== '') this.log(rest);
    });
  }

  private log(line: string): void {
    if (line.trim() !== '') this.lastLine = line.trim().slice(0, MOST_LINE);
    if (this.options.onLog !== undefined) this.options.onLog(line);
  }

  private howItEnded(status: number | null, signal: string | null): string {
    const how = signal === null ? `it ended with status ${String(status)}` : `killed by ${signal}`;
    return this.lastLine === '' ? how : `${how}: ${this.lastLine}`;
  }

  private fromEngine(type: number, id: number, body: Uint8Array): void {
    const channel = this.channels.get(id);
    if (channel === undefined) return;
    if (type === CLOSE) channel.end('the engine dropped the connection to the window');
    if (type !== FRAME) return;
    channel.deliver(body);
    if (channel.greeted) return;
    channel.greeted = true;
    const { restarts } = this.current;
    const ready: EngineState = { frame: 'engine', state: 'ready', restarts };
    channel.deliver(encodeFrame(ready));
    if (this.current.state !== 'ready') this.setState(ready);
  }

  private childDied(reason: string, livedMs: number): void {
    this.child = undefined;
    for (const resolve of this.roomWaiters.splice(0)) resolve();
    if (this.stopped !== undefined) {
      if (this.onStopped !== undefined) this.onStopped();
      return;
    }
    this.youngDeaths = livedMs < YOUNG_MS ? this.youngDeaths + 1 : 0;
    const gaveUp = this.youngDeaths >= YOUNG_DEATHS;
    if (gaveUp) reason += ` (it ended ${this.youngDeaths} times in a row and is not restarted)`;
    const { restarts } = this.current;
    const pauseMs = FIRST_PAUSE_MS * 2 ** Math.max(0, this.youngDeaths - 1);
    // Before the state is sent to windows: one that asks for an engine gets this one.
    if (!gaveUp) this.pause = setTimeout(() => this.restart(), pauseMs);
    const restart = gaveUp ? 'on-request' : pauseMs;
    this.tellAll({ frame: 'engine', state: 'down', restarts, reason, restart });
  }

  private restart(): void {
    this.pause = undefined;
    this.tellAll({ frame: 'engine', state: 'starting', restarts: this.current.restarts + 1 });
    this.spawnChild();
  }

  private tellAll(state: EngineState): void {
    this.setState(state);
    for (const channel of [...this.channels.values()]) channel.deliver(encodeFrame(state));
  }
}
