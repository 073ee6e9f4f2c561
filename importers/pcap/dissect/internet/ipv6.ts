/** IPv6 (RFC 8200) and its extension headers, each as a layer. */
import { u32 } from '../../bytes.ts';
import { TRAFFIC_CLASS } from './ipv4.ts';
import { ipProtocol, ipProtocolText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex32, hexNumber, named } from '../text.ts';

export function ipv6(r: LayerReader): Protocol | undefined {
  const d = r.d;
  const start = r.at;
  const room = d.wireEnd - start;
  const version = r.peek() >>> 4;
  if (version === 4) return 'ipv4';
  if (version !== 6) {
    d.note(`Internet Protocol Version 6: its version is ${version}`);
    return 'data';
  }
  r.need(4, 'Version');
  const flow = u32(r.bytes, start) & 0xfffff;
  r.add('Version', String(version), start, 1);
  const [[, codepoint, codepointText], [, congestion, congestionText]] = TRAFFIC_CLASS;
  r.bits(
    'Traffic Class',
    2,
    [
      [0x0fc0, codepoint, codepointText],
      [0x0030, congestion, congestionText],
    ],
    (value) => hex8((value >>> 4) & 0xff),
  );
  r.add('Flow Label', hexNumber(flow, 5), start + 1, 3);
  r.skip(2, 'Flow Label');
  const length = r.u16('Payload Length');
  const next = r.u8('Next Header', ipProtocolText);
  r.u8('Hop Limit');
  // Without a length: a jumbogram, or segmentation offload.
  let total = length === 0 && next !== 59 ? Math.max(room, 40) : length + 40;
  if (total > room && !d.quoted) {
    d.note('Internet Protocol Version 6: longer than its frame');
    total = Math.max(room, 40);
  }
  r.bound(start, total);
  const addresses = r.at;
  const source = r.ip6('Source Address');
  const destination = r.ip6('Destination Address');
  r.layer.summary = `Src: ${source}, Dst: ${destination}`;
  d.network = { version: 6, addresses, finalDestination: -1, rerouted: false, fragment: false };
  return following(r, next);
}

/** 59 means that nothing follows. */
function following(r: LayerReader, next: number): Protocol | undefined {
  if (next === 59) return r.left > 0 ? 'data' : undefined;
  return ipProtocol(next);
}

export function extensionOptions(r: LayerReader): Protocol | undefined {
  const start = r.at;
  const next = r.u8('Next Header', ipProtocolText);
  const units = r.u8('Length', (value) => `${value} (${value * 8 + 8} bytes)`);
  const size = units * 8 + 8 - (r.at - start);
  r.layer.summary = `Next: ${ipProtocolText(next)}`;
  r.within(size, 'Options', () => {
    while (r.left > 0) {
      if (r.peek() === 0) {
        r.u8('Pad1');
        continue;
      }
      r.group('Option', () => {
        const type = r.u8('Type', OPTIONS);
        const length = r.u8('Length');
        if (type === 5 && length === 2) return `Router Alert: ${r.u16('Router Alert')}`;
        if (type === 0xc2 && length === 4) return `Jumbo Payload: ${r.u32('Jumbo Payload Length')}`;
        if (length > 0) r.raw('Value', length);
        return OPTIONS(type);
      });
    }
  });
  return following(r, next);
}
const OPTIONS = named({
  1: 'PadN',
  5: 'Router Alert',
  0xc2: 'Jumbo Payload',
  0xc9: 'Home Address',
});

const ROUTING = named({
  0: 'Source Route',
  2: 'Type 2 (Mobility)',
  3: 'RPL Source Route',
  4: 'Segment Routing',
});

export function extensionRouting(r: LayerReader): Protocol | undefined {
  const start = r.at;
  const next = r.u8('Next Header', ipProtocolText);
  const units = r.u8('Length', (value) => `${value} (${value * 8 + 8} bytes)`);
  const type = r.u8('Type', ROUTING);
  const left = r.u8('Segments Left');
  r.layer.summary = `${ROUTING(type)}, Segments Left: ${left}`;
  const size = units * 8 + 8 - (r.at - start);
  const addressed = type === 0 || type === 2 || type === 4;
  r.within(size, 'Routing data', () => {
    r.raw('Type-specific data', Math.min(4, r.left));
    const first = r.at;
    // Segment routing has options after its addresses (RFC 8754), and states the last one's index.
    const count = type === 4 ? r.bytes[first - 4]! + 1 : Infinity;
    for (let i = 0; addressed && i < count && r.left >= 16; i++) r.ip6('Address');
    const { network } = r.d;
    if (left > 0 && network !== undefined) {
      network.rerouted = !addressed;
      // Segment routing lists the way backwards.
      if (addressed && r.at > first) network.finalDestination = type === 4 ? first : r.at - 16;
    }
    if (r.left > 0) r.raw('Data', r.left);
  });
  return following(r, next);
}

export function extensionFragment(r: LayerReader): Protocol | undefined {
  const next = r.u8('Next Header', ipProtocolText);
  r.u8('Reserved');
  const bits = r.bits(
    'Offset and Flags',
    2,
    [
      [0xfff8, 'Offset', (value) => String(value * 8)],
      [0x0006, 'Reserved bits'],
      [0x0001, 'More Fragments'],
    ],
    (value) => hexNumber(value, 4),
  );
  const identification = r.u32('Identification', hex32);
  const offset = bits & 0xfff8;
  const more = (bits & 1) !== 0;
  r.layer.summary = `Offset: ${offset}, More: ${more ? 'yes' : 'no'}, Identification: ${hex32(identification)}`;
  if (r.d.network !== undefined && (offset > 0 || more)) {
    r.d.network = { ...r.d.network, fragment: true };
  }
  return offset > 0 ? 'data' : following(r, next);
}

/** The data protected by the authentication header stays readable (RFC 4302). */
export function authenticationHeader(r: LayerReader): Protocol | undefined {
  const next = r.u8('Next Header', ipProtocolText);
  const units = r.u8('Length', (value) => `${value} (${(value + 2) * 4} bytes)`);
  r.u16('Reserved');
  const spi = r.u32('AH SPI', hex32);
  r.layer.summary = `SPI: ${hex32(spi)}`;
  // A length of 0 is a mistake that leaves no room for more.
  if (units > 0) r.layer.summary += `, Sequence: ${r.u32('AH Sequence')}`;
  if (units > 1) r.raw('AH ICV', (units - 1) * 4);
  return following(r, next);
}

export function encapsulatingSecurity(r: LayerReader): Protocol {
  const spi = r.u32('ESP SPI', hex32);
  const sequence = r.u32('ESP Sequence');
  r.layer.summary = `SPI: ${hex32(spi)}, Sequence: ${sequence}`;
  return 'data';
}
