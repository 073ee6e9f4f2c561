/** What both sides of one connection sent: TCP in order, UDP datagram by datagram. */
import type { StreamContent } from '../../engine/contract/stream.ts';
import type { FlowTracker } from './flows/index.ts';
import type { Packet } from './packet.ts';
import type { PacketTracker } from './packet-tracker.ts';
import { IpFragments } from './protocols/ip-fragments.ts';
import { HeldBytes } from './protocols/held-bytes.ts';
import type { Stamp, StreamParser, StreamProtocol } from './protocols/messages.ts';
import { TcpStreams } from './protocols/tcp-streams.ts';
import { readAgain, type Rereading } from './reread.ts';

const [TCP, UDP] = [6, 17];
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
  const content = new Collected(reading.limit);
  await readAgain(reading, (flows) => new StreamTracker(flows, reading.flow, content));
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

class Collected {
  private readonly turns: Turn[] = [];
  private fromClient = 0;
  private fromServer = 0;
  private room: number;

  constructor(limit: number) {
    this.room = limit;
  }

  add(isFromClient: boolean, bytes: Uint8Array, { micros }: Stamp): void {
    if (isFromClient) this.fromClient += bytes.length;
    else this.fromServer += bytes.length;
    const kept = bytes.subarray(0, this.room);
    if (kept.length === 0) return;
    const ts = Number.isNaN(micros) ? undefined : micros;
    this.room -= kept.length;
    this.turn(isFromClient, false, ts).bytes.append(kept);
  }

  gap(isFromClient: boolean, missing: number): void {
    if (this.room > 0) this.turn(isFromClient, true, undefined).missing += missing;
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
    const parts = turns.map(({ bytes, ...turn }) => ({
      ...turn,
      bytes: new Uint8Array(bytes.bytes),
    }));
    return { fromClient, fromServer, parts };
  }
}

class StreamTracker implements PacketTracker {
  private readonly flows: FlowTracker;
  private readonly flow: number;
  private readonly content: Collected;
  private readonly fragments: IpFragments;
  private readonly streams: TcpStreams;

  constructor(flows: FlowTracker, flow: number, content: Collected) {
    this.flows = flows;
    this.flow = flow;
    this.content = content;
    this.fragments = new IpFragments(flows, (p) => this.take(p));
    this.streams = new TcpStreams({ message: () => 0 }, this.fragments, [anything(content)]);
  }

  packet(p: Packet): number {
    const flow = this.flows.packet(p);
    // A fragment that comes before the first one has no flow.
    if (p.moreFragments || p.fragmentOffset > 0) {
      if (flow === 0 || flow === this.flow) this.fragments.add(p, flow);
    } else if (flow === this.flow) this.take(p);
    return flow;
  }

  private take(p: Packet): void {
    if (p.proto === TCP && p.tcpFlags >= 0) this.streams.packet(p, this.flow);
    else if (p.proto === UDP && p.srcPort >= 0) {
      const end = Math.min(p.payloadStart + p.payload, p.end);
      const at = { micros: p.micros, nanos: p.nanos, digits: p.digits };
      const { isFromOriginator } = this.fragments;
      this.content.add(isFromOriginator, p.bytes.subarray(p.payloadStart, end), at);
      const cut = p.payloadStart + p.payload - end;
      if (cut > 0) this.content.gap(isFromOriginator, cut);
    }
  }

  finish(): void {
    this.fragments.finish();
    this.streams.finish();
    this.flows.finish();
  }
}

/** Whatever is sent. */
function anything(content: Collected): StreamProtocol {
  return {
    recognise: (_bytes, _start, _end, _ends, isClient) => (isClient ? 'client' : 'server'),
    parser: (): StreamParser => ({
      ...{ service: undefined, isDone: false, heldBytes: 0 },
      data: (isClient, bytes, start, end, at) =>
        content.add(isClient, bytes.subarray(start, end), at),
      gap: (isClient, size) => content.gap(isClient, size),
      end: () => undefined,
      finish: () => undefined,
    }),
  };
}
