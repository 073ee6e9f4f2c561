/** Threads as the engine sees them, in whatever way they were started, and those that are kept for the next import. */
import { IdleSlot } from '../../util/idle-slot.ts';
import { freemem } from 'node:os';

/** A thread that works for its starter. */
export interface ThreadHandle<To, From> {
  /**
   * Buffers are copied, or shared; none goes over. With the first that is gone V8 throws away all code of the
   * thread that reads or writes one, compiles it again, and lets it ask from then on whether each is still there.
   */
  post(message: To): void;
  onMessage(handler: (message: From) => void): void;
  /** Called once when the thread is gone; with an error when it was not asked to go. */
  onExit(handler: (error: Error | undefined) => void): void;
  /** Ends it, whatever it is doing. */
  stop(): void;
  /** It has done all its work and owes no message: only its exit is still reported. */
  release(): void;
  /** Whether it was started before it was needed: work is posted without waiting until it is ready. */
  readonly isWarm?: boolean;
}

/** A thread that may also be kept while nobody needs it. */
export interface KeptThread<To, From> extends ThreadHandle<To, From> {
  /** Whether the process is to wait for it. */
  await(awaited: boolean): void;
}

/** With less free memory no thread is kept. */
const LEAST_FREE_BYTES = 512 << 20;

/** A thread, and the handlers of its present user. */
interface Worker<To, From> {
  readonly thread: KeptThread<To, From>;
  onMessage: ((message: From) => void) | undefined;
  onExit: ((error: Error | undefined) => void) | undefined;
  /** Gone, or stopped. */
  spent: boolean;
}

/**
 * Starting a thread takes a quarter of a second until its modules are loaded, and another until its code is quick.
 * So one that was released is kept for the next import.
 *
 * Holds always: at most one waits, for a limited time; one that was stopped, or failed, is not used again; what
 * a thread says reaches only its user at that moment.
 */
export class WarmThreads<To, From> {
  private readonly start: () => KeptThread<To, From>;
  private readonly freeBytes: () => number;
  private readonly idle: IdleSlot<Worker<To, From>>;

  /** @param idleMs how long one waits to be used again; Infinity: as long as its keeper lives */
  constructor(start: () => KeptThread<To, From>, idleMs: number, freeBytes = freemem) {
    this.start = start;
    this.idle = new IdleSlot(idleMs, ({ thread }) => thread.stop());
    this.freeBytes = freeBytes;
  }

  /** The thread that waits, or a new one. */
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

  /** Starts one for who will ask soon, if none waits. */
  prepare(): void {
    if (this.idle.isEmpty) this.take().release();
  }

  /** Ends the thread that waits. */
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
