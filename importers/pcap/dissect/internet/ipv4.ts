/** IPv4 (RFC 791), its options, and fragments. */
import { nounOf } from '../../../../engine/contract/words/counted.ts';
import { checksumText, fold, sumWords, unverified } from './checksum.ts';
import { ipProtocol, ipProtocolText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, hexNumber, named } from '../text.ts';

const DSCP = named({
  0: 'Default',
  8: 'CS1',
  10: 'AF11',
  12: 'AF12',
  14: 'AF13',
  16: 'CS2',
  18: 'AF21',
  20: 'AF22',
  22: 'AF23',
  24: 'CS3',
  26: 'AF31',
  28: 'AF32',
  30: 'AF33',
  32: 'CS4',
  34: 'AF41',
  36: 'AF42',
  38: 'AF43',
  40: 'CS5',
  46: 'EF',
  48: 'CS6',
  56: 'CS7',
});
const ECN = named({ 0: 'Not-ECT', 1: 'ECT(1)', 2: 'ECT(0)', 3: 'CE' });
const FLAGS = named(
  { 1: 'More fragments', 2: "Don't fragment", 3: "Don't fragment, More fragments" },
  (value) => hexNumber(value, 1),
);
/** The parts of a traffic class, which IPv6 has as well. */
export const TRAFFIC_CLASS = [
  [0xfc, 'Differentiated Services Codepoint', DSCP],
  [0x03, 'Explicit Congestion Notification', ECN],
] as const;

export function ipv4(r: LayerReader): Protocol | undefined {
  const d = r.d;
  const start = r.at;
  const room = d.wireEnd - start;
  const version = r.peek() >>> 4;
  // The outer layer's type may be wrong; the packet's own version decides.
  if (version === 6) return 'ipv6';
  if (version !== 4) {
    d.note(`Internet Protocol Version 4: its version is ${version}`);
    return 'data';
  }
  const first = r.parts(1, [
    [0xf0, 'Version'],
    [0x0f, 'Header Length', (value) => `${value * 4} bytes (${value})`],
  ]);
  const headerLength = (first & 15) * 4;
  r.bits('Differentiated Services Field', 1, TRAFFIC_CLASS, hex8);
  let total = r.u16('Total Length');
  if (headerLength < 20) {
    d.note('Internet Protocol Version 4: header length below 20 bytes');
    return 'data';
  }
  // Segmentation offload: the packet was captured before its length was known.
  const offload = total === 0;
  if (offload) total = Math.max(room, headerLength);
  else if (total < headerLength) {
    d.note('Internet Protocol Version 4: total length below its header length');
    return 'data';
  } else if (total > room && !d.quoted) {
    d.note('Internet Protocol Version 4: longer than its frame');
    total = Math.max(room, headerLength);
  }
  r.bound(start, total);
  r.u16('Identification', (value) => `${hex16(value)} (${value})`);
  const fragment = flagsAndOffset(r);
  r.u8('Time to Live');
  const protocol = r.u8('Protocol', ipProtocolText);
  checksum(r, start, start + headerLength);
  const addresses = r.at;
  const source = r.ip4('Source Address');
  const destination = r.ip4('Destination Address');
  r.layer.summary = `Src: ${source}, Dst: ${destination}`;
  let rerouted = false;
  if (headerLength > 20) {
    const size = headerLength - 20;
    r.group('Options', () => {
      r.within(size, 'Options', () => {
        rerouted = options(r);
      });
      return `${size} ${nounOf(size, 'byte')}`;
    });
  }
  const offset = (fragment & 0x1fff) * 8;
  const more = (fragment & 0x2000) !== 0;
  d.network = {
    version: 4,
    addresses,
    finalDestination: -1,
    rerouted,
    fragment: offset > 0 || more,
  };
  if (offset > 0 || more) {
    r.layer.summary += `, fragment at ${offset}${more ? '' : ' (last)'}`;
  }
  if (offset > 0) return 'data';
  // Number 0 is IPv6's, and means nothing after IPv4.
  return protocol === 0 ? 'data' : ipProtocol(protocol);
}

function flagsAndOffset(r: LayerReader): number {
  const fragmentAt = r.at;
  const fragment = r.bits(
    'Flags',
    2,
    [
      [0x8000, 'Reserved bit'],
      [0x4000, "Don't fragment"],
      [0x2000, 'More fragments'],
    ],
    (value) => FLAGS(value >>> 13),
  );
  r.add('Fragment Offset', String((fragment & 0x1fff) * 8), fragmentAt, 2);
  return fragment;
}

function checksum(r: LayerReader, start: number, end: number): void {
  const { d } = r;
  r.u16('Header Checksum', (stated) => {
    if (end > r.end) return unverified(stated, d.cutReason(r.end));
    const right = fold(sumWords(r.bytes, start, start + 10) + sumWords(r.bytes, start + 12, end));
    const text = checksumText(stated, right);
    if (text.includes('incorrect') && !d.quoted) {
      d.note('Internet Protocol Version 4: header checksum is wrong');
    }
    return text;
  });
}

const OPTIONS: Readonly<Record<number, string>> = {
  0: 'End of Options List (EOL)',
  1: 'No Operation (NOP)',
  7: 'Record Route',
  68: 'Time Stamp',
  130: 'Security',
  131: 'Loose Source Route',
  134: 'Commercial Security',
  136: 'Stream Identifier',
  137: 'Strict Source Route',
  148: 'Router Alert',
};

/** @returns whether a source route leads to another destination than the checksum was made for */
function options(r: LayerReader): boolean {
  let rerouted = false;
  while (r.left > 0) {
    const type = r.peek();
    const name = OPTIONS[type] ?? `Option ${type}`;
    if (type < 2) {
      r.u8('IP Option', () => name);
      if (type === 0) {
        if (r.left > 0) r.raw('Padding', r.left);
        return rerouted;
      }
      continue;
    }
    const length = r.peek(1);
    if (length >= 0 && length < 2) {
      r.d.note(`Internet Protocol Version 4: option of length ${length}`);
      return rerouted;
    }
    r.group('IP Option', () => {
      r.u8('Type');
      r.u8('Length');
      if ((type === 7 || type === 131 || type === 137) && length >= 3) {
        const pointer = r.u8('Pointer');
        if (type !== 7 && pointer < length) rerouted = true;
        for (let left = length - 3; left >= 4; left -= 4) r.ip4('Address');
        return name;
      }
      if (type === 148 && length === 4) return `${name}: ${r.u16('Value')}`;
      if (length > 2) r.raw('Value', length - 2);
      return name;
    });
  }
  return rerouted;
}
