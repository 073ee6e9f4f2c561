/** Names of ICMP messages, and which message answers which: IANA's ICMP parameters, RFC 792, RFC 4443, RFC 4861. */
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
 * The ICMP (`proto` 1) or ICMPv6 (58) type that answers `type`, or that `type` answers; -1 if it is not part of an
 * exchange. Zeek pairs them the same way.
 */
export function icmpCounterpart(proto: number, type: number): number {
  return (proto === ICMP6 ? COUNTERPARTS6[type] : COUNTERPARTS4[type]) ?? -1;
}

/** Names of ICMP types. */
export const ICMP_TYPES: Readonly<Record<number, string>> = {
  0: 'echo reply',
  3: 'destination unreachable',
  4: 'source quench',
  5: 'redirect',
  8: 'echo request',
  9: 'router advertisement',
  10: 'router solicitation',
  11: 'time exceeded',
  12: 'parameter problem',
  13: 'timestamp request',
  14: 'timestamp reply',
  15: 'information request',
  16: 'information reply',
  17: 'address mask request',
  18: 'address mask reply',
  30: 'traceroute',
  40: 'photuris',
  42: 'extended echo request',
  43: 'extended echo reply',
};

/** Names of ICMPv6 types. */
export const ICMP6_TYPES: Readonly<Record<number, string>> = {
  1: 'destination unreachable',
  2: 'packet too big',
  3: 'time exceeded',
  4: 'parameter problem',
  128: 'echo request',
  129: 'echo reply',
  130: 'multicast listener query',
  131: 'multicast listener report',
  132: 'multicast listener done',
  133: 'router solicitation',
  134: 'router advertisement',
  135: 'neighbor solicitation',
  136: 'neighbor advertisement',
  137: 'redirect',
  138: 'router renumbering',
  139: 'node information query',
  140: 'node information response',
  141: 'inverse neighbor solicitation',
  142: 'inverse neighbor advertisement',
  143: 'multicast listener report v2',
  144: 'home agent discovery request',
  145: 'home agent discovery reply',
  146: 'mobile prefix solicitation',
  147: 'mobile prefix advertisement',
  148: 'certification path solicitation',
  149: 'certification path advertisement',
  151: 'multicast router advertisement',
  152: 'multicast router solicitation',
  153: 'multicast router termination',
  155: 'rpl control',
  157: 'duplicate address request',
  158: 'duplicate address confirmation',
  160: 'extended echo request',
  161: 'extended echo reply',
};
