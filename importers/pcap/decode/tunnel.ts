/**
 * Tunnel headers between an outer IP layer and its content: GRE (RFC 2784, 2890), its PPTP form (RFC 2637), ERSPAN
 * I to III (draft-foschiano-erspan), VXLAN (RFC 7348) and its generic form, GENEVE (RFC 8926) and GTP-U (3GPP TS
 * 29.281).
 */
import { u16, u32 } from '../bytes.ts';
import {
  DONE,
  ETHERNET,
  ETHERTYPE,
  IP,
  MPLS,
  NO_TUNNEL,
  NSH,
  PPP,
  WLAN,
  tunnelKind,
  type Cursor,
} from './layers.ts';
import type { Packet } from './packet.ts';
import { isArubaWlan } from './udp-tunnels.ts';

const GRE_TUNNEL = tunnelKind('gre');
const PPTP = tunnelKind('pptp');
const ERSPAN = tunnelKind('erspan');
const VXLAN_TUNNEL = tunnelKind('vxlan');
const GENEVE_TUNNEL = tunnelKind('geneve');
const GTP_TUNNEL = tunnelKind('gtp');
const NSH_TUNNEL = tunnelKind('nsh');

/** Callers made sure of 4 bytes. */
export function gre(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const flags = u16(bytes, c.at);
  const type = u16(bytes, c.at + 2);
  let at = c.at + 4;
  const version = flags & 7;
  if (version === 1) {
    at += 4;
    // Without a sequence number there is no payload: just an acknowledgement.
    if ((flags & 0x1000) === 0) return DONE;
    at += 4;
    if ((flags & 0x0080) !== 0) at += 4;
    if (at >= c.end || type !== 0x880b) return DONE;
    c.tunnel = PPTP;
    c.at = at;
    return PPP;
  }
  if (version !== 0) return DONE;
  if ((flags & 0xc000) !== 0) at += 4;
  if ((flags & 0x2000) !== 0) at += 4;
  if ((flags & 0x1000) !== 0) at += 4;
  if ((flags & 0x4000) !== 0) {
    // Source route entries (RFC 1701), up to one of length 0.
    for (;;) {
      if (at + 4 > c.end) return DONE;
      const size = bytes[at + 3]!;
      const family = u16(bytes, at);
      at += 4 + size;
      if (size === 0 && family === 0) break;
    }
  }
  if (at >= c.end) return DONE;
  c.tunnel = GRE_TUNNEL;
  switch (type) {
    case 0x6558:
      c.at = at;
      return ETHERNET;
    case 0x880b:
      c.at = at;
      return PPP;
    case 0x88be:
      // Type I has neither a sequence number nor a header of its own.
      c.tunnel = ERSPAN;
      c.at = (flags & 0x1000) !== 0 ? at + 8 : at;
      return c.at < c.end ? ETHERNET : DONE;
    case 0x22eb: {
      if (at + 12 > c.end) return DONE;
      c.tunnel = ERSPAN;
      const frame = (u16(bytes, at + 10) >>> 3) & 0x1f;
      at += (bytes[at + 11]! & 1) !== 0 ? 20 : 12;
      c.at = at;
      if (at >= c.end) return DONE;
      return frame === 2 ? IP : ETHERNET;
    }
    case 0x883e:
      // WCCP version 2 puts four bytes before the packet, version 1 does not.
      c.at = bytes[at]! >>> 4 === 4 ? at : at + 4;
      return c.at < c.end ? IP : DONE;
    case 0x8909:
      // Cisco's security group tag: here the type precedes the tag.
      if (at + 8 >= c.end) return DONE;
      c.at = at + 8;
      c.type = u16(bytes, at);
      return ETHERTYPE;
    default:
      c.at = at;
      if (isArubaWlan(type)) return WLAN;
      c.type = type;
      return ETHERTYPE;
  }
}

export function vxlan(c: Cursor): number {
  c.tunnel = VXLAN_TUNNEL;
  c.at += 8;
  return ETHERNET;
}

export function vxlanGpe(p: Packet, c: Cursor): number {
  const flags = p.bytes[c.at]!;
  const next = (flags & 4) !== 0 ? p.bytes[c.at + 3]! : 3;
  c.tunnel = VXLAN_TUNNEL;
  c.at += 8;
  if (next === 1 || next === 2) return IP;
  if (next === 3) return ETHERNET;
  if (next === 4) return NSH;
  return next === 5 ? MPLS : DONE;
}

export function geneve(p: Packet, c: Cursor): number {
  const type = u16(p.bytes, c.at + 2);
  c.at += 8 + (p.bytes[c.at]! & 0x3f) * 4;
  if (c.at >= c.end) return DONE;
  c.tunnel = GENEVE_TUNNEL;
  if (type === 0x6558) return ETHERNET;
  c.type = type;
  return ETHERTYPE;
}

/** Callers made sure of 12 bytes, the version and the message type. */
export function gtp(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const flags = bytes[c.at]!;
  let at = c.at + 8;
  if ((flags & 7) !== 0) {
    if (at + 4 > c.end) return DONE;
    let next = (flags & 4) !== 0 ? bytes[at + 3]! : 0;
    at += 4;
    while (next !== 0) {
      if (at >= c.end) return DONE;
      const size = bytes[at]! * 4;
      if (size === 0 || at + size > c.end) return DONE;
      next = bytes[at + size - 1]!;
      at += size;
    }
  }
  if (at + 20 > c.end) return DONE;
  const version = bytes[at]! >>> 4;
  if (version === 4 || version === 6) {
    c.tunnel = GTP_TUNNEL;
    c.at = at;
    return IP;
  }
  // A PDP context of type PPP or Ethernet; only PPP's address field is unmistakable.
  if (u32(bytes, at) >>> 16 === 0xff03) {
    c.tunnel = GTP_TUNNEL;
    c.at = at;
    return PPP;
  }
  return DONE;
}

/** RFC 8300: a base header with its length in words, then a path and metadata. */
export function nsh(p: Packet, c: Cursor): number {
  if (c.end - c.at < 8) return DONE;
  const size = (p.bytes[c.at + 1]! & 0x3f) * 4;
  const next = p.bytes[c.at + 3]!;
  if (size < 8 || c.at + size >= c.end) return DONE;
  if (c.tunnel === NO_TUNNEL) c.tunnel = NSH_TUNNEL;
  c.at += size;
  if (next === 1 || next === 2) return IP;
  if (next === 3) return ETHERNET;
  return next === 5 ? MPLS : DONE;
}
