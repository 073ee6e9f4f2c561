/**
 * Recognises UDP datagrams that are tunnels, by their port and a valid header. Used for decoding packets and for
 * showing one; `mayTunnel` comes first, since most datagrams are not.
 */
import { u16 } from '../bytes.ts';

/** Ports, the source's first, whose datagrams are examined more closely. */
export function mayTunnel(ports: number): boolean {
  switch (ports & 0xffff) {
    case 4789:
    case 8472:
    case 4790:
    case 6081:
    case 6635:
    case 4754:
    case 2152:
    case 5072:
      return true;
    default:
      return ports >>> 16 === 2152 || ports >>> 16 === 5072;
  }
}

/**
 * VXLAN (RFC 7348): reserved bits are ignored on receipt. To exclude other users of the port, a header with some of
 * them set must contain a valid frame.
 * @param size bytes after the UDP header
 */
export function isVxlan(bytes: Uint8Array, at: number, size: number): boolean {
  if (size < 22 || (bytes[at]! & 0x08) === 0) return false;
  if ((bytes[at]! & 0x07) === 0 && bytes[at + 7] === 0) return true;
  switch (u16(bytes, at + 20)) {
    case 0x0800:
      return size > 22 && bytes[at + 22]! >>> 4 === 4;
    case 0x86dd:
      return size > 22 && bytes[at + 22]! >>> 4 === 6;
    case 0x0806:
    case 0x8100:
    case 0x88a8:
      return true;
    default:
      return false;
  }
}

/** GRE in UDP (RFC 8086): version 0, and the bits that it has no use for are zero. */
export function isGre(bytes: Uint8Array, at: number, size: number): boolean {
  return size >= 8 && (u16(bytes, at) & 0x4fff) === 0;
}

/**
 * AYIYA (draft-massar-v6ops-ayiya): a header of 8 bytes, the identity and the signature.
 * @returns its length where an IP packet follows; 0 otherwise
 */
export function ayiyaHeader(bytes: Uint8Array, at: number, size: number): number {
  if (size < 28) return 0;
  const isForward = (bytes[at + 2]! & 0x0f) === 1;
  const next = bytes[at + 3]!;
  if (!isForward || (next !== 4 && next !== 41)) return 0;
  const header = 8 + (1 << (bytes[at]! >>> 4)) + (bytes[at + 1]! >>> 4) * 4;
  if (header >= size || bytes[at + header]! >>> 4 !== (next === 4 ? 4 : 6)) return 0;
  return header;
}

/** GRE protocol types of Aruba's controllers: an 802.11 frame without its check sequence. */
export function isArubaWlan(type: number): boolean {
  return type >= 0x8200 && type <= 0x83f0 && (type & 0x0f) === 0;
}
