/** PPP (RFC 1661, 1662), also over Ethernet (RFC 2516), and its control protocols' packets. */
import { nounOf } from '../../../../engine/contract/words/counted.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, named } from '../text.ts';

const NAMES: Readonly<Record<number, string>> = {
  0x0021: 'Internet Protocol version 4',
  0x0023: 'OSI Network Layer',
  0x002b: 'Novell IPX',
  0x002d: 'Van Jacobson Compressed TCP/IP',
  0x002f: 'Van Jacobson Uncompressed TCP/IP',
  0x0031: 'Bridging PDU',
  0x003d: 'Multilink',
  0x0057: 'Internet Protocol version 6',
  0x00fd: 'Compressed Datagram',
  0x0281: 'MPLS Unicast',
  0x0283: 'MPLS Multicast',
  0x8021: 'Internet Protocol Control Protocol',
  0x8057: 'IPv6 Control Protocol',
  0x80fd: 'Compression Control Protocol',
  0xc021: 'Link Control Protocol',
  0xc023: 'Password Authentication Protocol',
  0xc025: 'Link Quality Report',
  0xc223: 'Challenge Handshake Authentication Protocol',
};
const PROTOCOLS = named(NAMES, hex16);
const CODES: Readonly<Record<number, string>> = {
  1: 'Configuration Request',
  2: 'Configuration Ack',
  3: 'Configuration Nak',
  4: 'Configuration Reject',
  5: 'Termination Request',
  6: 'Termination Ack',
  7: 'Code Reject',
  8: 'Protocol Reject',
  9: 'Echo Request',
  10: 'Echo Reply',
  11: 'Discard Request',
};

export function ppp(r: LayerReader): Protocol | undefined {
  const first = r.peek();
  // HDLC address and control; 1 and 0 instead of the address tell the direction.
  if (r.peek(1) === 3 && (first === 0xff || first === 0 || first === 1)) {
    r.u8('Address', hex8);
    r.u8('Control', hex8);
  }
  const compressed = (r.peek() & 1) === 1;
  const protocol = compressed ? r.u8('Protocol', PROTOCOLS) : r.u16('Protocol', PROTOCOLS);
  r.layer.summary = PROTOCOLS(protocol);
  switch (protocol) {
    case 0x0021:
      return r.left > 0 ? 'ipv4' : undefined;
    case 0x0057:
      return r.left > 0 ? 'ipv6' : undefined;
    case 0x0281:
    case 0x0283:
      return 'mpls';
    case 0x0031:
      if (r.peek(1) !== 1 || r.left < 16) return 'data';
      r.u8('Bridging Flags', hex8);
      r.u8('MAC Type');
      return 'ethernet';
    case 0x003d: {
      const bits = r.bits(
        'Multilink',
        4,
        [
          [0x80000000, 'First fragment'],
          [0x40000000, 'Last fragment'],
          [0x00ffffff, 'Sequence number'],
        ],
        (v) => `0x${v.toString(16)}`,
      );
      const ip = r.peek() === 0x21 || r.peek16() === 0x0021;
      return (bits & 0x80000000) !== 0 && ip ? 'ppp' : 'data';
    }
    case 0xc021:
    case 0x8021:
    case 0x8057:
    case 0x80fd:
      return control(r, NAMES[protocol] ?? '');
    default:
      return 'data';
  }
}

/** A packet of a control protocol: code, identifier, length. */
function control(r: LayerReader, name: string): Protocol | undefined {
  r.group(name, () => {
    const code = r.u8('Code', named(CODES));
    const identifier = r.u8('Identifier');
    const length = r.u16('Length');
    const rest = Math.min(Math.max(length - 4, 0), r.left);
    const text = CODES[code] ?? `Code ${code}`;
    if (code >= 1 && code <= 4) options(r, rest);
    else if (rest > 0) r.raw('Data', rest);
    r.layer.summary = `${name}, ${text}`;
    return `${text}, identifier ${identifier}`;
  });
  return r.finish();
}

function options(r: LayerReader, size: number): void {
  r.within(size, 'Options', () => {
    while (r.left >= 2) {
      const length = r.peek(1);
      r.group('Option', () => {
        const type = r.u8('Type');
        r.u8('Length');
        if (length > 2) r.raw('Value', length - 2);
        return `type ${type}, ${length} ${nounOf(length, 'byte')}`;
      });
      if (length < 2) return;
    }
  });
}

export function pppoe(r: LayerReader): Protocol | undefined {
  const session = pppoeHeader(r);
  r.layer.summary = `Session: ${hex16(session.id)}`;
  return session.code === 0 ? 'ppp' : 'data';
}

const DISCOVERY = named(
  {
    0x07: 'Active Discovery Offer (PADO)',
    0x09: 'Active Discovery Initiation (PADI)',
    0x19: 'Active Discovery Request (PADR)',
    0x65: 'Active Discovery Session-confirmation (PADS)',
    0xa7: 'Active Discovery Terminate (PADT)',
  },
  hex8,
);
const TAGS: Readonly<Record<number, string>> = {
  0x0000: 'End-Of-List',
  0x0101: 'Service-Name',
  0x0102: 'AC-Name',
  0x0103: 'Host-Uniq',
  0x0104: 'AC-Cookie',
  0x0105: 'Vendor-Specific',
  0x0110: 'Relay-Session-Id',
  0x0201: 'Service-Name-Error',
  0x0202: 'AC-System-Error',
  0x0203: 'Generic-Error',
};

export function pppoeDiscovery(r: LayerReader): undefined {
  const { code } = pppoeHeader(r);
  r.layer.summary = DISCOVERY(code);
  while (r.at < r.d.end && r.left >= 4) {
    r.group('Tag', () => {
      const type = r.u16('Tag Type', named(TAGS, hex16));
      const length = r.u16('Tag Length');
      const text = type >= 0x0200 || type === 0x0101 || type === 0x0102;
      const value = text ? r.text('Value', length) : length > 0 ? r.raw('Value', length) : '';
      return `${TAGS[type] ?? hex16(type)}: ${value}`;
    });
  }
  return r.finish();
}

function pppoeHeader(r: LayerReader): { code: number; id: number } {
  r.bits(
    'Version and Type',
    1,
    [
      [0xf0, 'Version'],
      [0x0f, 'Type'],
    ],
    hex8,
  );
  const code = r.u8('Code', DISCOVERY);
  const id = r.u16('Session ID', hex16);
  const length = r.u16('Payload Length');
  if (length > 0) r.bound(r.at, length);
  return { code, id };
}
