/** Reads a capture again as its import did, for data that the case does not store. */
import { CancelledError } from '../../../engine/contract/errors.ts';
import { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { ByteOffset, Kind } from '../../../engine/contract/event.ts';
import type { EventSink, SourceInput } from '../../../engine/evidence/importer.ts';
import type { SourceLocation } from '../../../engine/contract/source-location.ts';
import { openContentReader, type ContentReader } from '../../shared/files/read-record.ts';
import { flowTracker } from '../packets/flow-tracker.ts';
import type { FlowTracker } from '../flows/index.ts';
import { readCapture } from '../index.ts';
import type { PacketTracker } from '../packets/packet-tracker.ts';

const BLOCK_BYTES = 1 << 20;

export interface Rereading {
  readonly location: SourceLocation;
  /** @param bytes of the content that were read */
  progress(bytes: ByteOffset): Promise<void> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * @param follow makes the tracker of the packets, including flows
 * @throws DaybookError not-found, unreadable, source-damaged, cancelled, and whatever the tracker throws
 */
export async function readAgain(
  { location, progress, signal }: Rereading,
  follow: (flows: FlowTracker, sink: EventSink) => PacketTracker | Promise<PacketTracker>,
): Promise<void> {
  const content = await openContentReader(location);
  try {
    const sink = new NoEvents(progress, signal);
    const tracker = await follow(await flowTracker(sink), sink);
    await readCapture(contentOf(content, signal), sink, { packets: false }, tracker);
  } finally {
    await content.close();
  }
}

function contentOf(content: ContentReader, signal: AbortSignal | undefined): SourceInput {
  return {
    ...{ name: '', size: undefined, modifiedMs: undefined },
    async *blocks() {
      for (let at = 0; ; at += BLOCK_BYTES) {
        const block = await content.readUpTo(at, BLOCK_BYTES, signal);
        if (block.length > 0) yield block;
        if (block.length < BLOCK_BYTES) return;
      }
    },
  };
}

/** Discards the events of the capture. */
class NoEvents implements EventSink {
  private readonly batches = new Map<Kind, EventBatch>();
  private readonly progress: Rereading['progress'];
  private readonly signal: AbortSignal | undefined;

  constructor(progress: Rereading['progress'], signal: AbortSignal | undefined) {
    this.progress = progress;
    this.signal = signal;
  }

  batch(kind: Kind): EventBatch {
    let batch = this.batches.get(kind);
    if (batch === undefined) {
      batch = new EventBatch(kind, (full) => full.clear());
      this.batches.set(kind, batch);
    }
    return batch;
  }

  drain(consumed: ByteOffset): Promise<void> | undefined {
    if (this.signal?.aborted === true) throw new CancelledError();
    return this.progress(consumed);
  }

  record(): void {}
  quarantine(): void {}
  skip(): void {}
  note(): void {}
  metadata(): void {}
  decide(): void {}
}
