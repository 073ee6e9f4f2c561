/**
 * Snoop, the capture format of Solaris, version 2: https://www.rfc-editor.org/rfc/rfc1761. Always big-endian,
 * microseconds. A record states its own length, so damage is noticed immediately; the position where records resume
 * is not searched for, since such files are rare.
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import { u32 } from '../bytes.ts';
import { MAX_RECORD, type CaptureReader } from './capture-reader.ts';
import { linkTypeName } from '../decode/link-types.ts';
import { Packet } from '../decode/packet.ts';
import type { PacketEvents } from '../packets/packet-events.ts';

const FILE_HEADER = 16;
const RECORD_HEADER = 24;
const MAX_RAW = 256 * 1024;

/** LINKTYPEs of snoop's datalink types; others stay undecoded. */
const LINK_TYPES = new Map<number, number>([
  [0, 1],
  [2, 6],
  [4, 1],
  [8, 10],
  [18, 123],
  [26, 242],
]);

/** The LINKTYPE of a snoop datalink type; 0xffff, which is unused, if there is no equivalent. */
export function snoopLinkType(datalink: number): number {
  return LINK_TYPES.get(datalink) ?? 0xffff;
}

/** Whether the content starts with `snoop` and three zero bytes. */
export function isSnoop(head: Uint8Array): boolean {
  return head.length >= 8 && u32(head, 0) === 0x736e6f6f && u32(head, 4) === 0x70000000;
}

export class SnoopReader implements CaptureReader {
  number = 0;
  private readonly sink: EventSink;
  private readonly events: PacketEvents;
  private readonly packet = new Packet();
  private started = false;
  private stopped = false;

  constructor(sink: EventSink, events: PacketEvents) {
    this.sink = sink;
    this.events = events;
  }

  feed(bytes: Uint8Array, start: number, end: number, base: number, last: boolean): number {
    if (this.stopped) return end;
    let at = start;
    if (!this.started) {
      if (end - at < FILE_HEADER) return last ? this.endInside(bytes, at, end, base) : at;
      this.started = true;
      const datalink = u32(bytes, at + 12);
      this.packet.linkType = snoopLinkType(datalink);
      this.packet.digits = 6;
      this.sink.metadata('format', 'snoop');
      this.sink.metadata('version', String(u32(bytes, at + 8)));
      this.sink.metadata('link_type', linkTypeName(this.packet.linkType));
      at += FILE_HEADER;
    }
    const p = this.packet;
    p.bytes = bytes;
    while (end - at >= RECORD_HEADER) {
      const wire = u32(bytes, at);
      const captured = u32(bytes, at + 4);
      const size = u32(bytes, at + 8);
      if (size < RECORD_HEADER + captured || size > MAX_RECORD) {
        this.number += 1;
        this.stopped = true;
        const raw = bytes.subarray(at, Math.min(end, at + MAX_RAW));
        this.sink.quarantine(
          base + at,
          `record claims ${size} ${nounOf(size, 'byte')} for ${captured}`,
          raw,
        );
        const text = `cannot be read from offset ${base + at}: a record's length is impossible`;
        this.sink.note(text);
        this.sink.broken?.('damaged', base + at, text);
        return end;
      }
      if (size > end - at) break;
      this.number += 1;
      p.number = this.number;
      p.micros = u32(bytes, at + 16) * 1_000_000 + u32(bytes, at + 20);
      p.start = at + RECORD_HEADER;
      p.end = p.start + captured;
      p.wire = wire;
      this.events.take(p, base + at, size);
      at += size;
    }
    return last && at < end ? this.endInside(bytes, at, end, base) : at;
  }

  finish(): void {
    // Everything is in the file header and has been reported.
  }

  private endInside(bytes: Uint8Array, at: number, end: number, base: number): number {
    this.number += 1;
    this.sink.quarantine(
      base + at,
      `truncated record (${end - at} ${nounOf(end - at, 'byte')})`,
      bytes.subarray(at, end),
    );
    const text = `ends at offset ${base + end}, inside the record that starts at offset ${base + at}`;
    this.sink.note(text);
    this.sink.broken?.('partial', base + end, text);
    return end;
  }
}
