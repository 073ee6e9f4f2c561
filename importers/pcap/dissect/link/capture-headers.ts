/**
 * Headers that a capturing system or a switch puts before a frame, or into it: PPI, PKTAP, NFLOG,
 * Juniper, IPNET, preambles and switch tags. https://www.tcpdump.org/linktypes.html
 */
import { nounOf } from '../../../../engine/contract/words/counted.ts';
import { u16, u16le, u24 } from '../../bytes.ts';
import { linkTypeName } from '../../decode/link-types.ts';
import { etherTypeProtocol, etherTypeText, linkProtocol, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, hex24, hex32, named } from '../text.ts';

const linkText = (value: number) => `${linkTypeName(value)} (${value})`;

export function ppi(r: LayerReader): Protocol {
  const start = r.at;
  r.u8('Version');
  r.u8('Flags', hex8);
  const length = r.u16le('Header length');
  const inner = r.u32le('DLT', linkText);
  r.layer.summary = `${length} ${nounOf(length, 'byte')}`;
  if (length < 8 || inner === 192) return 'data';
  if (length > 8) r.raw('Fields', length - (r.at - start));
  return linkProtocol(inner);
}

/** Apple's; it used a user link type (149) before it had its own number. */
export function pktap(r: LayerReader): Protocol {
  const start = r.at;
  const length = r.u32le('Header Length');
  r.u32le('Record Type');
  const inner = r.u32le('DLT', linkText);
  if (length < 12 || inner === 258 || inner === 149) {
    r.at = start;
    r.layer.fields.length = 0;
    return 'data';
  }
  if (length >= 108) {
    const name = r.text('Interface Name', 24).replaceAll('\\x00', '');
    r.u32le('Flags', hex32);
    r.u32le('Protocol Family');
    r.u32le('Link Layer Header Length');
    r.u32le('Link Layer Trailer Length');
    const pid = r.u32le('Process ID');
    const command = r.text('Command Name', 20).replaceAll('\\x00', '');
    r.layer.summary = `Interface: ${name}, Process: ${command} (${pid})`;
  }
  const rest = length - (r.at - start);
  if (rest > 0) r.raw('Other Fields', rest);
  return linkProtocol(inner);
}

const NFLOG_TYPES = named({
  1: 'Packet Header',
  2: 'Mark',
  3: 'Timestamp',
  4: 'Input Interface Index',
  5: 'Output Interface Index',
  8: 'Hardware Address',
  9: 'Payload',
  10: 'Prefix',
  11: 'UID',
  12: 'Sequence Number',
  14: 'GID',
  15: 'Hardware Type',
  16: 'Hardware Header',
  17: 'Hardware Header Length',
});

/** Attributes of a length and a type in the byte order of the capturing host. */
export function nflog(r: LayerReader): Protocol | undefined {
  r.u8('Family', named({ 2: 'IP', 10: 'IPv6' }));
  r.u8('Version');
  r.u16('Resource ID');
  r.need(4, 'TLV');
  const first = u16le(r.bytes, r.at);
  // The first attribute's length is far below 256 in the right byte order.
  const little = first >= 4 && first <= r.left && first < 0x0100;
  const read = little ? u16le : u16;
  while (r.left >= 4) {
    const length = read(r.bytes, r.at);
    const type = read(r.bytes, r.at + 2) & 0x7fff;
    if (length < 4) break;
    r.add(
      'TLV',
      `${NFLOG_TYPES(type)}, ${length} ${nounOf(length, 'byte')}`,
      r.at,
      Math.min(length, r.left),
    );
    if (type === 9) {
      r.skip(4, 'TLV');
      r.bound(r.at, length - 4);
      return r.ipVersion();
    }
    r.skip((length + 3) & ~3, 'TLV');
  }
  return 'data';
}

/** IP over InfiniBand: the global routing header's addresses, then an EtherType. */
export function ipoib(r: LayerReader): Protocol {
  r.raw('Global Routing Header', 40);
  const type = r.u16('Type', etherTypeText);
  r.u16('Reserved', hex16);
  r.layer.summary = etherTypeText(type);
  return etherTypeProtocol(type);
}

/** Solaris: the address family in the second byte. */
export function ipnet(r: LayerReader): Protocol | undefined {
  r.u8('Version');
  r.u8('Family', named({ 2: 'IP', 26: 'IPv6' }));
  r.u16('Hook Type');
  r.u32('Packet Length');
  r.u32('Interface Index');
  r.u32('Group Interface Index');
  r.u32('Source Zone');
  r.u32('Destination Zone');
  return r.ipVersion();
}

export function juniperEthernet(r: LayerReader): Protocol | undefined {
  if (r.left >= 4 && u24(r.bytes, r.at) !== 0x4d4743) return 'data';
  r.u24('Magic', hex24);
  const flags = r.bits(
    'Flags',
    1,
    [
      [0x80, 'Extensions'],
      [0x02, 'No Layer 2'],
      [0x01, 'Incoming'],
    ],
    hex8,
  );
  if ((flags & 0x80) !== 0) {
    const size = r.u16('Extensions Length');
    r.raw('Extensions', size);
  }
  if ((flags & 2) === 0) return 'ethernet';
  r.u32('Protocol', hex32);
  return r.ipVersion();
}

/** A preamble; without its end it is a continuation fragment that has no header. */
export function mpacket(r: LayerReader): Protocol {
  r.raw('Preamble', 8);
  return r.bytes[r.at - 1] === 0xd5 ? 'ethernet' : 'data';
}

/** A switch's tag of `size` bytes between the MAC addresses and the type. */
export function switchTag(size: number): (r: LayerReader) => Protocol {
  return (r) => {
    r.d.carrier = r.layer;
    const destination = r.mac('Destination');
    const source = r.mac('Source');
    r.raw('Switch Tag', size);
    r.layer.summary = `Src: ${source}, Dst: ${destination}`;
    if (r.peek16() >= 0x0600) return etherTypeProtocol(r.u16('Type', etherTypeText));
    const length = r.u16('Length');
    if (length > 0) r.bound(r.at, length);
    return 'llc';
  };
}

export function prependedTag(r: LayerReader): Protocol {
  r.u32('Switch Tag', hex32);
  return 'ethernet';
}
