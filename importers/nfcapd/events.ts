/**
 * Writes flows of nfdump into a batch, in the columns that tables of flows have.
 *
 * Invariant: every flow is one row.
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import type { Flow } from './flow.ts';

const [ICMP, TCP, ICMP6] = [1, 6, 58];
const MILLISECONDS = 3;
const MOST_VLAN = 4095;

/** Position of a record in the file: its own, or that of its compressed block. */
export interface Place {
  readonly offset: number;
  readonly bytes: number;
}

export class FlowEvents {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private seq = 0;

  constructor(sink: EventSink) {
    this.sink = sink;
    this.batch = sink.batch('flow');
  }

  add(flow: Flow, place: Place): void {
    const { batch } = this;
    const row = batch.length;
    this.seq += 1;
    batch.seq.set(row, this.seq);
    batch.offset.set(row, place.offset);
    batch.record_length.set(row, place.bytes);
    if (flow.first > 0) {
      batch.ts.set(row, flow.first * 1000);
      batch.ts_digits.set(row, MILLISECONDS);
      if (flow.last >= flow.first) batch.duration.set(row, (flow.last - flow.first) / 1000);
    }
    this.ends(flow, row);
    batch.packets.set(row, flow.packets);
    batch.bytes.set(row, flow.bytes);
    if (flow.outPackets > 0 || flow.outBytes > 0) {
      batch.packets_rev.set(row, flow.outPackets);
      batch.bytes_rev.set(row, flow.outBytes);
    }
    if (flow.vlan > 0 && flow.vlan <= MOST_VLAN) batch.vlan.set(row, flow.vlan);
    if (flow.user !== '') batch.cutText('user').setString(row, flow.user);
    for (const [name, value] of flow.others) batch.setAttribute(name, value);
    batch.endRow();
    this.sink.record(1);
  }

  private ends(flow: Flow, row: number): void {
    const { batch } = this;
    batch.proto.set(row, flow.proto);
    if (flow.src4 !== undefined) batch.src_ip4.set(row, flow.src4);
    if (flow.dst4 !== undefined) batch.dst_ip4.set(row, flow.dst4);
    if (flow.src6 !== undefined) batch.src_ip6.set(row, flow.src6, 0);
    if (flow.dst6 !== undefined) batch.dst_ip6.set(row, flow.dst6, 0);
    if (flow.proto === ICMP || flow.proto === ICMP6) {
      // As in Zeek: the type, and the code.
      batch.src_port.set(row, flow.dstPort >>> 8);
      batch.dst_port.set(row, flow.dstPort & 255);
      return;
    }
    batch.src_port.set(row, flow.srcPort);
    batch.dst_port.set(row, flow.dstPort);
    if (flow.proto === TCP) batch.tcp_flags.set(row, flow.tcpFlags);
  }
}
