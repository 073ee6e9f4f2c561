/**
 * The import worker's side of indexing: hands copies of rows to the indexing thread as they are routed
 * into parts, and says when that thread is behind.
 */
import type { EventBatch } from '../contract/event-batch.ts';
import type { BatchRows } from '../store/batch-rows.ts';
import type { BuiltIndex, FromIndexer, ToIndexer } from './index-protocol.ts';
import { arraysOf, indexRowsOf } from './index-rows.ts';

/** A thread that builds side files, in whatever way it was started. */
export interface IndexerHandle {
  post(message: ToIndexer, transfer: readonly ArrayBuffer[]): void;
  onMessage(handler: (message: FromIndexer) => void): void;
  onExit(handler: (error: Error | undefined) => void): void;
  stop(): void;
}

/** Row groups that may wait for the thread before reading pauses. */
const MOST_WAITING = 2;

export class IndexFeed {
  private readonly indexer: IndexerHandle;
  private readonly onBuilt: (part: string, index: BuiltIndex | undefined) => void;
  private waiting = 0;
  private wake: (() => void) | undefined;
  private readonly open = new Set<string>();
  private gone = false;

  /** @param onBuilt told once for each part that was finished; without an index when it failed. */
  constructor(
    indexer: IndexerHandle,
    onBuilt: (part: string, index: BuiltIndex | undefined) => void,
  ) {
    this.indexer = indexer;
    this.onBuilt = onBuilt;
    indexer.onMessage((message) => {
      if (message.type === 'taken') {
        this.waiting -= 1;
        this.wake?.();
        return;
      }
      this.open.delete(message.part);
      onBuilt(message.part, message.type === 'built' ? message.index : undefined);
    });
    // Events without an index are found all the same.
    indexer.onExit(() => {
      this.gone = true;
      this.waiting = 0;
      this.wake?.();
      for (const part of this.open) onBuilt(part, undefined);
      this.open.clear();
    });
  }

  /** These rows of `batch` are the next of `part`. */
  add(part: string, batch: EventBatch, rows: BatchRows): void {
    if (this.gone) return;
    const message = indexRowsOf(batch, rows);
    this.waiting += 1;
    this.indexer.post({ type: 'rows', part, kind: batch.kind, rows: message }, arraysOf(message));
  }

  finish(part: string, sorted: boolean): void {
    if (this.gone) {
      this.onBuilt(part, undefined);
      return;
    }
    this.open.add(part);
    this.indexer.post({ type: 'finish', part, sorted }, []);
  }

  drop(part: string): void {
    if (!this.gone) this.indexer.post({ type: 'drop', part }, []);
  }

  /** Undefined while there is room for more rows, else done once there is. */
  room(): Promise<void> | undefined {
    if (this.waiting <= MOST_WAITING) return undefined;
    return new Promise((resolve) => {
      this.wake = () => {
        if (this.waiting > MOST_WAITING) return;
        this.wake = undefined;
        resolve();
      };
    });
  }

  stop(): void {
    this.indexer.stop();
  }
}
