/**
 * Extracts from packets what their protocols say, next to the flows, whose numbers the events carry:
 * docs/importers/protocols.md.
 *
 * Invariant: the order of events depends on the packets alone.
 */
import type { FileTaker } from '../../../engine/evidence/carried-files.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import type { FlowTracker } from '../flows/index.ts';
import type { Packet } from '../decode/packet.ts';
import type { PacketTracker } from '../packets/packet-tracker.ts';
import { Datagrams } from './streams/datagrams.ts';
import { IpFragments } from './streams/ip-fragments.ts';
import { ProtocolEvents } from './protocol-events.ts';
import { TcpStreams } from './streams/tcp-streams.ts';

const [TCP, UDP] = [6, 17];

export class ProtocolTracker implements PacketTracker {
  private readonly flows: FlowTracker;
  private readonly streams: TcpStreams;
  private readonly datagrams: Datagrams;
  private readonly fragments: IpFragments;
  private readonly events: ProtocolEvents;
  private readonly sink: EventSink;

  /** @param files receives the files that connections carry */
  constructor(flows: FlowTracker, sink: EventSink, files?: FileTaker) {
    this.flows = flows;
    this.sink = sink;
    const events = new ProtocolEvents(sink, files);
    this.events = events;
    this.fragments = new IpFragments(flows, (p, flow) => this.take(p, flow));
    this.streams = new TcpStreams(events, this.fragments);
    this.datagrams = new Datagrams(events, this.fragments);
  }

  packet(p: Packet): number {
    const flow = this.flows.packet(p);
    if (p.moreFragments || p.fragmentOffset > 0) this.fragments.add(p, flow);
    else if (flow !== 0) this.take(p, flow);
    return flow;
  }

  private take(p: Packet, flow: number): void {
    if (p.proto === TCP) {
      if (p.tcpFlags >= 0) this.streams.packet(p, flow);
    } else if (p.proto === UDP && p.srcPort >= 0) this.datagrams.packet(p, flow);
  }

  finish(): void {
    this.fragments.finish();
    this.datagrams.finish();
    this.streams.finish();
    this.flows.finish();
    const evicted = this.streams.evicted + this.datagrams.evicted;
    if (evicted > 0)
      this.sink.note(
        `${counted(evicted, 'connection')} ${evicted === 1 ? 'was' : 'were'} read only in part: too much of them was open at once`,
      );
    const { unreadExportBytes: unread } = this.events;
    if (unread > 0)
      this.sink.note(
        `${unread} bytes of NetFlow records cannot be read: the capture lacks their templates`,
      );
  }
}
