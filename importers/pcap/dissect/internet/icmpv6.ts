/** ICMPv6 (RFC 4443) with neighbor discovery (RFC 4861) and multicast listeners (RFC 2710, 3810). */
import { icmpCodeText, icmpText } from './icmp.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex32, hexBytes, macText, named, visible } from '../text.ts';
import { transportChecksum } from './transport-checksum.ts';

export function icmpv6(r: LayerReader): Protocol | undefined {
  const d = r.d;
  const start = r.at;
  const length = d.wireEnd - start;
  r.need(2, 'Type');
  const text = icmpText(6, r.peek(), r.peek(1));
  r.layer.summary = text;
  const type = r.u8('Type', (value) => `${value} (${icmpText(6, value, 255)})`);
  r.u8('Code', (value) => icmpCodeText(6, type, value));
  r.need(2, 'Checksum');
  r.u16('Checksum', () => transportChecksum(r, 58, start, length, r.at));
  switch (type) {
    case 1:
    case 3:
      r.u32('Unused');
      break;
    case 2:
      r.u32('MTU');
      break;
    case 4:
      r.u32('Pointer');
      break;
    default:
      return message(r, type, text);
  }
  d.quoted = true;
  return r.left > 0 ? 'ipv6' : undefined;
}

function message(r: LayerReader, type: number, text: string): Protocol | undefined {
  switch (type) {
    case 128:
    case 129: {
      const identifier = r.u16('Identifier');
      const sequence = r.u16('Sequence');
      r.layer.summary = `${text}, id=${identifier}, seq=${sequence}`;
      return r.left > 0 ? 'data' : undefined;
    }
    case 130:
    case 131:
    case 132:
      r.u16('Maximum Response Delay', (value) => `${value} ms`);
      r.u16('Reserved');
      r.layer.summary = `${text} ${r.ip6('Multicast Address')}`;
      return r.left > 0 ? 'data' : undefined;
    case 133:
      r.u32('Reserved');
      return options(r);
    case 134:
      r.u8('Cur hop limit');
      r.bits(
        'Flags',
        1,
        [
          [0x80, 'Managed address configuration'],
          [0x40, 'Other configuration'],
          [0x20, 'Home Agent'],
          [0x18, 'Router Preference'],
        ],
        hex8,
      );
      r.u16('Router lifetime', (value) => `${value} s`);
      r.u32('Reachable time', (value) => `${value} ms`);
      r.u32('Retrans timer', (value) => `${value} ms`);
      return options(r);
    case 135:
      r.u32('Reserved');
      r.layer.summary = `${text} for ${r.ip6('Target Address')}`;
      return options(r);
    case 136:
      r.bits(
        'Flags',
        4,
        [
          [0x80000000, 'Router'],
          [0x40000000, 'Solicited'],
          [0x20000000, 'Override'],
        ],
        hex32,
      );
      r.layer.summary = `${text} ${r.ip6('Target Address')}`;
      return options(r);
    case 137:
      r.u32('Reserved');
      r.ip6('Target Address');
      r.ip6('Destination Address');
      return options(r);
    case 143: {
      r.u16('Reserved');
      const count = r.u16('Number of Multicast Address Records');
      for (let i = 0; i < count && r.left > 0; i++) {
        r.group('Multicast Address Record', () => {
          const kind = r.u8('Record Type', RECORDS);
          const auxiliary = r.u8('Aux Data Len');
          const sources = r.u16('Number of Sources');
          const address = r.ip6('Multicast Address');
          for (let n = 0; n < sources; n++) r.ip6('Source Address');
          if (auxiliary > 0) r.raw('Auxiliary Data', auxiliary * 4);
          return `${RECORDS(kind)}: ${address}`;
        });
      }
      return r.left > 0 ? 'data' : undefined;
    }
    default:
      return r.left > 0 ? 'data' : undefined;
  }
}
const RECORDS = named({
  1: 'Is include',
  2: 'Is exclude',
  3: 'Changed to include',
  4: 'Changed to exclude',
  5: 'Allow new sources',
  6: 'Block old sources',
});

const OPTIONS: Readonly<Record<number, string>> = {
  1: 'Source link-layer address',
  2: 'Target link-layer address',
  3: 'Prefix information',
  4: 'Redirected header',
  5: 'MTU',
  14: 'Nonce',
  24: 'Route Information',
  25: 'Recursive DNS Server',
  31: 'DNS Search List Option',
};

function options(r: LayerReader): undefined {
  while (r.left >= 2) {
    const size = r.peek(1) * 8;
    if (size === 0) {
      r.d.note('Internet Control Message Protocol v6: option of length 0');
      break;
    }
    r.group('ICMPv6 Option', () => {
      const type = r.u8('Type', named(OPTIONS));
      r.u8('Length', (value) => `${value} (${value * 8} bytes)`);
      return option(r, type, size - 2);
    });
  }
  return r.finish();
}

function option(r: LayerReader, type: number, size: number): string {
  const name = OPTIONS[type] ?? `Option ${type}`;
  switch (type) {
    case 1:
    case 2: {
      const address = r.raw('Link-layer address', size, (bytes) =>
        bytes.length === 6 ? macText(bytes) : hexBytes(bytes),
      );
      return `${name}: ${address}`;
    }
    case 3: {
      if (size !== 30) break;
      const length = r.u8('Prefix Length');
      r.bits(
        'Flag',
        1,
        [
          [0x80, 'On-link'],
          [0x40, 'Autonomous address-configuration'],
        ],
        hex8,
      );
      r.u32('Valid Lifetime', seconds);
      r.u32('Preferred Lifetime', seconds);
      r.u32('Reserved');
      return `${name}: ${r.ip6('Prefix')}/${length}`;
    }
    case 5:
      if (size !== 6) break;
      r.u16('Reserved');
      return `${name}: ${r.u32('MTU')}`;
    case 25: {
      if (size < 22) break;
      r.u16('Reserved');
      r.u32('Lifetime', seconds);
      const servers: string[] = [];
      for (let left = size - 6; left >= 16; left -= 16) servers.push(r.ip6('Recursive DNS Server'));
      return `${name}: ${servers.join(', ')}`;
    }
    case 31:
      r.raw('Search list', size, visible);
      return name;
  }
  r.raw('Data', size);
  return name;
}

function seconds(value: number): string {
  return value === 0xffffffff ? 'infinity' : `${value} s`;
}
