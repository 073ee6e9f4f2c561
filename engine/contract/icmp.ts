/** Which ICMP messages answer which: RFC 792, RFC 4443, RFC 4861. */
export const ICMP = 1;
export const ICMP6 = 58;

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
