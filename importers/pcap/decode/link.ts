/**
 * By link type: the pseudo-headers that are read here, and the following layer. Packets of an unknown link type
 * stay undecoded, which is not an error of theirs. https://www.tcpdump.org/linktypes.html
 */
import { u16, u16le, u24, u32, u32le } from '../bytes.ts';
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
import { word, type LinkWord } from '../packets/words.ts';

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
const OPAQUE: ReadonlyMap<number, number> = new Map(
  (
    [
      ['usb', [186, 189, 220, 249, 266]],
      ['bluetooth', [187, 201, 251, 254, 255, 256]],
      ['ieee802.15.4', [195, 215, 230, 283]],
      ['dbus', [231]],
      ['netlink', [253]],
      ['vsock', [271]],
      ['can', [190, 227]],
      ['sctp', [248]],
      ['fibre-channel', [224, 225]],
    ] satisfies [LinkWord, number[]][]
  ).flatMap(([name, linkTypes]) => linkTypes.map((linkType) => [linkType, word(name)] as const)),
);

/** Link types without a header of their own, with the layer that they begin with. */
const BARE: Readonly<Record<number, number>> = {
  ...{ 1: ETHERNET, 51: PPPOE, 104: CISCO_HDLC, 105: WLAN, 107: FRAME_RELAY, 127: RADIOTAP },
  ...{ 12: IP, 14: IP, 101: IP, 166: PPP, 228: IP, 229: IP },
};

type HeaderReader = (p: Packet, c: Cursor) => number;
const skipping =
  (size: number, next: number): HeaderReader =>
  (p, c) =>
    skip(p, c, size, next);

/** Functions that read the pseudo-headers of the others and return the following layer. */
const HEADERS: Readonly<Record<number, HeaderReader>> = {
  ...{ 0: family, 108: family, 113: linuxSll, 276: linuxSll2 },
  ...{ 119: prism, 163: avs, 192: ppi },
  ...{ 9: pppHdlc, 50: pppHdlc, 8: slip, 204: skipping(1, PPP), 205: skipping(1, CISCO_HDLC) },
  ...{ 182: multilinkFrameRelay, 206: skipping(1, FRAME_RELAY) },
  ...{ 11: rfc1483, 100: rfc1483, 106: rfc1483, 123: sunAtm, 242: infiniband },
  ...{ 6: tokenRing, 10: fddi, 122: fibreChannel, 129: arcnetLinux, 138: firewire },
  ...{ 149: pktap, 258: pktap, 178: juniperEthernet, 239: nflog },
  // Solaris: the address family is in the second of 24 bytes.
  226: skipping(24, IP),
  274: mpacket,
  // Tags of switches.
  ...{ 281: tagAfterAddresses(4), 284: tagAfterAddresses(4), 285: tagAfterAddresses(8) },
  282: skipping(4, ETHERNET),
};

export function link(p: Packet, c: Cursor): number {
  const bare = BARE[c.linkType];
  if (bare !== undefined) return bare;
  const read = HEADERS[c.linkType];
  if (read !== undefined) return read(p, c);
  const known = OPAQUE.get(c.linkType);
  if (known !== undefined) c.word = known;
  return DONE;
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
  // Some use the upper half for something else.
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

/** The layer after a Linux cooked header, by ARPHRD and protocol. */
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
 * Apple's: header length, record type, then the link type of what follows. It used a user link type (149) before it
 * had its own number; other uses of that are ignored.
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

/** Juniper: magic, flags, extensions; the frame follows unless a flag says that there is no layer 2. */
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

function fddi(p: Packet, c: Cursor): number {
  c.word = FDDI;
  c.dstMac = c.at + 1;
  c.srcMac = c.at + 7;
  return skip(p, c, 13, LLC);
}

function fibreChannel(p: Packet, c: Cursor): number {
  c.word = FIBRE_CHANNEL;
  return skip(p, c, 16, LLC);
}

/** IP over InfiniBand: the global routing header's addresses, then an EtherType. */
function infiniband(p: Packet, c: Cursor): number {
  return typeAt(p, c, 40, 44);
}

/** IP over IEEE 1394. */
function firewire(p: Packet, c: Cursor): number {
  return typeAt(p, c, 16, 18);
}

/** The start of frame delimiter is at byte 7; a continuation fragment has no header. */
function mpacket(p: Packet, c: Cursor): number {
  if (c.end - c.at < 22) return cut(p);
  if (p.bytes[c.at + 7] !== 0xd5) return DONE;
  return skip(p, c, 8, ETHERNET);
}

/** An EtherType at `place` of a header of `size` bytes. */
function typeAt(p: Packet, c: Cursor, place: number, size: number): number {
  if (c.end - c.at < size) return cut(p);
  c.type = u16(p.bytes, c.at + place);
  c.at += size;
  return ETHERTYPE;
}

/** A switch's tag of `size` bytes between the MAC addresses and the type. */
function tagAfterAddresses(size: number): HeaderReader {
  return (p, c) => {
    const at = c.at;
    if (c.end - at < 14 + size) return cut(p);
    c.dstMac = at;
    c.srcMac = at + 6;
    c.type = u16(p.bytes, at + 12 + size);
    c.at = at + 14 + size;
    return c.type < 0x0600 ? LLC : ETHERTYPE;
  };
}
