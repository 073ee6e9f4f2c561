/** ARP (RFC 826) and RARP (RFC 903). */
import { etherTypeText } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hexBytes, named } from '../text.ts';

const HARDWARE = named({
  1: 'Ethernet',
  6: 'IEEE 802',
  7: 'ARCNET',
  15: 'Frame Relay',
  24: 'IEEE 1394',
  32: 'InfiniBand',
});
const OPERATIONS: Readonly<Record<number, string>> = {
  1: 'request',
  2: 'reply',
  3: 'reverse request',
  4: 'reverse reply',
  8: 'inverse request',
  9: 'inverse reply',
};

export function arp(r: LayerReader): undefined {
  r.u16('Hardware type', HARDWARE);
  const protocol = r.u16('Protocol type', etherTypeText);
  const hardwareSize = r.u8('Hardware size');
  const protocolSize = r.u8('Protocol size');
  const operation = r.u16('Opcode', named(OPERATIONS));
  r.layer.summary = OPERATIONS[operation] ?? `opcode ${operation}`;
  const hardware = (name: string) =>
    hardwareSize === 6
      ? r.mac(`${name} MAC address`)
      : r.raw(`${name} hardware address`, hardwareSize, hexBytes);
  const address = (name: string) =>
    protocol === 0x0800 && protocolSize === 4
      ? r.ip4(`${name} IP address`)
      : r.raw(`${name} protocol address`, protocolSize, hexBytes);
  const senderHardware = hardware('Sender');
  const sender = address('Sender');
  hardware('Target');
  const target = address('Target');
  if (operation === 1) {
    r.layer.summary =
      sender === target ? `ARP announcement for ${sender}` : `Who has ${target}? Tell ${sender}`;
  } else if (operation === 2) {
    r.layer.summary = `${sender} is at ${senderHardware}`;
  }
  return r.finish();
}
