/** DCCP (RFC 4340, 5.1): the generic header; acknowledgements, what a type adds and options are bytes. */
import { unverified } from './checksum.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { named } from '../text.ts';
import { ports } from './udp.ts';

const TYPES = 'Request Response Data Ack DataAck CloseReq Close Reset Sync SyncAck'.split(' ');

export function dccp(r: LayerReader): Protocol | undefined {
  const start = r.at;
  ports(r);
  const header = r.u8('Data Offset', (value) => `${value * 4} bytes (${value})`) * 4;
  r.parts(1, [
    [0xf0, 'CCVal'],
    [0x0f, 'Checksum Coverage'],
  ]);
  r.u16('Checksum', (value) => unverified(value, 'DCCP'));
  const kind = r.parts(1, [
    [0xe0, 'Reserved'],
    [0x1e, 'Type', named(TYPES)],
    [0x01, 'Extended Sequence Numbers'],
  ]);
  const isLong = (kind & 1) !== 0;
  if (isLong) r.u8('Reserved');
  const size = isLong ? 6 : 3;
  const number = r.raw('Sequence Number', size, (bytes) =>
    String(Buffer.from(bytes).readUIntBE(0, size)),
  );
  r.layer.summary += `, ${TYPES[(kind >>> 1) & 15] ?? 'reserved'}, Seq: ${number}`;
  const rest = start + header - r.at;
  if (rest < 0) {
    r.d.note(`${r.layer.name}: data offset within the header`);
    return 'data';
  }
  if (rest > 0) r.raw('Acknowledgement and options', rest);
  return r.left > 0 ? 'data' : undefined;
}
