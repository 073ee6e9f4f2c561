/**
 * Messages of packets whose columns are not sufficient: ARP, ICMP and 802.11 management. All text is assembled as
 * bytes in one buffer; constant parts are encoded once.
 *
 * ICMP types and codes: https://www.iana.org/assignments/icmp-parameters and icmpv6-parameters.
 */
import { ICMP6_TYPES, ICMP_TYPES } from '../../../engine/contract/icmp.ts';
import type { TextColumn } from '../../../engine/columns/columns.ts';

const utf8 = new TextEncoder();
const HEX = utf8.encode('0123456789abcdef');

/** ASCII text that is assembled piece by piece; `clear` starts over. */
export class TextBuffer {
  readonly bytes = new Uint8Array(512);
  size = 0;

  clear(): void {
    this.size = 0;
  }
  text(encoded: Uint8Array): void {
    for (let i = 0; i < encoded.length; i++) this.bytes[this.size++] = encoded[i]!;
  }
  decimal(value: number): void {
    let scale = 1;
    while (value >= scale * 10) scale *= 10;
    for (; scale >= 1; scale /= 10) this.bytes[this.size++] = 48 + (Math.floor(value / scale) % 10);
  }
  ip4(from: Uint8Array, at: number): void {
    for (let i = 0; i < 4; i++) {
      if (i > 0) this.bytes[this.size++] = 46;
      this.decimal(from[at + i]!);
    }
  }
  mac(from: Uint8Array, at: number): void {
    for (let i = 0; i < 6; i++) {
      if (i > 0) this.bytes[this.size++] = 58;
      this.bytes[this.size++] = HEX[from[at + i]! >>> 4]!;
      this.bytes[this.size++] = HEX[from[at + i]! & 15]!;
    }
  }
  /** `0x88ca` */
  hex16(value: number): void {
    this.bytes[this.size++] = 48;
    this.bytes[this.size++] = 120;
    for (let shift = 12; shift >= 0; shift -= 4) {
      this.bytes[this.size++] = HEX[(value >>> shift) & 15]!;
    }
  }
  /** Copies untrusted text: printable ASCII unchanged, everything else as \xNN. */
  foreign(from: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; i++) {
      const b = from[i]!;
      if (b >= 32 && b < 127 && b !== 92) {
        this.bytes[this.size++] = b;
      } else {
        this.bytes[this.size++] = 92;
        this.bytes[this.size++] = 120;
        this.bytes[this.size++] = HEX[b >>> 4]!;
        this.bytes[this.size++] = HEX[b & 15]!;
      }
    }
  }
  into(column: TextColumn, row: number): void {
    column.set(row, this.bytes, 0, this.size);
  }
}

const WHO_HAS = utf8.encode('who-has ');
const TELL = utf8.encode(' tell ');
const IS_AT = utf8.encode(' is-at ');
const ANNOUNCE = utf8.encode('announcement ');
const PROBE = utf8.encode(' probe by ');

/**
 * ARP for IPv4 over six-byte addresses (RFC 826, 5227), worded as in tcpdump.
 * @returns whether a message was written
 */
export function arpMessage(out: TextBuffer, bytes: Uint8Array, at: number, end: number): boolean {
  out.clear();
  if (end - at < 28 || bytes[at + 2] !== 8 || bytes[at + 3] !== 0) return false;
  if (bytes[at + 4] !== 6 || bytes[at + 5] !== 4) return false;
  const operation = (bytes[at + 6]! << 8) | bytes[at + 7]!;
  const sender = at + 14;
  const target = at + 24;
  if (operation === 1) {
    let same = true;
    let zero = true;
    for (let i = 0; i < 4; i++) {
      if (bytes[sender + i] !== bytes[target + i]) same = false;
      if (bytes[sender + i] !== 0) zero = false;
    }
    if (same) {
      out.text(ANNOUNCE);
      out.ip4(bytes, sender);
      out.text(IS_AT);
      out.mac(bytes, at + 8);
    } else if (zero) {
      out.text(WHO_HAS);
      out.ip4(bytes, target);
      out.text(PROBE);
      out.mac(bytes, at + 8);
    } else {
      out.text(WHO_HAS);
      out.ip4(bytes, target);
      out.text(TELL);
      out.ip4(bytes, sender);
    }
    return true;
  }
  if (operation === 2) {
    out.ip4(bytes, sender);
    out.text(IS_AT);
    out.mac(bytes, at + 8);
    return true;
  }
  return false;
}

const ICMP_CODES: Readonly<Record<number, readonly string[]>> = {
  3: [
    'network unreachable',
    'host unreachable',
    'protocol unreachable',
    'port unreachable',
    'fragmentation needed',
    'source route failed',
    'network unknown',
    'host unknown',
    'source host isolated',
    'network prohibited',
    'host prohibited',
    'network unreachable for service',
    'host unreachable for service',
    'communication prohibited',
    'host precedence violation',
    'precedence cutoff',
  ],
  5: ['for network', 'for host', 'for service and network', 'for service and host'],
  11: ['in transit', 'in reassembly'],
  12: ['pointer', 'option missing', 'bad length'],
};
const ICMP6_CODES: Readonly<Record<number, readonly string[]>> = {
  1: [
    'no route',
    'prohibited',
    'beyond scope',
    'address unreachable',
    'port unreachable',
    'failed policy',
    'route rejected',
  ],
  3: ['in transit', 'in reassembly'],
  4: ['bad header field', 'unknown next header', 'unknown option'],
};

interface IcmpNames {
  readonly plain: Uint8Array;
  readonly byCode: readonly Uint8Array[];
}

/** By type. */
function table(
  types: Readonly<Record<number, string>>,
  codes: Readonly<Record<number, readonly string[]>>,
): ReadonlyMap<number, IcmpNames> {
  return new Map(
    Object.entries(types).map(([type, name]) => {
      const details = codes[Number(type)] ?? [];
      const byCode = details.map((detail) => utf8.encode(`${name}: ${detail}`));
      return [Number(type), { plain: utf8.encode(name), byCode }];
    }),
  );
}
const ICMP = table(ICMP_TYPES, ICMP_CODES);
const ICMP6 = table(ICMP6_TYPES, ICMP6_CODES);

/** The name of an ICMP message, or undefined if it has none. */
export function icmpName(ipVersion: number, type: number, code: number): Uint8Array | undefined {
  const names = (ipVersion === 6 ? ICMP6 : ICMP).get(type);
  return names?.byCode[code] ?? names?.plain;
}

const WLAN_SUBTYPES = [
  'association request',
  'association response',
  'reassociation request',
  'reassociation response',
  'probe request',
  'probe response',
  'timing advertisement',
  'management',
  'beacon',
  'atim',
  'disassociation',
  'authentication',
  'deauthentication',
  'action',
  'action without ack',
  'management',
].map((name) => utf8.encode(name));
/** Bytes of fixed fields before the elements, by subtype; -1 without elements that name a network. */
const FIXED = [4, -1, 10, -1, 0, 12, -1, -1, 12, -1, -1, -1, -1, -1, -1, -1];
const SSID = utf8.encode(' ssid ');
const ANY_SSID = utf8.encode(' for any ssid');
const HIDDEN_SSID = utf8.encode(' with hidden ssid');
const REASON = utf8.encode(' reason ');

/** An 802.11 management frame: its type and the network's name, or the reason of a farewell. */
export function wlanMessage(out: TextBuffer, bytes: Uint8Array, at: number, end: number): boolean {
  out.clear();
  if (end - at < 24 || (bytes[at]! & 0x0c) !== 0) return false;
  const subtype = bytes[at]! >>> 4;
  out.text(WLAN_SUBTYPES[subtype]!);
  const body = at + 24 + ((bytes[at + 1]! & 0x80) !== 0 ? 4 : 0);
  if ((bytes[at + 1]! & 0x40) !== 0) return true;
  if ((subtype === 10 || subtype === 12) && body + 2 <= end) {
    out.text(REASON);
    out.decimal(bytes[body]! | (bytes[body + 1]! << 8));
    return true;
  }
  const fixed = FIXED[subtype]!;
  if (fixed < 0) return true;
  let element = body + fixed;
  while (element + 2 <= end) {
    const size = bytes[element + 1]!;
    const from = element + 2;
    if (from + size > end) break;
    if (bytes[element] === 0) {
      if (size > 32) break;
      let zero = true;
      for (let i = 0; i < size; i++) if (bytes[from + i] !== 0) zero = false;
      if (size === 0 && subtype === 4) {
        out.text(ANY_SSID);
      } else if (zero) {
        out.text(HIDDEN_SSID);
      } else {
        out.text(SSID);
        out.foreign(bytes, from, from + size);
      }
      break;
    }
    element = from + size;
  }
  return true;
}
