/**
 * IEEE 802.11 and the capture headers before it: radiotap (https://www.radiotap.org), Prism and AVS.
 * Data frames that are not encrypted lead on to LLC; management and control frames have a word.
 */
import { u16le, u32, u32le } from '../bytes.ts';
import { DONE, LLC, WLAN, type Cursor } from './layers.ts';
import type { Packet } from './packet.ts';
import { word } from '../packets/words.ts';

const MANAGEMENT = [
  word('802.11-association-request'),
  word('802.11-association-response'),
  word('802.11-reassociation-request'),
  word('802.11-reassociation-response'),
  word('802.11-probe-request'),
  word('802.11-probe-response'),
  word('802.11-timing-advertisement'),
  word('802.11-management'),
  word('802.11-beacon'),
  word('802.11-atim'),
  word('802.11-disassociation'),
  word('802.11-authentication'),
  word('802.11-deauthentication'),
  word('802.11-action'),
  word('802.11-action-no-ack'),
  word('802.11-management'),
];
const CONTROL = Array.from({ length: 16 }, () => word('802.11-control'));
CONTROL[7] = word('802.11-control-wrapper');
CONTROL[8] = word('802.11-block-ack-request');
CONTROL[9] = word('802.11-block-ack');
CONTROL[10] = word('802.11-ps-poll');
CONTROL[11] = word('802.11-rts');
CONTROL[12] = word('802.11-cts');
CONTROL[13] = word('802.11-ack');
CONTROL[14] = word('802.11-cf-end');
CONTROL[15] = word('802.11-cf-end');
const WLAN_WORD = word('802.11');
const DATA = word('802.11-data');
const DATA_PROTECTED = word('802.11-data-protected');
const NULL_DATA = word('802.11-null');
const EXTENSION = word('802.11-extension');

export function radiotap(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const at = c.at;
  c.word = WLAN_WORD;
  if (c.end - at < 8) {
    p.problem = 'radiotap header cut';
    return DONE;
  }
  const length = u16le(bytes, at + 2);
  if (length < 8 || at + length > c.end) {
    p.problem = 'radiotap header length out of range';
    return DONE;
  }
  // The flags field tells whether there is an FCS at the end (0x10) and padding after the header (0x20).
  let fields = at + 8;
  let present = u32le(bytes, at + 4);
  const first = present;
  while ((present & 0x80000000) !== 0 && fields + 4 <= at + length) {
    present = u32le(bytes, fields);
    fields += 4;
  }
  if ((first & 2) !== 0) {
    let flagsAt = fields;
    if ((first & 1) !== 0) flagsAt = at + (((fields - at + 7) >> 3) << 3) + 8;
    if (flagsAt < at + length) {
      const flags = bytes[flagsAt]!;
      if ((flags & 0x10) !== 0 && c.end - at - length >= 14 && p.end - p.start >= p.wire) {
        c.end -= 4;
      }
      c.bridgePad = flags & 0x20;
      if ((flags & 0x40) !== 0) p.problem = 'bad frame check sequence';
    }
  }
  c.at = at + length;
  return WLAN;
}

/** Prism's 144 bytes, or AVS in its place. */
export function prism(p: Packet, c: Cursor): number {
  c.word = WLAN_WORD;
  if (c.end - c.at < 8) {
    p.problem = 'prism header cut';
    return DONE;
  }
  if ((u32(p.bytes, c.at) & 0xfffff000) >>> 0 === 0x80211000) return avs(p, c);
  const little = u32le(p.bytes, c.at + 4);
  const big = u32(p.bytes, c.at + 4);
  return afterHeader(p, c, little < big ? little : big);
}

export function avs(p: Packet, c: Cursor): number {
  c.word = WLAN_WORD;
  if (c.end - c.at < 8) {
    p.problem = 'avs header cut';
    return DONE;
  }
  return afterHeader(p, c, u32(p.bytes, c.at + 4));
}

function afterHeader(p: Packet, c: Cursor, length: number): number {
  if (length < 8 || length > c.end - c.at) {
    p.problem = 'wireless capture header length out of range';
    return DONE;
  }
  c.at += length;
  return WLAN;
}

export function wlan(p: Packet, c: Cursor): number {
  const bytes = p.bytes;
  const at = c.at;
  const captured = c.end - at;
  const padded = c.bridgePad !== 0;
  c.bridgePad = 0;
  c.word = WLAN_WORD;
  if (captured < 2) {
    p.problem = '802.11 header cut';
    return DONE;
  }
  const control = bytes[at]!;
  const flags = bytes[at + 1]!;
  const kind = (control >>> 2) & 3;
  const subtype = control >>> 4;
  c.wlan = at;
  if ((control & 3) !== 0) {
    p.problem = '802.11 version is not 0';
    return DONE;
  }
  if (captured >= 16) {
    c.dstMac = at + 4;
    c.srcMac = at + 10;
  }
  if (kind === 0) {
    c.word = MANAGEMENT[subtype]!;
    return DONE;
  }
  if (kind === 1) {
    c.word = CONTROL[subtype]!;
    return DONE;
  }
  if (kind === 3) {
    c.word = EXTENSION;
    return DONE;
  }
  c.word = DATA;
  let header = 24;
  const ds = flags & 3;
  if (ds === 3) header += 6;
  const qosAt = at + header;
  const qos = (subtype & 8) !== 0;
  if (qos) {
    header += 2;
    if ((flags & 0x80) !== 0) header += 4;
  }
  if (captured < header) {
    p.problem = '802.11 header cut';
    return DONE;
  }
  if (ds === 1) c.dstMac = at + 16;
  else if (ds === 2) c.srcMac = at + 16;
  else if (ds === 3) {
    c.dstMac = at + 16;
    c.srcMac = at + 24;
  }
  if ((subtype & 4) !== 0) {
    c.word = NULL_DATA;
    return DONE;
  }
  if ((flags & 0x40) !== 0) {
    c.word = DATA_PROTECTED;
    return DONE;
  }
  // A later fragment starts inside the packet.
  if ((bytes[at + 22]! & 15) !== 0) return DONE;
  if (padded) header = (header + 3) & ~3;
  c.at = at + header;
  if (qos && (bytes[qosAt]! & 0x80) !== 0) {
    // An aggregate: the first of its frames, which has its own addresses and length.
    if (c.end - c.at < 22) return DONE;
    const length = (bytes[c.at + 12]! << 8) | bytes[c.at + 13]!;
    c.dstMac = c.at;
    c.srcMac = c.at + 6;
    c.at += 14;
    if (c.at + length < c.end) c.end = c.at + length;
  }
  return c.at < c.end ? LLC : DONE;
}
