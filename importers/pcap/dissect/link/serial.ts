/**
 * Serial and cell links: Cisco HDLC, Frame Relay (Q.922, RFC 2427) with its multilink form (FRF.16), SLIP, ATM as
 * in SunATM and RFC 2684, and the direction byte that some captures put before PPP, HDLC and Frame Relay.
 */
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, named } from '../text.ts';

export function ciscoHdlc(r: LayerReader): Protocol | undefined {
  r.u8('Address', named({ 0x0f: 'Unicast', 0x8f: 'Multicast' }, hex8));
  r.u8('Control', hex8);
  const type = r.u16('Protocol', (value) =>
    value === 0x8035 ? 'SLARP (0x8035)' : value === 0x2000 ? 'CDP (0x2000)' : etherTypeText(value),
  );
  r.layer.summary = type === 0x8035 ? 'SLARP' : type === 0x2000 ? 'CDP' : etherTypeText(type);
  if (type === 0x8035 || type === 0x2000) return 'data';
  // A fill byte may precede the identifier.
  if (type === 0xfefe && r.peek() === 3) r.u8('Fill', hex8);
  return etherTypeProtocol(type);
}

/** The direction byte before a frame of `next`. */
export function directed(next: Protocol): (r: LayerReader) => Protocol {
  return (r) => {
    const value = r.u8('Direction', DIRECTIONS);
    r.layer.summary = DIRECTIONS(value);
    return next;
  };
}
const DIRECTIONS = named({ 0: 'Received by this host', 1: 'Sent by this host' });

export function frameRelay(r: LayerReader): Protocol | undefined {
  const start = r.at;
  let dlci = 0;
  // Six bits, then four, then seven, then six; the lowest bit of a byte ends the address.
  const shifts = [6, 4, 7, 6] as const;
  let size = 0;
  for (;;) {
    const byte = r.peek(size);
    if (byte < 0) r.need(size + 1, 'Address');
    const width = shifts[size]!;
    dlci = (dlci << width) | (size === 1 ? byte >>> 4 : byte >>> (8 - width));
    size += 1;
    if ((byte & 1) === 1) break;
    if (size === 4) {
      r.d.note('Frame Relay: an address without an end');
      break;
    }
  }
  const second = r.peek(1);
  r.group('Address', () => {
    r.add('DLCI', String(dlci), start, size);
    if (size > 1) {
      r.add('FECN', String((second >>> 3) & 1), start + 1, 1);
      r.add('BECN', String((second >>> 2) & 1), start + 1, 1);
      r.add('DE', String((second >>> 1) & 1), start + 1, 1);
    }
    r.skip(size, 'Address');
    return `DLCI ${dlci}`;
  });
  r.layer.summary = `DLCI: ${dlci}`;
  if (size === 1) return 'data';
  r.d.bridgePad = 0;
  if (r.peek() === 3) {
    r.u8('Control', hex8);
    // A pad byte aligns what follows (RFC 2427, 3).
    if (r.peek() === 0) r.u8('Padding', hex8);
    return 'nlpid';
  }
  if (dlci === 0 || dlci === 1023) return 'data';
  // Cisco's encapsulation: an EtherType follows directly.
  const type = r.u16('Type', etherTypeText);
  return type < 0x0600 ? 'data' : etherTypeProtocol(type);
}

export function multilinkFrameRelay(r: LayerReader): Protocol {
  const bits = r.bits(
    'Fragmentation Header',
    2,
    [
      [0x8000, 'Frame Begin'],
      [0x4000, 'Frame End'],
      [0x2000, 'Control'],
    ],
    hex16,
  );
  return (bits & 0x2000) === 0 && (bits & 0x8000) !== 0 ? 'frame-relay' : 'data';
}

/** A 16-byte header from BSD, or the packet directly. */
export function slip(r: LayerReader): Protocol | undefined {
  if (r.left > 16 && r.peek() < 2) {
    r.u8('Direction', named({ 0: 'Received', 1: 'Sent' }));
    const kind = r.peek();
    r.raw('Link layer header', 15);
    // A compressed TCP header cannot be read without the ones before it (RFC 1144).
    if ((kind & 0x80) !== 0) return 'data';
  }
  return r.ipVersion();
}

/** RFC 2684: LLC, with bridged frames padded by two bytes; IP alone on some links. */
export function atmLlc(r: LayerReader): Protocol | undefined {
  r.d.bridgePad = 2;
  const first = r.peek();
  const three = (first << 16) | r.peek16(1);
  if (three === 0xaaaa03 || three === 0xfefe03) return 'llc';
  if (first >>> 4 === 4 || first >>> 4 === 6) return r.ipVersion();
  if (r.peek16() !== 0) return 'llc';
  r.u16('Padding', hex16);
  return 'ethernet';
}

export function sunAtm(r: LayerReader): Protocol | undefined {
  const flags = r.bits(
    'Flags',
    1,
    [
      [0x80, 'Direction'],
      [0x0f, 'Traffic Type'],
    ],
    hex8,
  );
  const path = r.u8('VPI');
  const circuit = r.u16('VCI');
  const type = flags & 15;
  r.layer.summary = `VPI: ${path}, VCI: ${circuit}`;
  if (type === 1) {
    if (r.left < 16 || r.peek16() === 0xff00) return 'data';
    r.u16('LAN Emulation Client', hex16);
    return 'ethernet';
  }
  if (type === 5 || type === 6 || circuit === 16 || circuit === 5) return 'data';
  return atmLlc(r);
}
