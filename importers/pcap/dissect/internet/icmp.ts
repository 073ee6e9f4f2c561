/** ICMP (RFC 792). Errors quote the packet they are about, which is dissected as well. */
import { icmpName } from '../../packets/messages.ts';
import { checksumText, fold, sumWords, unverified } from './checksum.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';

const ascii = new TextDecoder();

/** `destination unreachable: port unreachable`; an unknown code gives the type's name. */
export function icmpText(version: 4 | 6, type: number, code: number): string {
  const name = icmpName(version, type, code);
  return name === undefined ? `type ${type}, code ${code}` : ascii.decode(name);
}

/** `3 (port unreachable)`, or the number alone if the type's name is complete. */
export function icmpCodeText(version: 4 | 6, type: number, code: number): string {
  const [, detail] = icmpText(version, type, code).split(': ');
  return detail === undefined ? String(code) : `${code} (${detail})`;
}

export function icmp(r: LayerReader): Protocol | undefined {
  const d = r.d;
  const start = r.at;
  const length = d.wireEnd - start;
  r.need(2, 'Type');
  const text = icmpText(4, r.peek(), r.peek(1));
  r.layer.summary = text;
  const type = r.u8('Type', (value) => `${value} (${icmpText(4, value, 255)})`);
  const code = r.u8('Code', (value) => icmpCodeText(4, type, value));
  r.u16('Checksum', (stated) => {
    if (d.network?.fragment === true) return unverified(stated, 'a fragment');
    if (start + length > d.end) return unverified(stated, d.cutReason(d.end));
    const sum = sumWords(r.bytes, start, start + 2) + sumWords(r.bytes, start + 4, start + length);
    const shown = checksumText(stated, fold(sum));
    if (shown.includes('incorrect') && !d.quoted) {
      d.note('Internet Control Message Protocol: checksum is wrong');
    }
    return shown;
  });
  switch (type) {
    case 0:
    case 8:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
    case 18: {
      const identifier = r.u16('Identifier');
      const sequence = r.u16('Sequence Number');
      r.layer.summary = `${text}, id=${identifier}, seq=${sequence}`;
      if (type === 13 || type === 14) {
        r.u32('Originate Timestamp');
        r.u32('Receive Timestamp');
        r.u32('Transmit Timestamp');
      } else if (type === 17 || type === 18) {
        r.ip4('Address Mask');
      }
      return r.left > 0 ? 'data' : undefined;
    }
    case 3:
      r.u16('Unused');
      if (code === 4) r.u16('MTU of next hop');
      else r.u16('Unused');
      break;
    case 5:
      r.layer.summary = `${text}, gateway ${r.ip4('Gateway Address')}`;
      break;
    case 12:
      r.u8('Pointer');
      r.u24('Unused');
      break;
    case 4:
    case 11:
      r.u32('Unused');
      break;
    default:
      return r.left > 0 ? 'data' : undefined;
  }
  d.quoted = true;
  return r.left > 0 ? 'ipv4' : undefined;
}
