/**
 * The frames of many records one after the other: each is followed into its flow, and its texts are written,
 * which lie in a column in the order of the rows. Frames that are plain are not decoded again: what a
 * tracker of flows needs of them is read where it lies.
 *
 * Holds always: a tracker is given what `decode.ts` would have made of the frame.
 */
import type { EventBatch } from '../../engine/contract/event-batch.ts';
import { u16, u32 } from './bytes.ts';
import type { PacketEvents, PacketTracker } from './packet-events.ts';
import type { Packet } from './packet.ts';
import { FRAME_RELAY, LINK_ONLY, NONE, SUN_ATM, dlciOf } from './plain-links.ts';
import type { FoundRecords } from './records.ts';
import type { SortedFrames } from './sorted-frames.ts';

const TCP = 6;
const UDP_HEADER = 8;
const IP6_HEADER = 40;

export class FramesInOrder {
  private readonly events: PacketEvents;
  private readonly batch: EventBatch | undefined;
  private readonly sorted: SortedFrames;
  private readonly tracker: PacketTracker | undefined;

  /**
   * @param batch undefined: no rows are made
   * @param sorted has sorted the frames that are to be taken
   */
  constructor(
    events: PacketEvents,
    batch: EventBatch | undefined,
    sorted: SortedFrames,
    tracker: PacketTracker | undefined,
  ) {
    this.events = events;
    this.batch = batch;
    this.sorted = sorted;
    this.tracker = tracker;
  }

  /**
   * @param p has the bytes, the link type and the digits of all `n` records
   * @param row of the first
   * @param before number of the record before the first
   */
  take(p: Packet, found: FoundRecords, n: number, row: number, before: number): void {
    const { events, tracker } = this;
    const { frames, ends, wires, micros, nanos } = found;
    const { networks, transports } = this.sorted;
    const flows = this.batch?.flow_id;
    const withCircuits = p.linkType === FRAME_RELAY || p.linkType === SUN_ATM;
    for (let i = 0; i < n; i++) {
      const at = networks[i]!;
      p.number = before + 1 + i;
      p.micros = micros[i]!;
      p.nanos = nanos[i]!;
      p.start = frames[i]!;
      p.end = ends[i]!;
      p.wire = wires[i]!;
      if (at === NONE) events.frame(p, row + i);
      else {
        p.resetLayers();
        if (at <= LINK_ONLY) events.linkWord(row + i, LINK_ONLY - at);
        else {
          setLayers(p, p.bytes, at, transports[i]!);
          events.protocol(row + i, p.proto);
        }
        if (withCircuits) this.circuits(p, row + i);
      }
      if (tracker === undefined) continue;
      const flow = tracker.packet(p);
      if (flow !== 0) flows?.set(row + i, flow);
    }
  }

  private circuits({ linkType, bytes, start }: Packet, row: number): void {
    const { events } = this;
    if (linkType === FRAME_RELAY) events.circuit(row, 'dlci', dlciOf(bytes, start));
    else {
      events.circuit(row, 'vpi', bytes[start + 1]!);
      events.circuit(row, 'vci', u16(bytes, start + 2));
    }
  }
}

/** TCP or UDP in IP, whole, no fragment: what flows are followed by. */
function setLayers(p: Packet, bytes: Uint8Array, at: number, behind: number): void {
  let length: number;
  if (bytes[at]! >>> 4 === 4) {
    p.ipVersion = 4;
    p.src4 = u32(bytes, at + 12);
    p.dst4 = u32(bytes, at + 16);
    p.ipLength = u16(bytes, at + 2);
    p.ipHeaderLength = behind - at;
    p.proto = bytes[at + 9]!;
    length = p.ipLength - p.ipHeaderLength;
  } else {
    p.ipVersion = 6;
    p.src6 = at + 8;
    p.dst6 = at + 24;
    length = u16(bytes, at + 4);
    p.ipLength = length + IP6_HEADER;
    p.ipHeaderLength = IP6_HEADER;
    p.proto = bytes[at + 6]!;
  }
  p.transport = behind;
  p.srcPort = u16(bytes, behind);
  p.dstPort = u16(bytes, behind + 2);
  let header = UDP_HEADER;
  if (p.proto === TCP) {
    const flags = u16(bytes, behind + 12);
    header = (flags >>> 12) * 4;
    p.tcpSeq = u32(bytes, behind + 4);
    p.tcpAck = u32(bytes, behind + 8);
    p.tcpFlags = flags & 0x1ff;
    p.tcpWindow = u16(bytes, behind + 14);
  }
  p.payload = Math.max(length - header, 0);
  p.payloadStart = behind + header;
}
