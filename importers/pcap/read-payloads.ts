/** What the connections of a capture carried: TCP in order, UDP datagram by datagram. */
import type { PayloadTaker, StreamTaker } from '../../engine/contract/payloads.ts';
import type { FlowTracker } from './flows/index.ts';
import type { Packet } from './packet.ts';
import type { PacketTracker } from './packet-tracker.ts';
import { IpFragments } from './protocols/ip-fragments.ts';
import type { StreamParser, StreamProtocol } from './protocols/messages.ts';
import { endpointsOf, TcpStreams } from './protocols/tcp-streams.ts';
import { readAgain, type Rereading } from './reread.ts';

const [TCP, UDP] = [6, 17];

/** @throws DaybookError not-found, unreadable, source-damaged, cancelled, and what `taker` throws */
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
    // A fragment that comes before the first one has no flow.
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

/** Whatever is sent. */
function anything(taker: PayloadTaker): StreamProtocol {
  return {
    recognise: (_bytes, _start, _end, _ends, isClient) => (isClient ? 'client' : 'server'),
    parser: (ends) => new Anything(taker.stream(ends)),
  };
}

class Anything implements StreamParser {
  readonly service = undefined;
  readonly isDone = false;
  readonly heldBytes = 0;
  private readonly taker: StreamTaker;

  constructor(taker: StreamTaker) {
    this.taker = taker;
  }

  data: StreamParser['data'] = (isClient, bytes, start, end, { micros }) => {
    this.taker.data(
      isClient,
      bytes.subarray(start, end),
      Number.isNaN(micros) ? undefined : micros,
    );
  };

  gap(isClient: boolean, size: number): void {
    this.taker.gap(isClient, size);
  }

  end(): void {
    // The other side may still send.
  }

  finish(): void {
    this.taker.end();
  }
}
