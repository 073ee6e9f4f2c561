/** What both sides of one connection sent: TCP in order, UDP datagram by datagram. */
import type { EpochMicros } from '../../../engine/contract/event.ts';
import type { FlowEnds, PayloadTaker, StreamTaker } from '../../../engine/contract/payloads.ts';
import type { StreamContent } from '../../../engine/contract/stream.ts';
import { decodeHttp } from './decode-http.ts';
import { HeldBytes } from '../protocols/streams/held-bytes.ts';
import { readPayloads } from './read-payloads.ts';
import type { Rereading } from './reread.ts';

/** Parts that are kept: those of one byte cost memory, too. */
const MAX_PARTS = 10_000;

/**
 * Reads a capture for one of its flows.
 * @param limit bytes that are kept
 * @throws DaybookError not-found, unreadable, source-damaged, cancelled
 */
export async function readStream(
  reading: Rereading & { readonly flow: number; readonly limit: number },
): Promise<StreamContent> {
  const content = new Collected(reading.flow, reading.limit);
  await readPayloads({ ...reading, taker: content });
  return content.content();
}

/** What one side sent until the other spoke, or a gap. */
interface Turn {
  readonly isFromClient: boolean;
  readonly bytes: HeldBytes;
  /** Bytes that were not captured. */
  missing: number;
  readonly ts: number | undefined;
}

class Collected implements PayloadTaker, StreamTaker {
  private readonly flow: number;
  private readonly turns: Turn[] = [];
  private fromClient = 0;
  private fromServer = 0;
  private room: number;

  constructor(flow: number, limit: number) {
    this.flow = flow;
    this.room = limit;
  }

  wants(flow: number): boolean {
    return flow === this.flow;
  }

  stream(): StreamTaker {
    return this;
  }

  datagram(
    _ends: FlowEnds,
    isFromClient: boolean,
    bytes: Uint8Array,
    missing: number,
    ts: EpochMicros | undefined,
  ): void {
    this.data(isFromClient, bytes, ts);
    if (missing > 0) this.gap(isFromClient, missing);
  }

  data(isFromClient: boolean, bytes: Uint8Array, ts: EpochMicros | undefined): void {
    if (isFromClient) this.fromClient += bytes.length;
    else this.fromServer += bytes.length;
    const kept = bytes.subarray(0, this.room);
    if (kept.length === 0) return;
    this.room -= kept.length;
    this.turn(isFromClient, false, ts).bytes.append(kept);
  }

  gap(isFromClient: boolean, missing: number): void {
    if (this.room > 0) this.turn(isFromClient, true, undefined).missing += missing;
  }

  end(): void {
    // What another connection of the same flow sends comes after it.
  }

  finish(): void {
    // The content says what it has.
  }

  private turn(isFromClient: boolean, isGap: boolean, ts: number | undefined): Turn {
    const last = this.turns.at(-1);
    if (last?.isFromClient === isFromClient && last.missing > 0 === isGap) return last;
    const next = { isFromClient, bytes: new HeldBytes(), missing: 0, ts };
    this.turns.push(next);
    if (this.turns.length === MAX_PARTS) this.room = 0;
    return next;
  }

  content(): StreamContent {
    const { fromClient, fromServer, turns } = this;
    const parts = turns.map(({ bytes, ...turn }) => {
      const decoded = decodeHttp(bytes.bytes);
      return {
        ...turn,
        bytes: new Uint8Array(bytes.bytes),
        ...(decoded === undefined ? {} : { decoded }),
      };
    });
    return { fromClient, fromServer, parts };
  }
}
