/** SCTP (RFC 9260): the common header and its chunks. */
import { nounOf } from '../../../../engine/contract/words/counted.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex32, named } from '../text.ts';
import { ports } from './udp.ts';

const CHUNKS: Readonly<Record<number, string>> = {
  0: 'DATA',
  1: 'INIT',
  2: 'INIT_ACK',
  3: 'SACK',
  4: 'HEARTBEAT',
  5: 'HEARTBEAT_ACK',
  6: 'ABORT',
  7: 'SHUTDOWN',
  8: 'SHUTDOWN_ACK',
  9: 'ERROR',
  10: 'COOKIE_ECHO',
  11: 'COOKIE_ACK',
  14: 'SHUTDOWN_COMPLETE',
  64: 'I_DATA',
  128: 'ASCONF_ACK',
  130: 'RE_CONFIG',
  192: 'FORWARD_TSN',
  193: 'ASCONF',
};

export function sctp(r: LayerReader): undefined {
  const d = r.d;
  ports(r);
  const summary = r.layer.summary;
  r.u32('Verification Tag', hex32);
  r.u32('Checksum', (value) => `${hex32(value)} [unverified]`);
  const names: string[] = [];
  while (r.left >= 4) {
    const length = r.peek16(2);
    r.group('Chunk', () => {
      const type = r.u8('Chunk Type', named(CHUNKS));
      const name = CHUNKS[type] ?? `Chunk ${type}`;
      names.push(name);
      r.layer.summary = `${summary}, ${names.slice(0, 8).join(', ')}`;
      r.u8('Chunk Flags', hex8);
      r.u16('Chunk Length');
      if (length > 4) r.within(length - 4, name, () => chunk(r, type));
      return `${name}, ${length} ${nounOf(length, 'byte')}`;
    });
    if (length < 4) {
      d.note('Stream Control Transmission Protocol: chunk length below 4 bytes');
      break;
    }
    const pad = Math.min((4 - (length % 4)) % 4, r.left);
    if (pad > 0) r.raw('Chunk Padding', pad);
  }
  return r.finish();
}

function chunk(r: LayerReader, type: number): void {
  switch (type) {
    case 0:
      r.u32('TSN');
      r.u16('Stream Identifier');
      r.u16('Stream Sequence Number');
      r.u32('Payload Protocol Identifier');
      break;
    case 1:
    case 2:
      r.u32('Initiate Tag', hex32);
      r.u32('Advertised Receiver Window Credit');
      r.u16('Number of Outbound Streams');
      r.u16('Number of Inbound Streams');
      r.u32('Initial TSN');
      break;
    case 3:
      r.u32('Cumulative TSN Ack');
      r.u32('Advertised Receiver Window Credit');
      r.u16('Number of Gap Acknowledgement Blocks');
      r.u16('Number of Duplicated TSNs');
      break;
  }
  if (r.left > 0) r.raw('Data', r.left);
}
