/**
 * Writes one event per packet. Nothing is allocated for an ordinary packet: words are copied from encoded tables,
 * and attribute columns are looked up once.
 */
import type { CodedColumn, TextColumn } from '../../../engine/columns/columns.ts';
import type { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import { codedNumber, codedType, codeOfLink } from './dictionary-columns.ts';
import { decode, decodeLink } from '../decode/decode.ts';
import { Cursor } from '../decode/layers.ts';
import { arpMessage, icmpName, TextBuffer, wlanMessage } from './messages.ts';
import type { Packet } from '../decode/packet.ts';
import type { PacketTracker } from './packet-tracker.ts';
import { ATTRIBUTES, type Attribute, type Writes, writesOf } from './packet-writes.ts';
import { PacketRuns } from '../scan/runs.ts';
import { TunnelNotes } from '../decode/tunnel-notes.ts';
import { IP_WORD_BYTES, LINK_WORD_BYTES, word } from './words.ts';

function index(name: Attribute): number {
  return ATTRIBUTES.indexOf(name);
}
const ICMP_TYPE = index('icmp_type');
const ICMP_CODE = index('icmp_code');
const TUNNEL = index('tunnel');
const INNER_VLAN = index('inner_vlan');
const MPLS_LABEL = index('mpls_label');
const DLCI = index('dlci');
const VPI = index('vpi');
const VCI = index('vci');
const ETHER_TYPE = index('ether_type');
const PROBLEM = index('problem');
const SRC_MAC = index('src_mac');
const DST_MAC = index('dst_mac');
const COMMENT = index('comment');
const RAW_TIME = index('raw_time');

const ETHERNET = word('ethernet');

export class PacketEvents {
  /** Packet comments of the next record; empty for none. Cleared once written. */
  comment = '';
  /** The time stamp as written in a record whose time cannot be used. Cleared once stored. */
  rawTime = '';
  readonly writes: Writes;
  /** Processes many records of a scan at once; undefined: one at a time. */
  readonly runs: PacketRuns | undefined;

  private readonly sink: EventSink;
  private readonly batch: EventBatch | undefined;
  private readonly tracker: PacketTracker | undefined;
  private readonly cursor = new Cursor();
  private readonly notes = new TunnelNotes();
  private readonly text = new TextBuffer();
  private readonly columns: (TextColumn | undefined)[] = ATTRIBUTES.map(() => undefined);
  /** Columns if texts are dictionary-encoded; undefined: as texts. */
  private readonly type: CodedColumn | undefined;
  private readonly codes: (CodedColumn | undefined)[] | undefined;
  private skipped = 0;

  /**
   * @param keep whether packets become rows; otherwise they are counted as skipped
   * @param hint columns that need be written; undefined: all
   */
  constructor(
    sink: EventSink,
    keep: boolean,
    tracker: PacketTracker | undefined,
    hint?: ReadonlySet<string>,
  ) {
    this.writes = writesOf(hint);
    this.sink = sink;
    this.batch = keep ? sink.batch('packet') : undefined;
    this.tracker = tracker;
    if (this.batch !== undefined && hint !== undefined) {
      this.type = codedType(this.batch);
      this.codes = ATTRIBUTES.map(() => undefined);
      if (tracker === undefined) this.runs = new PacketRuns(this, this.batch);
    }
  }

  /**
   * Decodes and writes the packet whose record fields are set.
   * @param offset where its record starts in the source
   * @param length of the record, headers included
   */
  take(p: Packet, offset: number, length: number): void {
    // Without rows and flows packets are only counted.
    if (this.batch !== undefined || this.tracker !== undefined) this.decode(p);
    const flow = this.tracker === undefined ? 0 : this.tracker.packet(p);
    if (this.batch === undefined) this.skipped += 1;
    else this.write(this.batch, p, offset, length, flow);
    this.comment = '';
    this.rawTime = '';
  }

  private decode(p: Packet): void {
    const { frame, linkOnly } = this.writes;
    if (this.tracker !== undefined || (frame && !linkOnly)) decode(p, this.cursor, this.notes);
    else if (frame) decodeLink(p, this.cursor);
  }

  /** Decodes a frame and writes its columns, but not those of its record. */
  frame(p: Packet, row: number): void {
    this.decode(p);
    if (this.batch !== undefined) this.writeFrame(this.batch, row, p);
  }

  /** Counts records that became rows. */
  recorded(n: number): void {
    this.sink.record(n);
  }

  /** Call once per block. */
  flush(): void {
    if (this.skipped > 0) this.sink.skip('packet not kept (--no-packets)', this.skipped);
    this.skipped = 0;
  }

  private write(batch: EventBatch, p: Packet, offset: number, length: number, flow: number): void {
    const row = batch.length;
    const { writes } = this;
    if (writes.seq) batch.seq.set(row, p.number);
    if (writes.ts && p.micros === p.micros) {
      batch.ts.set(row, p.micros);
      if (writes.fraction) {
        batch.ts_ns.set(row, p.nanos);
        batch.ts_digits.set(row, p.digits);
      }
    }
    if (writes.offset) batch.offset.set(row, offset);
    // The batch needs it to know when it is full.
    batch.record_length.set(row, length);
    if (writes.captured) batch.captured.set(row, p.end - p.start);
    if (writes.bytes) batch.bytes.set(row, p.wire);
    if (writes.packets) batch.packets.set(row, 1);
    if (flow !== 0) batch.flow_id.set(row, flow);
    if (writes.frame) this.writeFrame(batch, row, p);
    if (this.comment !== '') this.string(batch, row, COMMENT, this.comment);
    if (this.rawTime !== '') this.string(batch, row, RAW_TIME, this.rawTime);
    this.sink.record(1);
    batch.endRow();
  }

  private writeFrame(batch: EventBatch, row: number, p: Packet): void {
    const { writes } = this;
    if (p.vlan >= 0 && writes.vlan) batch.vlan.set(row, p.vlan);
    if (p.ipVersion !== 0) {
      if (writes.sources) {
        if (p.ipVersion === 4) batch.src_ip4.set(row, p.src4);
        else batch.setSource6(row, p.bytes, p.src6);
      }
      if (writes.targets) {
        if (p.ipVersion === 4) batch.dst_ip4.set(row, p.dst4);
        else batch.setTarget6(row, p.bytes, p.dst6);
      }
      if (writes.proto) batch.proto.set(row, p.proto);
      if (p.srcPort >= 0) {
        if (writes.sourcePort) batch.src_port.set(row, p.srcPort);
        if (writes.targetPort) batch.dst_port.set(row, p.dstPort);
      }
      if (p.tcpFlags >= 0 && writes.tcpFlags) batch.tcp_flags.set(row, p.tcpFlags);
      this.protocol(batch, row, p.proto);
      if (p.icmpType >= 0) this.writeIcmp(batch, row, p);
      if (p.tunnel !== '') this.string(batch, row, TUNNEL, p.tunnel);
    } else {
      this.writeLink(batch, row, p);
    }
    const c = this.cursor;
    if (p.innerVlan >= 0) this.number(batch, row, INNER_VLAN, p.innerVlan);
    if (c.mpls >= 0) this.number(batch, row, MPLS_LABEL, c.mpls);
    if (c.dlci >= 0) this.number(batch, row, DLCI, c.dlci);
    if (c.vci >= 0) {
      this.number(batch, row, VPI, c.vpi);
      this.number(batch, row, VCI, c.vci);
    }
    if (p.problem !== '') this.string(batch, row, PROBLEM, p.problem);
  }

  private protocol(batch: EventBatch, row: number, proto: number): void {
    if (!this.writes.type) return;
    const name = IP_WORD_BYTES[proto]!;
    if (this.type !== undefined) this.type.set(row, proto);
    else batch.event_type.set(row, name, 0, name.length);
  }

  private linkWord(batch: EventBatch, row: number, linkWord: number): void {
    if (!this.writes.type) return;
    const name = LINK_WORD_BYTES[linkWord]!;
    if (this.type !== undefined) this.type.set(row, codeOfLink(linkWord));
    else batch.event_type.set(row, name, 0, name.length);
  }

  private writeIcmp(batch: EventBatch, row: number, p: Packet): void {
    this.number(batch, row, ICMP_TYPE, p.icmpType);
    this.number(batch, row, ICMP_CODE, p.icmpCode);
    if (!this.writes.message) return;
    const name = icmpName(p.ipVersion, p.icmpType, p.icmpCode);
    if (name !== undefined) batch.message.set(row, name, 0, name.length);
  }

  private writeLink(batch: EventBatch, row: number, p: Packet): void {
    const c = this.cursor;
    const text = this.text;
    const { writes } = this;
    this.linkWord(batch, row, c.word);
    if (c.srcMac >= 0 && c.srcMac + 6 <= p.end) this.mac(batch, row, SRC_MAC, p.bytes, c.srcMac);
    if (c.dstMac >= 0 && c.dstMac + 6 <= p.end) this.mac(batch, row, DST_MAC, p.bytes, c.dstMac);
    if (p.etherType >= 0 && c.word === ETHERNET) {
      // There is no word for it here.
      const column = this.column(batch, ETHER_TYPE);
      if (column !== undefined) {
        text.clear();
        text.hex16(p.etherType);
        text.into(column, row);
      }
    }
    if (!writes.message) return;
    if (c.arp >= 0) {
      if (arpMessage(text, p.bytes, c.arp, p.end)) text.into(batch.message, row);
    } else if (c.wlan >= 0) {
      if (wlanMessage(text, p.bytes, c.wlan, c.end)) text.into(batch.message, row);
    }
  }

  private column(batch: EventBatch, attribute: number): TextColumn | undefined {
    const known = this.columns[attribute];
    if (known !== undefined) return known;
    if (this.writes.attributes[attribute] !== true) return undefined;
    const column = batch.attributeColumn(ATTRIBUTES[attribute]!);
    this.columns[attribute] = column;
    return column;
  }

  private mac(
    batch: EventBatch,
    row: number,
    attribute: number,
    bytes: Uint8Array,
    at: number,
  ): void {
    const column = this.column(batch, attribute);
    if (column === undefined) return;
    this.text.clear();
    this.text.mac(bytes, at);
    this.text.into(column, row);
  }

  private number(batch: EventBatch, row: number, attribute: number, value: number): void {
    if (this.codes !== undefined) {
      if (this.writes.attributes[attribute] !== true) return;
      const codes = (this.codes[attribute] ??= codedNumber(batch, ATTRIBUTES[attribute]!));
      codes.set(row, value);
      return;
    }
    const column = this.column(batch, attribute);
    if (column === undefined) return;
    this.text.clear();
    this.text.decimal(value);
    this.text.into(column, row);
  }

  private string(batch: EventBatch, row: number, attribute: number, value: string): void {
    const column = this.column(batch, attribute);
    if (column !== undefined) column.setString(row, value);
  }
}
