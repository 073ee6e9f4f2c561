/**
 * The import worker's side of indexing: hands copies of rows to indexing threads as they are routed
 * into parts, and says when these are behind.
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

/** Row groups that may wait for each thread before reading pauses. */
const MOST_WAITING = 2;

/** One indexing thread and what it has before it. */
interface Lane {
  readonly indexer: IndexerHandle;
  /** Row groups that were sent and not taken in yet. */
  waiting: number;
  /** Parts that were finished and whose side files are not written yet. */
  readonly finishing: Set<string>;
  gone: boolean;
}

/**
 * Threads are started as they are needed: a part goes to the one that has least before it, and one more
 * is started while all have some and fewer than `most` run. A part stays where its first rows went.
 */
export class IndexFeed {
  private readonly start: () => IndexerHandle;
  private readonly most: number;
  private readonly onBuilt: (part: string, index: BuiltIndex | undefined) => void;
  private readonly lanes: Lane[] = [];
  private readonly laneOf = new Map<string, Lane>();
  private wake: (() => void) | undefined;

  /**
   * @param most threads at a time
   * @param onBuilt told once for each part that was finished; without an index when it failed.
   */
  constructor(
    start: () => IndexerHandle,
    most: number,
    onBuilt: (part: string, index: BuiltIndex | undefined) => void,
  ) {
    this.start = start;
    this.most = most;
    this.onBuilt = onBuilt;
  }

  /** These rows of `batch` are the next of `part`. */
  add(part: string, batch: EventBatch, rows: BatchRows): void {
    let lane = this.laneOf.get(part);
    if (lane === undefined) {
      lane = this.leastBusy();
      this.laneOf.set(part, lane);
    }
    if (lane.gone) return;
    const message = indexRowsOf(batch, rows);
    lane.waiting += 1;
    lane.indexer.post({ type: 'rows', part, kind: batch.kind, rows: message }, arraysOf(message));
  }

  finish(part: string, sorted: boolean): void {
    const lane = this.laneOf.get(part);
    this.laneOf.delete(part);
    if (lane === undefined || lane.gone) {
      this.onBuilt(part, undefined);
      return;
    }
    lane.finishing.add(part);
    lane.indexer.post({ type: 'finish', part, sorted }, []);
  }

  drop(part: string): void {
    const lane = this.laneOf.get(part);
    this.laneOf.delete(part);
    if (lane?.gone === false) lane.indexer.post({ type: 'drop', part }, []);
  }

  /** Undefined while there is room for more rows, else done once there is. */
  room(): Promise<void> | undefined {
    if (this.hasRoom()) return undefined;
    return new Promise((resolve) => {
      this.wake = () => {
        if (!this.hasRoom()) return;
        this.wake = undefined;
        resolve();
      };
    });
  }

  /** Once all side files are written, or cannot be. */
  async written(): Promise<void> {
    while (this.lanes.some(({ finishing }) => finishing.size > 0))
      await new Promise<void>((resolve) => {
        this.onWritten = resolve;
      });
  }
  private onWritten: () => void = () => undefined;

  stop(): void {
    for (const lane of this.lanes) lane.indexer.stop();
  }

  /** What waits is bounded for all threads together: the rows of a part all go to one of them. */
  private hasRoom(): boolean {
    let waiting = 0;
    let running = 0;
    for (const lane of this.lanes) {
      waiting += lane.waiting;
      if (!lane.gone) running += 1;
    }
    return waiting <= MOST_WAITING * Math.max(1, running);
  }

  private leastBusy(): Lane {
    const load = (lane: Lane): number =>
      lane.gone ? Infinity : lane.waiting + lane.finishing.size;
    let best = this.lanes[0];
    for (const lane of this.lanes) if (best === undefined || load(lane) < load(best)) best = lane;
    if (best !== undefined && (load(best) === 0 || this.lanes.length >= this.most)) return best;
    return this.newLane();
  }

  private newLane(): Lane {
    const indexer = this.start();
    const lane: Lane = { indexer, waiting: 0, finishing: new Set(), gone: false };
    this.lanes.push(lane);
    indexer.onMessage((message) => {
      if (message.type === 'taken') {
        lane.waiting -= 1;
        this.wake?.();
        return;
      }
      lane.finishing.delete(message.part);
      this.onBuilt(message.part, message.type === 'built' ? message.index : undefined);
      this.onWritten();
    });
    // Events without an index are found all the same.
    indexer.onExit(() => {
      lane.gone = true;
      lane.waiting = 0;
      this.wake?.();
      for (const part of lane.finishing) this.onBuilt(part, undefined);
      lane.finishing.clear();
      this.onWritten();
    });
    return lane;
  }
}
