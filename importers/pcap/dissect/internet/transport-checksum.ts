/** Checksums that cover a pseudo-header of the IP layer: TCP, UDP, ICMPv6. */
import { u16 } from '../../bytes.ts';
import { checksumText, fold, sumWords, unverified } from './checksum.ts';
import type { LayerReader, Network } from '../reader.ts';

/** Addresses, protocol and length, as transport checksums cover them. */
function pseudoHeaderSum(
  bytes: Uint8Array,
  network: Network,
  protocol: number,
  length: number,
): number {
  const { addresses, finalDestination } = network;
  const size = network.version === 4 ? 4 : 16;
  const destination = finalDestination < 0 ? addresses + size : finalDestination;
  const sum =
    sumWords(bytes, addresses, addresses + size) + sumWords(bytes, destination, destination + size);
  return sum + protocol + (length & 0xffff) + (length >>> 16);
}

/** The stated checksum at `at`, of `length` bytes from `start` on under the pseudo-header. */
export function transportChecksum(
  r: LayerReader,
  protocol: number,
  start: number,
  length: number,
  at: number,
): string {
  const d = r.d;
  const stated = u16(r.bytes, at);
  const network = d.network;
  if (network === undefined) return unverified(stated, 'no IP header');
  if (network.fragment) return unverified(stated, 'a fragment');
  if (start + length > d.end) return unverified(stated, d.cutReason(d.end));
  if (network.rerouted) return unverified(stated, 'source routed');
  const sum =
    pseudoHeaderSum(r.bytes, network, protocol, length) +
    sumWords(r.bytes, start, at) +
    sumWords(r.bytes, at + 2, start + length);
  const text = checksumText(stated, fold(sum), ', perhaps by checksum offload');
  if (text.includes('incorrect') && !d.quoted) {
    d.note(`${r.layer.name}: checksum is wrong, perhaps by checksum offload`);
  }
  return text;
}
