/** Linux cooked capture, versions 1 and 2: https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL.html */
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hexBytes, macText, named } from '../text.ts';

const PACKET_TYPES = named({
  0: 'Unicast to us',
  1: 'Broadcast',
  2: 'Multicast',
  3: 'Unicast to another host',
  4: 'Sent by us',
});
const ARPHRD = named({
  1: 'Ethernet',
  280: 'CAN',
  512: 'PPP',
  768: 'IPIP tunnel',
  769: 'IP6IP6 tunnel',
  770: 'Frame Relay',
  772: 'Loopback',
  778: 'GRE over IP',
  801: 'IEEE 802.11',
  803: 'IEEE 802.11 with radiotap',
  824: 'Netlink',
  65534: 'None',
});

export function linuxCooked(r: LayerReader): Protocol | undefined {
  const type = r.u16('Packet type', PACKET_TYPES);
  const hardware = r.u16('Link-layer address type', ARPHRD);
  const size = r.u16('Link-layer address length');
  address(r, size);
  const protocol = r.u16('Protocol', protocolText);
  r.layer.summary = `${PACKET_TYPES(type)}, ${protocolText(protocol)}`;
  return inside(hardware, protocol);
}

export function linuxCooked2(r: LayerReader): Protocol | undefined {
  const protocol = r.u16('Protocol', protocolText);
  r.u16('Reserved');
  const index = r.u32('Interface index');
  const hardware = r.u16('Link-layer address type', ARPHRD);
  const type = r.u8('Packet type', PACKET_TYPES);
  const size = r.u8('Link-layer address length');
  address(r, size);
  r.layer.summary = `${PACKET_TYPES(type)}, interface ${index}, ${protocolText(protocol)}`;
  return inside(hardware, protocol);
}

function address(r: LayerReader, size: number): void {
  const used = Math.min(size, 8);
  if (used > 0) {
    r.raw('Source', used, (bytes) => (bytes.length === 6 ? macText(bytes) : hexBytes(bytes)));
  }
  if (used < 8) r.raw('Unused', 8 - used);
}

function protocolText(protocol: number): string {
  return protocol === 4 ? '802.2 LLC (0x0004)' : etherTypeText(protocol);
}

function inside(hardware: number, protocol: number): Protocol | undefined {
  switch (hardware) {
    case 280:
    case 824:
      return 'data';
    case 801:
      return 'wlan';
    case 803:
      return 'radiotap';
    case 770:
      return 'frame-relay';
  }
  if (protocol === 4) return 'llc';
  return protocol < 0x0600 ? 'data' : etherTypeProtocol(protocol);
}
