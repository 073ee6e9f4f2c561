/** What both sides of one connection sent: TCP in order, UDP datagram by datagram. */
import type { EpochMicros } from '../../../engine/contract/event.ts';
import type {
  BodyPlace,
  BodyTaker,
  FlowEnds,
  PayloadTaker,
  StreamTaker,
} from '../../../engine/evidence/payloads.ts';
import type { StreamContent } from '../../../engine/evidence/stream.ts';
import { HeldBytes } from '../protocols/streams/held-bytes.ts';
import { readPayloads } from './read-payloads.ts';
import type { Rereading } from './reread.ts';

const LF = 10;
/** Maximum number of parts: even those of one byte cost memory. */
const MAX_PARTS = 10_000;
/** Limit of all HTTP bodies. */
const MOST_DECODED_BYTES = 16 << 20;
const TOO_MUCH = `only the first ${MOST_DECODED_BYTES >> 20} MiB of decoded bodies are shown`;

/**
 * Reads a capture for one of its flows.
 * @param limit number of bytes to keep
 * @throws DaybookError not-found, unreadable, source-damaged, cancelled
 */
export async function readStream(
  reading: Rereading & { readonly flow: number; readonly limit: number },
): Promise<StreamContent> {
  const content = new Collected(reading.flow, reading.limit);
  await readPayloads({ ...reading, taker: content });
  return content.content();
}

/** What one side sent until the other sent something, or until a gap. */
interface Turn {
  readonly isFromClient: boolean;
  /** Position of its first byte in what the side sent, missing bytes included. */
  readonly start: number;
  readonly bytes: HeldBytes;
  /** Bytes that were not captured. */
  missing: number;
  readonly ts: number | undefined;
}

/** An HTTP body that was sent encoded; its position is in what the side sent. */
interface Body {
  readonly start: number;
  end: number;
  /** Whether the line with the size of its first chunk precedes it. */
  readonly isChunked: boolean;
  readonly decoded: HeldBytes;
  readonly problems: string[];
}

interface Side {
  /** Number of bytes it sent, without and with missing ones, and up to where they are kept. */
  captured: number;
  sent: number;
  kept: number;
  readonly bodies: Body[];
}

const newSide = (): Side => ({ captured: 0, sent: 0, kept: 0, bodies: [] });

class Collected implements PayloadTaker {
  private readonly flow: number;
  private readonly turns: Turn[] = [];
  private readonly client = newSide();
  private readonly server = newSide();
  private room: number;
  private decodedRoom = MOST_DECODED_BYTES;

  constructor(flow: number, limit: number) {
    this.flow = flow;
    this.room = limit;
  }

  wants(flow: number): boolean {
    return flow === this.flow;
  }

  /** What another connection of the same flow sends follows. */
  stream(): StreamTaker {
    const [client, server] = [this.client.sent, this.server.sent];
    return {
      data: (isFromClient, bytes, ts) => this.data(isFromClient, bytes, ts),
      gap: (isFromClient, missing) => this.gap(isFromClient, missing),
      body: (place) => this.body(place, place.isFromClient ? client : server),
      end() {
        // The content says what it has.
      },
    };
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

  private data(isFromClient: boolean, bytes: Uint8Array, ts: EpochMicros | undefined): void {
    const side = isFromClient ? this.client : this.server;
    const kept = bytes.subarray(0, this.room);
    if (kept.length > 0) {
      this.room -= kept.length;
      this.turn(isFromClient, false, ts).bytes.append(kept);
      side.kept = side.sent + kept.length;
    }
    side.captured += bytes.length;
    side.sent += bytes.length;
  }

  private gap(isFromClient: boolean, missing: number): void {
    if (this.room > 0) this.turn(isFromClient, true, undefined).missing += missing;
    (isFromClient ? this.client : this.server).sent += missing;
  }

  finish(): void {
    // The content says what it has.
  }

  /** @param base position of the connection's first byte in what the side sent */
  private body({ isFromClient, start, encoding }: BodyPlace, base: number): BodyTaker {
    const { bodies, kept } = isFromClient ? this.client : this.server;
    const body: Body = {
      ...{ start: base + start, end: 0, isChunked: encoding.endsWith('chunked') },
      ...{ decoded: new HeldBytes(), problems: [] },
    };
    // A body in frames has no single position.
    const isKept = body.start < kept && !encoding.endsWith('frames');
    return {
      data: (bytes) => {
        const taken = bytes.subarray(0, isKept ? this.decodedRoom : 0);
        this.decodedRoom -= taken.length;
        body.decoded.append(taken);
        if (isKept && taken.length < bytes.length) body.problems.push(TOO_MUCH);
      },
      chunkBoundary() {
        // A body is shown as one.
      },
      end: ({ problem, flaw, end }) => {
        body.end = base + end;
        if (flaw !== undefined) body.problems.push(flaw);
        if (problem !== undefined) body.problems.push(`not fully decoded: 1 HTTP body: ${problem}`);
        if (isKept) bodies.push(body);
      },
    };
  }

  private turn(isFromClient: boolean, isGap: boolean, ts: number | undefined): Turn {
    const last = this.turns.at(-1);
    if (last?.isFromClient === isFromClient && last.missing > 0 === isGap) return last;
    const start = (isFromClient ? this.client : this.server).sent;
    const next = { isFromClient, start, bytes: new HeldBytes(), missing: 0, ts };
    this.turns.push(next);
    if (this.turns.length === MAX_PARTS) this.room = 0;
    return next;
  }

  content(): StreamContent {
    const { client, server, turns } = this;
    const parts = turns.map(({ bytes, start, ...turn }) => {
      const sent = new Uint8Array(bytes.bytes);
      const decoded = decodedIn(sent, start, turn.isFromClient ? client.bodies : server.bodies);
      return { ...turn, bytes: sent, ...(decoded === undefined ? {} : { decoded }) };
    });
    return { fromClient: client.captured, fromServer: server.captured, parts };
  }
}

/**
 * What a side sent at `start`, with decoded bodies in place of the sent ones. A body that continues after the other
 * side sent something is where it begins.
 * @param bodies in order
 * @returns undefined if nothing was encoded
 */
function decodedIn(
  sent: Uint8Array,
  start: number,
  bodies: readonly Body[],
): StreamContent['parts'][number]['decoded'] {
  const parts: Uint8Array[] = [];
  const problems = new Set<string>();
  let at = 0;
  const within = bodies.filter((one) => one.start < start + sent.length && one.end > start);
  if (within.length === 0) return undefined;
  for (const body of within) {
    const isBegun = body.start >= start;
    if (isBegun) for (const problem of body.problems) problems.add(problem);
    // A body that cannot be decoded at all is shown as sent.
    if (body.decoded.length === 0 && body.problems.length > 0) continue;
    if (isBegun) {
      const first = body.start - start;
      const from = body.isChunked && first > 1 ? sent.lastIndexOf(LF, first - 2) + 1 : first;
      parts.push(sent.subarray(at, from), body.decoded.bytes);
    }
    at = body.end - start;
  }
  parts.push(sent.subarray(at));
  return { bytes: new Uint8Array(Buffer.concat(parts)), problems: [...problems] };
}
