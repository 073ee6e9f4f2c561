/**
 * Feeds the blocks of a capture to the reader of its format. Blocks may end anywhere: the rest of one is joined
 * with as little of the next as necessary.
 */
import type { EventSink } from '../../../engine/evidence/importer.ts';
import { u32 } from '../bytes.ts';
import { LostRegion, type CaptureReader } from './capture-reader.ts';
import { classicVariant, ClassicReader } from './classic.ts';
import type { PacketEvents } from '../packets/packet-events.ts';
import { PcapngReader } from './pcapng.ts';
import { isSnoop, SnoopReader } from './snoop.ts';

/** Number of bytes that identify the format. */
const MAGIC = 8;
/** Initial number of bytes of a block that are joined with a record of the previous one. */
const JOINED = 4096;

/** The reader for content that begins with `head`; undefined if it is not a capture. */
function readerFor(
  head: Uint8Array,
  sink: EventSink,
  events: PacketEvents,
): CaptureReader | undefined {
  if (classicVariant(head) !== undefined) return new ClassicReader(sink, events);
  if (head.length >= 4 && u32(head, 0) === 0x0a0d0d0a) return new PcapngReader(sink, events);
  return isSnoop(head) ? new SnoopReader(sink, events) : undefined;
}

export class CaptureStream {
  /** Position in the source of the first byte not yet taken. */
  offset = 0;
  private reader: CaptureReader | undefined;
  private readonly sink: EventSink;
  private readonly events: PacketEvents;
  /** Everything, if the content is not a capture at all. */
  private readonly foreign: LostRegion;
  /** The rest of earlier blocks. */
  private rest = new Uint8Array(0);
  private used = 0;

  constructor(sink: EventSink, events: PacketEvents) {
    this.sink = sink;
    this.events = events;
    this.foreign = new LostRegion(sink);
  }

  take(given: Uint8Array): void {
    // Always of one class, whatever is given: code for several is slower.
    const block = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    const base = this.offset + this.used;
    let at = 0;
    // A record that began in an earlier block is joined with as little of this one as necessary.
    while (this.used > 0 && at < block.length) {
      const more = Math.min(block.length - at, Math.max(JOINED, this.used));
      this.keep(block, at, at + more);
      at += more;
      const left = this.feed(this.rest, 0, this.used, this.offset, false);
      this.offset += left;
      this.used -= left;
      if (this.used <= at) {
        // The rest is in this block as well.
        at -= this.used;
        this.used = 0;
      } else this.rest.copyWithin(0, left, left + this.used);
    }
    if (at < block.length) {
      const left = this.feed(block, at, block.length, base, false);
      this.offset = base + left;
      this.keep(block, left, block.length);
    }
    this.events.flush();
  }

  /** Ends the stream: takes the rest, and reports facts about the whole. */
  finish(): void {
    this.feed(this.rest, 0, this.used, this.offset, true);
    this.offset += this.used;
    this.used = 0;
    this.events.flush();
    this.reader?.finish();
  }

  /** Takes what it can of `bytes[start, end)`, whose first byte is at `base`; returns the rest. */
  private feed(bytes: Uint8Array, start: number, end: number, base: number, last: boolean): number {
    const { foreign, sink } = this;
    if (this.reader === undefined && !foreign.open) {
      if (end - start < MAGIC && !last) return start;
      if (end === start) {
        sink.note('the file is empty');
        return end;
      }
      this.reader = readerFor(bytes.subarray(start, end), sink, this.events);
      if (this.reader === undefined) foreign.begin(0, 'no capture file header');
    }
    if (this.reader === undefined) {
      foreign.add(bytes, start, end);
      if (last) foreign.close(-1);
      return end;
    }
    return this.reader.feed(bytes, start, end, base, last);
  }

  private keep(bytes: Uint8Array, start: number, end: number): void {
    const need = this.used + end - start;
    if (need > this.rest.length) {
      const bigger = new Uint8Array(need + (need >>> 1));
      bigger.set(this.rest.subarray(0, this.used));
      this.rest = bigger;
    }
    this.rest.set(bytes.subarray(start, end), this.used);
    this.used = need;
  }
}
