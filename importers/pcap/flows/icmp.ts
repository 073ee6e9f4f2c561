/**
 * What ICMP has in place of ports, as Zeek has it: the originator's port is the type; the responder's
 * is the type that answers it or, for messages that are not answered, the code. Those that are not
 * answered make a flow each way.
 * RFC 792, RFC 4443; https://docs.zeek.org/en/master/logs/conn.html
 */

/** Added to the port when the message is not answered. */
export const ONE_WAY = 1 << 16;

const ANSWERS4 = [
  [8, 0],
  [13, 14],
  [15, 16],
  [10, 9],
  [17, 18],
] as const;
const ANSWERS6 = [
  [128, 129],
  [133, 134],
  [135, 136],
  [130, 131],
  [139, 140],
  [144, 145],
] as const;

function table(pairs: readonly (readonly [number, number])[]): Int16Array {
  const answers = new Int16Array(256).fill(-1);
  for (const [request, reply] of pairs) {
    answers[request] = reply;
    answers[reply] = request;
  }
  return answers;
}
const COUNTERPARTS4 = table(ANSWERS4);
const COUNTERPARTS6 = table(ANSWERS6);

/** The responder's port for a message; ONE_WAY is set when it has no counterpart. */
export function icmpResponderPort(proto: number, type: number, code: number): number {
  const answer = proto === 1 ? COUNTERPARTS4[type]! : COUNTERPARTS6[type]!;
  return answer >= 0 ? answer : code | ONE_WAY;
}
