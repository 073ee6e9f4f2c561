/**
 * The import worker's side of indexing: sends copies of rows to indexing threads as they are routed into parts, and
 * applies back-pressure.
 */
import type { EventBatch } from '../../columns/event-batch.ts';
import type { Kind } from '../../contract/event.ts';
import type { BatchRows } from '../../store/parts/batch-rows.ts';
import type { CodedTexts } from '../../store/parts/coded-texts.ts';
import type { CutRowGroup } from '../../store/messages/message-cutter.ts';
import type { BuiltIndex, FromIndexer, RowsMessage, ToIndexer } from './index-protocol.ts';
import { indexRowsOf, lentOf } from './index-rows.ts';
import { takeBack } from './shared-memory.ts';
import type { ThreadHandle } from '../coordinator/warm-threads.ts';

/** A thread that builds side files, however it was started. */
export type IndexerHandle = ThreadHandle<ToIndexer, FromIndexer>;

/** Row groups that may wait for each thread before reading pauses. */
const MOST_WAITING = 2;

/** An indexing thread and its backlog. */
interface Lane {
  readonly indexer: IndexerHandle;
  /** The shared memory of row groups that were sent and not yet read, oldest first. */
  readonly waiting: (readonly SharedArrayBuffer[])[];
  /** Finished parts whose side files are not written yet. */
  readonly finishing: Set<string>;
  gone: boolean;
}

/** Rows of a part that wait until it is large enough for an index: most small parts get none. */
interface Held {
  readonly messages: RowsMessage[];
  rows: number;
}

/**
 * Threads are started on demand: a part goes to the one with the shortest backlog, and another is started while all
 * have one and fewer than `most` run. A part stays with the thread that got its first rows.
 */
export class IndexFeed {
  private readonly start: () => IndexerHandle;
  private readonly most: number;
  private readonly leastRows: number;
  private readonly waitingBytes: number;
  private readonly held = new Map<string, Held>();
  private readonly onBuilt: (part: string, index: BuiltIndex | undefined) => void;
  private readonly lanes: Lane[] = [];
  private readonly laneOf = new Map<string, Lane>();
  private wake: (() => void) | undefined;

  /**
   * @param most threads at a time
   * @param leastRows parts with fewer rows are never finished
   * @param onBuilt called once for each part that was finished; without an index if it failed
   * @param waitingBytes shared memory of row groups that may wait for all threads together
   */
  constructor(
    start: () => IndexerHandle,
    most: number,
    leastRows: number,
    onBuilt: (part: string, index: BuiltIndex | undefined) => void,
    waitingBytes: number,
  ) {
    this.waitingBytes = waitingBytes;
    this.start = start;
    this.most = most;
    this.leastRows = leastRows;
    this.onBuilt = onBuilt;
  }

  /**
   * Adds these rows of `batch` to `part`.
   * @param cut how their messages were cut, if any was
   * @param coded dictionary-encoded text columns, as they were written
   */
  add(
    part: string,
    batch: EventBatch,
    rows: BatchRows,
    cut?: CutRowGroup,
    coded?: ReadonlyMap<string, CodedTexts>,
  ): void {
    const { kind } = batch;
    let lane = this.laneOf.get(part);
    if (lane?.gone === true) return;
    const message = indexRowsOf(batch, rows, cut, coded);
    if (lane === undefined) {
      const held = this.held.get(part) ?? { messages: [], rows: 0 };
      held.messages.push(message);
      held.rows += message.length;
      this.held.set(part, held);
      if (held.rows < this.leastRows) return;
      this.held.delete(part);
      lane = this.leastBusy();
      this.laneOf.set(part, lane);
      for (const one of held.messages) post(lane, part, kind, one);
    } else post(lane, part, kind, message);
  }

  finish(part: string, sorted: boolean): void {
    const lane = this.laneOf.get(part);
    this.laneOf.delete(part);
    if (lane === undefined || lane.gone) {
      this.onBuilt(part, undefined);
      return;
    }
    lane.finishing.add(part);
    lane.indexer.post({ type: 'finish', part, sorted });
  }

  drop(part: string): void {
    this.held.delete(part);
    const lane = this.laneOf.get(part);
    this.laneOf.delete(part);
    if (lane?.gone === false) lane.indexer.post({ type: 'drop', part });
  }

  /** Undefined while there is room for more rows; otherwise resolves once there is. */
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

  /** Releases the threads once all side files are written or have failed. */
  async release(): Promise<void> {
    while (this.lanes.some(({ finishing, waiting }) => finishing.size > 0 || waiting.length > 0))
      await new Promise<void>((resolve) => {
        this.onSettled = resolve;
      });
    for (const { indexer } of this.lanes.splice(0)) indexer.release();
  }
  private onSettled: () => void = () => undefined;

  /** The backlog is bounded for all threads together: the rows of a part all go to one of them. */
  private hasRoom(): boolean {
    let waiting = 0;
    let bytes = 0;
    let running = 0;
    for (const lane of this.lanes) {
      waiting += lane.waiting.length;
      for (const lent of lane.waiting) for (const memory of lent) bytes += memory.byteLength;
      if (!lane.gone) running += 1;
    }
    return waiting <= MOST_WAITING * Math.max(1, running) && bytes <= this.waitingBytes;
  }

  private leastBusy(): Lane {
    const load = (lane: Lane): number =>
      lane.gone ? Infinity : lane.waiting.length + lane.finishing.size;
    let best = this.lanes[0];
    for (const lane of this.lanes) if (best === undefined || load(lane) < load(best)) best = lane;
    if (best !== undefined && (load(best) === 0 || this.lanes.length >= this.most)) return best;
    return this.newLane();
  }

  private newLane(): Lane {
    const indexer = this.start();
    const lane: Lane = { indexer, waiting: [], finishing: new Set(), gone: false };
    this.lanes.push(lane);
    indexer.onMessage((message) => {
      if (message.type === 'taken') {
        lane.waiting.shift()?.forEach(takeBack);
        this.wake?.();
        this.onSettled();
        return;
      }
      lane.finishing.delete(message.part);
      this.onBuilt(message.part, message.type === 'built' ? message.index : undefined);
      this.onSettled();
    });
    // Events without an index are found all the same.
    indexer.onExit(() => {
      lane.gone = true;
      lane.waiting.length = 0;
      this.wake?.();
      for (const part of lane.finishing) this.onBuilt(part, undefined);
      lane.finishing.clear();
      this.onSettled();
    });
    return lane;
  }
}

/** A message to a thread that has exited is lost: waiting for its answer would never end. */
function post(lane: Lane, part: string, kind: Kind, rows: RowsMessage): void {
  if (lane.gone) return;
  lane.waiting.push(lentOf(rows));
  lane.indexer.post({ type: 'rows', part, kind, rows });
}
