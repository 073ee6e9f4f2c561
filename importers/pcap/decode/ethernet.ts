/**
 * Ethernet and the layers that its types name: IEEE 802.3 with 802.2 LLC and SNAP, 802.1Q tags, MPLS (RFC 3032),
 * PPPoE (RFC 2516), ISL. https://www.iana.org/assignments/ieee-802-numbers
 */
import { u16, u24 } from '../bytes.ts';
import {
  DONE,
  ETHERNET,
  ETHERTYPE,
  IP,
  LLC,
  MPLS,
  NLPID,
  NSH,
  PPP,
  PPPOE,
  type Cursor,
} from './layers.ts';
import type { Packet } from './packet.ts';
import { word, type LinkWord } from '../packets/words.ts';

const ETHERNET_WORD = word('ethernet');
const ARP = word('arp');
const LLC_WORD = word('llc');
const SNAP = word('snap');
const PPPOE_WORD = word('pppoe');
const MPLS_WORD = word('mpls');
const IPX = word('ipx');
const STP = word('stp');
const NETBIOS = word('netbios');
const MACSEC = word('macsec');

const TYPE_WORDS = new Map<number, number>(
  (
    [
      [0x0806, 'arp'],
      [0x8035, 'rarp'],
      [0x88cc, 'lldp'],
      [0x888e, 'eapol'],
      [0x88c7, 'eapol'],
      [0x8809, 'slow-protocols'],
      [0x8863, 'pppoe-discovery'],
      [0x8864, 'pppoe'],
      [0x887b, 'homeplug'],
      [0x88e1, 'homeplug'],
      [0x88f7, 'ptp'],
      [0x8902, 'cfm'],
      [0x88b8, 'goose'],
      [0x88ba, 'sampled-values'],
      [0x8892, 'profinet'],
      [0x88a4, 'ethercat'],
      [0x809b, 'appletalk'],
      [0x80f3, 'aarp'],
      [0x9000, 'loopback-test'],
      [0x0842, 'wake-on-lan'],
      [0x8906, 'fcoe'],
      [0x8914, 'fcoe'],
      [0x88a2, 'aoe'],
      [0x8915, 'roce'],
      [0x22f3, 'trill'],
      [0x4305, 'batman'],
      [0x6003, 'decnet'],
      [0x6004, 'lat'],
      [0x6001, 'mop'],
      [0x6002, 'mop'],
      [0x8137, 'ipx'],
      [0x2000, 'cdp'],
    ] satisfies [number, LinkWord][]
  ).map(([type, name]) => [type, word(name)]),
);
const LACP = word('lacp');

const CISCO_WORDS = new Map<number, number>(
  (
    [
      [0x2000, 'cdp'],
      [0x2003, 'vtp'],
      [0x2004, 'dtp'],
      [0x0111, 'udld'],
      [0x010b, 'pvst'],
      [0x0104, 'pagp'],
    ] satisfies [number, LinkWord][]
  ).map(([type, name]) => [type, word(name)]),
);

const NLPID_WORDS = new Map<number, number>(
  (
    [
      [0x81, 'clnp'],
      [0x82, 'es-is'],
      [0x83, 'isis'],
      [0x08, 'frame-relay-lmi'],
      [0x09, 'frame-relay-lmi'],
    ] satisfies [number, LinkWord][]
  ).map(([id, name]) => [id, word(name)]),
);

/** The word for an NLPID whose content is not decoded; undefined for others. */
export function nlpidWord(id: number): number | undefined {
  return NLPID_WORDS.get(id);
}

export function ethernet(p: Packet, c: Cursor): number {
  const at = c.at;
  if (c.word === 0) c.word = ETHERNET_WORD;
  if (c.end - at < 14) {
    if (p.ipVersion === 0) p.problem = 'ethernet header cut';
    return DONE;
  }
  const bytes = p.bytes;
  if (c.srcMac < 0) {
    c.dstMac = at;
    c.srcMac = at + 6;
  }
  const type = u16(bytes, at + 12);
  c.at = at + 14;
  if (type === 0x0800 || type === 0x86dd) {
    if (p.etherType < 0) p.etherType = type;
    return IP;
  }
  if (type >= 0x0600) {
    c.type = type;
    return ETHERTYPE;
  }
  // Cisco ISL: 01-00-0c-00-00 or 03-00-0c-00-00, with a whole frame 26 bytes on.
  if (
    (bytes[at] === 1 || bytes[at] === 3) &&
    u24(bytes, at + 1) === 0x000c00 &&
    bytes[at + 4] === 0 &&
    c.end - at >= 40
  ) {
    if (p.vlan < 0) p.vlan = u16(bytes, at + 20) >>> 1;
    c.at = at + 26;
    c.srcMac = -1;
    return ETHERNET;
  }
  return lengthField(c, type);
}

/** IEEE 802.3: the type is a length, and LLC follows. */
function lengthField(c: Cursor, length: number): number {
  if (length > 0 && c.at + length < c.end) c.end = c.at + length;
  return LLC;
}

export function etherType(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const type = c.type;
  const at = c.at;
  switch (type) {
    case 0x0800:
    case 0x86dd:
      if (p.etherType < 0) p.etherType = type;
      return IP;
    case 0x8100:
    case 0x88a8:
    case 0x9100:
    case 0x9200:
    case 0x9300: {
      if (c.end - at < 4) {
        if (p.ipVersion === 0) p.problem = 'vlan tag cut';
        return DONE;
      }
      const id = u16(bytes, at) & 0xfff;
      // Identifier 0 is a priority alone, not a VLAN (IEEE 802.1Q, 9.6).
      if (id !== 0) {
        if (p.vlan < 0) p.vlan = id;
        else if (p.innerVlan < 0) p.innerVlan = id;
      }
      return tagged(p, c, at + 2);
    }
    case 0x8847:
    case 0x8848:
      return MPLS;
    case 0x8864:
      return PPPOE;
    case 0x88e7:
      // Provider backbone bridging: a service tag, then the customer's frame.
      c.at = at + 4;
      return c.at < c.end ? ETHERNET : DONE;
    case 0x893f:
      return c.end - at < 8 ? DONE : tagged(p, c, at + 6);
    case 0x8926:
      return c.end - at < 6 ? DONE : tagged(p, c, at + 4);
    case 0x8909:
      return c.end - at < 8 ? DONE : tagged(p, c, at + 6);
    case 0x8903:
      // Cisco FabricPath: a tag, then the frame.
      c.at = at + 2;
      return c.at < c.end ? ETHERNET : DONE;
    case 0x88e5:
      return macsec(p, c);
    case 0x894f:
      return NSH;
    case 0x6558:
      return ETHERNET;
    case 0x880b:
      return PPP;
    case 0x0806:
      if (p.etherType < 0) p.etherType = type;
      if (p.ipVersion === 0) {
        c.word = ARP;
        c.arp = at;
      }
      return DONE;
    case 0x8870:
      // Jumbo frames in LLC.
      return LLC;
    case 0x0004:
      return LLC;
    case 0x00fe:
    case 0xfefe:
      return NLPID;
    default: {
      if (p.etherType < 0) p.etherType = type;
      const known = TYPE_WORDS.get(type);
      if (known !== undefined) c.word = known;
      if (type === 0x8809 && bytes[at] === 1 && at < c.end) c.word = LACP;
      return DONE;
    }
  }
}

/** IEEE 802.1AE: readable only if the tag says that nothing is encrypted or changed. */
function macsec(p: Packet, c: Cursor): number {
  if (p.ipVersion === 0) c.word = MACSEC;
  const at = c.at;
  if (c.end - at < 8) return DONE;
  const control = p.bytes[at]!;
  const header = (control & 0x20) !== 0 ? 14 : 6;
  if ((control & 0x0c) !== 0 || c.end - at < header + 2) return DONE;
  return tagged(p, c, at + header);
}

/** The type after a tag; below 0x0600 it is a length, as in an untagged frame. */
function tagged(p: Packet, c: Cursor, at: number): number {
  const type = u16(p.bytes, at);
  c.at = at + 2;
  if (type < 0x0600) return lengthField(c, type);
  c.type = type;
  return ETHERTYPE;
}

export function mpls(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  let at = c.at;
  if (c.word <= ETHERNET_WORD) c.word = MPLS_WORD;
  for (;;) {
    if (at + 4 > c.end) {
      if (p.ipVersion === 0) p.problem = 'mpls label stack cut';
      return DONE;
    }
    const label = u24(bytes, at) >>> 4;
    if (c.mpls < 0) c.mpls = label;
    const bottom = (bytes[at + 2]! & 1) !== 0;
    at += 4;
    if (bottom) break;
  }
  c.at = at;
  if (at >= c.end) return DONE;
  // Nothing states what follows; the first four bits distinguish IP from a pseudowire (RFC 4928).
  switch (bytes[at]! >>> 4) {
    case 4:
    case 6:
      return IP;
    case 1:
      return DONE;
    case 0:
      c.at = at + 4;
      return c.at < c.end ? ETHERNET : DONE;
    default:
      return ETHERNET;
  }
}

export function pppoe(p: Packet, c: Cursor): number {
  c.word = PPPOE_WORD;
  if (p.etherType < 0) p.etherType = 0x8864;
  const at = c.at;
  if (c.end - at < 8) {
    if (p.ipVersion === 0) p.problem = 'pppoe header cut';
    return DONE;
  }
  if (p.bytes[at + 1] !== 0) return DONE;
  // The network layer inside is what counts.
  p.etherType = -1;
  const length = u16(p.bytes, at + 4);
  c.at = at + 6;
  if (length > 0 && c.at + length < c.end) c.end = c.at + length;
  return PPP;
}

export function llc(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const at = c.at;
  const outer = p.ipVersion === 0;
  if (outer && c.word <= ETHERNET_WORD) c.word = LLC_WORD;
  if (c.end - at < 3) {
    if (outer) p.problem = 'llc header cut';
    return DONE;
  }
  const dsap = bytes[at]! & 0xfe;
  const ssap = bytes[at + 1]! & 0xfe;
  if (bytes[at] === 0xff && bytes[at + 1] === 0xff) {
    if (outer) c.word = IPX;
    return DONE;
  }
  const control = bytes[at + 2]!;
  const header = (control & 3) === 3 ? 3 : 4;
  if (dsap === 0xaa && ssap === 0xaa && control === 3) {
    if (c.end - at < 8) {
      if (outer) p.problem = 'snap header cut';
      return DONE;
    }
    const oui = u24(bytes, at + 3);
    const type = u16(bytes, at + 6);
    if (outer) c.word = SNAP;
    c.at = at + 8;
    return snap(p, c, oui, type);
  }
  c.at = at + header;
  if (dsap === 0x42) {
    if (outer) c.word = STP;
  } else if (dsap === 0xe0) {
    if (outer) c.word = IPX;
  } else if (dsap === 0xf0) {
    if (outer) c.word = NETBIOS;
  } else if (dsap === 0x06 && c.at < c.end) {
    return IP;
  } else if (dsap === 0xfe && c.at < c.end) {
    return NLPID;
  }
  return DONE;
}

function snap(p: Packet, c: Cursor, oui: number, type: number): number {
  const outer = p.ipVersion === 0;
  if (oui === 0x000000 || oui === 0x0000f8) {
    c.type = type;
    if (type === 0x0800 || type === 0x86dd) {
      if (p.etherType < 0) p.etherType = type;
      return IP;
    }
    return type < 0x0600 ? DONE : ETHERTYPE;
  }
  if (oui === 0x00000c) {
    const known = CISCO_WORDS.get(type);
    if (outer && known !== undefined) c.word = known;
    return DONE;
  }
  if (oui === 0x0080c2) {
    if (type === 0x0001 || type === 0x0007) {
      c.at += c.bridgePad;
      return c.at < c.end ? ETHERNET : DONE;
    }
    if (outer && type === 0x000e) c.word = STP;
  }
  return DONE;
}

/** ISO/IEC TR 9577. */
export function nlpid(p: Packet, c: Cursor): number {
  if (c.at >= c.end) return DONE;
  const bytes = p.bytes;
  const id = bytes[c.at]!;
  switch (id) {
    case 0xcc:
    case 0x8e:
      c.at += 1;
      return IP;
    case 0xcf:
      c.at += 1;
      return PPP;
    case 0x80: {
      if (c.end - c.at < 6) return DONE;
      const oui = u24(bytes, c.at + 1);
      const type = u16(bytes, c.at + 4);
      c.at += 6;
      if (p.ipVersion === 0) c.word = SNAP;
      return snap(p, c, oui, type);
    }
    default: {
      const known = NLPID_WORDS.get(id);
      if (known !== undefined && p.ipVersion === 0) c.word = known;
      return DONE;
    }
  }
}
