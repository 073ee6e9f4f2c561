/** UDP (RFC 768) and UDP-Lite (RFC 3828). */
import { applicationOnUdp } from '../applications.ts';
import { unverified } from './checksum.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { transportChecksum } from './transport-checksum.ts';

export function udp(r: LayerReader): Protocol | undefined {
  const d = r.d;
  const start = r.at;
  ports(r);
  const room = d.wireEnd - start;
  const stated = r.u16('Length');
  // 0 means more than the field can hold (RFC 2675), or offload.
  const length = stated === 0 ? room : stated;
  if (stated > 0 && stated < 8) d.note('User Datagram Protocol: length below 8 bytes');
  const fragment = d.network?.fragment === true;
  if (length > room && !fragment && !d.quoted) {
    d.note('User Datagram Protocol: longer than its packet');
  }
  r.need(2, 'Checksum');
  r.u16('Checksum', (value) =>
    value === 0 ? '0x0000 [none]' : transportChecksum(r, 17, start, length, r.at),
  );
  r.layer.summary += `, Len: ${Math.max(length - 8, 0)}`;
  if (length >= 8 && length < room) r.bound(start, length);
  if (r.left <= 0) return undefined;
  return d.quoted
    ? 'data'
    : applicationOnUdp(r.bytes, r.at, r.end, d.sourcePort, d.destinationPort);
}

export function udpLite(r: LayerReader): Protocol | undefined {
  ports(r);
  r.u16('Checksum coverage');
  r.u16('Checksum', (value) => unverified(value, 'UDP-Lite'));
  return r.left > 0 ? 'data' : undefined;
}

/** The ports with which a transport header begins. */
export function ports(r: LayerReader): void {
  const source = r.u16('Source Port');
  const destination = r.u16('Destination Port');
  r.d.sourcePort = source;
  r.d.destinationPort = destination;
  r.layer.summary = `Src Port: ${source}, Dst Port: ${destination}`;
}
