/**
 * The engine as a window, a script or a test sees it, over any pipe. `Connection` is the
 * whole client: it numbers calls, passes parts to their caller, cancels, and fails running calls when
 * the pipe or the engine goes away.
 */
import {
  type ErrorInfo,
  type EngineFrame,
  type ClientFrame,
  CONTRACT_VERSION,
  decodeFrame,
  encodeFrame,
  headBytes,
  MAX_CALL_HEAD_BYTES,
} from './frame.ts';
import { messageOfError } from '../errors.ts';
import type { OperationName, Params, Part, Result } from '../operations.ts';

/** A pipe that preserves frame boundaries. */
export interface FramePipe {
  send(frame: Uint8Array): void;
  onFrame(handler: (frame: Uint8Array) => void): void;
  onClose(handler: (reason: string) => void): void;
  close(): void;
}

/** The failure of an operation. */
export class OperationError extends Error {
  readonly info: ErrorInfo;
  constructor(info: ErrorInfo) {
    super(info.message);
    this.name = 'OperationError';
    this.info = info;
  }
}

/** The error as people see it; anything but an operation's failure is an internal error. */
export function errorInfoOf(error: unknown): ErrorInfo {
  return error instanceof OperationError
    ? error.info
    : { code: 'internal', message: messageOfError(error) };
}

export type EngineState = Extract<EngineFrame, { frame: 'engine' }>;

export interface CallOptions<N extends OperationName> {
  readonly signal?: AbortSignal | undefined;
  readonly onPart?: ((part: Part<N>) => void) | undefined;
}

export interface Engine {
  /**
   * Runs one operation.
   * @throws OperationError the engine's error; `cancelled` when `signal` aborted; `engine-down`
   */
  call<N extends OperationName>(
    operation: N,
    params: Params<N>,
    options?: CallOptions<N>,
  ): Promise<Result<N>>;
}

interface Running {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: OperationError) => void;
  readonly onPart: ((part: unknown) => void) | undefined;
  readonly cleanUp: () => void;
}

const CANCELLED: ErrorInfo = { code: 'cancelled', message: 'cancelled' };
/** The engine disconnects a window that sends more. */
const TOO_LARGE: ErrorInfo = {
  code: 'limit-exceeded',
  message: 'the request is larger than Daybook accepts (1 MB)',
  hint: 'name folders instead of many single files, or split the request',
};

export class Connection implements Engine {
  private readonly pipe: FramePipe;
  private readonly running = new Map<number, Running>();
  private readonly stateListeners = new Set<(state: EngineState) => void>();
  private nextId = 1;
  private closed: string | undefined;
  private lastState: EngineState = { frame: 'engine', state: 'starting', restarts: 0 };

  constructor(pipe: FramePipe) {
    this.pipe = pipe;
    pipe.onFrame((bytes) => this.take(bytes));
    pipe.onClose((reason) => this.lost(reason));
  }

  /** The engine's state as last reported. */
  get state(): EngineState {
    return this.lastState;
  }

  /** Reports every change of the engine's state. Returns a function that stops it. */
  onState(listener: (state: EngineState) => void): () => void {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  call<N extends OperationName>(
    operation: N,
    params: Params<N>,
    options: CallOptions<N> = {},
  ): Promise<Result<N>> {
    const { signal, onPart } = options;
    return new Promise((resolve, reject) => {
      if (this.closed !== undefined) {
        reject(new OperationError({ code: 'engine-down', message: this.closed }));
        return;
      }
      // A caller that saw the engine down must not get an answer from its successor, which may be up when the call
      // arrives.
      if (this.lastState.state === 'down') {
        const { reason } = this.lastState;
        const message = `the engine is not running${reason === undefined ? '' : `: ${reason}`}`;
        reject(new OperationError({ code: 'engine-down', message }));
        return;
      }
      if (signal?.aborted) {
        reject(new OperationError(CANCELLED));
        return;
      }
      const id = this.nextId++;
      const frame = encodeFrame({ frame: 'call', id, op: operation, params });
      if (headBytes(frame) > MAX_CALL_HEAD_BYTES) {
        reject(new OperationError(TOO_LARGE));
        return;
      }
      const onAbort = () => {
        this.sendFrame({ frame: 'cancel', id });
        this.end(id)?.reject(new OperationError(CANCELLED));
      };
      this.running.set(id, {
        resolve: resolve as (result: unknown) => void,
        reject,
        onPart: onPart as ((part: unknown) => void) | undefined,
        cleanUp: () => signal?.removeEventListener('abort', onAbort),
      });
      signal?.addEventListener('abort', onAbort);
      this.pipe.send(frame);
    });
  }

  /** Restarts an engine that the shell gave up: `state.restart` is `on-request`. */
  start(): void {
    this.sendFrame({ frame: 'start' });
  }

  close(): void {
    this.pipe.close();
  }

  private sendFrame(frame: ClientFrame): void {
    if (this.closed === undefined) this.pipe.send(encodeFrame(frame));
  }

  private end(id: number): Running | undefined {
    const running = this.running.get(id);
    this.running.delete(id);
    running?.cleanUp();
    return running;
  }

  private failAll(reason: string, restarts = false): void {
    for (const id of [...this.running.keys()]) {
      this.end(id)?.reject(
        new OperationError({
          code: 'engine-down',
          message: `the engine stopped: ${reason}`,
          hint: `${restarts ? 'it is restarting; ' : ''}everything committed is kept`,
        }),
      );
    }
  }

  /** Ends the connection: nothing more will arrive. */
  private lost(reason: string): void {
    if (this.closed !== undefined) return;
    this.closed = reason;
    this.failAll(reason);
    this.setState({ ...this.lastState, state: 'down', reason });
  }

  private setState(state: EngineState): void {
    this.lastState = state;
    for (const listener of [...this.stateListeners]) listener(state);
  }

  private take(bytes: Uint8Array): void {
    let frame: EngineFrame;
    try {
      // The engine is our own code and validates what it sends.
      frame = decodeFrame(bytes) as EngineFrame;
    } catch (error) {
      // The call that this frame answers is unknown, and no call may wait forever.
      this.lost(`a frame cannot be read: ${error instanceof Error ? error.message : 'no frame'}`);
      this.pipe.close();
      return;
    }
    switch (frame.frame) {
      case 'part':
        this.running.get(frame.id)?.onPart?.(frame.part);
        break;
      case 'done':
        this.end(frame.id)?.resolve(frame.result);
        break;
      case 'error':
        this.end(frame.id)?.reject(new OperationError(frame.error));
        break;
      case 'hello':
        if (frame.contract !== CONTRACT_VERSION) {
          this.setState({
            ...this.lastState,
            state: 'down',
            reason: `the engine speaks version ${frame.contract} of the contract, this window ${CONTRACT_VERSION}: reload it`,
          });
        } else this.setState({ ...this.lastState, state: 'ready', reason: undefined });
        break;
      case 'engine':
        if (frame.state === 'down') {
          this.failAll(frame.reason ?? 'unknown reason', typeof frame.restart === 'number');
        }
        this.setState(frame);
        break;
    }
  }
}
