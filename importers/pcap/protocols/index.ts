/**
 * Follows packets into what their protocols say: docs/importers/protocols.md. Beside the flows, whose numbers the events
 * carry.
 *
 * Invariant: events come in an order that depends on the packets alone.
 */
import type { EventSink } from '../../../engine/contract/importer.ts';
import { u16 } from '../bytes.ts';
import type { FlowTracker } from '../flows/index.ts';
import type { Packet } from '../packet.ts';
import type { PacketTracker, PlainRun } from '../packet-tracker.ts';
import { setPlain } from '../plain-layers.ts';
import { DNS_PORTS, DnsConversation, readDns } from './dns.ts';
import { ProtocolEvents } from './protocol-events.ts';
import { endpointsOf, TcpStreams } from './tcp-streams.ts';

const [TCP, UDP] = [6, 17];
const NETBIOS_PORT = 137;
/** Conversations of DNS that are followed at a time. */
const MAX_CONVERSATIONS = 65_536;

export class ProtocolTracker implements PacketTracker {
  private readonly flows: FlowTracker;
  private readonly events: ProtocolEvents;
  private readonly streams: TcpStreams;
  private readonly conversations = new Map<number, DnsConversation>();
  private readonly sink: EventSink;

  constructor(flows: FlowTracker, sink: EventSink) {
    this.flows = flows;
    this.sink = sink;
    this.events = new ProtocolEvents(sink);
    this.streams = new TcpStreams(this.events, flows.services);
  }

  packet(p: Packet): number {
    const flow = this.flows.packet(p);
    if (flow !== 0 && p.payloadStart >= 0) this.follow(p, flow);
    return flow;
  }

  plain(p: Packet, run: PlainRun, from: number, to: number, out: Uint32Array): void {
    const { protocols } = run.sorted;
    // Frame by frame: a flow that ends within the run has its protocol by then.
    for (let i = from; i < to; i++) {
      this.flows.plain(p, run, i, i + 1, out);
      const flow = out[i]!;
      const isTcp = protocols[i] === TCP;
      if (flow === 0 || (isTcp ? this.streams.isDone(flow) : protocols[i] !== UDP)) continue;
      setPlain(p, run, i);
      this.follow(p, flow);
    }
  }

  private follow(p: Packet, flow: number): void {
    if (p.proto === TCP) {
      if (p.tcpFlags >= 0) this.streams.packet(p, flow);
    } else if (p.proto === UDP && mayBeDns(p)) this.datagram(p, flow);
  }

  private datagram(p: Packet, flow: number): void {
    const end = p.payloadStart + p.payload;
    if (end > p.end) return;
    const isNetbios = p.srcPort === NETBIOS_PORT || p.dstPort === NETBIOS_PORT;
    const message = readDns(p.bytes, p.payloadStart, end, isNetbios);
    if (message === undefined) return;
    let conversation = this.conversations.get(flow);
    if (conversation === undefined) {
      const ends = endpointsOf(p, flow, !message.isResponse);
      conversation = new DnsConversation(ends, this.events);
      if (this.conversations.size >= MAX_CONVERSATIONS) this.endOldest();
      this.conversations.set(flow, conversation);
      this.flows.services.set(flow, 'dns');
    }
    conversation.take(message, { micros: p.micros, nanos: p.nanos, digits: p.digits });
  }

  private endOldest(): void {
    const [oldest] = this.conversations;
    if (oldest === undefined) return;
    oldest[1].finish();
    this.conversations.delete(oldest[0]);
  }

  finish(): void {
    for (const conversation of this.conversations.values()) conversation.finish();
    this.streams.finish();
    this.flows.finish();
    const { evicted } = this.streams;
    if (evicted > 0)
      this.sink.note(`${evicted} connections were read in part: too much was open at a time`);
  }
}

/** On other ports than those of DNS a message has one question: much else begins with the same few bytes. */
function mayBeDns({ srcPort, dstPort, bytes, payload, payloadStart }: Packet): boolean {
  if (payload < 12) return false;
  if (DNS_PORTS.has(srcPort) || DNS_PORTS.has(dstPort)) return true;
  return (bytes[payloadStart + 2]! & 0x78) === 0 && u16(bytes, payloadStart + 4) === 1;
}
