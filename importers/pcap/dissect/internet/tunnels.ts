/**
 * Tunnels on UDP and IP: VXLAN (RFC 7348) and its generic form, GENEVE (RFC 8926), GTP-U (3GPP TS
 * 29.281), NSH (RFC 8300), EtherIP (RFC 3378).
 */
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, hex24, hex32, named } from '../text.ts';

export function vxlan(r: LayerReader): Protocol {
  r.bits(
    'Flags',
    2,
    [
      [0x8000, 'GBP Extension'],
      [0x0800, 'VXLAN Network ID (VNI)'],
      [0x0040, "Don't Learn"],
      [0x0008, 'Policy Applied'],
    ],
    hex16,
  );
  r.u16('Group Policy ID');
  const vni = r.u24('VXLAN Network Identifier (VNI)');
  r.u8('Reserved');
  r.layer.summary = `VNI: ${vni}`;
  return 'ethernet';
}

const NEXT = named({ 1: 'IPv4', 2: 'IPv6', 3: 'Ethernet', 4: 'NSH', 5: 'MPLS' });

export function vxlanGpe(r: LayerReader): Protocol | undefined {
  const flags = r.bits(
    'Flags',
    1,
    [
      [0x30, 'Version'],
      [0x08, 'Instance'],
      [0x04, 'Next Protocol Bit'],
      [0x02, 'BUM'],
      [0x01, 'OAM'],
    ],
    hex8,
  );
  r.u16('Reserved');
  const stated = r.u8('Next Protocol', NEXT);
  const vni = r.u24('VXLAN Network Identifier (VNI)');
  r.u8('Reserved');
  r.layer.summary = `VNI: ${vni}`;
  return inside(r, (flags & 4) !== 0 ? stated : 3);
}

function inside(r: LayerReader, next: number): Protocol | undefined {
  switch (next) {
    case 1:
    case 2:
      return r.ipVersion();
    case 3:
      return 'ethernet';
    case 4:
      return 'nsh';
    case 5:
      return 'mpls';
    default:
      return 'data';
  }
}

export function geneve(r: LayerReader): Protocol {
  const first = r.bits(
    'Version and Length',
    1,
    [
      [0xc0, 'Version'],
      [0x3f, 'Length', (v) => `${v * 4} bytes`],
    ],
    hex8,
  );
  r.bits(
    'Flags',
    1,
    [
      [0x80, 'Operations, Administration and Management Frame'],
      [0x40, 'Critical Options Present'],
    ],
    hex8,
  );
  const type = r.u16('Protocol Type', etherTypeText);
  const vni = r.u24('Virtual Network Identifier (VNI)');
  r.u8('Reserved');
  r.layer.summary = `VNI: ${vni}, ${etherTypeText(type)}`;
  const size = (first & 0x3f) * 4;
  r.within(size, 'Options', () => {
    while (r.left > 0) {
      r.group('Option', () => {
        const classNumber = r.u16('Class', hex16);
        const kind = r.u8('Type', hex8);
        const length =
          (r.u8('Length', (value) => `${(value & 31) * 4} bytes`), r.bytes[r.at - 1]! & 31) * 4;
        if (length > 0) r.raw('Data', length);
        return `class ${hex16(classNumber)}, type ${hex8(kind)}`;
      });
    }
  });
  return etherTypeProtocol(type);
}

const GTP_TYPES = named({
  1: 'Echo request',
  2: 'Echo response',
  26: 'Error indication',
  31: 'Supported extension headers notification',
  254: 'End marker',
  255: 'T-PDU',
});

export function gtp(r: LayerReader): Protocol | undefined {
  const flags = r.bits(
    'Flags',
    1,
    [
      [0xe0, 'Version'],
      [0x10, 'Protocol type'],
      [0x04, 'Is Next Extension Header present'],
      [0x02, 'Is Sequence Number present'],
      [0x01, 'Is N-PDU number present'],
    ],
    hex8,
  );
  const type = r.u8('Message Type', GTP_TYPES);
  const length = r.u16('Length');
  const tunnel = r.u32('TEID', hex32);
  r.layer.summary = `${GTP_TYPES(type)}, TEID: ${hex32(tunnel)}`;
  r.bound(r.at, length);
  if ((flags & 7) !== 0) {
    r.u16('Sequence number');
    r.u8('N-PDU Number');
    let next = r.u8('Next extension header type', hex8);
    while ((flags & 4) !== 0 && next !== 0) {
      r.group('Extension header', () => {
        const size = r.u8('Extension Header Length') * 4;
        if (size === 0) {
          next = 0;
          return 'of length 0';
        }
        if (size > 2) r.raw('Content', size - 2);
        const kind = next;
        next = r.u8('Next extension header type', hex8);
        return `type ${hex8(kind)}`;
      });
    }
  }
  return type === 255 ? r.ipVersion() : r.left > 0 ? 'data' : undefined;
}

export function networkService(r: LayerReader): Protocol | undefined {
  const start = r.at;
  const first = r.bits(
    'Version, Flags, Time to live, Length',
    2,
    [
      [0xc000, 'Version'],
      [0x2000, 'O Bit'],
      [0x0fc0, 'Time to live'],
      [0x003f, 'Length', (value) => `${value * 4} bytes`],
    ],
    hex16,
  );
  r.u8('MD Type', (value) => String(value & 15));
  const next = r.u8('Next Protocol', NEXT);
  const path = r.u24('SPI', hex24);
  const index = r.u8('SI');
  r.layer.summary = `SPI: ${hex24(path)}, SI: ${index}`;
  const rest = (first & 0x3f) * 4 - (r.at - start);
  if (rest > 0) r.raw('Metadata', rest);
  return inside(r, next);
}

export function etherIp(r: LayerReader): Protocol {
  r.bits(
    'Version',
    2,
    [
      [0xf000, 'Version'],
      [0x0fff, 'Reserved'],
    ],
    hex16,
  );
  return 'ethernet';
}

const AYIYA_NEXT = named({ 4: 'IPv4', 41: 'IPv6' });

/** draft-massar-v6ops-ayiya */
export function ayiya(r: LayerReader): Protocol | undefined {
  const lengths = r.peek() >>> 4;
  const signature = (r.peek(1) >>> 4) * 4;
  r.bits(
    'Identity',
    1,
    [
      [0xf0, 'Length (power of two)'],
      [0x0f, 'Type'],
    ],
    hex8,
  );
  r.bits(
    'Signature',
    1,
    [
      [0xf0, 'Length (words)'],
      [0x0f, 'Hash Method'],
    ],
    hex8,
  );
  r.bits(
    'Authentication and Operation',
    1,
    [
      [0xf0, 'Authentication Method'],
      [0x0f, 'Operation'],
    ],
    hex8,
  );
  r.u8('Next Header', AYIYA_NEXT);
  r.u32('Epoch Time');
  r.raw('Identity', 1 << lengths);
  if (signature > 0) r.raw('Signature', signature);
  return r.ipVersion();
}
