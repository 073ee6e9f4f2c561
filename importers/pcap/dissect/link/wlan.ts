/**
 * IEEE 802.11 and the capture headers before it: radiotap (https://www.radiotap.org), Prism and AVS.
 * Data frames that are not encrypted lead on to LLC.
 */
import { nounOf } from '../../../../engine/contract/words/counted.ts';
import { u32, u32le } from '../../bytes.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, hex32, named } from '../text.ts';

/** Size and alignment of the first radiotap fields, by bit of the present mask. */
const RADIOTAP: readonly (readonly [name: string, size: number, align: number])[] = [
  ['MAC timestamp', 8, 8],
  ['Flags', 1, 1],
  ['Data Rate', 1, 1],
  ['Channel', 4, 2],
  ['FHSS', 2, 2],
  ['Antenna signal', 1, 1],
  ['Antenna noise', 1, 1],
  ['Lock quality', 2, 2],
  ['TX attenuation', 2, 2],
  ['TX attenuation (dB)', 2, 2],
  ['TX power', 1, 1],
  ['Antenna', 1, 1],
  ['Antenna signal (dB)', 1, 1],
  ['Antenna noise (dB)', 1, 1],
  ['RX flags', 2, 2],
];
const MAX_PRESENT = 32;

export function radiotap(r: LayerReader): Protocol | undefined {
  const start = r.at;
  r.u8('Header revision');
  r.u8('Header pad');
  const length = r.u16le('Header length');
  const first = r.u32le('Present flags', hex32);
  r.layer.summary = `${length} ${nounOf(length, 'byte')}`;
  if (length < 8 || length > r.end - start) {
    r.d.note('Radiotap Header: its length is out of range');
    return 'data';
  }
  r.within(length - 8, 'Radiotap fields', () => {
    let present = first;
    for (let i = 0; (present & 0x80000000) !== 0 && i < MAX_PRESENT; i++) {
      present = r.u32le('Present flags', hex32);
    }
    RADIOTAP.forEach(([name, size, align], bit) => {
      if ((first & (1 << bit)) === 0) return;
      const pad = (align - ((r.at - start) % align)) % align;
      if (pad > 0) r.raw('Padding', pad);
      radiotapField(r, bit, name, size);
    });
    if (r.left > 0) r.raw('Other fields', r.left);
  });
  return 'wlan';
}

function radiotapField(r: LayerReader, bit: number, name: string, size: number): void {
  const d = r.d;
  switch (bit) {
    case 1: {
      const flags = r.bits(
        name,
        1,
        [
          [0x02, 'Short preamble'],
          [0x04, 'WEP'],
          [0x08, 'Fragmentation'],
          [0x10, 'FCS at end'],
          [0x20, 'Data Pad'],
          [0x40, 'Bad FCS'],
        ],
        hex8,
      );
      if (
        (flags & 0x10) !== 0 &&
        d.end === d.bytes.length &&
        d.wireEnd <= d.end &&
        d.end - d.at >= 18
      ) {
        d.fcs = true;
      }
      d.bridgePad = flags & 0x20;
      if ((flags & 0x40) !== 0) d.note('IEEE 802.11: bad frame check sequence');
      return;
    }
    case 2:
      r.u8(name, (value) => `${value / 2} Mb/s`);
      return;
    case 3: {
      r.u16le('Channel frequency', (value) => `${value} MHz`);
      r.u16le('Channel flags', hex16);
      return;
    }
    case 5:
    case 6:
      r.u8(name, (value) => `${value > 127 ? value - 256 : value} dBm`);
      return;
    case 11:
      r.u8(name);
      return;
    default:
      r.raw(name, size);
  }
}

/** Prism's 144 bytes, or AVS in its place. */
export function prism(r: LayerReader): Protocol | undefined {
  r.need(8, 'Message Code');
  if ((u32(r.bytes, r.at) & 0xfffff000) >>> 0 === 0x80211000) return avs(r);
  const little = u32le(r.bytes, r.at + 4) < u32(r.bytes, r.at + 4);
  if (little) r.u32le('Message Code');
  else r.u32('Message Code');
  const length = little ? r.u32le('Message Length') : r.u32('Message Length');
  return afterHeader(r, length);
}

export function avs(r: LayerReader): Protocol | undefined {
  r.layer.name = 'AVS WLAN Capture header';
  r.u32('Header revision', hex32);
  return afterHeader(r, r.u32('Header length'));
}

function afterHeader(r: LayerReader, length: number): Protocol {
  if (length < 8 || length > r.end - r.start) {
    r.d.note(`${r.layer.name}: its length is out of range`);
    return 'data';
  }
  r.raw('Capture fields', length - 8);
  r.layer.summary = `${length} ${nounOf(length, 'byte')}`;
  return 'wlan';
}

const KINDS = ['Management', 'Control', 'Data', 'Extension'];
const MANAGEMENT = [
  'Association Request',
  'Association Response',
  'Reassociation Request',
  'Reassociation Response',
  'Probe Request',
  'Probe Response',
  'Measurement Pilot',
  'Reserved',
  'Beacon frame',
  'ATIM',
  'Disassociate',
  'Authentication',
  'Deauthentication',
  'Action',
  'Action No Ack',
  'Reserved',
];
const CONTROL: Readonly<Record<number, string>> = {
  4: 'Beamforming Report Poll',
  5: 'VHT/HE NDP Announcement',
  7: 'Control Wrapper',
  8: '802.11 Block Ack Req',
  9: '802.11 Block Ack',
  10: 'Power-Save poll',
  11: 'Request-to-send',
  12: 'Clear-to-send',
  13: 'Acknowledgement',
  14: 'CF-End',
  15: 'CF-End + CF-Ack',
};

function typeName(kind: number, subtype: number): string {
  if (kind === 0) return MANAGEMENT[subtype]!;
  if (kind === 1) return CONTROL[subtype] ?? 'Control';
  if (kind === 3) return 'Extension';
  const qos = (subtype & 8) !== 0 ? 'QoS ' : '';
  return (subtype & 4) !== 0 ? `${qos}Null function (No data)` : `${qos}Data`;
}

export function wlan(r: LayerReader): Protocol | undefined {
  const d = r.d;
  d.carrier = r.layer;
  if (d.fcs) {
    // It is not part of the content.
    d.fcs = false;
    r.bound(r.at, d.end - r.at - 4, 'Frame check sequence');
  }
  const padded = d.bridgePad !== 0;
  d.bridgePad = 0;
  const start = r.at;
  r.need(2, 'Frame Control Field');
  const control = r.peek();
  const flags = r.peek(1);
  const kind = (control >>> 2) & 3;
  const subtype = control >>> 4;
  const name = typeName(kind, subtype);
  frameControl(r, name);
  r.layer.name = `IEEE 802.11 ${name}`;
  r.layer.summary = `Flags: ${hex8(flags)}`;
  if ((control & 3) !== 0) {
    d.note('IEEE 802.11: its version is not 0');
    return 'data';
  }
  r.u16le('Duration', (value) => `${value} microseconds`);
  if (kind === 1 || kind === 3) {
    if (kind === 1) controlAddresses(r, subtype);
    return r.left > 0 ? 'data' : undefined;
  }
  const ds = flags & 3;
  const receiver = r.mac(
    ds === 1 ? 'BSS Id' : ds === 3 ? 'Receiver address' : 'Destination address',
  );
  const transmitter = r.mac(
    ds === 2 ? 'BSS Id' : ds === 3 ? 'Transmitter address' : 'Source address',
  );
  const third = r.mac(ds === 0 ? 'BSS Id' : ds === 2 ? 'Source address' : 'Destination address');
  const sequence = r.peek16();
  sequenceControl(r, sequence);
  const fragment = sequence >= 0 ? (sequence >>> 8) & 15 : 0;
  const fourth = ds === 3 ? r.mac('Source address') : '';
  const source = ds === 2 ? third : ds === 3 ? fourth : transmitter;
  const destination = ds === 1 || ds === 3 ? third : receiver;
  r.layer.summary = `Src: ${source}, Dst: ${destination}`;
  if (kind === 0) return management(r, subtype, flags);
  let aggregate = false;
  if ((subtype & 8) !== 0) {
    aggregate = (r.peek() & 0x80) !== 0;
    r.u16le('Qos Control', hex16);
    if ((flags & 0x80) !== 0) r.u32le('HT Control', hex32);
  }
  if ((subtype & 4) !== 0) return undefined;
  if ((flags & 0x40) !== 0) {
    r.layer.summary += ', protected';
    return 'data';
  }
  // A later fragment starts inside the packet.
  if (fragment !== 0) return 'data';
  const odd = (r.at - start) % 4;
  if (padded && odd > 0) r.raw('Padding', 4 - odd);
  if (aggregate) subframe(r);
  return r.left > 0 ? 'llc' : undefined;
}

function frameControl(r: LayerReader, name: string): void {
  const start = r.at;
  const control = r.peek();
  const flags = r.peek(1);
  const kind = (control >>> 2) & 3;
  const subtype = control >>> 4;
  r.group('Frame Control Field', () => {
    r.add('Version', String(control & 3), start, 1);
    r.add('Type', `${KINDS[kind]!} frame (${kind})`, start, 1);
    r.add('Subtype', `${name} (${subtype})`, start, 1);
    r.skip(1, 'Frame Control Field');
    r.bits(
      'Flags',
      1,
      [
        [0x03, 'DS status'],
        [0x04, 'More Fragments'],
        [0x08, 'Retry'],
        [0x10, 'PWR MGT'],
        [0x20, 'More Data'],
        [0x40, 'Protected flag'],
        [0x80, '+HTC/Order flag'],
      ],
      hex8,
    );
    return hex16((control << 8) | flags);
  });
}

/** @param sequence its two bytes in wire order */
function sequenceControl(r: LayerReader, sequence: number): void {
  r.group('Sequence Control', () => {
    const value = ((sequence & 0xff) << 8) | (sequence >>> 8);
    r.need(2, 'Sequence Control');
    r.add('Fragment number', String(value & 15), r.at, 2);
    r.add('Sequence number', String(value >>> 4), r.at, 2);
    r.at += 2;
    return hex16(value);
  });
}

function subframe(r: LayerReader): void {
  r.group('A-MSDU Subframe', () => {
    const to = r.mac('Destination address');
    const from = r.mac('Source address');
    const length = r.u16('Length');
    r.bound(r.at, length);
    return `Src: ${from}, Dst: ${to}, ${length} ${nounOf(length, 'byte')}`;
  });
}

function controlAddresses(r: LayerReader, subtype: number): void {
  const receiver = r.mac('Receiver address');
  r.layer.summary = `Dst: ${receiver}`;
  if (subtype !== 12 && subtype !== 13 && r.left >= 6) {
    const transmitter = r.mac('Transmitter address');
    r.layer.summary = `Src: ${transmitter}, Dst: ${receiver}`;
  }
}

/** Bytes of fixed fields before the elements, by subtype; -1 if there is nothing to read. */
const FIXED = [4, 6, 10, 6, 0, 12, -1, -1, 12, -1, 2, 6, 2, -1, -1, -1];
const REASONS = named({
  1: 'Unspecified reason',
  2: 'Previous authentication no longer valid',
  3: 'Station is leaving',
  4: 'Inactivity',
  6: 'Class 2 frame from nonauthenticated station',
  7: 'Class 3 frame from nonassociated station',
  8: 'Station is leaving the BSS',
});
const ELEMENTS = named({
  0: 'SSID',
  1: 'Supported Rates',
  3: 'DS Parameter set',
  5: 'Traffic Indication Map',
  7: 'Country Information',
  11: 'QBSS Load Element',
  42: 'ERP Information',
  45: 'HT Capabilities',
  48: 'RSN Information',
  50: 'Extended Supported Rates',
  61: 'HT Information',
  127: 'Extended Capabilities',
  191: 'VHT Capabilities',
  221: 'Vendor Specific',
});

function management(r: LayerReader, subtype: number, flags: number): Protocol | undefined {
  if ((flags & 0x80) !== 0) r.u32le('HT Control', hex32);
  const fixed = FIXED[subtype]!;
  if (fixed < 0 || (flags & 0x40) !== 0) return r.left > 0 ? 'data' : undefined;
  if (fixed > 0) r.group('Fixed parameters', () => fixedParameters(r, subtype));
  while (r.left >= 2) {
    r.group('Tag', () => {
      const id = r.u8('Tag Number', ELEMENTS);
      const size = r.u8('Tag length');
      if (id === 0) {
        const ssid = r.text('SSID', size);
        const shown = size === 0 ? 'Wildcard' : `"${ssid}"`;
        r.layer.summary += `, SSID: ${shown}`;
        return `SSID: ${shown}`;
      }
      if (id === 3 && size === 1) return `DS Parameter set: channel ${r.u8('Current Channel')}`;
      if (id === 1 || id === 50) {
        return `${ELEMENTS(id)}: ${r.raw('Rates', size, (bytes) => Array.from(bytes, (b) => `${(b & 127) / 2}${b > 127 ? '(B)' : ''}`).join(' '))} Mb/s`;
      }
      if (size > 0) r.raw('Value', size);
      return ELEMENTS(id);
    });
  }
  return r.finish();
}

function fixedParameters(r: LayerReader, subtype: number): string {
  switch (subtype) {
    case 5:
    case 8: {
      r.raw('Timestamp', 8, (bytes) => String(Buffer.from(bytes).readBigUInt64LE()));
      const interval = r.u16le('Beacon Interval', (value) => `${(value * 1.024).toFixed(3)} ms`);
      r.u16le('Capabilities Information', hex16);
      return `interval ${interval}`;
    }
    case 10:
    case 12:
      return REASONS(r.u16le('Reason code', REASONS));
    case 11: {
      const algorithm = r.u16le(
        'Authentication Algorithm',
        named({ 0: 'Open System', 1: 'Shared key', 3: 'SAE' }),
      );
      const sequence = r.u16le('Authentication SEQ', hex16);
      r.u16le('Status code');
      return `algorithm ${algorithm}, sequence ${sequence}`;
    }
    case 1:
    case 3:
      r.u16le('Capabilities Information', hex16);
      r.u16le('Status code');
      r.u16le('Association ID', (value) => String(value & 0x3fff));
      return '';
    default:
      r.u16le('Capabilities Information', hex16);
      r.u16le('Listen Interval');
      if (subtype === 2) r.mac('Current AP');
      return '';
  }
}
