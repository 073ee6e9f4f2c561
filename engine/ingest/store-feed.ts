/**
 * The import worker's side of storing in a thread: lends it batches, and says when it is behind. A large source is read
 * and stored at the same time then; for a small one the thread would take longer to start.
 */
import { DaybookError } from '../contract/errors.ts';
import type { EventBatch } from '../contract/event-batch.ts';
import type { DayRows, Parts, RowsSource } from './day-parts.ts';
import type { BuiltIndex } from './index-protocol.ts';
import { lend, memoryOf } from './lent-batch.ts';
import type { PartInfo } from './protocol.ts';
import { takeBack } from './shared-memory.ts';
import type { FromStorer, ToStorer } from './store-protocol.ts';
import type { ThreadHandle } from './threads.ts';

/** A thread that stores batches, in whatever way it was started. */
export type StorerHandle = ThreadHandle<ToStorer, FromStorer>;

/** Batches that may wait for the thread before reading pauses, and their bytes: one may be larger. */
const MOST_WAITING = 4;
const MOST_BYTES = 48 << 20;

interface Waiting {
  readonly bytes: number;
  readonly memory: readonly SharedArrayBuffer[];
}

export class StoreFeed implements Parts {
  private readonly thread: StorerHandle;
  /** Batches that were sent and not taken in yet, by number. */
  private readonly waiting = new Map<number, Waiting>();
  private sent = 0;
  private bytes = 0;
  /** Chunks whose parts were asked for, the oldest first. */
  private readonly asked: PromiseWithResolvers<PartInfo[]>[] = [];
  private failure: Error | undefined;
  private wake: () => void = () => undefined;

  /** @param onIndexed told once for each part that is to be indexed; without an index when that failed */
  constructor(
    thread: StorerHandle,
    start: Extract<ToStorer, { type: 'start' }>,
    onIndexed: (part: string, index: BuiltIndex | undefined) => void,
  ) {
    this.thread = thread;
    thread.onMessage((message) => {
      switch (message.type) {
        case 'taken':
          this.taken(message.id);
          break;
        case 'parts':
          this.asked.shift()?.resolve(message.parts);
          break;
        case 'indexed':
          onIndexed(message.part, message.index);
          break;
        case 'failed':
          this.fail(new DaybookError(message.code, message.message, message.hint));
          break;
        case 'ended':
          this.ended.resolve();
          break;
      }
    });
    thread.onExit((error) => {
      this.fail(error ?? new DaybookError('internal', 'a storing thread ended unexpectedly'));
    });
    // Who ends an import that failed does not ask.
    this.ended.promise.catch(() => undefined);
    thread.post(start);
  }
  private readonly ended = Promise.withResolvers<void>();

  add(batch: EventBatch, source: RowsSource, days: readonly DayRows[]): number {
    const lent = lend(batch);
    const { bytes } = lent;
    const id = (this.sent += 1);
    this.waiting.set(id, { bytes, memory: memoryOf(lent) });
    this.bytes += bytes;
    this.thread.post({ type: 'rows', id, batch: lent, source, days });
    return bytes;
  }

  finish(): Promise<PartInfo[]> {
    const parts = Promise.withResolvers<PartInfo[]>();
    // Who does not come to ask hears of it when there is to be room.
    parts.promise.catch(() => undefined);
    if (this.failure === undefined) this.asked.push(parts);
    else parts.reject(this.failure);
    this.thread.post({ type: 'finish' });
    return parts.promise;
  }

  abandon(): void {
    this.thread.post({ type: 'abandon' });
  }

  /**
   * Undefined while there is room for more rows, else done once there is.
   * @throws what storing failed with
   */
  room(): Promise<void> | undefined {
    if (this.failure !== undefined) throw this.failure;
    if (this.hasRoom()) return undefined;
    const room = Promise.withResolvers<void>();
    this.wake = () => {
      if (this.failure !== undefined) room.reject(this.failure);
      else if (this.hasRoom()) room.resolve();
    };
    return room.promise;
  }

  /** Lets the thread go once all side files are written, or cannot be. */
  async release(): Promise<void> {
    this.thread.post({ type: 'end' });
    await this.ended.promise;
    this.thread.release();
  }

  private hasRoom(): boolean {
    const { size } = this.waiting;
    return size < 2 || (size < MOST_WAITING && this.bytes < MOST_BYTES);
  }

  private taken(id: number): void {
    const one = this.waiting.get(id);
    if (one === undefined) return;
    this.waiting.delete(id);
    one.memory.forEach(takeBack);
    this.bytes -= one.bytes;
    this.wake();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.asked.splice(0)) reject(error);
    this.ended.reject(error);
    this.wake();
  }
}
