/**
 * The classic capture format (pcap) in all its forms: both byte orders, micro- and nanoseconds, and Alexey
 * Kuznetzov's modified one with longer record headers. https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/
 *
 * An invalid record (with an absurd length) does not end the reading: the bytes are searched for the position where
 * records resume, and those in between are quarantined.
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import { u16, u16le, u32, u32le } from '../bytes.ts';
import { LostRegion, MAX_PACKET, MAX_RECORD, type CaptureReader } from './capture-reader.ts';
import { linkTypeName } from '../decode/link-types.ts';
import { Packet } from '../decode/packet.ts';
import type { PacketEvents } from '../packets/packet-events.ts';
import { ClassicRecords } from './records.ts';

const FILE_HEADER = 24;
/** Consecutive records that must be plausible before reading continues after damage. */
const CHAIN = 3;
/** Maximum number of seconds between neighbouring records, and from the last good one, for reading to continue. */
const NEIGHBOUR_SECONDS = 7 * 86_400;
const DISTANT_SECONDS = 366 * 86_400;
/**
 * A run of this many zero bytes is not a record: a file that was preallocated, or lost sectors. Each sixteen of
 * them would be a packet of 1970.
 */
const ZEROS = 1024;

interface Variant {
  readonly format: string;
  readonly little: boolean;
  readonly nano: boolean;
  readonly recordHeader: number;
}

const VARIANTS = new Map<number, Variant>([
  [0xa1b2c3d4, { format: 'pcap', little: false, nano: false, recordHeader: 16 }],
  [0xd4c3b2a1, { format: 'pcap', little: true, nano: false, recordHeader: 16 }],
  [0xa1b23c4d, { format: 'pcap-nano', little: false, nano: true, recordHeader: 16 }],
  [0x4d3cb2a1, { format: 'pcap-nano', little: true, nano: true, recordHeader: 16 }],
  [0xa1b2cd34, { format: 'pcap-modified', little: false, nano: false, recordHeader: 24 }],
  [0x34cdb2a1, { format: 'pcap-modified', little: true, nano: false, recordHeader: 24 }],
]);

/** The variant of the classic format announced by the first four bytes, or undefined. */
export function classicVariant(head: Uint8Array): Variant | undefined {
  return head.length < 4 ? undefined : VARIANTS.get(u32(head, 0));
}

export class ClassicReader implements CaptureReader {
  number = 0;
  private readonly sink: EventSink;
  private readonly events: PacketEvents;
  private readonly packet = new Packet();
  /** The current region without valid records. */
  readonly lost: LostRegion;
  private started = false;
  private little = true;
  private nano = false;
  private recordHeader = 16;
  private limit = MAX_PACKET;
  /** Before version 2.4 some writers had the two lengths the other way round. */
  private maySwap = false;
  private readonly form = new ClassicRecords();
  private lastSeconds = -1;
  /** Number of records that suffice for reading to continue if they end with the file. */
  private fewest = 1;

  constructor(sink: EventSink, events: PacketEvents) {
    this.sink = sink;
    this.events = events;
    this.lost = new LostRegion(sink);
  }

  feed(bytes: Uint8Array, start: number, end: number, base: number, last: boolean): number {
    let at = start;
    if (!this.started) {
      if (end - at < FILE_HEADER) {
        if (last && end > at) {
          this.number += 1;
          this.sink.quarantine(base + at, 'truncated file header', bytes.subarray(at, end));
          const text = `ends inside the file header at offset ${base + end}`;
          this.sink.note(text);
          this.sink.broken?.('partial', base + end, text);
          return end;
        }
        return at;
      }
      this.readHeader(bytes, at, base);
      at += FILE_HEADER;
    }
    for (;;) {
      if (this.lost.open) {
        const found = this.search(bytes, at, end, last);
        const upTo = found < 0 ? ~found : found;
        this.lost.add(bytes, at, upTo);
        at = upTo;
        if (found < 0) {
          if (last) {
            this.lost.add(bytes, at, end);
            this.lost.close(-1);
            return end;
          }
          return at;
        }
        this.lost.close(base + at);
      }
      at = this.records(bytes, at, end, base, last);
      if (this.lost.open) {
        // The record itself is invalid: search after its first byte.
        this.lost.add(bytes, at, at + 1);
        at += 1;
        continue;
      }
      if (!last || at >= end) return at;
      const resumed = this.searchTail(bytes, at, end);
      this.number += 1;
      if (resumed < 0) {
        this.endInside(bytes, at, end, base);
        return end;
      }
      this.lost.begin(base + at, 'record extends beyond the end of the file');
      this.lost.add(bytes, at, resumed);
      this.lost.close(base + resumed);
      at = resumed;
    }
  }

  finish(): void {
    // Everything is in the file header and has been reported.
  }

  private readHeader(bytes: Uint8Array, at: number, base: number): void {
    const variant = VARIANTS.get(u32(bytes, at));
    this.started = true;
    if (variant === undefined) {
      this.lost.begin(base + at, 'no capture file header');
      this.number += 1;
      return;
    }
    const little = variant.little;
    const major = little ? u16le(bytes, at + 4) : u16(bytes, at + 4);
    const minor = little ? u16le(bytes, at + 6) : u16(bytes, at + 6);
    const snap = little ? u32le(bytes, at + 16) : u32(bytes, at + 16);
    const link = little ? u32le(bytes, at + 20) : u32(bytes, at + 20);
    const linkType = link & 0xffff;
    this.little = little;
    this.nano = variant.nano;
    this.recordHeader = variant.recordHeader;
    this.maySwap = major < 2 || (major === 2 && minor < 4);
    // D-Bus and USB messages may be far longer than network packets.
    const most = linkType === 231 || linkType === 249 ? MAX_RECORD : MAX_PACKET;
    this.limit = Math.min(Math.max(snap, most), MAX_RECORD);
    this.packet.linkType = linkType;
    this.packet.digits = variant.nano ? 9 : 6;
    this.sink.metadata('format', variant.format);
    this.sink.metadata('version', `${major}.${minor}`);
    this.sink.metadata('byte_order', little ? 'little' : 'big');
    this.sink.metadata('resolution', variant.nano ? 'nanoseconds' : 'microseconds');
    this.sink.metadata('snap_length', snap);
    this.sink.metadata('link_type', linkTypeName(linkType));
    // The upper bits: a flag that the frame check sequence's length is stated, and that length.
    if ((link & 0x04000000) !== 0) this.sink.metadata('fcs_bytes', (link >>> 28) * 2);
    else if (link >>> 16 !== 0) {
      this.sink.metadata('link_type_upper_bits', `0x${(link >>> 16).toString(16)}`);
    }
  }

  /** Takes records as long as they are complete; opens the lost region at an invalid one. */
  private records(
    bytes: Uint8Array,
    from: number,
    end: number,
    base: number,
    last: boolean,
  ): number {
    const p = this.packet;
    const events = this.events;
    const little = this.little;
    const nano = this.nano;
    const whole = nano ? 1_000_000_000 : 1_000_000;
    const header = this.recordHeader;
    const limit = this.limit;
    let at = from;
    for (;;) {
      at = this.run(bytes, at, end, base);
      if (end - at < header) return at;
      p.bytes = bytes;
      const seconds = little ? u32le(bytes, at) : u32(bytes, at);
      const fraction = little ? u32le(bytes, at + 4) : u32(bytes, at + 4);
      let captured = little ? u32le(bytes, at + 8) : u32(bytes, at + 8);
      let wire = little ? u32le(bytes, at + 12) : u32(bytes, at + 12);
      if (this.maySwap && captured > wire) {
        const swap = captured;
        captured = wire;
        wire = swap;
      }
      if (captured > limit) {
        this.number += 1;
        this.lost.begin(base + at, `record claims ${captured} ${nounOf(captured, 'byte')}`);
        return at;
      }
      if (captured === 0 && wire === 0 && seconds === 0 && fraction === 0) {
        const upTo = Math.min(end, at + ZEROS);
        const zeros = zerosEnd(bytes, at, upTo) === upTo;
        if (zeros && upTo - at < ZEROS && !last) return at;
        if (zeros && upTo - at === ZEROS) {
          this.number += 1;
          this.lost.begin(base + at, 'zeros where a record begins');
          return at;
        }
      }
      const next = at + header + captured;
      if (next > end) return at;
      this.number += 1;
      // As in a search, an empty record has no reliable time: consisting of zeros, it would be one of 1970.
      if (captured > 0) this.lastSeconds = seconds;
      p.number = this.number;
      if (nano) {
        const micros = Math.floor(fraction / 1000);
        p.micros = seconds * 1_000_000 + micros;
        p.nanos = fraction - micros * 1000;
      } else {
        p.micros = seconds * 1_000_000 + fraction;
      }
      if (fraction >= whole) events.rawTime = `${seconds}.${fraction}`;
      p.start = at + header;
      p.end = next;
      p.wire = wire;
      events.take(p, base + at, header + captured);
      at = next;
    }
  }

  /** Takes many ordinary records at once, if possible; returns where it stopped. */
  private run(bytes: Uint8Array, from: number, end: number, base: number): number {
    const { runs } = this.events;
    if (runs === undefined || this.maySwap) return from;
    const p = this.packet;
    p.number = this.number;
    const { form } = this;
    form.linkType = p.linkType;
    form.digits = p.digits;
    form.little = this.little;
    form.nano = this.nano;
    form.header = this.recordHeader;
    form.limit = this.limit;
    const at = runs.take(p, bytes, from, end, base, form);
    this.number = p.number;
    const { lastStart } = runs;
    if (lastStart >= 0) this.lastSeconds = (this.little ? u32le : u32)(bytes, lastStart);
    return at;
  }

  /** The file ends inside the record at `at`. */
  private endInside(bytes: Uint8Array, at: number, end: number, base: number): void {
    const size = end - at;
    let reason = `truncated record header (${size} of ${this.recordHeader} bytes)`;
    if (size >= this.recordHeader) {
      const captured = this.little ? u32le(bytes, at + 8) : u32(bytes, at + 8);
      reason = `truncated record (${size} of ${this.recordHeader + captured} bytes)`;
    }
    this.sink.quarantine(base + at, reason, bytes.subarray(at, end));
    const text = `ends at offset ${base + end}, inside the record that starts at offset ${base + at}`;
    this.sink.note(text);
    this.sink.broken?.('partial', base + end, text);
  }

  /**
   * Where records resume in `bytes[at, end)`.
   * @returns the position, or the complement of the position up to which there is none
   */
  private search(bytes: Uint8Array, at: number, end: number, last: boolean): number {
    const little = this.little;
    for (let i = at; i + this.recordHeader <= end; i++) {
      // The length rules out almost every place.
      const captured = little ? u32le(bytes, i + 8) : u32(bytes, i + 8);
      if (captured === 0 || captured > MAX_PACKET) continue;
      const verdict = this.chain(bytes, i, end, last);
      if (verdict > 0) return i;
      if (verdict === 0) return ~i;
    }
    return ~Math.max(at, end - this.recordHeader + 1);
  }

  /**
   * The same after a record that extends beyond the end; -1 if there is none. A record with a plausible header is
   * considered truncated, unless the bytes it covers are unmistakably records.
   */
  private searchTail(bytes: Uint8Array, at: number, end: number): number {
    if (end - at <= this.recordHeader) return -1;
    const sane = this.sensible(bytes, at, this.lastSeconds, NEIGHBOUR_SECONDS);
    this.fewest = sane ? CHAIN : 1;
    const found = this.search(bytes, at + 1, end, true);
    this.fewest = 1;
    return found < 0 ? -1 : found;
  }

  /** Whether the record header at `at` makes sense within `tolerance` seconds of `previous` (-1: any). */
  private sensible(bytes: Uint8Array, at: number, previous: number, tolerance: number): boolean {
    const little = this.little;
    const seconds = little ? u32le(bytes, at) : u32(bytes, at);
    const fraction = little ? u32le(bytes, at + 4) : u32(bytes, at + 4);
    const captured = little ? u32le(bytes, at + 8) : u32(bytes, at + 8);
    const wire = little ? u32le(bytes, at + 12) : u32(bytes, at + 12);
    if (captured === 0 || captured > MAX_PACKET || wire < captured || wire > MAX_PACKET) {
      return false;
    }
    if (fraction >= (this.nano ? 1_000_000_000 : 1_000_000)) return false;
    return previous < 0 || Math.abs(seconds - previous) <= tolerance;
  }

  /** Whether records follow one another from `at`: 1 yes, -1 no, 0 more bytes are needed. */
  private chain(bytes: Uint8Array, at: number, end: number, last: boolean): number {
    const little = this.little;
    let place = at;
    let previous = this.lastSeconds;
    // One record alone must be close in time to the last good one, and end with the file.
    let close = false;
    for (let n = 0; n < CHAIN; n++) {
      if (last && place === end && n >= (close ? this.fewest : Math.max(this.fewest, 2))) return 1;
      if (end - place < this.recordHeader) return last ? -1 : 0;
      const tolerance = n === 0 ? DISTANT_SECONDS : NEIGHBOUR_SECONDS;
      if (!this.sensible(bytes, place, previous, tolerance)) return -1;
      const seconds = little ? u32le(bytes, place) : u32(bytes, place);
      if (n === 0) close = previous >= 0 && Math.abs(seconds - previous) <= NEIGHBOUR_SECONDS;
      previous = seconds;
      place += this.recordHeader + (little ? u32le(bytes, place + 8) : u32(bytes, place + 8));
      if (place > end) return last ? -1 : 0;
    }
    return 1;
  }
}

/** End of the zeros from `at` on, at most `end`. */
function zerosEnd(bytes: Uint8Array, at: number, end: number): number {
  let place = at;
  while (place < end && bytes[place] === 0) place += 1;
  return place;
}
