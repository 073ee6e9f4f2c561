/**
 * The engine host: everything between a pipe of frames and the handlers. It decodes, validates input and output,
 * dispatches, measures, streams parts and cancels. One host serves any number of windows, each through its own
 * pipe.
 *
 * Invariants: a call is answered with exactly one `done` or `error` while its window is there; no frame that
 * violates the contract is sent; a window's resources are disposed of when it closes.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { accessError, diskError } from './util/files/files.ts';
import type { FramePipe } from './contract/wire/client.ts';
import { CancelledError, DaybookError, messageOfError } from './contract/errors.ts';
import {
  CONTRACT_VERSION,
  decodeFrame,
  encodeFrame,
  MAX_CALL_HEAD_BYTES,
  MAX_FRAME_BYTES,
  type EngineFrame,
  type ErrorInfo,
} from './contract/wire/frame.ts';
import {
  isOperation,
  operations,
  type OperationName,
  type Part,
  type Request,
  type Result,
} from './contract/operations.ts';
import type { Client, Handlers } from './operations/handler.ts';

/** A pipe that may ask for patience. */
export interface HostPipe extends FramePipe {
  /** Undefined while more may be sent; otherwise resolves when it may, or when the pipe is closed. */
  room?(): Promise<void> | undefined;
}

/** What one call cost, in milliseconds and bytes. */
export interface CallRecord {
  readonly operation: string;
  readonly outcome: 'done' | ErrorInfo['code'];
  readonly totalMs: number;
  /** Checking params, parts and result against the contract. */
  readonly validateMs: number;
  readonly encodeMs: number;
  /** Time spent waiting until the window took what was sent. */
  readonly waitMs: number;
  readonly parts: number;
  readonly bytes: number;
}

interface HostOptions {
  /** Daybook's version. */
  readonly version: string;
  /** Receives what people should not have to see: defects with their stacks. */
  readonly log: (text: string) => void;
  readonly onCall?: (call: CallRecord) => void;
}

/** Calls that one window may have running. */
const MAX_CALLS = 1000;
/** How long a handler may send parts before other frames get their turn. */
const TURN_MS = 8;
/** Work of the engine rather than of the requesting window: see `import.start`. */
const OUTLIVES_WINDOW: ReadonlySet<OperationName> = new Set(['import.start', 'import.resume']);
const CANCELLED: ErrorInfo = { code: 'cancelled', message: 'cancelled' };

interface Call {
  readonly id: number;
  readonly operation: OperationName;
  readonly controller: AbortController;
  /** Done when `controller` aborts. */
  readonly aborted: Promise<void>;
  readonly started: number;
  validateMs: number;
  encodeMs: number;
  waitMs: number;
  parts: number;
  bytes: number;
  lastTurn: number;
  /** The violation of the contract by a part. */
  broken: Error | undefined;
}

interface Window {
  readonly pipe: HostPipe;
  readonly client: Client;
  readonly calls: Map<number, Call>;
  /** Calls that end with the window. */
  readonly running: Set<Promise<void>>;
  gone: boolean;
}

export class EngineHost {
  private readonly handlers: Partial<Handlers>;
  private readonly options: HostOptions;
  private readonly windows = new Set<Window>();
  private readonly calls = new Set<Call>();
  private readonly running = new Set<Promise<void>>();
  private closing = false;

  constructor(handlers: Partial<Handlers>, options: HostOptions) {
    this.handlers = handlers;
    this.options = options;
  }

  /** Serves a window until its pipe closes. */
  connect(pipe: HostPipe): void {
    const window: Window = {
      pipe,
      client: { kept: new Map() },
      calls: new Map(),
      running: new Set(),
      gone: false,
    };
    this.windows.add(window);
    pipe.onClose(() => void this.leave(window));
    pipe.onFrame((bytes) => this.take(window, bytes));
    pipe.send(
      encodeFrame({
        frame: 'hello',
        contract: CONTRACT_VERSION,
        version: this.options.version,
        pid: process.pid,
      }),
    );
  }

  /** Cancels everything, including imports, and waits for it; then releases the windows. */
  async close(): Promise<void> {
    this.closing = true;
    for (const call of this.calls) call.controller.abort(new CancelledError());
    await Promise.all(this.running);
    for (const window of [...this.windows]) {
      await this.leave(window);
      window.pipe.close();
    }
  }

  private async leave(window: Window): Promise<void> {
    if (window.gone) return;
    window.gone = true;
    this.windows.delete(window);
    for (const call of window.calls.values()) {
      if (!OUTLIVES_WINDOW.has(call.operation)) call.controller.abort(new CancelledError());
    }
    // Not earlier: a call in flight may still use resources, or add some.
    await Promise.all(window.running);
    for (const [key, kept] of window.client.kept) {
      try {
        kept.dispose();
      } catch (error) {
        this.options.log(`${key} could not be disposed of: ${stackOf(error)}`);
      }
    }
    window.client.kept.clear();
  }

  private take(window: Window, bytes: Uint8Array): void {
    let frame: unknown;
    try {
      frame = decodeFrame(bytes, MAX_CALL_HEAD_BYTES);
    } catch (error) {
      this.options.log(
        `a window sent something that is not a frame and was disconnected: ${messageOfError(error)}`,
      );
      void this.leave(window);
      window.pipe.close();
      return;
    }
    const kind = fieldOf(frame, 'frame');
    // Another window requested the restart first: the engine is already running.
    if (kind === 'start') return;
    const id = fieldOf(frame, 'id');
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) {
      this.options.log('a window sent a frame without an id and was disconnected');
      void this.leave(window);
      window.pipe.close();
      return;
    }
    const operation = fieldOf(frame, 'op');
    if (kind === 'cancel') window.calls.get(id)?.controller.abort(new CancelledError());
    else if (kind !== 'call') this.refuse(window, id, 'usage', 'a frame is a call or a cancel');
    else if (typeof operation !== 'string' || !isOperation(operation)) {
      const name = JSON.stringify(operation)?.slice(0, 100) ?? 'undefined';
      this.refuse(window, id, 'usage', `there is no operation ${name}`);
    } else if (window.calls.has(id)) {
      this.refuse(window, id, 'usage', `call ${id} is still running`);
    } else if (window.calls.size >= MAX_CALLS) {
      this.refuse(window, id, 'limit-exceeded', `${MAX_CALLS} calls are running already`);
    } else if (this.closing) {
      this.refuse(window, id, 'cancelled', 'the engine is shutting down');
    } else this.start(window, id, operation, fieldOf(frame, 'params'));
  }

  private refuse(window: Window, id: number, code: ErrorInfo['code'], message: string): void {
    this.send(window, { frame: 'error', id, error: { code, message } });
  }

  private start(window: Window, id: number, operation: OperationName, params: unknown): void {
    const controller = new AbortController();
    const now = performance.now();
    const call: Call = {
      id,
      operation,
      controller,
      aborted: new Promise((resolve) => {
        controller.signal.addEventListener('abort', () => resolve());
      }),
      started: now,
      validateMs: 0,
      encodeMs: 0,
      waitMs: 0,
      parts: 0,
      bytes: 0,
      lastTurn: now,
      broken: undefined,
    };
    window.calls.set(id, call);
    this.calls.add(call);
    const running = this.answer(window, call, params).finally(() => {
      window.calls.delete(id);
      window.running.delete(running);
      this.calls.delete(call);
      this.running.delete(running);
    });
    this.running.add(running);
    if (!OUTLIVES_WINDOW.has(operation)) window.running.add(running);
  }

  /** Runs a call and sends how it ended. Never rejects. */
  private async answer(window: Window, call: Call, params: unknown): Promise<void> {
    let outcome: CallRecord['outcome'] = 'done';
    try {
      const result = await this.run(window, call, call.operation, params);
      this.transmit(window, call, { frame: 'done', id: call.id, result });
    } catch (thrown) {
      const error = this.errorInfo(call, thrown);
      outcome = error.code;
      this.transmit(window, call, { frame: 'error', id: call.id, error });
    }
    this.options.onCall?.({
      operation: call.operation,
      outcome,
      totalMs: performance.now() - call.started,
      validateMs: call.validateMs,
      encodeMs: call.encodeMs,
      waitMs: call.waitMs,
      parts: call.parts,
      bytes: call.bytes,
    });
  }

  private async run<N extends OperationName>(
    window: Window,
    call: Call,
    operation: N,
    params: unknown,
  ): Promise<Result<N>> {
    const handler = this.handlers[operation];
    if (handler === undefined) {
      throw new DaybookError('usage', `${operation} is not available in this engine`);
    }
    const schema = operations[operation];
    const request = timed(call, () => schema.params.safeParse(params ?? {}));
    if (!request.success) {
      throw new DaybookError('usage', `${operation}: ${problems(request.error.issues)}`);
    }
    const result = await handler(request.data as Request<N>, {
      signal: call.controller.signal,
      client: window.client,
      part: (part: Part<N>) => this.part(window, call, part),
    });
    if (call.broken !== undefined) throw call.broken;
    const checked = timed(call, () => schema.result.safeParse(result));
    if (!checked.success) {
      throw new Error(`the result breaks the contract: ${problems(checked.error.issues)}`);
    }
    addSpan(checked.data, 'validate', call.validateMs);
    return checked.data as Result<N>;
  }

  private async part(window: Window, call: Call, part: unknown): Promise<void> {
    if (window.gone || call.broken !== undefined || call.controller.signal.aborted) return;
    const checked = timed(call, () => operations[call.operation].part.safeParse(part));
    if (!checked.success) {
      // Not thrown: callers need not await each part, and then nobody would catch it.
      call.broken = new Error(`a part breaks the contract: ${problems(checked.error.issues)}`);
      call.controller.abort(new CancelledError());
      return;
    }
    call.parts += 1;
    this.transmit(window, call, { frame: 'part', id: call.id, part: checked.data });
    const from = performance.now();
    const room = window.pipe.room?.();
    if (room !== undefined) await Promise.race([room, call.aborted]);
    else if (from - call.lastTurn > TURN_MS) await setImmediate();
    else return;
    call.lastTurn = performance.now();
    call.waitMs += call.lastTurn - from;
  }

  /** Sends a frame of a call, or, if it cannot be encoded, an error. */
  private transmit(window: Window, call: Call, frame: EngineFrame): void {
    if (window.gone) return;
    const from = performance.now();
    const bytes = encodeFrame(frame);
    call.encodeMs += performance.now() - from;
    if (bytes.length <= MAX_FRAME_BYTES) {
      call.bytes += bytes.length;
      window.pipe.send(bytes);
      return;
    }
    const message = `the answer has ${Math.ceil(bytes.length / 1e6)} MB, more than a window accepts`;
    if (frame.frame === 'part') {
      call.broken = new DaybookError('limit-exceeded', message, 'ask for less at a time');
      call.controller.abort(new CancelledError());
    } else this.refuse(window, call.id, 'limit-exceeded', message);
  }

  private send(window: Window, frame: EngineFrame): void {
    if (!window.gone) window.pipe.send(encodeFrame(frame));
  }

  /** An error in the form reported to a window; defects go to the log with all details. */
  private errorInfo(call: Call, thrown: unknown): ErrorInfo {
    const error =
      call.broken ??
      (thrown instanceof DaybookError ? thrown : (diskError(thrown) ?? accessError(thrown))) ??
      thrown;
    if (error instanceof DaybookError && error.code !== 'internal') {
      const position = fieldOf(error, 'position');
      return {
        code: error.code,
        message: error.message,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        ...(typeof position === 'number' ? { position } : {}),
      };
    }
    const aborted = call.controller.signal.aborted && call.broken === undefined;
    if (aborted && error instanceof Error && error.name === 'AbortError') return CANCELLED;
    this.options.log(`${call.operation} failed: ${stackOf(error)}`);
    return aborted
      ? CANCELLED
      : {
          code: 'internal',
          message: `${call.operation} failed: ${messageOfError(error)}`,
          hint: 'this is a bug in Daybook; the log of the engine has details',
        };
  }
}

function timed<T>(call: Call, work: () => T): T {
  const from = performance.now();
  try {
    return work();
  } finally {
    call.validateMs += performance.now() - from;
  }
}

/** Adds to the timings of a result, if it has any. */
function addSpan(result: unknown, name: string, ms: number): void {
  const spans = fieldOf(fieldOf(result, 'timings'), 'spans');
  if (typeof spans === 'object' && spans !== null) {
    Object.assign(spans, { [name]: Math.round(ms * 1000) / 1000 });
  }
}

const MOST_ISSUES = 3;

/** `limit: Too big: expected number to be <=1000`, for each issue. */
function problems(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  const shown = issues.slice(0, MOST_ISSUES).map(({ path, message }) => {
    const where = path.map(String).join('.');
    return where === '' ? message : `${where.slice(0, 200)}: ${message}`;
  });
  const left = issues.length - shown.length;
  return `${shown.join('; ')}${left > 0 ? `; and ${left} more` : ''}`;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value as unknown;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
