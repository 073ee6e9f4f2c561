/**
 * Community ID v1: one text for a flow, whichever tool saw it and from whichever side.
 * https://github.com/corelight/community-id-spec
 */
import { hash } from 'node:crypto';
import { icmpCounterpart, ICMP, ICMP6 } from '../contract/icmp.ts';

/** Protocols whose ports (ICMP: types) are part of it; those of DCCP and UDP-Lite are not. */
const WITH_PORTS: ReadonlySet<number> = new Set([ICMP, 6, 17, ICMP6, 132]);

/**
 * @param src address in network order, 4 or 16 bytes; `dst` has as many
 * @param srcPort of ICMP: the type
 * @param dstPort of ICMP: the code (or, in flows, the counterpart of the type)
 * @param proto IANA protocol number
 * @returns `1:` and a SHA-1 in base64. Undefined ports are omitted.
 */
export function communityId(
  src: Uint8Array,
  dst: Uint8Array,
  srcPort: number | undefined,
  dstPort: number | undefined,
  proto: number,
  seed = 0,
): string {
  let from = WITH_PORTS.has(proto) ? srcPort : undefined;
  let to = WITH_PORTS.has(proto) ? dstPort : undefined;
  let oneWay = false;
  if (from !== undefined && (proto === ICMP || proto === ICMP6)) {
    const answer = icmpCounterpart(proto, from);
    if (answer >= 0) to = answer;
    else oneWay = true;
  }
  let order = Buffer.compare(src, dst);
  if (order === 0) order = (from ?? 0) - (to ?? 0);
  let low = src;
  let high = dst;
  if (order > 0 && !oneWay) {
    low = dst;
    high = src;
    [from, to] = [to, from];
  }
  const size = src.length;
  const ports = from !== undefined && to !== undefined;
  const input = Buffer.alloc(2 + size * 2 + 2 + (ports ? 4 : 0));
  input.writeUInt16BE(seed, 0);
  input.set(low, 2);
  input.set(high, 2 + size);
  input.writeUInt8(proto, 2 + size * 2);
  if (ports) {
    input.writeUInt16BE(from ?? 0, 4 + size * 2);
    input.writeUInt16BE(to ?? 0, 6 + size * 2);
  }
  return `1:${hash('sha1', input, 'base64')}`;
}
