/**
 * Serial and cell links: PPP (RFC 1661, 1662), Cisco HDLC, Frame Relay (Q.922, RFC 2427) with its
 * multilink form (FRF.16), ATM as SunATM and RFC 2684 write it, and SLIP.
 */
import { u16, u24 } from '../bytes.ts';
import {
  CISCO_HDLC,
  DONE,
  ETHERNET,
  ETHERTYPE,
  FRAME_RELAY,
  IP,
  LLC,
  MPLS,
  NLPID,
  PPP,
  type Cursor,
} from './layers.ts';
import type { Packet } from './packet.ts';
import { word, type LinkWord } from '../packets/words.ts';

const PPP_WORD = word('ppp');
const HDLC = word('hdlc');
const SLARP = word('slarp');
const CDP = word('cdp');
const ISIS = word('isis');
const FRAME_RELAY_WORD = word('frame-relay');
const LMI = word('frame-relay-lmi');
const MFR = word('mfr');
const ATM = word('atm');
const ATM_LANE = word('atm-lane');
const ATM_ILMI = word('atm-ilmi');
const ATM_SIGNALLING = word('atm-signalling');
const SLIP_COMPRESSED = word('slip-compressed');

const PPP_WORDS = new Map<number, number>(
  (
    [
      [0xc021, 'ppp-lcp'],
      [0x8021, 'ppp-ipcp'],
      [0x8057, 'ppp-ipv6cp'],
      [0xc023, 'ppp-pap'],
      [0xc223, 'ppp-chap'],
      [0x80fd, 'ppp-ccp'],
      [0x003d, 'ppp-multilink'],
      [0x002d, 'ppp-compressed'],
      [0x002f, 'ppp-compressed'],
      [0x00fd, 'ppp-compressed'],
      [0x0023, 'clnp'],
      [0x002b, 'ipx'],
    ] satisfies [number, LinkWord][]
  ).map(([type, name]) => [type, word(name)]),
);

export function ppp(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const outer = p.ipVersion === 0;
  let at = c.at;
  if (outer) c.word = PPP_WORD;
  // HDLC address and control; 1 and 0 instead of the address tell the direction.
  if (c.end - at >= 2 && bytes[at + 1] === 3 && (bytes[at] === 0xff || bytes[at]! < 2)) at += 2;
  if (c.end - at < 2) {
    if (outer) p.problem = 'ppp header cut';
    return DONE;
  }
  let protocol = bytes[at]!;
  if ((protocol & 1) === 1) {
    at += 1;
  } else {
    protocol = u16(bytes, at);
    at += 2;
  }
  c.at = at;
  switch (protocol) {
    case 0x0021:
      if (p.etherType < 0) p.etherType = 0x0800;
      return IP;
    case 0x0057:
      if (p.etherType < 0) p.etherType = 0x86dd;
      return IP;
    case 0x0281:
    case 0x0283:
      return MPLS;
    case 0x0031:
      // Bridged (RFC 3518): flags, MAC type, then the frame.
      if (c.end - at < 16 || bytes[at + 1] !== 1) return DONE;
      c.at = at + 2;
      return ETHERNET;
    case 0x003d:
      return multilink(p, c);
    default: {
      const known = PPP_WORDS.get(protocol);
      if (outer && known !== undefined) c.word = known;
      return DONE;
    }
  }
}

/** RFC 1990 with long sequence numbers: only a first fragment has a header to read. */
function multilink(p: Packet, c: Cursor): number {
  if (p.ipVersion === 0) c.word = PPP_WORDS.get(0x003d)!;
  if (c.end - c.at < 6 || (p.bytes[c.at]! & 0x80) === 0) return DONE;
  c.at += 4;
  // Within a bundle only uncompressed IP is certain.
  const compressed = p.bytes[c.at] === 0x21;
  if (!compressed && u16(p.bytes, c.at) !== 0x0021) return DONE;
  return PPP;
}

/** LINKTYPE_PPP_HDLC: either PPP or Cisco's framing, told apart by the address. */
export function pppHdlc(p: Packet, c: Cursor): number {
  const address = c.at < c.end ? p.bytes[c.at]! : 0xff;
  return address === 0x0f || address === 0x8f ? CISCO_HDLC : PPP;
}

export function ciscoHdlc(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const at = c.at;
  c.word = HDLC;
  if (c.end - at < 4) {
    p.problem = 'hdlc header cut';
    return DONE;
  }
  const type = u16(bytes, at + 2);
  c.at = at + 4;
  if (type === 0x8035) {
    c.word = SLARP;
    return DONE;
  }
  if (type === 0x2000) {
    c.word = CDP;
    return DONE;
  }
  if (type === 0xfefe) {
    c.word = ISIS;
    // A fill byte may precede the identifier.
    if (c.at < c.end && bytes[c.at] === 3) c.at += 1;
    return NLPID;
  }
  c.type = type;
  return ETHERTYPE;
}

export function frameRelay(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  let at = c.at;
  c.word = FRAME_RELAY_WORD;
  if (c.end - at < 4) {
    p.problem = 'frame relay header cut';
    return DONE;
  }
  // Q.922: six bits, then four, then seven in longer addresses; the lowest bit ends the address.
  let dlci = bytes[at]! >>> 2;
  if ((bytes[at]! & 1) === 1) {
    p.problem = 'frame relay address of one byte';
    return DONE;
  }
  dlci = (dlci << 4) | (bytes[at + 1]! >>> 4);
  let size = 2;
  while ((bytes[at + size - 1]! & 1) === 0) {
    if (size === 4 || at + size >= c.end) {
      p.problem = 'frame relay address without an end';
      return DONE;
    }
    dlci = size === 2 ? (dlci << 7) | (bytes[at + 2]! >>> 1) : (dlci << 6) | (bytes[at + 3]! >>> 2);
    size += 1;
  }
  c.dlci = dlci;
  at += size;
  if (at + 2 > c.end) return DONE;
  if (bytes[at] === 3) {
    at += 1;
    // A pad byte aligns what follows (RFC 2427, 3).
    if (bytes[at] === 0) at += 1;
    c.at = at;
    c.bridgePad = 0;
    return NLPID;
  }
  const type = u16(bytes, at);
  if (dlci === 0 || dlci === 1023) {
    c.word = LMI;
    return DONE;
  }
  // Cisco's encapsulation: an EtherType follows directly.
  c.at = at + 2;
  if (type < 0x0600) return DONE;
  c.type = type;
  return ETHERTYPE;
}

/** FRF.16: two bytes with begin, end and control bits before the Frame Relay header. */
export function multilinkFrameRelay(p: Packet, c: Cursor): number {
  c.word = MFR;
  if (c.end - c.at < 2) {
    p.problem = 'frf.16 header cut';
    return DONE;
  }
  const bits = p.bytes[c.at]! & 0xe0;
  // A control frame, or a later fragment.
  if ((bits & 0x20) !== 0 || (bits & 0x80) === 0) return DONE;
  c.at += 2;
  return FRAME_RELAY;
}

/** SunATM: a flag byte (traffic type in the low four bits), VPI, VCI, then the AAL5 frame. */
export function sunAtm(p: Packet, c: Cursor): number {
  const at = c.at;
  c.word = ATM;
  if (c.end - at < 4) {
    p.problem = 'sunatm header cut';
    return DONE;
  }
  const type = p.bytes[at]! & 0x0f;
  const circuit = u16(p.bytes, at + 2);
  c.vpi = p.bytes[at + 1]!;
  c.vci = circuit;
  c.at = at + 4;
  if (type === 1) {
    c.word = ATM_LANE;
    return laneFrame(p, c);
  }
  if (type === 5 || circuit === 16) {
    c.word = ATM_ILMI;
    return DONE;
  }
  if (type === 6 || circuit === 5) {
    c.word = ATM_SIGNALLING;
    return DONE;
  }
  return rfc1483(p, c);
}

/** ATM LAN emulation: control frames start with ff00, data frames with the client's identifier. */
function laneFrame(p: Packet, c: Cursor): number {
  if (c.end - c.at < 16 || u16(p.bytes, c.at) === 0xff00) return DONE;
  c.at += 2;
  return ETHERNET;
}

/** RFC 2684 (once 1483): LLC, with bridged frames padded by two bytes; IP alone on some links. */
export function rfc1483(p: Packet, c: Cursor): number {
  c.word = ATM;
  const bytes = p.bytes;
  c.bridgePad = 2;
  if (c.end - c.at < 3) {
    p.problem = 'atm frame cut';
    return DONE;
  }
  const first = bytes[c.at]!;
  if (u24(bytes, c.at) === 0xaaaa03 || u24(bytes, c.at) === 0xfefe03) return LLC;
  if (first >>> 4 === 4 || first >>> 4 === 6) return IP;
  return first === 0 && bytes[c.at + 1] === 0 ? bridgedVc(c) : LLC;
}

/** VC multiplexing of bridged Ethernet: two zero bytes before the frame. */
function bridgedVc(c: Cursor): number {
  c.at += 2;
  return ETHERNET;
}

/** LINKTYPE_SLIP: a 16-byte header from BSD, or the packet directly. */
export function slip(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const at = c.at;
  c.word = SLIP_COMPRESSED;
  if (c.end - at > 16 && bytes[at]! < 2) {
    const kind = bytes[at + 1]!;
    // A VJ-compressed TCP header cannot be read without the ones before it (RFC 1144).
    if ((kind & 0x80) !== 0) return DONE;
    c.at = at + 16;
  }
  return IP;
}
