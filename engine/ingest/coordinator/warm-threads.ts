/**
 * The engine's interface to worker threads, however they are started, and a pool that keeps one for the next
 * import.
 */
import { IdleSlot } from '../../util/idle-slot.ts';
import { freemem } from 'node:os';

/** A thread that works for its starter. */
export interface ThreadHandle<To, From> {
  /**
   * Buffers are copied or shared, never transferred: after the first transfer V8 discards all code of the thread
   * that reads or writes one, recompiles it, and checks each buffer for being detached from then on.
   */
  post(message: To): void;
  onMessage(handler: (message: From) => void): void;
  /** Called once when the thread has exited; with an error if it was not asked to exit. */
  onExit(handler: (error: Error | undefined) => void): void;
  /** Terminates it, whatever it is doing. */
  stop(): void;
  /** It has done all its work and owes no message: only its exit will still be reported. */
  release(): void;
  /** Whether it was started before it was needed: work is posted without waiting until it is ready. */
  readonly isWarm?: boolean;
}

/** A thread that can be kept while it is unused. */
export interface KeptThread<To, From> extends ThreadHandle<To, From> {
  /** Whether the process waits for it to exit. */
  await(awaited: boolean): void;
}

/** With less free memory no thread is kept. */
const LEAST_FREE_BYTES = 512 << 20;

/** A thread and the handlers of its current user. */
interface Worker<To, From> {
  readonly thread: KeptThread<To, From>;
  onMessage: ((message: From) => void) | undefined;
  onExit: ((error: Error | undefined) => void) | undefined;
  /** Exited or stopped. */
  spent: boolean;
}

/**
 * Keeps a released thread for the next import: starting one takes a quarter of a second to load its modules, and
 * another until its code is optimised.
 *
 * Invariant: at most one thread is idle, for a limited time; a stopped or failed thread is not used again; a
 * thread's messages reach only its current user.
 */
export class WarmThreads<To, From> {
  private readonly start: () => KeptThread<To, From>;
  private readonly freeBytes: () => number;
  private readonly idle: IdleSlot<Worker<To, From>>;

  /** @param idleMs how long a thread may be idle; Infinity: as long as the pool exists */
  constructor(start: () => KeptThread<To, From>, idleMs: number, freeBytes = freemem) {
    this.start = start;
    this.idle = new IdleSlot(idleMs, ({ thread }) => thread.stop());
    this.freeBytes = freeBytes;
  }

  /** The idle thread, or a new one. */
  take(): ThreadHandle<To, From> {
    const warm = this.idle.take();
    const worker = warm ?? this.started();
    worker.thread.await(true);
    return {
      post: (message) => worker.thread.post(message),
      onMessage: (handler) => {
        worker.onMessage = handler;
      },
      onExit: (handler) => {
        worker.onExit = handler;
      },
      stop: () => {
        worker.spent = true;
        worker.thread.stop();
      },
      release: () => this.released(worker),
      isWarm: warm !== undefined,
    };
  }

  /** Starts a thread for the next caller unless one is idle. */
  prepare(): void {
    if (this.idle.isEmpty) this.take().release();
  }

  /** Ends the idle thread. */
  close(): void {
    this.idle.close();
  }

  private started(): Worker<To, From> {
    const thread = this.start();
    const worker: Worker<To, From> = {
      thread,
      onMessage: undefined,
      onExit: undefined,
      spent: false,
    };
    thread.onMessage((message) => worker.onMessage?.(message));
    thread.onExit((error) => {
      worker.spent = true;
      this.idle.drop(worker);
      worker.onExit?.(error);
    });
    return worker;
  }

  private released(worker: Worker<To, From>): void {
    if (worker.spent) return;
    if (!this.idle.isEmpty || this.freeBytes() < LEAST_FREE_BYTES) {
      worker.spent = true;
      worker.thread.stop();
      return;
    }
    const { onExit } = worker;
    worker.onMessage = undefined;
    worker.onExit = undefined;
    worker.thread.await(false);
    this.idle.keep(worker);
    onExit?.(undefined);
  }
}
