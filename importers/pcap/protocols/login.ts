/** Logins in clear: the event is the same whatever the protocol. */
import type { ProtocolKind, ProtocolMessage, Stamp } from './messages.ts';

export interface Login {
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Its name in the protocol: `PLAIN`, `APOP`, …. */
  readonly mechanism?: string | undefined;
  readonly at: Stamp;
}

/** @param isAccepted undefined: the server has not said */
export function loginMessage(
  kind: ProtocolKind,
  { user, password, mechanism, at }: Login,
  isAccepted: boolean | undefined,
  reply: string | undefined,
): ProtocolMessage {
  const outcome = isAccepted === undefined ? undefined : isAccepted ? 'success' : 'failure';
  return {
    ...{ kind, type: 'login', at },
    text: ['login', user, reply === undefined ? undefined : `→ ${reply}`]
      .filter((part) => part !== undefined && part !== '')
      .join(' '),
    columns: {
      ...{ user, outcome, category: 'authentication', action: 'login' },
      reason: isAccepted === false ? reply : undefined,
    },
    attributes: { password, mechanism, reply_msg: reply },
  };
}
