/** Ethernet II and IEEE 802.3: https://standards.ieee.org/ieee/802.3/10422/ */
import { u24 } from '../../bytes.ts';
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, hex24 } from '../text.ts';

export function ethernet(r: LayerReader): Protocol {
  const d = r.d;
  d.carrier = r.layer;
  d.bridgePad = 0;
  const at = r.at;
  // Cisco ISL has a whole frame after its own 26 bytes.
  const multicast = r.peek();
  if (
    (multicast === 1 || multicast === 3) &&
    r.left >= 40 &&
    u24(r.bytes, at + 1) === 0x000c00 &&
    r.bytes[at + 4] === 0 &&
    r.peek16(12) < 0x0600
  ) {
    r.layer.name = 'Cisco ISL';
    r.raw('Destination', 5);
    r.u8('Type and User', hex8);
    r.mac('Source');
    r.u16('Length');
    r.u24('SNAP', hex24);
    r.u24('HSA', hex24);
    const vlan = r.bits(
      'VLAN',
      2,
      [
        [0xfffe, 'VLAN ID'],
        [1, 'BPDU'],
      ],
      (value) => String(value >>> 1),
    );
    r.u16('Index');
    r.u16('Reserved', hex16);
    r.layer.summary = `VLAN ID: ${vlan >>> 1}`;
    return 'ethernet';
  }
  const destination = r.mac('Destination');
  const source = r.mac('Source');
  r.layer.summary = `Src: ${source}, Dst: ${destination}`;
  const type = r.peek16();
  if (type >= 0x0600 || type < 0) {
    return etherTypeProtocol(r.u16('Type', etherTypeText));
  }
  r.layer.name = 'IEEE 802.3 Ethernet';
  const length = r.u16('Length');
  if (length > 0) r.bound(r.at, length);
  return 'llc';
}
