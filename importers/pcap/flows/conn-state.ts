/** The state of a TCP or UDP flow (`CONN_STATES`), derived from what both sides sent. */
import { CONN_STATES } from '../../../engine/contract/event.ts';
import { CLOSED, ESTABLISHED, INACTIVE, PARTIAL, RESET, SYN_ACK_SENT, SYN_SENT } from './record.ts';

const [OTH, S0, S1, SF, REJ, S2, S3, RSTO, RSTR, RSTOS0, RSTRH, SH, SHR] = CONN_STATES.keys();

/** Index in CONN_STATES. `noPayload`: neither side sent any. */
export function tcpConnState(
  originator: number,
  responder: number,
  noPayload: boolean,
  history: Uint8Array,
  start: number,
  end: number,
): number {
  const originatorSilent = originator === INACTIVE || originator === PARTIAL;
  const responderSilent = responder === INACTIVE || responder === PARTIAL;
  if (responder === RESET) {
    if (
      originator === SYN_SENT ||
      originator === SYN_ACK_SENT ||
      (originator === RESET && noPayload)
    ) {
      return REJ!;
    }
    return originatorSilent ? RSTRH! : RSTR!;
  }
  if (originator === RESET) {
    if (!responderSilent) return RSTO!;
    return synThenReset(history, start, end) ? RSTOS0! : OTH!;
  }
  if (originator === CLOSED && responder === CLOSED) return SF!;
  if (originator === CLOSED) return responderSilent ? SH! : S2!;
  if (responder === CLOSED) return originatorSilent ? SHR! : S3!;
  if (originator === SYN_SENT && responder === INACTIVE) return S0!;
  if (originator === ESTABLISHED && responder === ESTABLISHED) return S1!;
  return OTH!;
}

/** State of a UDP flow by which sides sent anything. */
export function udpConnState(originatorSent: boolean, responderSent: boolean): number {
  if (originatorSent) return responderSent ? SF! : S0!;
  return responderSent ? SHR! : OTH!;
}

/** Whether the history is S, later R, with none of H A F G I Q between them. */
function synThenReset(history: Uint8Array, start: number, end: number): boolean {
  let at = start;
  if (at < end && history[at] === 0x5e) at += 1;
  if (at >= end || history[at] !== 0x53) return false;
  for (at += 1; at < end; at++) {
    const letter = history[at]!;
    if (letter === 0x52) return true;
    // H A F G I Q
    if (
      letter === 0x48 ||
      letter === 0x41 ||
      letter === 0x46 ||
      letter === 0x47 ||
      letter === 0x49 ||
      letter === 0x51
    ) {
      return false;
    }
  }
  return false;
}
