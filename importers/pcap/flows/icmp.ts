/**
 * Replacements for ports in ICMP, as in Zeek: the originator's port is the type; the responder's is the type that
 * answers it or, for messages without an answer, the code. The latter make a flow in each direction. RFC 792, RFC
 * 4443; https://docs.zeek.org/en/master/logs/conn.html
 */
import { icmpCounterpart } from '../../../engine/contract/icmp.ts';

/** Added to the port if the message has no answer. */
export const ONE_WAY = 1 << 16;

/** The responder's port for a message; ONE_WAY is set when it has no counterpart. */
export function icmpResponderPort(proto: number, type: number, code: number): number {
  const answer = icmpCounterpart(proto, type);
  return answer >= 0 ? answer : code | ONE_WAY;
}
