/**
 * IPv4 (RFC 791) with options and fragments, IPv6 (RFC 8200) with extension headers, and the transport headers
 * after them. Lengths come from the IP header; bytes that were not captured are counted but never read.
 *
 * An IP header inside another IP packet replaces the outer one in the packet, but only if it is valid, so that a
 * tunnel with other content keeps its outer addresses.
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import { u16, u32 } from '../bytes.ts';
import {
  DONE,
  ETHERNET,
  GENEVE,
  GRE,
  GTP,
  IP,
  MPLS,
  NO_TUNNEL,
  tunnelKind,
  VXLAN,
  VXLAN_GPE,
  type Cursor,
} from './layers.ts';
import type { Packet } from './packet.ts';
import type { TunnelNotes } from './tunnel-notes.ts';
import { ayiyaHeader, isGre, isVxlan } from './udp-tunnels.ts';

const IPIP = tunnelKind('ipip');
const ETHERIP = tunnelKind('etherip');
const MPLS_IN_IP = tunnelKind('mpls-in-ip');
const MPLS_IN_UDP = tunnelKind('mpls-in-udp');
const ETHERNET_IN_IP = tunnelKind('ethernet-in-ip');
const AYIYA = tunnelKind('ayiya');

const IP4_CUT = Array.from({ length: 64 }, (_, n) => `ip header cut at ${n} ${nounOf(n, 'byte')}`);
const IP6_CUT = Array.from(
  { length: 64 },
  (_, n) => `ipv6 header cut at ${n} ${nounOf(n, 'byte')}`,
);

/** IPv6 extension headers end somewhere; no real packet has more than a handful. */
const MAX_EXTENSIONS = 32;

/** Tunnels in tunnels before a packet counts as hostile. */
const MAX_TUNNELS = 16;

/** Notes the outer IP layer before the inner one is written over it. */
function enterInner(p: Packet, c: Cursor, notes: TunnelNotes): void {
  c.tunnels += 1;
  p.tunnel = notes.note(p, c.tunnel === NO_TUNNEL ? IPIP : c.tunnel);
  c.tunnel = NO_TUNNEL;
  p.srcPort = -1;
  p.dstPort = -1;
  p.transport = -1;
  p.payload = 0;
  p.fragmentOffset = 0;
  p.moreFragments = false;
  p.fragmentId = 0;
  p.tcpFlags = -1;
  p.tcpSeq = 0;
  p.tcpAck = 0;
  p.tcpWindow = 0;
  p.icmpType = -1;
  p.icmpCode = -1;
}

/** An IP packet of either version. */
export function ip(p: Packet, c: Cursor, notes: TunnelNotes): number {
  if (c.at >= c.end) {
    if (p.ipVersion === 0) p.problem = 'no ip header captured';
    return DONE;
  }
  if (c.tunnels === MAX_TUNNELS) {
    p.problem = 'too many tunnels';
    return DONE;
  }
  const version = p.bytes[c.at]! >>> 4;
  if (version === 4) return ip4(p, c, notes);
  if (version === 6) return ip6(p, c, notes);
  if (p.problem === '') p.problem = 'ip version is neither 4 nor 6';
  return DONE;
}

function ip4(p: Packet, c: Cursor, notes: TunnelNotes): number {
  const bytes = p.bytes;
  const at = c.at;
  const captured = c.end - at;
  if (p.etherType < 0) p.etherType = 0x0800;
  if (captured < 20) {
    p.problem = IP4_CUT[captured]!;
    return DONE;
  }
  const headerLength = (bytes[at]! & 15) * 4;
  if (headerLength < 20) {
    p.problem = 'ip header length below 20 bytes';
    return DONE;
  }
  let total = u16(bytes, at + 2);
  if (total === 0) {
    // Segmentation offload: the packet was captured before its length was known.
    total = Math.max(p.wire - (at - p.start), headerLength);
  } else if (total < headerLength) {
    p.problem = 'ip total length below its header length';
    return DONE;
  }
  if (at - p.start + total > p.wire && p.problem === '') {
    p.problem = 'ip packet longer than its frame';
  }
  if (p.ipVersion !== 0) enterInner(p, c, notes);
  p.ipVersion = 4;
  p.src4 = u32(bytes, at + 12);
  p.dst4 = u32(bytes, at + 16);
  p.ipLength = total;
  p.ipHeaderLength = headerLength;
  const proto = bytes[at + 9]!;
  p.proto = proto;
  const fragment = u16(bytes, at + 6);
  const offset = (fragment & 0x1fff) * 8;
  if ((fragment & 0x3fff) !== 0) {
    p.fragmentOffset = offset;
    p.moreFragments = (fragment & 0x2000) !== 0;
    p.fragmentId = u16(bytes, at + 4);
  }
  if (at + total < c.end) c.end = at + total;
  if (captured < headerLength) {
    p.problem = 'ip options cut';
    p.payload = total - headerLength;
    p.payloadStart = at + headerLength;
    return DONE;
  }
  c.at = at + headerLength;
  if (offset !== 0) {
    p.payload = total - headerLength;
    p.payloadStart = c.at;
    return DONE;
  }
  return transport(p, c, proto, total - headerLength);
}

function ip6(p: Packet, c: Cursor, notes: TunnelNotes): number {
  const bytes = p.bytes;
  const start = c.at;
  if (p.etherType < 0) p.etherType = 0x86dd;
  if (c.end - start < 40) {
    p.problem = IP6_CUT[c.end - start]!;
    return DONE;
  }
  if (p.ipVersion !== 0) enterInner(p, c, notes);
  let length = u16(bytes, start + 4) + 40;
  if (length === 40 && bytes[start + 6] !== 59) {
    // A jumbogram or segmentation offload.
    length = Math.max(p.wire - (start - p.start), 40);
  }
  if (start - p.start + length > p.wire && p.problem === '') {
    p.problem = 'ip packet longer than its frame';
  }
  p.ipVersion = 6;
  p.src6 = start + 8;
  p.dst6 = start + 24;
  p.ipLength = length;
  if (start + length < c.end) c.end = start + length;
  let next = bytes[start + 6]!;
  let at = start + 40;
  for (let i = 0; i < MAX_EXTENSIONS; i++) {
    let size: number;
    if (next === 0 || next === 43 || next === 60) {
      if (at + 2 > c.end) return cutExtension(p, next, at, start, length);
      size = (bytes[at + 1]! + 1) * 8;
    } else if (next === 139 || next === 140) {
      if (at + 2 > c.end) return cutExtension(p, next, at, start, length);
      // These mostly end the chain, and then are the protocol.
      if (bytes[at] === 59) break;
      size = (bytes[at + 1]! + 1) * 8;
    } else if (next === 44) {
      if (at + 8 > c.end) return cutExtension(p, next, at, start, length);
      const fragment = u16(bytes, at + 2);
      p.fragmentOffset = fragment & 0xfff8;
      p.moreFragments = (fragment & 1) !== 0;
      p.fragmentId = u32(bytes, at + 4);
      size = 8;
      if (p.fragmentOffset !== 0) {
        p.proto = bytes[at]!;
        p.ipHeaderLength = at + 8 - start;
        p.payload = Math.max(length - p.ipHeaderLength, 0);
        p.payloadStart = at + 8;
        return DONE;
      }
    } else {
      break;
    }
    next = bytes[at]!;
    at += size;
    if (at > c.end) return cutExtension(p, next, at, start, length);
  }
  p.proto = next;
  p.ipHeaderLength = at - start;
  c.at = at;
  return transport(p, c, next, Math.max(length - (at - start), 0));
}

function cutExtension(p: Packet, next: number, at: number, start: number, length: number): number {
  p.proto = next;
  p.ipHeaderLength = Math.min(at - start, length);
  p.payload = Math.max(length - p.ipHeaderLength, 0);
  p.payloadStart = at;
  p.problem = 'ipv6 extension header cut';
  return DONE;
}

/** @param length bytes after the IP header by the IP header */
function transport(p: Packet, c: Cursor, proto: number, length: number): number {
  const at = c.at;
  const captured = c.end - at;
  p.payloadStart = at;
  p.payload = length;
  if (captured > 0) p.transport = at;
  switch (proto) {
    case 6:
      tcp(p, at, captured, length);
      return DONE;
    case 17:
      return udp(p, c, captured, length);
    case 1:
    case 58:
      if (captured < 2) {
        p.problem = 'icmp header cut';
        return DONE;
      }
      p.icmpType = p.bytes[at]!;
      p.icmpCode = p.bytes[at + 1]!;
      p.payload = Math.max(length - 8, 0);
      p.payloadStart = at + 8;
      return DONE;
    case 132:
      ports(p, at, captured, length, 12);
      return DONE;
    case 33:
    case 136:
      ports(p, at, captured, length, 8);
      return DONE;
    case 4:
    case 41:
      // A fragment's inner packet is complete only by chance; but its header is there.
      return captured > 0 ? IP : DONE;
    case 47:
      return captured >= 4 ? GRE : DONE;
    case 51: {
      // The authentication header leaves the protected data readable (RFC 4302).
      if (captured < 12) {
        p.problem = 'authentication header cut';
        return DONE;
      }
      const size = (p.bytes[at + 1]! + 2) * 4;
      const next = p.bytes[at]!;
      if (size < 12 || size > captured || next === 51) return DONE;
      p.proto = next;
      p.ipHeaderLength += size;
      c.at = at + size;
      return transport(p, c, next, Math.max(length - size, 0));
    }
    case 97:
      if (captured < 16 || p.bytes[at]! >>> 4 !== 3) return DONE;
      c.tunnel = ETHERIP;
      c.at = at + 2;
      return ETHERNET;
    case 143:
      if (captured < 14) return DONE;
      c.tunnel = ETHERNET_IN_IP;
      return ETHERNET;
    case 137:
      if (captured < 4) return DONE;
      c.tunnel = MPLS_IN_IP;
      return MPLS;
    default:
      return DONE;
  }
}

function ports(p: Packet, at: number, captured: number, length: number, header: number): void {
  p.payload = Math.max(length - header, 0);
  p.payloadStart = at + header;
  if (captured >= 4) {
    p.srcPort = u16(p.bytes, at);
    p.dstPort = u16(p.bytes, at + 2);
  }
  if (captured < header) p.problem = 'transport header cut';
}

function tcp(p: Packet, at: number, captured: number, length: number): void {
  const bytes = p.bytes;
  if (captured >= 20) {
    p.srcPort = u16(bytes, at);
    p.dstPort = u16(bytes, at + 2);
    p.tcpSeq = u32(bytes, at + 4);
    p.tcpAck = u32(bytes, at + 8);
    const flags = u16(bytes, at + 12);
    p.tcpFlags = flags & 0x1ff;
    p.tcpWindow = u16(bytes, at + 14);
    const header = (flags >>> 12) * 4;
    if (header < 20) {
      p.problem = 'tcp header length below 20 bytes';
      p.payload = 0;
      p.payloadStart = at + 20;
      return;
    }
    if (header > length) p.problem = 'tcp header longer than its packet';
    p.payload = Math.max(length - header, 0);
    p.payloadStart = at + header;
    return;
  }
  p.problem = 'tcp header cut';
  p.payload = Math.max(length - 20, 0);
  p.payloadStart = at + 20;
  if (captured >= 4) {
    p.srcPort = u16(bytes, at);
    p.dstPort = u16(bytes, at + 2);
  }
  if (captured >= 8) p.tcpSeq = u32(bytes, at + 4);
  if (captured >= 12) p.tcpAck = u32(bytes, at + 8);
  if (captured >= 14) {
    const flags = u16(bytes, at + 12);
    p.tcpFlags = flags & 0x1ff;
    p.payload = Math.max(length - (flags >>> 12) * 4, 0);
    p.payloadStart = at + (flags >>> 12) * 4;
  }
  if (captured >= 16) p.tcpWindow = u16(bytes, at + 14);
}

function udp(p: Packet, c: Cursor, captured: number, length: number): number {
  const at = c.at;
  ports(p, at, captured, length, 8);
  if (captured < 8) {
    p.problem = 'udp header cut';
    return DONE;
  }
  const bytes = p.bytes;
  switch (p.dstPort) {
    case 4789:
    case 8472:
      if (!isVxlan(bytes, at + 8, captured - 8)) return DONE;
      c.at = at + 8;
      return VXLAN;
    case 4790:
      if (captured < 20 || (bytes[at + 8]! & 0xc8) !== 0x08) return DONE;
      c.at = at + 8;
      return VXLAN_GPE;
    case 6081:
      if (captured < 20 || bytes[at + 8]! >>> 6 !== 0) return DONE;
      c.at = at + 8;
      return GENEVE;
    case 6635:
      if (captured < 16) return DONE;
      c.tunnel = MPLS_IN_UDP;
      c.at = at + 8;
      return MPLS;
    case 4754:
      if (!isGre(bytes, at + 8, captured - 8)) return DONE;
      c.at = at + 8;
      return GRE;
    case 5072:
      return ayiya(p, c, captured);
    case 2152:
      break;
    default:
      if (p.srcPort === 5072) return ayiya(p, c, captured);
      if (p.srcPort !== 2152) return DONE;
  }
  // GTP-U: version 1, protocol type GTP, message type T-PDU (3GPP TS 29.281).
  if (captured < 20 || (bytes[at + 8]! & 0xf0) !== 0x30 || bytes[at + 9] !== 0xff) return DONE;
  c.at = at + 8;
  return GTP;
}

function ayiya(p: Packet, c: Cursor, captured: number): number {
  const header = ayiyaHeader(p.bytes, c.at + 8, captured - 8);
  if (header === 0) return DONE;
  c.tunnel = AYIYA;
  c.at += 8 + header;
  return IP;
}
