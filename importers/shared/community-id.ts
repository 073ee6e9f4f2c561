/**
 * Community ID v1: one text for a flow, whichever tool saw it and from whichever side.
 * https://github.com/corelight/community-id-spec
 */
import { hash } from 'node:crypto';

const ICMP = 1;
const ICMP6 = 58;

function counterparts(pairs: readonly (readonly [number, number])[]): Int16Array {
  const answers = new Int16Array(256).fill(-1);
  for (const [request, reply] of pairs) {
    answers[request] = reply;
    answers[reply] = request;
  }
  return answers;
}

const COUNTERPARTS4 = counterparts([
  [8, 0],
  [10, 9],
  [13, 14],
  [15, 16],
  [17, 18],
]);
const COUNTERPARTS6 = counterparts([
  [128, 129],
  [130, 131],
  [133, 134],
  [135, 136],
  [139, 140],
  [144, 145],
]);

/**
 * The ICMP (`proto` 1) or ICMPv6 (58) type that answers `type`, or that `type` answers; -1 when it
 * is not part of an exchange. Zeek pairs them the same way.
 */
export function icmpCounterpart(proto: number, type: number): number {
  return (proto === ICMP6 ? COUNTERPARTS6[type] : COUNTERPARTS4[type]) ?? -1;
}

/**
 * @param src address in network order, 4 or 16 bytes; `dst` has as many
 * @param srcPort of ICMP: the type
 * @param dstPort of ICMP: the code (or, as flows have it, the counterpart of the type)
 * @param proto IANA protocol number
 * @returns `1:` and a SHA-1 in base64. Ports that are undefined are left out of it.
 */
export function communityId(
  src: Uint8Array,
  dst: Uint8Array,
  srcPort: number | undefined,
  dstPort: number | undefined,
  proto: number,
  seed = 0,
): string {
  let from = srcPort;
  let to = dstPort;
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
