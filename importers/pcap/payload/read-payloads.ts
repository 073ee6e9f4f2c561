/** The payloads of a capture's connections: TCP in order, UDP datagram by datagram. */
import type { PayloadTaker, StreamTaker } from '../../../engine/evidence/payloads.ts';
import { BodyRoom, HttpBodies } from './http-bodies.ts';
import type { FlowTracker } from '../flows/index.ts';
import type { Packet } from '../decode/packet.ts';
import type { PacketTracker } from '../packets/packet-tracker.ts';
import { IpFragments } from '../protocols/streams/ip-fragments.ts';
import type { StreamParser, StreamProtocol } from '../protocols/messages.ts';
import { endpointsOf, TcpStreams } from '../protocols/streams/tcp-streams.ts';
import { readAgain, type Rereading } from './reread.ts';

const [TCP, UDP] = [6, 17];

/** @throws DaybookError not-found, unreadable, source-damaged, cancelled, and whatever `taker` throws */
export async function readPayloads(
  reading: Rereading & { readonly taker: PayloadTaker },
): Promise<void> {
  await readAgain(reading, (flows) => new PayloadTracker(flows, reading.taker));
}

class PayloadTracker implements PacketTracker {
  private readonly flows: FlowTracker;
  private readonly taker: PayloadTaker;
  private readonly fragments: IpFragments;
  private readonly streams: TcpStreams;

  constructor(flows: FlowTracker, taker: PayloadTaker) {
    this.flows = flows;
    this.taker = taker;
    this.fragments = new IpFragments(flows, (p, flow) => this.take(p, flow));
    this.streams = new TcpStreams({ message: () => 0 }, this.fragments, [anything(taker)]);
  }

  packet(p: Packet): number {
    const flow = this.flows.packet(p);
    // A fragment that precedes the first one has no flow.
    if (p.moreFragments || p.fragmentOffset > 0) {
      if (flow === 0 || this.taker.wants(flow)) this.fragments.add(p, flow);
    } else if (flow > 0 && this.taker.wants(flow)) this.take(p, flow);
    return flow;
  }

  private take(p: Packet, flow: number): void {
    if (!this.taker.wants(flow)) return;
    if (p.proto === TCP && p.tcpFlags >= 0) this.streams.packet(p, flow);
    else if (p.proto === UDP && p.srcPort >= 0) {
      const end = Math.min(p.payloadStart + p.payload, p.end);
      const { isFromOriginator } = this.fragments;
      this.taker.datagram(
        endpointsOf(p, flow, isFromOriginator),
        isFromOriginator,
        p.bytes.subarray(p.payloadStart, end),
        p.payloadStart + p.payload - end,
        Number.isNaN(p.micros) ? undefined : p.micros,
      );
    }
  }

  finish(): void {
    this.fragments.finish();
    this.streams.finish();
    this.flows.finish();
    this.taker.finish(this.streams.evicted);
  }
}

/** Accepts any payload. */
function anything(taker: PayloadTaker): StreamProtocol {
  const room = new BodyRoom();
  return {
    recognise: (_bytes, _start, _end, _ends, isClient) => (isClient ? 'client' : 'server'),
    parser: (ends) => {
      const stream = taker.stream(ends);
      const begin = stream.body?.bind(stream);
      return new Anything(stream, begin && new HttpBodies(ends, begin, room));
    },
  };
}

class Anything implements StreamParser {
  readonly service = undefined;
  readonly isDone = false;
  private readonly taker: StreamTaker;
  private readonly bodies: HttpBodies | undefined;

  /** @param bodies undefined: they are not wanted */
  constructor(taker: StreamTaker, bodies: HttpBodies | undefined) {
    this.taker = taker;
    this.bodies = bodies;
  }

  get heldBytes(): number {
    return this.bodies?.heldBytes ?? 0;
  }

  data: StreamParser['data'] = (isClient, bytes, start, end, at) => {
    const { micros } = at;
    const part = bytes.subarray(start, end);
    this.taker.data(isClient, part, Number.isNaN(micros) ? undefined : micros);
    this.bodies?.data(isClient, part, at);
  };

  gap(isClient: boolean, size: number): void {
    this.taker.gap(isClient, size);
    this.bodies?.gap(isClient, size);
  }

  end(isClient: boolean): void {
    // The other side may still send.
    this.bodies?.end(isClient);
  }

  finish(): void {
    this.taker.end();
    this.bodies?.finish();
  }
}
