/**
 * The next generation capture format (pcapng): sections with a byte order each, interfaces with a link type and a
 * clock each, and blocks with options. https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/
 *
 * Blocks repeat their length at the end, so damage is noticed, and the position where blocks resume is found with
 * near certainty. Blocks without packets become metadata of the source.
 */
import { counted, nounOf } from '../../../engine/contract/words/counted.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import { u16, u16le, u32, u32le } from '../bytes.ts';
import { LostRegion, MAX_RECORD, type CaptureReader } from './capture-reader.ts';
import { type Clock, clockOf } from './clock.ts';
import { linkTypeName } from '../decode/link-types.ts';
import { ip4Text, ip6Text } from '../decode/tunnel-notes.ts';
import { LATEST_MICROS, Packet } from '../decode/packet.ts';
import type { PacketEvents } from '../packets/packet-events.ts';
import { EnhancedPackets } from './records.ts';

const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE = 1;
const OBSOLETE_PACKET = 2;
const SIMPLE_PACKET = 3;
const NAME_RESOLUTION = 4;
const STATISTICS = 5;
const ENHANCED_PACKET = 6;
const SECRETS = 10;

/** Limit of metadata; what exceeds it is counted. */
const MAX_LISTED = 1000;
const MAX_INTERFACES = 1 << 16;
/** The largest block that is believed when searching for the position where blocks resume. */
const MAX_RESUME = 1 << 20;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

interface Interface {
  readonly linkType: number;
  readonly snapLength: number;
  readonly clock: Clock;
  readonly offsetMicros: number;
  /** The reported facts; statistics are added as they arrive. */
  readonly facts: Record<string, unknown>;
}

export class PcapngReader implements CaptureReader {
  number = 0;
  private readonly sink: EventSink;
  private readonly events: PacketEvents;
  private readonly packet = new Packet();
  private readonly form = new EnhancedPackets();
  private readonly lost: LostRegion;
  private little = true;
  private inSection = false;
  private sections = 0;
  private interfaces: Interface[] = [];

  private readonly byteOrders = new Set<string>();
  private readonly hardware = new Set<string>();
  private readonly systems = new Set<string>();
  private readonly applications = new Set<string>();
  private readonly comments: string[] = [];
  private readonly listed: Record<string, unknown>[] = [];
  private readonly names: { address: string; name: string }[] = [];
  private nameCount = 0;
  private secretCount = 0;
  private secretBytes = 0;
  private toldShort = false;
  private readonly unknown = new Map<number, number>();

  constructor(sink: EventSink, events: PacketEvents) {
    this.sink = sink;
    this.events = events;
    this.lost = new LostRegion(sink);
  }

  feed(bytes: Uint8Array, start: number, end: number, base: number, last: boolean): number {
    let at = start;
    for (;;) {
      if (this.lost.open) {
        const found = this.search(bytes, at, end, last);
        const upTo = found < 0 ? ~found : found;
        this.lost.add(bytes, at, upTo);
        at = upTo;
        if (found < 0) {
          if (!last) return at;
          this.lost.add(bytes, at, end);
          this.lost.close(-1);
          return end;
        }
        this.lost.close(base + at);
      }
      at = this.blocks(bytes, at, end, base);
      if (this.lost.open) {
        this.lost.add(bytes, at, at + 1);
        at += 1;
        continue;
      }
      if (!last || at >= end) return at;
      this.number += 1;
      const resumed = end - at > 12 ? this.search(bytes, at + 1, end, true) : -1;
      if (resumed < 0) {
        this.endInside(bytes, at, end, base);
        return end;
      }
      this.lost.begin(base + at, 'block extends beyond the end of the file');
      this.lost.add(bytes, at, resumed);
      this.lost.close(base + resumed);
      at = resumed;
    }
  }

  finish(): void {
    const sink = this.sink;
    const tell = (key: string, values: ReadonlySet<string>) => {
      if (values.size === 1) sink.metadata(key, [...values][0]);
      else if (values.size > 1) sink.metadata(key, [...values]);
    };
    sink.metadata('format', 'pcapng');
    sink.metadata('sections', this.sections);
    tell('byte_order', this.byteOrders);
    tell('hardware', this.hardware);
    tell('os', this.systems);
    tell('application', this.applications);
    if (this.comments.length > 0) sink.metadata('comments', this.comments);
    if (this.listed.length > 0) sink.metadata('interfaces', this.listed);
    if (this.nameCount > 0) {
      sink.metadata('names', this.names);
      sink.metadata('name_count', this.nameCount);
    }
    if (this.secretCount > 0) {
      sink.metadata('decryption_secrets', { blocks: this.secretCount, bytes: this.secretBytes });
    }
    if (this.unknown.size > 0) {
      const counts: Record<string, number> = {};
      for (const [type, n] of this.unknown) counts[`0x${type.toString(16)}`] = n;
      sink.metadata('unknown_blocks', counts);
    }
  }

  private u16(bytes: Uint8Array, at: number): number {
    return this.little ? u16le(bytes, at) : u16(bytes, at);
  }

  private u32(bytes: Uint8Array, at: number): number {
    return this.little ? u32le(bytes, at) : u32(bytes, at);
  }

  /** Takes blocks as long as they are complete; opens the lost region at an invalid one. */
  private blocks(bytes: Uint8Array, from: number, end: number, base: number): number {
    let at = from;
    for (;;) {
      if (this.inSection) at = this.run(bytes, at, end, base);
      this.packet.bytes = bytes;
      const next = this.next(bytes, at, end, base);
      if (next === at) return at;
      at = next;
    }
  }

  /** Takes packets of one interface without options at once, if possible; returns where it stopped. */
  private run(bytes: Uint8Array, at: number, end: number, base: number): number {
    const { runs } = this.events;
    if (runs === undefined || end - at < 32 || this.u32(bytes, at) !== ENHANCED_PACKET) return at;
    const number = this.u32(bytes, at + 8);
    const from = this.interfaces[number];
    if (from === undefined) return at;
    const { packet: p, form } = this;
    form.number = number;
    form.linkType = from.linkType;
    form.little = this.little;
    form.limit = MAX_RECORD;
    form.offsetMicros = from.offsetMicros;
    form.digits = from.clock.digits;
    form.clock = from.clock;
    p.number = this.number;
    const next = runs.take(p, bytes, at, end, base, form);
    this.number = p.number;
    return next;
  }

  /** Takes a block if it is complete; returns the start of the next one, or `at` if it cannot be taken. */
  private next(bytes: Uint8Array, at: number, end: number, base: number): number {
    if (end - at >= 12) {
      if (u32(bytes, at) === SECTION_HEADER) {
        const magic = u32(bytes, at + 8);
        if (magic === 0x1a2b3c4d) this.little = false;
        else if (magic === 0x4d3c2b1a) this.little = true;
        else return this.fail(at, base, 'section header without its byte order magic');
      } else if (!this.inSection) {
        return this.fail(at, base, 'block before any section header');
      }
      const type = this.u32(bytes, at);
      const total = this.u32(bytes, at + 4);
      if (total < 12 || total > MAX_RECORD) {
        return this.fail(at, base, `block claims ${total} ${nounOf(total, 'byte')}`);
      }
      // Some writers forget to round the length up.
      const size = (total + 3) & ~3;
      if (size > end - at && total > end - at) return at;
      let next = at + total;
      if (this.u32(bytes, next - 4) !== total) {
        if (size !== total && size > end - at) return at;
        next = at + size;
        if (size === total || this.u32(bytes, next - 4) !== total) {
          return this.fail(at, base, 'block without its length at the end');
        }
      }
      this.block(bytes, type, at, next, base);
      return next;
    }
    return at;
  }

  private fail(at: number, base: number, reason: string): number {
    this.number += 1;
    this.lost.begin(base + at, reason);
    return at;
  }

  private block(bytes: Uint8Array, type: number, at: number, next: number, base: number): void {
    const end = next - 4;
    switch (type) {
      case ENHANCED_PACKET:
        this.packetBlock(bytes, at, end, base, 4);
        return;
      case SIMPLE_PACKET:
        this.simplePacket(bytes, at, end, base, next - at);
        return;
      case OBSOLETE_PACKET:
        this.packetBlock(bytes, at, end, base, 2);
        return;
      case SECTION_HEADER:
        this.sectionHeader(bytes, at, end);
        return;
      case INTERFACE:
        this.interfaceDescription(bytes, at, end);
        return;
      case STATISTICS:
        this.statistics(bytes, at, end);
        return;
      case NAME_RESOLUTION:
        this.nameResolution(bytes, at + 8, end);
        return;
      case SECRETS:
        this.secretCount += 1;
        this.secretBytes += end - at >= 16 ? this.u32(bytes, at + 12) : 0;
        return;
      default:
        if (this.unknown.size < MAX_LISTED || this.unknown.has(type)) {
          this.unknown.set(type, (this.unknown.get(type) ?? 0) + 1);
        }
        this.sink.skip('pcapng block of a type that holds no packet', 1);
    }
  }

  private reject(bytes: Uint8Array, at: number, size: number, base: number, reason: string): void {
    this.number += 1;
    this.sink.quarantine(base + at, reason, bytes.subarray(at, at + size));
  }

  /** @param width bytes of the interface's number: an obsolete block has its drop count after it */
  private packetBlock(
    bytes: Uint8Array,
    at: number,
    end: number,
    base: number,
    width: 2 | 4,
  ): void {
    const size = end + 4 - at;
    if (end - at < 28) return this.reject(bytes, at, size, base, 'packet block too short');
    const number = width === 4 ? this.u32(bytes, at + 8) : this.u16(bytes, at + 8);
    const from = this.interfaces[number];
    if (from === undefined) {
      return this.reject(bytes, at, size, base, 'packet of an interface that is not described');
    }
    const captured = this.u32(bytes, at + 20);
    if (captured > end - at - 28) {
      const reason = `packet claims ${captured} ${nounOf(captured, 'byte')}`;
      return this.reject(bytes, at, size, base, reason);
    }
    const p = this.packet;
    p.start = at + 28;
    p.end = at + 28 + captured;
    p.wire = this.u32(bytes, at + 24);
    this.setTime(from, this.u32(bytes, at + 12), this.u32(bytes, at + 16));
    const options = at + 28 + ((captured + 3) & ~3);
    if (options + 4 <= end) this.packetOptions(bytes, options, end);
    this.emit(from, at, base, size);
  }

  /** Simple packets have no time, and belong to the first interface. */
  private simplePacket(
    bytes: Uint8Array,
    at: number,
    end: number,
    base: number,
    size: number,
  ): void {
    if (end - at < 12) return this.reject(bytes, at, size, base, 'packet block too short');
    const from = this.interfaces[0];
    if (from === undefined) {
      return this.reject(bytes, at, size, base, 'packet of an interface that is not described');
    }
    const p = this.packet;
    const wire = this.u32(bytes, at + 8);
    const most = from.snapLength > 0 ? Math.min(wire, from.snapLength) : wire;
    p.start = at + 12;
    p.end = p.start + Math.min(most, end - p.start);
    p.wire = wire;
    p.micros = NaN;
    p.nanos = 0;
    this.emit(from, at, base, size);
  }

  private emit(from: Interface, at: number, base: number, size: number): void {
    const p = this.packet;
    this.number += 1;
    p.number = this.number;
    p.linkType = from.linkType;
    p.digits = from.clock.digits;
    this.events.take(p, base + at, size);
  }

  private setTime(from: Interface, high: number, low: number): void {
    const p = this.packet;
    const clock = from.clock;
    let micros: number;
    let nanos = 0;
    if (clock.multiplier > 0) {
      micros = (high * 4_294_967_296 + low) * clock.multiplier;
    } else if (clock.divisor > 0) {
      const rest = high * clock.rest + low;
      const whole = Math.floor(rest / clock.divisor);
      micros = high * clock.quotient + whole;
      const ticks = rest - whole * clock.divisor;
      nanos =
        clock.tickNanos > 0 ? ticks * clock.tickNanos : Math.floor((ticks * 1000) / clock.divisor);
    } else {
      const ticks = (BigInt(high) << 32n) | BigInt(low);
      const total = (ticks * 1_000_000_000n) / clock.ticksPerSecond;
      micros = Number(total / 1000n);
      nanos = Number(total % 1000n);
    }
    micros += from.offsetMicros;
    if (micros >= 0 && micros < LATEST_MICROS) {
      p.micros = micros;
      p.nanos = nanos;
    } else {
      p.micros = NaN;
      p.nanos = 0;
      this.events.rawTime = String((BigInt(high) << 32n) | BigInt(low));
    }
  }

  private text(bytes: Uint8Array, start: number, end: number): string {
    let stop = end;
    while (stop > start && bytes[stop - 1] === 0) stop -= 1;
    return utf8.decode(bytes.subarray(start, Math.min(stop, start + 65_536)));
  }

  /** Only comments are kept of a packet's options. */
  private packetOptions(bytes: Uint8Array, from: number, end: number): void {
    let at = from;
    while (at + 4 <= end) {
      const code = this.u16(bytes, at);
      const size = this.u16(bytes, at + 2);
      if (code === 0 || at + 4 + size > end) return;
      if (code === 1) {
        const comment = this.text(bytes, at + 4, at + 4 + size);
        const before = this.events.comment;
        this.events.comment = before === '' ? comment : `${before}\n${comment}`;
      }
      at += 4 + ((size + 3) & ~3);
    }
  }

  /** Calls `option` for each option up to the end of options or the first that is cut. */
  private options(
    bytes: Uint8Array,
    from: number,
    end: number,
    option: (code: number, start: number, stop: number) => void,
  ): void {
    let at = from;
    while (at + 4 <= end) {
      const code = this.u16(bytes, at);
      const size = this.u16(bytes, at + 2);
      if (code === 0 || at + 4 + size > end) return;
      option(code, at + 4, at + 4 + size);
      at += 4 + ((size + 3) & ~3);
    }
  }

  private comment(text: string): void {
    if (this.comments.length < MAX_LISTED) this.comments.push(text);
  }

  private sectionHeader(bytes: Uint8Array, at: number, end: number): void {
    this.inSection = true;
    this.sections += 1;
    this.interfaces = [];
    this.byteOrders.add(this.little ? 'little' : 'big');
    this.options(bytes, at + 24, end, (code, start, stop) => {
      const text = this.text(bytes, start, stop);
      if (code === 1) this.comment(text);
      else if (code === 2) addBounded(this.hardware, text);
      else if (code === 3) addBounded(this.systems, text);
      else if (code === 4) addBounded(this.applications, text);
    });
  }

  private interfaceDescription(bytes: Uint8Array, at: number, end: number): void {
    if (end - at < 16) {
      if (!this.toldShort) this.sink.note('an interface description is too short to read');
      this.toldShort = true;
      return;
    }
    if (this.interfaces.length >= MAX_INTERFACES) return;
    const linkType = this.u16(bytes, at + 8);
    const snapLength = this.u32(bytes, at + 12);
    let resolution = 6;
    let offsetMicros = 0;
    const facts: Record<string, unknown> = {
      section: this.sections,
      number: this.interfaces.length,
      link_type: linkTypeName(linkType),
      snap_length: snapLength,
    };
    this.options(bytes, at + 16, end, (code, start, stop) => {
      const size = stop - start;
      if (code === 1) facts['comment'] = this.text(bytes, start, stop);
      else if (code === 2) facts['name'] = this.text(bytes, start, stop);
      else if (code === 3) facts['description'] = this.text(bytes, start, stop);
      else if (code === 9 && size >= 1) resolution = bytes[start]!;
      else if (code === 11 && size >= 1) {
        // The first byte is the filter's encoding; 0 is text.
        facts['filter'] =
          bytes[start] === 0
            ? this.text(bytes, start + 1, stop)
            : `${size - 1} ${nounOf(size - 1, 'byte')} of code`;
      } else if (code === 12) facts['os'] = this.text(bytes, start, stop);
      else if (code === 15) facts['hardware'] = this.text(bytes, start, stop);
      else if (code === 13 && size >= 1) facts['fcs_bytes'] = bytes[start];
      else if (code === 14 && size >= 8) {
        const first = this.u32(bytes, start);
        const second = this.u32(bytes, start + 4);
        const high = this.little ? second : first;
        const low = this.little ? first : second;
        const seconds = (high | 0) * 4_294_967_296 + low;
        offsetMicros = seconds * 1_000_000;
        facts['time_offset_seconds'] = seconds;
      }
    });
    facts['resolution'] =
      (resolution & 0x80) !== 0 ? `2^-${resolution & 0x7f} s` : `10^-${resolution} s`;
    this.interfaces.push({
      linkType,
      snapLength,
      clock: clockOf(resolution),
      offsetMicros,
      facts,
    });
    if (this.listed.length < MAX_LISTED) this.listed.push(facts);
  }

  private statistics(bytes: Uint8Array, at: number, end: number): void {
    if (end - at < 20) return;
    const of = this.interfaces[this.u32(bytes, at + 8)];
    if (of === undefined) return;
    const names = new Map([
      [4, 'received'],
      [5, 'dropped'],
      [6, 'accepted_by_filter'],
      [7, 'dropped_by_os'],
      [8, 'delivered'],
    ]);
    const facts: Record<string, number | string> = {};
    this.options(bytes, at + 20, end, (code, start, stop) => {
      const name = names.get(code);
      if (code === 1) facts['comment'] = this.text(bytes, start, stop);
      else if (name !== undefined && stop - start >= 8) {
        const first = this.u32(bytes, start);
        const second = this.u32(bytes, start + 4);
        facts[name] = this.little ? second * 4_294_967_296 + first : first * 4_294_967_296 + second;
      }
    });
    of.facts['statistics'] = facts;
  }

  private nameResolution(bytes: Uint8Array, from: number, end: number): void {
    let at = from;
    while (at + 4 <= end) {
      const type = this.u16(bytes, at);
      const size = this.u16(bytes, at + 2);
      if (type === 0 || at + 4 + size > end) return;
      const addressSize = type === 1 ? 4 : type === 2 ? 16 : 0;
      if (addressSize > 0 && size > addressSize) {
        this.nameCount += 1;
        const start = at + 4;
        if (this.names.length < MAX_LISTED) {
          const address = type === 1 ? ip4Text(u32(bytes, start)) : ip6Text(bytes, start);
          const texts = this.text(bytes, start + addressSize, start + size).split('\0');
          for (const name of texts) this.names.push({ address, name });
        }
      }
      at += 4 + ((size + 3) & ~3);
    }
  }

  private endInside(bytes: Uint8Array, at: number, end: number, base: number): void {
    const size = end - at;
    let reason = `truncated block header (${counted(size, 'byte')})`;
    if (size >= 12) reason = `truncated block (${size} of ${this.u32(bytes, at + 4)} bytes)`;
    this.sink.quarantine(base + at, reason, bytes.subarray(at, end));
    const text = `ends at offset ${base + end}, inside the block that starts at offset ${base + at}`;
    this.sink.note(text);
    this.sink.broken?.('partial', base + end, text);
  }

  /** As in `classic.ts`: a position, or the complement of the position up to which there is none. */
  private search(bytes: Uint8Array, at: number, end: number, last: boolean): number {
    for (let i = at; i + 12 <= end; i++) {
      const verdict = this.plausible(bytes, i, end, last);
      if (verdict > 0) return i;
      if (verdict === 0) return ~i;
    }
    return ~Math.max(at, end - 11);
  }

  /** Whether a block starts at `at`: 1 yes, -1 no, 0 more bytes are needed. */
  private plausible(bytes: Uint8Array, at: number, end: number, last: boolean): number {
    let little = this.little;
    if (u32(bytes, at) === SECTION_HEADER) {
      const magic = u32(bytes, at + 8);
      if (magic !== 0x1a2b3c4d && magic !== 0x4d3c2b1a) return -1;
      little = magic === 0x4d3c2b1a;
    } else if (!this.inSection) {
      return -1;
    } else {
      const type = little ? u32le(bytes, at) : u32(bytes, at);
      if (type === 0 || (type > 6 && type !== SECRETS)) return -1;
    }
    const total = little ? u32le(bytes, at + 4) : u32(bytes, at + 4);
    if (total < 12 || total > MAX_RESUME || total % 4 !== 0) return -1;
    if (at + total > end) return last ? -1 : 0;
    const again = little ? u32le(bytes, at + total - 4) : u32(bytes, at + total - 4);
    return again === total ? 1 : -1;
  }
}

function addBounded(set: Set<string>, text: string): void {
  if (text !== '' && set.size < MAX_LISTED) set.add(text);
}
