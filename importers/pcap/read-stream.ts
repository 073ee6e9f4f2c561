/** What both sides of one connection sent: TCP in order, UDP datagram by datagram. */
import type { StreamContent, StreamPart } from '../../engine/contract/stream.ts';
import type { FlowTracker } from './flows/index.ts';
import type { Packet } from './packet.ts';
import type { PacketTracker } from './packet-tracker.ts';
import type { Stamp, StreamParser, StreamProtocol } from './protocols/messages.ts';
import { TcpStreams } from './protocols/tcp-streams.ts';
import { readAgain, type Rereading } from './reread.ts';

const [TCP, UDP] = [6, 17];

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
  return content;
}

class Collected implements StreamContent {
  readonly parts: (StreamPart & { bytes: Uint8Array<ArrayBuffer> })[] = [];
  fromClient = 0;
  fromServer = 0;
  private room: number;

  constructor(limit: number) {
    this.room = limit;
  }

  add(isFromClient: boolean, bytes: Uint8Array, { micros }: Stamp): void {
    if (isFromClient) this.fromClient += bytes.length;
    else this.fromServer += bytes.length;
    const kept = Uint8Array.from(bytes.subarray(0, this.room));
    this.room -= kept.length;
    if (kept.length === 0) return;
    const last = this.parts.at(-1);
    if (last !== undefined && last.isFromClient === isFromClient && last.missing === 0)
      last.bytes = Uint8Array.from(Buffer.concat([last.bytes, kept]));
    else {
      const ts = Number.isNaN(micros) ? undefined : micros;
      this.parts.push({ isFromClient, bytes: kept, missing: 0, ts });
    }
  }

  gap(isFromClient: boolean, missing: number): void {
    if (this.room > 0)
      this.parts.push({ isFromClient, bytes: new Uint8Array(0), missing, ts: undefined });
  }
}

class StreamTracker implements PacketTracker {
  private readonly flows: FlowTracker;
  private readonly flow: number;
  private readonly content: Collected;
  private readonly streams: TcpStreams;

  constructor(flows: FlowTracker, flow: number, content: Collected) {
    this.flows = flows;
    this.flow = flow;
    this.content = content;
    this.streams = new TcpStreams({ message: () => 0 }, flows, [anything(content)]);
  }

  packet(p: Packet): number {
    const flow = this.flows.packet(p);
    if (flow !== this.flow) return flow;
    if (p.proto === TCP && p.tcpFlags >= 0) this.streams.packet(p, flow);
    else if (p.proto === UDP && p.srcPort >= 0) {
      const end = Math.min(p.payloadStart + p.payload, p.end);
      const at = { micros: p.micros, nanos: p.nanos, digits: p.digits };
      this.content.add(this.flows.isFromOriginator, p.bytes.subarray(p.payloadStart, end), at);
    }
    return flow;
  }

  finish(): void {
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
