/**
 * Reads one layer of a packet field by field. Invariants: no byte outside the layer is read, the number of fields
 * and of notes is bounded, and reading past the end keeps the fields read so far and adds a note. That end is
 * signalled by `Cut`, which never leaves this folder.
 */
import { u16, u16le, u24, u32, u32le } from '../bytes.ts';
import { ip4Text, ip6Text } from '../decode/tunnel-notes.ts';
import type { Layer, LayerField } from './layer.ts';
import type { Protocol } from './protocols.ts';
import { hexBytes, macText, visible } from './text.ts';

/** Fields of one packet, those within others included. */
const MAX_FIELDS = 2000;
const MAX_NOTES = 50;

/** The layer ends before the field `what`. */
export class Cut {
  readonly part: string;
  constructor(part: string) {
    this.part = part;
  }
}
/** The packet has more fields than are shown. */
export class Full {}

/** Reads a layer's header and returns the following protocol; undefined: nothing follows. */
export type Dissector = (r: LayerReader) => Protocol | undefined;

/** The parts of a transport checksum's pseudo-header. */
export interface Network {
  readonly version: 4 | 6;
  /** Position of source and destination, which are adjacent. */
  readonly addresses: number;
  /** Position of the last destination in a routing header; -1 without one. */
  finalDestination: number;
  /** A source route leads to another destination than the checksum was made for. */
  rerouted: boolean;
  /** The IP packet is a fragment: no whole segment is there. */
  fragment: boolean;
}

/** State of a packet's dissection that one layer leaves for those inside it. */
export class Dissection {
  readonly bytes: Uint8Array;
  readonly layers: Layer[] = [];
  readonly notes: string[] = [];
  /** Start of the next layer, and end of its captured bytes. */
  at = 0;
  end: number;
  /** End of the layer by the stated lengths: beyond `end` if it was truncated. */
  wireEnd: number;
  /** Of the innermost IP layer. */
  network: Network | undefined;
  /** Of the innermost transport layer. */
  sourcePort = -1;
  destinationPort = -1;
  /** Inside an ICMP error: packets are quoted in part. */
  quoted = false;
  /** Inside TCP: a truncated part continues in another segment. */
  stream = false;
  /** Bytes of padding before a bridged frame (RFC 2684 has 2), or 802.11's before its payload. */
  bridgePad = 0;
  /** A frame check sequence of four bytes ends the frame. */
  fcs = false;
  /** The layer to which bytes after the network layer belong. */
  carrier: Layer | undefined;
  private readonly cutShort: boolean;
  private fields = 0;

  constructor(bytes: Uint8Array, wireLength: number) {
    this.bytes = bytes;
    this.end = bytes.length;
    this.wireEnd = Math.max(bytes.length, wireLength);
    this.cutShort = wireLength > bytes.length;
  }

  note(text: string): void {
    if (this.notes.length < MAX_NOTES && !this.notes.includes(text)) this.notes.push(text);
  }

  count(): void {
    this.fields += 1;
    if (this.fields > MAX_FIELDS) throw new Full();
  }

  /** Says why a layer ends too early. */
  cutReason(end: number): string {
    if (this.quoted) return 'only its start is quoted';
    if (this.cutShort && end === this.bytes.length) return 'cut by the capture';
    return this.stream ? 'continues in another segment' : 'malformed or cut';
  }
}

/** Bits of a number: their mask, their name, and how they are shown. */
type Bits = readonly [mask: number, name: string, show?: (value: number) => string];
const SET = ['Not set', 'Set'];

export class LayerReader {
  readonly d: Dissection;
  readonly bytes: Uint8Array;
  readonly layer: Layer;
  /** The next byte to read. */
  at: number;
  private into: LayerField[];
  private limit: number;

  constructor(d: Dissection, name: string) {
    this.d = d;
    this.bytes = d.bytes;
    this.at = d.at;
    this.limit = d.end;
    this.layer = { name, summary: '', offset: d.at, length: 0, fields: [] };
    this.into = this.layer.fields;
  }

  /** Where reading must stop. */
  get end(): number {
    return this.limit;
  }
  /** Bytes that can still be read. */
  get left(): number {
    return this.limit - this.at;
  }
  /** Where the layer started. */
  get start(): number {
    return this.layer.offset;
  }

  /** @throws Cut when fewer than `size` bytes are left */
  need(size: number, part: string): void {
    if (size > this.left) throw new Cut(part);
  }

  /** The byte `ahead` of the next one, without consuming it; -1 past the end. */
  peek(ahead = 0): number {
    return this.at + ahead < this.limit ? this.bytes[this.at + ahead]! : -1;
  }
  /** Like `peek`, two bytes. */
  peek16(ahead = 0): number {
    return this.at + ahead + 2 <= this.limit ? u16(this.bytes, this.at + ahead) : -1;
  }

  /** Adds a field for `length` bytes at `offset`; consumes nothing. */
  add(name: string, value: string, offset: number, length: number): LayerField {
    this.d.count();
    const field = { name, value, offset, length };
    this.into.push(field);
    return field;
  }

  /** Adds a field that is inferred from others. */
  conclude(name: string, value: string): void {
    this.add(name, value, this.at, 0);
  }

  u8(name: string, show: (value: number) => string = String): number {
    this.need(1, name);
    const value = this.bytes[this.at]!;
    this.add(name, show(value), this.at, 1);
    this.at += 1;
    return value;
  }
  u16(name: string, show: (value: number) => string = String): number {
    this.need(2, name);
    const value = u16(this.bytes, this.at);
    this.add(name, show(value), this.at, 2);
    this.at += 2;
    return value;
  }
  u24(name: string, show: (value: number) => string = String): number {
    this.need(3, name);
    const value = u24(this.bytes, this.at);
    this.add(name, show(value), this.at, 3);
    this.at += 3;
    return value;
  }
  u32(name: string, show: (value: number) => string = String): number {
    this.need(4, name);
    const value = u32(this.bytes, this.at);
    this.add(name, show(value), this.at, 4);
    this.at += 4;
    return value;
  }
  u16le(name: string, show: (value: number) => string = String): number {
    this.need(2, name);
    const value = u16le(this.bytes, this.at);
    this.add(name, show(value), this.at, 2);
    this.at += 2;
    return value;
  }
  u32le(name: string, show: (value: number) => string = String): number {
    this.need(4, name);
    const value = u32le(this.bytes, this.at);
    this.add(name, show(value), this.at, 4);
    this.at += 4;
    return value;
  }
  /** Network byte order. */
  u64(name: string, show: (value: bigint) => string = String): bigint {
    this.need(8, name);
    const value = (BigInt(u32(this.bytes, this.at)) << 32n) | BigInt(u32(this.bytes, this.at + 4));
    this.add(name, show(value), this.at, 8);
    this.at += 8;
    return value;
  }

  ip4(name: string): string {
    this.need(4, name);
    const value = ip4Text(u32(this.bytes, this.at));
    this.add(name, value, this.at, 4);
    this.at += 4;
    return value;
  }
  ip6(name: string): string {
    this.need(16, name);
    const value = ip6Text(this.bytes, this.at);
    this.add(name, value, this.at, 16);
    this.at += 16;
    return value;
  }
  mac(name: string): string {
    this.need(6, name);
    const value = macText(this.bytes.subarray(this.at, this.at + 6));
    this.add(name, value, this.at, 6);
    this.at += 6;
    return value;
  }
  /** `size` bytes in hexadecimal, or as formatted by `show`. */
  raw(name: string, size: number, show: (bytes: Uint8Array) => string = hexBytes): string {
    this.need(size, name);
    const value = show(this.bytes.subarray(this.at, this.at + size));
    this.add(name, value, this.at, size);
    this.at += size;
    return value;
  }
  /** `size` bytes of text. */
  text(name: string, size: number): string {
    return this.raw(name, size, visible);
  }
  /** Skips bytes without a field. */
  skip(size: number, part: string): void {
    this.need(size, part);
    this.at += size;
  }

  /** A field whose subfields `body` reads; its value is the result of `body`. */
  group(name: string, body: () => string): void {
    this.d.count();
    const field: LayerField = { name, value: '', offset: this.at, length: 0, fields: [] };
    this.into.push(field);
    const outer = this.into;
    this.into = field.fields!;
    try {
      field.value = body();
    } finally {
      field.length = this.at - field.offset;
      this.into = outer;
    }
  }

  /**
   * Reads `size` bytes with nothing beyond them in reach, and continues after them, whatever `body` consumed. A
   * body that wants more is noted.
   * @throws Cut if the bytes themselves are truncated
   */
  within(size: number, part: string, body: () => void): void {
    const stop = this.at + size;
    const outer = this.limit;
    if (stop > outer) {
      // The available part can still be read.
      body();
      throw new Cut(part);
    }
    this.limit = stop;
    try {
      body();
    } catch (problem) {
      if (!(problem instanceof Cut)) throw problem;
      this.d.note(`${this.layer.name}: ${part} ends inside ${problem.part}`);
    } finally {
      this.limit = outer;
    }
    this.at = stop;
  }

  /**
   * A number of `size` bytes with its bits as fields.
   * @param parts masks with names; one bit is shown as set or not, several as a number
   */
  parts(size: 1 | 2 | 4, parts: readonly Bits[], little = false): number {
    this.need(size, parts[0]?.[1] ?? '');
    const value = this.number(size, little);
    for (const [mask, name, show] of parts) {
      const shift = 31 - Math.clz32(mask & -mask);
      const part = ((value & mask) >>> 0) >>> shift;
      const text = show?.(part) ?? (mask >>> shift === 1 ? SET[part]! : String(part));
      this.add(name, text, this.at, size);
    }
    this.at += size;
    return value;
  }

  /** Like `parts`, below a separate field. */
  bits(
    name: string,
    size: 1 | 2 | 4,
    parts: readonly Bits[],
    show: (value: number) => string,
    little = false,
  ): number {
    this.need(size, name);
    let value = 0;
    this.group(name, () => {
      value = this.parts(size, parts, little);
      return show(value);
    });
    return value;
  }

  private number(size: 1 | 2 | 4, little: boolean): number {
    const { bytes, at } = this;
    if (size === 1) return bytes[at]!;
    if (size === 2) return little ? u16le(bytes, at) : u16(bytes, at);
    return little ? u32le(bytes, at) : u32(bytes, at);
  }

  /**
   * The layer states that it and everything inside it are `size` bytes from `from` on. The rest is a trailer of the
   * carrier.
   */
  bound(from: number, size: number, trailer = 'Trailer'): void {
    const d = this.d;
    const stop = from + size;
    if (stop < d.end) {
      const count = d.end - stop;
      const zero = d.bytes.subarray(stop, d.end).every((byte) => byte === 0);
      const owner = d.carrier ?? this.layer;
      d.count();
      owner.fields.push({
        name: zero && trailer === 'Trailer' ? 'Padding' : trailer,
        value: hexBytes(d.bytes.subarray(stop, d.end)),
        offset: stop,
        length: count,
      });
      d.end = stop;
      this.limit = Math.min(this.limit, stop);
    }
    d.wireEnd = stop;
  }

  /** Nothing follows this layer: the rest of the frame is a trailer. */
  finish(): undefined {
    this.bound(this.start, this.at - this.start);
    return undefined;
  }

  /** IPv4 or IPv6, by the first four bits of what follows. */
  ipVersion(): Protocol | undefined {
    if (this.left <= 0) return undefined;
    const version = this.peek() >>> 4;
    return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : 'data';
  }
}
