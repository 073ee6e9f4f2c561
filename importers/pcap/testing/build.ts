/**
 * Builds packets and capture files byte by byte, for tests and for generated fixtures. Checksums are right, so that
 * other tools accept the results.
 *
 * Layers are functions from a payload to bytes and nest as on the wire: `ethernet(0x0800, ip4({ src: '10.0.0.1',
 * dst: '10.0.0.2', proto: 6 }, tcp({ … }, payload)))`.
 */

export type Bytes = Uint8Array;

const utf8 = new TextEncoder();

/** Concatenates parts; strings are hexadecimal, with optional blanks. */
export function cat(...parts: (Bytes | string)[]): Bytes {
  const all = parts.map((part) => (typeof part === 'string' ? hex(part) : part));
  const out = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export function hex(text: string): Bytes {
  return Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
}

export function ascii(text: string): Bytes {
  return utf8.encode(text);
}

function number(value: number, size: number, little: boolean): Bytes {
  const out = new Uint8Array(size);
  let rest = value;
  for (let i = 0; i < size; i++) {
    out[little ? i : size - 1 - i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return out;
}

/** Network byte order unless `little`. */
export function n16(value: number, little = false): Bytes {
  return number(value, 2, little);
}
export function n32(value: number, little = false): Bytes {
  return number(value >>> 0, 4, little);
}

export function ip4Bytes(text: string): Bytes {
  return Uint8Array.from(text.split('.').map(Number));
}

export function ip6Bytes(text: string): Bytes {
  const [head = '', tail] = text.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return cat(...[...before, ...zeros, ...after].map((group) => n16(parseInt(group, 16))));
}

function sum16(bytes: Bytes, start: number): number {
  let sum = start;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i]! << 8) + (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 65_536);
  return sum;
}

/** Fills in the checksum of a TCP, UDP, ICMP or ICMPv6 message over its pseudo-header. */
function withChecksum(proto: number, addresses: Bytes, message: Bytes): Bytes {
  const place = { 6: 16, 17: 6, 58: 2, 1: 2 }[proto];
  if (place === undefined || message.length < place + 2) return message;
  const out = message.slice();
  if (out[place] !== 0 || out[place + 1] !== 0) return out;
  const pseudo = proto === 1 ? 0 : sum16(addresses, proto + message.length);
  const sum = ~sum16(out, pseudo) & 0xffff;
  out.set(n16(proto === 17 && sum === 0 ? 0xffff : sum), place);
  return out;
}

export const MAC_A = '02 00 00 00 00 0a';
export const MAC_B = '02 00 00 00 00 0b';

export function ethernet(type: number, payload: Bytes, dst = MAC_B, src = MAC_A): Bytes {
  return cat(dst, src, n16(type), payload);
}

/** The content after EtherType 0x8100 or 0x88a8. */
export function vlanTag(id: number, type: number, payload: Bytes): Bytes {
  return cat(n16(id), n16(type), payload);
}

/** IEEE 802.3 with LLC and SNAP. */
export function snap(oui: string, type: number, payload: Bytes): Bytes {
  return cat('aa aa 03', oui, n16(type), payload);
}

interface Ip4 {
  src: string;
  dst: string;
  proto: number;
  id?: number;
  /** Fragment offset in bytes. */
  offset?: number;
  more?: boolean;
  ttl?: number;
  /** A multiple of four bytes. */
  options?: Bytes;
  /** Stated in place of the right one. */
  total?: number;
}

export function ip4(o: Ip4, payload: Bytes): Bytes {
  const options = o.options ?? new Uint8Array(0);
  const addresses = cat(ip4Bytes(o.src), ip4Bytes(o.dst));
  const fragment = (o.offset ?? 0) > 0 || o.more === true;
  const body = fragment ? payload : withChecksum(o.proto, addresses, payload);
  const size = 20 + options.length;
  const header = cat(
    Uint8Array.of(0x40 | (size / 4), 0),
    n16(o.total ?? size + payload.length),
    n16(o.id ?? 0),
    n16(((o.offset ?? 0) >>> 3) | (o.more === true ? 0x2000 : 0)),
    Uint8Array.of(o.ttl ?? 64, o.proto),
    n16(0),
    addresses,
    options,
  );
  header.set(n16(~sum16(header, 0) & 0xffff), 10);
  return cat(header, body);
}

interface Ip6 {
  src: string;
  dst: string;
  /** The protocol of `payload`. */
  proto: number;
  /** Extension headers with the number of each; their next-header bytes are filled in. */
  extensions?: { type: number; body: Bytes }[];
}

export function ip6(o: Ip6, payload: Bytes): Bytes {
  const addresses = cat(ip6Bytes(o.src), ip6Bytes(o.dst));
  const chain = o.extensions ?? [];
  const parts = chain.map((extension, i) => {
    const out = extension.body.slice();
    out[0] = chain[i + 1]?.type ?? o.proto;
    return out;
  });
  const fragment = chain.some((extension) => extension.type === 44);
  const body = cat(...parts, fragment ? payload : withChecksum(o.proto, addresses, payload));
  const first = chain[0]?.type ?? o.proto;
  return cat('60 00 00 00', n16(body.length), Uint8Array.of(first, 64), addresses, body);
}

export const FIN = 1;
export const SYN = 2;
export const RST = 4;
export const PSH = 8;
export const ACK = 16;

interface Tcp {
  src: number;
  dst: number;
  flags: number;
  seq?: number;
  ack?: number;
  window?: number;
  /** A multiple of four bytes. */
  options?: Bytes;
}

export function tcp(o: Tcp, payload: Bytes = new Uint8Array(0)): Bytes {
  const options = o.options ?? new Uint8Array(0);
  return cat(
    n16(o.src),
    n16(o.dst),
    n32(o.seq ?? 0),
    n32(o.ack ?? 0),
    n16((((20 + options.length) / 4) << 12) | o.flags),
    n16(o.window ?? 65_535),
    n32(0),
    options,
    payload,
  );
}

export function udp(src: number, dst: number, payload: Bytes): Bytes {
  return cat(n16(src), n16(dst), n16(8 + payload.length), n16(0), payload);
}

export function icmp(type: number, code: number, payload: Bytes = new Uint8Array(4)): Bytes {
  return cat(Uint8Array.of(type, code), n16(0), payload);
}

export function arp(operation: number, sender: string, target: string, mac = MAC_A): Bytes {
  return cat('0001 0800 06 04', n16(operation), mac, ip4Bytes(sender), MAC_B, ip4Bytes(target));
}

/** One record of a classic file; `fraction` in the file's resolution. */
export interface ClassicRecord {
  seconds: number;
  fraction: number;
  bytes: Bytes;
  /** Length on the wire; by default, the captured length. */
  wire?: number;
}

export interface ClassicFile {
  little?: boolean;
  nano?: boolean;
  /** Kuznetzov's longer record headers. */
  modified?: boolean;
  /** All 32 bits of the field. */
  linkType?: number;
  snapLength?: number;
  minor?: number;
}

export function classicHeader(o: ClassicFile): Bytes {
  const little = o.little ?? true;
  const magic = o.modified === true ? 0xa1b2cd34 : o.nano === true ? 0xa1b23c4d : 0xa1b2c3d4;
  return cat(
    n32(magic, little),
    n16(2, little),
    n16(o.minor ?? 4, little),
    n32(0, little),
    n32(0, little),
    n32(o.snapLength ?? 262_144, little),
    n32(o.linkType ?? 1, little),
  );
}

export function classicRecord(o: ClassicFile, record: ClassicRecord): Bytes {
  const little = o.little ?? true;
  return cat(
    n32(record.seconds, little),
    n32(record.fraction, little),
    n32(record.bytes.length, little),
    n32(record.wire ?? record.bytes.length, little),
    o.modified === true ? new Uint8Array(8) : new Uint8Array(0),
    record.bytes,
  );
}

export function classicFile(o: ClassicFile, records: readonly ClassicRecord[]): Bytes {
  return cat(classicHeader(o), ...records.map((record) => classicRecord(o, record)));
}

function padded(bytes: Bytes): Bytes {
  return cat(bytes, new Uint8Array((4 - (bytes.length % 4)) % 4));
}

/** Blocks of one pcapng section in one byte order. */
export class Section {
  readonly little: boolean;
  constructor(little = true) {
    this.little = little;
  }
  block(type: number, body: Bytes): Bytes {
    const total = n32(12 + padded(body).length, this.little);
    return cat(n32(type, this.little), total, padded(body), total);
  }
  option(code: number, value: Bytes | string): Bytes {
    const bytes = typeof value === 'string' ? ascii(value) : value;
    return cat(n16(code, this.little), n16(bytes.length, this.little), padded(bytes));
  }
  private options(list: readonly Bytes[]): Bytes {
    return list.length === 0 ? new Uint8Array(0) : cat(...list, n32(0, this.little));
  }
  header(...options: Bytes[]): Bytes {
    const little = this.little;
    const body = cat(n32(0x1a2b3c4d, little), n16(1, little), n16(0, little), 'ffffffffffffffff');
    return this.block(0x0a0d0d0a, cat(body, this.options(options)));
  }
  interface(linkType: number, snapLength: number, ...options: Bytes[]): Bytes {
    const body = cat(n16(linkType, this.little), n16(0), n32(snapLength, this.little));
    return this.block(1, cat(body, this.options(options)));
  }
  private stamp(ticks: bigint): Bytes {
    const high = Number(ticks >> 32n);
    return cat(n32(high, this.little), n32(Number(ticks & 0xffffffffn), this.little));
  }
  packet(of: number, ticks: bigint, bytes: Bytes, wire = bytes.length, ...options: Bytes[]): Bytes {
    const little = this.little;
    const head = cat(n32(of, little), this.stamp(ticks), n32(bytes.length, little));
    return this.block(6, cat(head, n32(wire, little), padded(bytes), this.options(options)));
  }
  simple(bytes: Bytes, wire = bytes.length): Bytes {
    return this.block(3, cat(n32(wire, this.little), bytes));
  }
  obsolete(of: number, ticks: bigint, bytes: Bytes, ...options: Bytes[]): Bytes {
    const little = this.little;
    const size = n32(bytes.length, little);
    const head = cat(n16(of, little), n16(0), this.stamp(ticks), size, size);
    return this.block(2, cat(head, padded(bytes), this.options(options)));
  }
  names(...records: { address: Bytes; name: string }[]): Bytes {
    const little = this.little;
    const parts = records.map(({ address, name }) => {
      const value = cat(address, ascii(`${name}\0`));
      const type = address.length === 4 ? 1 : 2;
      return cat(n16(type, little), n16(value.length, little), padded(value));
    });
    return this.block(4, cat(...parts, n32(0)));
  }
  statistics(of: number, ...options: Bytes[]): Bytes {
    return this.block(5, cat(n32(of, this.little), n32(0), n32(0), this.options(options)));
  }
  secrets(text: string): Bytes {
    const little = this.little;
    return this.block(10, cat(n32(0x544c534b, little), n32(text.length, little), ascii(text)));
  }
}
