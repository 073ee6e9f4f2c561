/** Rare local networks: FDDI, token ring, ARCNET, IP over Fibre Channel, IEEE 1394. */
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, named } from '../text.ts';

export function fddi(r: LayerReader): Protocol {
  r.u8('Frame Control', hex8);
  return addresses(r);
}

export function tokenRing(r: LayerReader): Protocol {
  r.u8('Access Control', hex8);
  r.u8('Frame Control', hex8);
  // The highest bit of the source address announces routing information.
  const routed = (r.peek(6) & 0x80) !== 0 && r.left > 12;
  addresses(r);
  if (routed) {
    const size = r.peek() & 0x1f;
    if (size > 0) r.raw('Routing Information', size);
  }
  return 'llc';
}

function addresses(r: LayerReader): Protocol {
  const destination = r.mac('Destination');
  const source = r.mac('Source');
  r.layer.summary = `Src: ${source}, Dst: ${destination}`;
  return 'llc';
}

export function ipOverFibreChannel(r: LayerReader): Protocol {
  r.raw('Destination', 8);
  r.raw('Source', 8);
  return 'llc';
}

/** ARCNET (RFC 1201, 1051) with Linux's two extra bytes. */
export function arcnet(r: LayerReader): Protocol | undefined {
  const source = r.u8('Source', hex8);
  const destination = r.u8('Destination', hex8);
  r.u16('Offset', hex16);
  const type = r.u8(
    'Protocol ID',
    named(
      { 0xd4: 'IP', 0xd5: 'ARP', 0xf0: 'IP (RFC 1051)', 0xf1: 'ARP (RFC 1051)', 0xc4: 'IPv6' },
      hex8,
    ),
  );
  r.layer.summary = `Src: ${hex8(source)}, Dst: ${hex8(destination)}`;
  if (type === 0xd4 || type === 0xd5 || type === 0xc4) {
    r.u8('Split Flag', hex8);
    r.u16('Sequence Number');
  }
  if (type === 0xd4 || type === 0xc4 || type === 0xf0) return r.ipVersion();
  return type === 0xd5 || type === 0xf1 ? 'arp' : 'data';
}

export function ieee1394(r: LayerReader): Protocol {
  r.raw('Destination', 8);
  r.raw('Source', 8);
  return etherTypeProtocol(r.u16('Type', etherTypeText));
}
