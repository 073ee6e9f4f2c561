/** TCP (RFC 9293) and its options. */
import { nounOf } from '../../../../engine/contract/words/counted.ts';
import { applicationOnTcp } from '../applications.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hexNumber, named } from '../text.ts';
import { transportChecksum } from './transport-checksum.ts';

const FLAGS = [
  [0x0e00, 'Reserved'],
  [0x0100, 'Accurate ECN'],
  [0x0080, 'Congestion Window Reduced'],
  [0x0040, 'ECN-Echo'],
  [0x0020, 'Urgent'],
  [0x0010, 'Acknowledgment'],
  [0x0008, 'Push'],
  [0x0004, 'Reset'],
  [0x0002, 'Syn'],
  [0x0001, 'Fin'],
] as const;
const SHORT = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG', 'ECE', 'CWR', 'AE'];

function flagNames(value: number): string {
  return SHORT.filter((_, bit) => (value & (1 << bit)) !== 0).join(', ');
}
function flagsText(value: number): string {
  const flags = value & 0x1ff;
  return flags === 0 ? '0x000' : `${hexNumber(flags, 3)} (${flagNames(flags)})`;
}

export function tcp(r: LayerReader): Protocol | undefined {
  const d = r.d;
  const start = r.at;
  // The segment ends with the IP packet, whatever was captured of it.
  const length = d.wireEnd - start;
  const source = r.u16('Source Port');
  const destination = r.u16('Destination Port');
  d.sourcePort = source;
  d.destinationPort = destination;
  r.layer.summary = `Src Port: ${source}, Dst Port: ${destination}`;
  const sequence = r.u32('Sequence Number');
  const acknowledgment = r.u32('Acknowledgment Number');
  const headerLength = Math.max(r.peek() >>> 4, 0) * 4;
  r.need(2, 'Header Length');
  r.add('Header Length', `${headerLength} bytes (${headerLength / 4})`, r.at, 1);
  const flags = r.bits('Flags', 2, FLAGS, flagsText) & 0x1ff;
  const window = r.u16('Window');
  r.need(2, 'Checksum');
  r.u16('Checksum', () => transportChecksum(r, 6, start, length, r.at));
  r.u16('Urgent Pointer');
  const payload = Math.max(length - Math.max(headerLength, 20), 0);
  r.layer.summary =
    `Src Port: ${source}, Dst Port: ${destination}, [${flagNames(flags)}]` +
    ` Seq: ${sequence}, Ack: ${acknowledgment}, Win: ${window}, Len: ${payload}`;
  if (headerLength < 20) {
    d.note('Transmission Control Protocol: header length below 20 bytes');
    return 'data';
  }
  if (headerLength > length) {
    d.note('Transmission Control Protocol: header longer than its packet');
  }
  if (headerLength > 20) {
    r.group('Options', () => {
      const size = headerLength - 20;
      const names: string[] = [];
      r.within(size, 'Options', () => options(r, names));
      return `${size} ${nounOf(size, 'byte')}: ${names.join(', ')}`;
    });
  }
  if (d.network?.fragment !== true) r.conclude('TCP Segment Len', String(payload));
  if (r.left <= 0) return undefined;
  d.stream = true;
  return d.quoted ? 'data' : applicationOnTcp(r.bytes, r.at, r.end, source, destination);
}

const OPTIONS: Readonly<Record<number, string>> = {
  0: 'End of Option List (EOL)',
  1: 'No-Operation (NOP)',
  2: 'Maximum segment size',
  3: 'Window scale',
  4: 'SACK permitted',
  5: 'SACK',
  8: 'Timestamps',
  19: 'TCP MD5 signature',
  28: 'User Timeout Option',
  29: 'TCP Authentication Option',
  30: 'Multipath TCP',
  34: 'TCP Fast Open',
};
const optionName = named(OPTIONS);

function options(r: LayerReader, names: string[]): void {
  while (r.left > 0) {
    const kind = r.peek();
    const name = OPTIONS[kind] ?? `Option ${kind}`;
    names.push(name);
    if (kind < 2) {
      r.u8('TCP Option', () => name);
      if (kind === 0) {
        if (r.left > 0) r.raw('Padding', r.left);
        return;
      }
      continue;
    }
    const length = r.peek(1);
    if (length >= 0 && length < 2) {
      r.d.note(`Transmission Control Protocol: option of length ${length}`);
      r.raw('Options that cannot be read', r.left);
      return;
    }
    r.group('TCP Option', () => {
      r.u8('Kind', optionName);
      r.u8('Length');
      switch (kind) {
        case 2:
          if (length === 4) return `${name}: ${r.u16('MSS Value')} bytes`;
          break;
        case 3:
          if (length === 3) return `${name}: ${r.u8('Shift count')}`;
          break;
        case 5: {
          const edges: string[] = [];
          for (let left = length - 2; left >= 8; left -= 8) {
            edges.push(`${r.u32('left edge')}-${r.u32('right edge')}`);
          }
          return `${name} ${edges.join(' ')}`;
        }
        case 8:
          if (length === 10) {
            const value = r.u32('Timestamp value');
            return `${name}: TSval ${value}, TSecr ${r.u32('Timestamp echo reply')}`;
          }
          break;
      }
      if (length > 2) r.raw('Value', length - 2);
      return name;
    });
  }
}
