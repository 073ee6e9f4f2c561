/** 802.1Q tags, the outer ones of 802.1ad, and other tags that precede a type. */
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16 } from '../text.ts';

export function vlan(r: LayerReader): Protocol {
  const tag = r.parts(2, [
    [0xe000, 'Priority'],
    [0x1000, 'DEI'],
    [0x0fff, 'ID'],
  ]);
  r.layer.summary = `PRI: ${tag >>> 13}, DEI: ${(tag >>> 12) & 1}, ID: ${tag & 0xfff}`;
  return typeOrLength(r);
}

/** The type after a tag; below 0x0600 it is a length, as in an untagged frame. */
function typeOrLength(r: LayerReader): Protocol {
  if (r.peek16() >= 0x0600) return etherTypeProtocol(r.u16('Type', etherTypeText));
  const length = r.u16('Length');
  if (length > 0) r.bound(r.at, length);
  return 'llc';
}

/** Provider backbone bridging: a service tag, then the customer's frame. */
export function providerBackbone(r: LayerReader): Protocol {
  const tag = r.bits(
    'Service Tag',
    4,
    [
      [0xe0000000, 'Priority'],
      [0x10000000, 'DEI'],
      [0x08000000, 'Use Customer Addresses'],
      [0x00ffffff, 'Service ID'],
    ],
    (value) => `0x${value.toString(16)}`,
  );
  r.layer.summary = `I-SID: ${tag & 0xffffff}`;
  return 'ethernet';
}

/** Cisco's VN-Tag: between which interfaces of an extended switch a frame is sent. */
export function vnTag(r: LayerReader): Protocol {
  const tag = r.parts(4, [
    [0x80000000, 'Direction', (value) => (value === 1 ? 'From bridge' : 'To bridge')],
    [0x40000000, 'Pointer'],
    [0x3fff0000, 'Destination'],
    [0x00008000, 'Looped'],
    [0x00004000, 'Reserved'],
    [0x00003000, 'Version'],
    [0x00000fff, 'Source'],
  ]);
  r.layer.summary = `Src: ${tag & 0xfff}, Dst: ${(tag >>> 16) & 0x3fff}`;
  return typeOrLength(r);
}

/** IEEE 802.1BR: between which ports of a bridge and its extenders a frame is sent. */
export function eTag(r: LayerReader): Protocol {
  const tag = r.parts(4, [
    [0xe0000000, 'Priority'],
    [0x10000000, 'DEI'],
    [0x0fff0000, 'Ingress E-CID base'],
    [0x0000c000, 'Reserved'],
    [0x00003000, 'GRP'],
    [0x00000fff, 'E-CID base'],
  ]);
  r.u8('Ingress E-CID extension');
  r.u8('E-CID extension');
  r.layer.summary = `E-CID: ${tag & 0xfff}, Ingress E-CID: ${(tag >>> 16) & 0xfff}`;
  return typeOrLength(r);
}

/** Cisco FabricPath puts its own addresses and a tag before a frame. */
export function fabricPath(r: LayerReader): Protocol {
  r.u16('Tag', hex16);
  return 'ethernet';
}

export function ciscoMetaData(r: LayerReader): Protocol {
  r.u8('Version');
  r.u8('Length');
  r.u16('Options', hex16);
  r.layer.summary = `SGT: ${r.u16('Security Group Tag')}`;
  return typeOrLength(r);
}

/** In GRE the type precedes the tag. */
export function ciscoMetaDataOnGre(r: LayerReader): Protocol {
  const type = r.u16('Type', etherTypeText);
  r.u8('Version');
  r.u8('Length');
  r.u16('Options', hex16);
  r.layer.summary = `SGT: ${r.u16('Security Group Tag')}`;
  return etherTypeProtocol(type);
}

/** IEEE 802.1AE: the protected data is readable only if nothing is encrypted or changed. */
export function macsec(r: LayerReader): Protocol {
  const control = r.bits(
    'TCI/AN',
    1,
    [
      [0x80, 'Version'],
      [0x40, 'End Station'],
      [0x20, 'SCI present'],
      [0x10, 'Single Copy Broadcast'],
      [0x08, 'Encrypted payload'],
      [0x04, 'Changed text'],
      [0x03, 'Association Number'],
    ],
    hex8,
  );
  r.u8('Short length');
  const number = r.u32('Packet number');
  if ((control & 0x20) !== 0) {
    r.mac('System Identifier');
    r.u16('Port Identifier');
  }
  r.layer.summary = `Packet number: ${number}`;
  return (control & 0x0c) !== 0 ? 'data' : typeOrLength(r);
}
