/** IEEE 802.2 logical link control with SNAP, and NLPID (ISO/IEC TR 9577), which leads to SNAP too. */
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, hex24, named } from '../text.ts';

const SAPS = named(
  {
    0x00: 'Null LSAP',
    0x06: 'IP',
    0x42: 'Spanning Tree BPDU',
    0xaa: 'SNAP',
    0xe0: 'NetWare',
    0xf0: 'NetBIOS',
    0xfe: 'ISO Network Layer',
    0xff: 'Global LSAP',
  },
  hex8,
);
const CISCO = named(
  {
    0x010b: 'PVSTP+',
    0x0104: 'PAgP',
    0x0111: 'UDLD',
    0x2000: 'CDP',
    0x2003: 'VTP',
    0x2004: 'DTP',
  },
  hex16,
);
const OUIS = named({ 0: 'Ethernet', 0xf8: 'Ethernet', 0xc: 'Cisco', 0x80c2: 'IEEE 802.1' }, hex24);

export function llc(r: LayerReader): Protocol | undefined {
  if (r.peek() === 0xff && r.peek(1) === 0xff) {
    r.layer.name = 'Internetwork Packet eXchange';
    return 'data';
  }
  const dsap = r.u8('DSAP', SAPS);
  const ssap = r.u8('SSAP', SAPS);
  const unnumbered = (r.peek() & 3) === 3;
  if (unnumbered) r.u8('Control field', hex8);
  else r.u16('Control field', hex16);
  r.layer.summary = `DSAP ${SAPS(dsap)}, SSAP ${SAPS(ssap)}`;
  if ((dsap & 0xfe) === 0xaa && (ssap & 0xfe) === 0xaa && unnumbered) return snap(r);
  switch (dsap & 0xfe) {
    case 0x42:
      return 'stp';
    case 0x06:
      return r.ipVersion();
    case 0xfe:
      return 'nlpid';
    default:
      return 'data';
  }
}

function snap(r: LayerReader): Protocol | undefined {
  const oui = r.u24('Organization Code', OUIS);
  if (oui === 0 || oui === 0xf8) {
    const type = r.u16('Type', etherTypeText);
    r.layer.summary = `SNAP, Type: ${etherTypeText(type)}`;
    return type < 0x0600 ? 'data' : etherTypeProtocol(type);
  }
  const type = r.u16('PID', oui === 0xc ? CISCO : hex16);
  r.layer.summary = `SNAP, ${OUIS(oui)}, PID: ${oui === 0xc ? CISCO(type) : hex16(type)}`;
  if (oui !== 0x80c2) return 'data';
  if (type === 1 || type === 7) {
    const pad = r.d.bridgePad;
    if (pad > 0) r.raw('Padding', pad);
    return 'ethernet';
  }
  return type === 0x0e ? 'stp' : 'data';
}

const NLPIDS = named(
  {
    0x80: 'SNAP',
    0x81: 'CLNP',
    0x82: 'ES-IS',
    0x83: 'IS-IS',
    0x8e: 'IPv6',
    0xcc: 'IP',
    0xcf: 'PPP',
  },
  hex8,
);

export function nlpid(r: LayerReader): Protocol | undefined {
  const id = r.u8('NLPID', NLPIDS);
  r.layer.summary = NLPIDS(id);
  if (id === 0xcc || id === 0x8e) return r.ipVersion();
  if (id === 0xcf) return 'ppp';
  return id === 0x80 ? snap(r) : 'data';
}
