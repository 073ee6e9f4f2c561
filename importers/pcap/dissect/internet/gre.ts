/** GRE (RFC 2784, 2890), its PPTP form (RFC 2637) and ERSPAN (draft-foschiano-erspan). */
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex16, hex32 } from '../text.ts';
import { isArubaWlan } from '../../decode/udp-tunnels.ts';

const typeText = (value: number) =>
  value === 0x88be || value === 0x22eb
    ? `ERSPAN (${hex16(value)})`
    : value === 0x883e
      ? `WCCP (${hex16(value)})`
      : isArubaWlan(value)
        ? `Aruba WLAN (${hex16(value)})`
        : etherTypeText(value);

export function gre(r: LayerReader): Protocol | undefined {
  const flags = r.bits(
    'Flags and Version',
    2,
    [
      [0x8000, 'Checksum Bit'],
      [0x4000, 'Routing Bit'],
      [0x2000, 'Key Bit'],
      [0x1000, 'Sequence Number Bit'],
      [0x0800, 'Strict Source Route Bit'],
      [0x0080, 'Acknowledgment Bit'],
      [0x0007, 'Version'],
    ],
    hex16,
  );
  const type = r.u16('Protocol Type', typeText);
  r.layer.summary = typeText(type);
  const sequenced = (flags & 0x1000) !== 0;
  if ((flags & 7) === 1) {
    r.u16('Payload Length');
    r.u16('Call ID');
    // Without a sequence number there is no payload: just an acknowledgment.
    if (sequenced) r.u32('Sequence Number');
    if ((flags & 0x0080) !== 0) r.u32('Acknowledgment Number');
    return sequenced && r.left > 0 ? 'ppp' : undefined;
  }
  if ((flags & 7) !== 0) return 'data';
  if ((flags & 0xc000) !== 0) {
    r.u16('Checksum', hex16);
    r.u16('Offset');
  }
  if ((flags & 0x2000) !== 0) r.u32('Key', hex32);
  if (sequenced) r.u32('Sequence Number');
  if ((flags & 0x4000) !== 0) sourceRoutes(r);
  if (r.left <= 0) return undefined;
  switch (type) {
    case 0x88be:
      // Type I has neither a sequence number nor a header of its own.
      return sequenced ? 'erspan' : 'ethernet';
    case 0x22eb:
      return 'erspan3';
    case 0x883e:
      // WCCP version 2 puts four bytes before the packet, version 1 does not.
      if (r.peek() >>> 4 !== 4) r.u32('WCCP Redirect Header', hex32);
      return r.ipVersion();
    case 0x8909:
      return 'cisco-meta-data-gre';
    default:
      return isArubaWlan(type) ? 'wlan' : etherTypeProtocol(type);
  }
}

/** Source route entries (RFC 1701), up to one of length 0. */
function sourceRoutes(r: LayerReader): void {
  for (;;) {
    let last = false;
    r.group('Routing', () => {
      const family = r.u16('Address Family');
      r.u8('SRE Offset');
      const size = r.u8('SRE Length');
      if (size > 0) r.raw('Routing Information', size);
      last = size === 0 && family === 0;
      return '';
    });
    if (last) return;
  }
}

const SESSION = [
  [0xe000, 'Class of Service'],
  [0x1800, 'Encapsulation'],
  [0x0400, 'Truncated'],
  [0x03ff, 'Session ID'],
] as const;
const VERSION = [
  [0xf000, 'Version'],
  [0x0fff, 'Vlan'],
] as const;

export function erspan(r: LayerReader): Protocol {
  r.bits('Version and VLAN', 2, VERSION, hex16);
  const session = r.bits('Session', 2, SESSION, hex16);
  r.u32('Index', hex32);
  r.layer.summary = `Session ID: ${session & 0x3ff}`;
  return 'ethernet';
}

export function erspan3(r: LayerReader): Protocol | undefined {
  r.bits('Version and VLAN', 2, VERSION, hex16);
  const session = r.bits('Session', 2, SESSION, hex16);
  r.u32('Timestamp');
  r.u16('Security Group Tag');
  const bits = r.bits(
    'Frame and Hardware',
    2,
    [
      [0x8000, 'Has Ethernet PDU'],
      [0x7c00, 'Frame Type'],
      [0x03f0, 'Hardware ID'],
      [0x0008, 'Direction'],
      [0x0006, 'Timestamp granularity'],
      [0x0001, 'Optional Sub headers'],
    ],
    hex16,
  );
  if ((bits & 1) !== 0) r.raw('Platform Specific', 8);
  r.layer.summary = `Session ID: ${session & 0x3ff}`;
  return ((bits >>> 10) & 0x1f) === 2 ? r.ipVersion() : 'ethernet';
}
