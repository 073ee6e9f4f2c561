/**
 * By link type: pseudo-headers that are read here, and the layer that follows them. A link type that
 * is not known leaves its packets undecoded; that is no fault of theirs.
 * https://www.tcpdump.org/linktypes.html
 */
import { u16, u16le, u24, u32, u32le } from './bytes.ts';
import {
  CISCO_HDLC,
  DONE,
  ETHERNET,
  ETHERTYPE,
  FRAME_RELAY,
  IP,
  LINK,
  LLC,
  PPP,
  PPPOE,
  RADIOTAP,
  WLAN,
  type Cursor,
} from './layers.ts';
import type { Packet } from './packet.ts';
import { multilinkFrameRelay, pppHdlc, rfc1483, slip, sunAtm } from './serial.ts';
import { avs, prism } from './wireless.ts';
import { word, type LinkWord } from './words.ts';

const NULL_WORD = word('null');
const SLL = word('linux-sll');
const NFLOG = word('nflog');
const NETLINK = word('netlink');
const CAN = word('can');
const JUNIPER = word('juniper');
const FDDI = word('fddi');
const TOKEN_RING = word('token-ring');
const ARCNET = word('arcnet');
const ARP = word('arp');
const WLAN_WORD = word('802.11');
const FIBRE_CHANNEL = word('fibre-channel');

/** Words for link types that are not decoded. */
const OPAQUE = new Map<number, number>(
  (
    [
      [186, 'usb'],
      [189, 'usb'],
      [220, 'usb'],
      [249, 'usb'],
      [266, 'usb'],
      [187, 'bluetooth'],
      [201, 'bluetooth'],
      [251, 'bluetooth'],
      [254, 'bluetooth'],
      [255, 'bluetooth'],
      [256, 'bluetooth'],
      [195, 'ieee802.15.4'],
      [215, 'ieee802.15.4'],
      [230, 'ieee802.15.4'],
      [283, 'ieee802.15.4'],
      [231, 'dbus'],
      [253, 'netlink'],
      [271, 'vsock'],
      [227, 'can'],
      [190, 'can'],
      [248, 'sctp'],
      [224, 'fibre-channel'],
      [225, 'fibre-channel'],
    ] satisfies [number, LinkWord][]
  ).map(([linkType, name]) => [linkType, word(name)]),
);

export function link(p: Packet, c: Cursor): number {
  switch (c.linkType) {
    case 1:
      return ETHERNET;
    case 12:
    case 14:
    case 101:
    case 228:
    case 229:
      return IP;
    case 0:
    case 108:
      return family(p, c);
    case 113:
      return linuxSll(p, c);
    case 276:
      return linuxSll2(p, c);
    case 127:
      return RADIOTAP;
    case 105:
      return WLAN;
    case 119:
      return prism(p, c);
    case 163:
      return avs(p, c);
    case 192:
      return ppi(p, c);
    case 166:
      return PPP;
    case 204:
      return skip(p, c, 1, PPP);
    case 9:
    case 50:
      return pppHdlc(p, c);
    case 51:
      return PPPOE;
    case 104:
      return CISCO_HDLC;
    case 205:
      return skip(p, c, 1, CISCO_HDLC);
    case 107:
      return FRAME_RELAY;
    case 206:
      return skip(p, c, 1, FRAME_RELAY);
    case 182:
      return multilinkFrameRelay(p, c);
    case 8:
      return slip(p, c);
    case 100:
    case 106:
    case 11:
      return rfc1483(p, c);
    case 123:
      return sunAtm(p, c);
    case 239:
      return nflog(p, c);
    case 149:
    case 258:
      return pktap(p, c);
    case 242:
      // IP over InfiniBand: the global routing header's addresses, then an EtherType.
      if (c.end - c.at < 44) return cut(p);
      c.type = u16(p.bytes, c.at + 40);
      c.at += 44;
      return ETHERTYPE;
    case 226:
      return ipnet(p, c);
    case 178:
      return juniperEthernet(p, c);
    case 10:
      c.word = FDDI;
      c.dstMac = c.at + 1;
      c.srcMac = c.at + 7;
      return skip(p, c, 13, LLC);
    case 6:
      return tokenRing(p, c);
    case 122:
      c.word = FIBRE_CHANNEL;
      return skip(p, c, 16, LLC);
    case 129:
      return arcnetLinux(p, c);
    case 138:
      if (c.end - c.at < 18) return cut(p);
      c.type = u16(p.bytes, c.at + 16);
      c.at += 18;
      return ETHERTYPE;
    case 274:
      // The start of frame delimiter at byte 7; a continuation fragment has no header of its own.
      if (c.end - c.at < 22) return cut(p);
      if (p.bytes[c.at + 7] !== 0xd5) return DONE;
      return skip(p, c, 8, ETHERNET);
    case 281:
      return tagAfterAddresses(p, c, 4);
    case 282:
      return skip(p, c, 4, ETHERNET);
    case 284:
      return tagAfterAddresses(p, c, 4);
    case 285:
      return tagAfterAddresses(p, c, 8);
    default: {
      const known = OPAQUE.get(c.linkType);
      if (known !== undefined) c.word = known;
      return DONE;
    }
  }
}

function cut(p: Packet): number {
  p.problem = 'link header cut';
  return DONE;
}

function skip(p: Packet, c: Cursor, size: number, next: number): number {
  if (c.end - c.at < size) return cut(p);
  c.at += size;
  return next;
}

/** An address family of BSD or Linux in either byte order. */
function family(p: Packet, c: Cursor): number {
  c.word = NULL_WORD;
  if (c.end - c.at < 4) return cut(p);
  let value = u32le(p.bytes, c.at);
  if (value > 0xffff) value = u32(p.bytes, c.at);
  // Some put another thing into the upper half.
  if (value > 0xffff) value &= 0xffff;
  c.at += 4;
  switch (value) {
    case 2:
    case 10:
    case 23:
    case 24:
    case 28:
    case 30:
      return IP;
    default:
      // FreeBSD's encapsulating interfaces write an EtherType.
      if (value < 0x0600 || value > 0xffff) return DONE;
      c.type = value;
      return ETHERTYPE;
  }
}

function linuxSll(p: Packet, c: Cursor): number {
  c.word = SLL;
  if (c.end - c.at < 16) return cut(p);
  const hardware = u16(p.bytes, c.at + 2);
  const protocol = u16(p.bytes, c.at + 14);
  if (u16(p.bytes, c.at + 4) === 6) c.srcMac = c.at + 6;
  c.at += 16;
  return cooked(c, hardware, protocol);
}

function linuxSll2(p: Packet, c: Cursor): number {
  c.word = SLL;
  if (c.end - c.at < 20) return cut(p);
  const hardware = u16(p.bytes, c.at + 8);
  const protocol = u16(p.bytes, c.at);
  if (p.bytes[c.at + 11] === 6) c.srcMac = c.at + 12;
  c.at += 20;
  return cooked(c, hardware, protocol);
}

/** What comes after a Linux cooked header, by ARPHRD and protocol. */
function cooked(c: Cursor, hardware: number, protocol: number): number {
  switch (hardware) {
    case 824:
      c.word = NETLINK;
      return DONE;
    case 801:
      return WLAN;
    case 803:
      return RADIOTAP;
    case 770:
      return FRAME_RELAY;
    case 280:
      c.word = CAN;
      return DONE;
  }
  if (protocol === 4) return LLC;
  if (protocol < 0x0600) return DONE;
  c.type = protocol;
  return ETHERTYPE;
}

function ppi(p: Packet, c: Cursor): number {
  c.word = WLAN_WORD;
  if (c.end - c.at < 8) return cut(p);
  const length = u16le(p.bytes, c.at + 2);
  const inner = u32le(p.bytes, c.at + 4);
  if (length < 8 || inner === 192) return DONE;
  c.linkType = inner;
  return skip(p, c, length, LINK);
}

/** Netfilter's log: attributes of a length and a type in the byte order of the capturing host. */
function nflog(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  c.word = NFLOG;
  if (c.end - c.at < 8) return cut(p);
  let at = c.at + 4;
  const first = u16le(bytes, at);
  // The first attribute's length is far below 256 in the right byte order.
  const little = first >= 4 && first <= c.end - at && first < 0x0100;
  while (at + 4 <= c.end) {
    const length = little ? u16le(bytes, at) : u16(bytes, at);
    const type = (little ? u16le(bytes, at + 2) : u16(bytes, at + 2)) & 0x7fff;
    if (length < 4) break;
    if (type === 9) {
      c.at = at + 4;
      if (at + length < c.end) c.end = at + length;
      return IP;
    }
    at += (length + 3) & ~3;
  }
  return DONE;
}

/**
 * Apple's: header length, record type, then the link type of what follows. It was written as a user
 * link type (149) before it had a number of its own; other users of that are left alone.
 */
function pktap(p: Packet, c: Cursor): number {
  if (c.end - c.at < 12) return cut(p);
  const length = u32le(p.bytes, c.at);
  const inner = u32le(p.bytes, c.at + 8);
  if (length < 12 || inner === 258 || inner === 149) return DONE;
  if (c.linkType === 149 && (length !== 108 || u32le(p.bytes, c.at + 4) !== 1)) return DONE;
  c.linkType = inner;
  return skip(p, c, length, LINK);
}

/** Solaris: 24 bytes with the address family in the second. */
function ipnet(p: Packet, c: Cursor): number {
  return skip(p, c, 24, IP);
}

/** Juniper: magic, flags, extensions; the frame follows unless a flag says there is no layer 2. */
function juniperEthernet(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  c.word = JUNIPER;
  if (c.end - c.at < 6) return cut(p);
  if (u24(bytes, c.at) !== 0x4d4743) return DONE;
  const flags = bytes[c.at + 3]!;
  const extension = (flags & 0x80) !== 0 ? 2 + u16(bytes, c.at + 4) : 0;
  if ((flags & 2) !== 0) return skip(p, c, 4 + extension + 4, IP);
  return skip(p, c, 4 + extension, ETHERNET);
}

function tokenRing(p: Packet, c: Cursor): number {
  c.word = TOKEN_RING;
  if (c.end - c.at < 14) return cut(p);
  c.dstMac = c.at + 2;
  c.srcMac = c.at + 8;
  // The highest bit of the source address announces routing information.
  const routed = (p.bytes[c.at + 8]! & 0x80) !== 0 && c.end - c.at > 14;
  const routing = routed ? p.bytes[c.at + 14]! & 0x1f : 0;
  return skip(p, c, 14 + routing, LLC);
}

/** ARCNET (RFC 1201, 1051) with Linux's two extra bytes. */
function arcnetLinux(p: Packet, c: Cursor): number {
  c.word = ARCNET;
  if (c.end - c.at < 5) return cut(p);
  const type = p.bytes[c.at + 4]!;
  switch (type) {
    case 0xf0:
      return skip(p, c, 5, IP);
    case 0xd4:
    case 0xc4:
      return skip(p, c, 8, IP);
    case 0xd5:
    case 0xf1:
      c.word = ARP;
      return DONE;
    default:
      return DONE;
  }
}

/** A switch's tag between the MAC addresses and the type. */
function tagAfterAddresses(p: Packet, c: Cursor, size: number): number {
  const at = c.at;
  if (c.end - at < 14 + size) return cut(p);
  c.dstMac = at;
  c.srcMac = at + 6;
  c.type = u16(p.bytes, at + 12 + size);
  c.at = at + 14 + size;
  return c.type < 0x0600 ? LLC : ETHERTYPE;
}
