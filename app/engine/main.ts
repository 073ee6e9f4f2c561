/**
 * The engine's process: frames of any number of windows over standard input and output (`wire.ts`). Messages go to
 * standard error. It exits when standard input ends, however the shell ended: an import stops at a chunk boundary,
 * cases are closed.
 *
 * DAYBOOK_TRACE=1 logs each call with its cost, as a JSON line.
 */
import { messageOfError } from '../../engine/contract/errors.ts';
import { Console } from 'node:console';
import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { EngineHost, type HostPipe } from '../../engine/host.ts';
import { makeHandlers } from '../../engine/operations/handlers.ts';
import {
  CLOSE,
  FRAME,
  OPEN,
  TAKEN,
  takenBytes,
  WINDOW_BYTES,
  wireHead,
  WireReader,
} from './wire.ts';
import { engineServices } from './services.ts';

/** How long running work may take to stop. */
const PATIENCE_MS = 12_000;

// Cases, exports, reports and caches are private to the user: no access for others on this machine.
process.umask(0o077);
globalThis.console = new Console(process.stderr, process.stderr);
const log = (text: string): void => void process.stderr.write(`daybook engine: ${text}\n`);

// Not `process.stdout`: writing to a pipe that way blocks until the reader reads, and every other call with it.
const out = new Socket({ fd: 1, readable: false, writable: true });
out.on('error', () => process.exit(0));

class StreamPipe implements HostPipe {
  private readonly channel: number;
  private handler: ((frame: Uint8Array) => void) | undefined;
  private readonly closeHandlers: ((reason: string) => void)[] = [];
  private underWay = 0;
  private waiting: (() => void)[] = [];
  private open = true;

  constructor(channel: number) {
    this.channel = channel;
  }

  send(frame: Uint8Array): void {
    if (!this.open) return;
    this.underWay += frame.length;
    out.write(wireHead(FRAME, this.channel, frame.length));
    out.write(frame);
  }

  onFrame(handler: (frame: Uint8Array) => void): void {
    this.handler = handler;
  }

  onClose(handler: (reason: string) => void): void {
    this.closeHandlers.push(handler);
  }

  room(): Promise<void> | undefined {
    if (!this.open || this.underWay < WINDOW_BYTES) return undefined;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  close(): void {
    if (!this.open) return;
    out.write(wireHead(CLOSE, this.channel, 0));
    this.ended('the engine dropped the connection to the window');
  }

  take(frame: Uint8Array): void {
    this.handler?.(frame);
  }

  taken(bytes: number): void {
    this.underWay = Math.max(0, this.underWay - bytes);
    if (this.underWay < WINDOW_BYTES) this.wake();
  }

  ended(reason: string): void {
    if (!this.open) return;
    this.open = false;
    pipes.delete(this.channel);
    this.wake();
    for (const handler of this.closeHandlers) handler(reason);
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}

const pipes = new Map<number, StreamPipe>();
const { services, product } = engineServices(process.env);
const trace = process.env['DAYBOOK_TRACE'] === '1';
const host = new EngineHost(makeHandlers(services, product), {
  version: product.version,
  log,
  ...(trace ? { onCall: (call) => log(JSON.stringify(call)) } : {}),
});

const reader = new WireReader((type, channel, body) => {
  const pipe = pipes.get(channel);
  if (type === OPEN && pipe === undefined) {
    const opened = new StreamPipe(channel);
    pipes.set(channel, opened);
    host.connect(opened);
  } else if (type === FRAME) pipe?.take(body);
  else if (type === TAKEN) pipe?.taken(takenBytes(body));
  else if (type === CLOSE) pipe?.ended('the window was closed');
});

let ending = false;
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  setTimeout(() => {
    log('running operations do not stop; ending without them');
    process.exit(1);
  }, PATIENCE_MS).unref();
  await host.close();
  await services.cases.close();
  out.end(() => process.exit(0));
}

function crash(error: unknown): void {
  const message = messageOfError(error);
  log(error instanceof Error ? (error.stack ?? message) : message);
  // Last, because a shell shows the last line.
  log(message);
  process.exit(70);
}

process.on('uncaughtException', crash);
// An unhandled rejection is a defect, but must not end an import.
process.on('unhandledRejection', (error) => {
  log(`unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`);
});
// A terminal sends ctrl-C to every process of its group; the shell decides when to end.
for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
process.on('SIGTERM', () => void end());
// Now rather than at the end, which may be a crash.
setTimeout(() => flushCompileCache(), 3000).unref();
process.stdin.on('data', (chunk: Uint8Array) => reader.push(chunk));
process.stdin.on('end', () => void end());
process.stdin.on('error', () => void end());
