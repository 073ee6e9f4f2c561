/**
 * Logins whose tokens another protocol carries (SMB, HTTP, LDAP, DCE/RPC), in SPNEGO (RFC 4178) or alone: NTLM, and tickets of
 * Kerberos (RFC 4121, 4.1). Tokens are found by how they begin, wherever in a message they are.
 */
import { errorName, readTicketUse, type TicketUse } from './kerberos.ts';
import type { Endpoints, MessageSink, Stamp } from '../messages.ts';
import { NtlmExchange } from './ntlm.ts';

/** The first fields of a Kerberos message: its version, 5, and the first bytes of its type. */
const VERSION_AND_TYPE = Buffer.from('a003020105a1030201', 'hex');
/** Size of tag and length of the message and of its sequence. */
const [LEAST_HEADERS, MOST_HEADERS] = [4, 12];
const MOST_FOUND = 8;

export class GssExchange {
  private readonly service: string;
  private readonly ntlm: NtlmExchange;
  private ticket: { readonly use: TicketUse; readonly at: Stamp } | undefined;
  private refusal: TicketUse | undefined;

  /** @param service protocol that carries the tokens */
  constructor(service: string) {
    this.service = service;
    this.ntlm = new NtlmExchange(service);
  }

  /** User and domain of the answer of NTLM that waits for its result; of a ticket the user is encrypted. */
  get account(): { user: string; domain: string } | undefined {
    return this.ntlm.account;
  }

  /** @param bytes in which a token may be */
  take(bytes: Uint8Array, at: Stamp): void {
    this.ntlm.take(bytes, at);
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let found = all.indexOf(VERSION_AND_TYPE);
    for (let n = 0; n < MOST_FOUND && found >= 0; n++) {
      const use = messageAt(all, found);
      if (use?.error !== undefined) this.refusal = use;
      else if (use !== undefined) this.ticket = { use, at };
      if (use !== undefined) return;
      found = all.indexOf(VERSION_AND_TYPE, found + VERSION_AND_TYPE.length);
    }
  }

  /** An answer of NTLM that is in fields of the protocol that carries it. */
  takeAccount(user: string, domain: string, at: Stamp): void {
    this.ntlm.takeAccount(user, domain, at);
  }

  /** The result of the login; emits the event. @param isAccepted undefined: unknown */
  result(ends: Endpoints, sink: MessageSink, isAccepted: boolean | undefined): void {
    // A server that refuses the ticket may continue with NTLM: then the result is not the ticket's.
    const isOther = this.ntlm.account !== undefined;
    this.ntlm.result(ends, sink, isAccepted);
    const { ticket } = this;
    if (ticket !== undefined) this.tell(ends, sink, ticket, isOther ? undefined : isAccepted);
    this.ticket = undefined;
    this.refusal = undefined;
  }

  private tell(
    ends: Endpoints,
    sink: MessageSink,
    { use, at }: NonNullable<GssExchange['ticket']>,
    isAccepted: boolean | undefined,
  ): void {
    const { refusal } = this;
    const outcome = isAccepted === undefined ? undefined : isAccepted ? 'success' : 'failure';
    const client = refusal?.client;
    const error = refusal?.error;
    const word = isAccepted === true || error === undefined ? undefined : errorName(error);
    sink.message(ends, {
      ...{ kind: 'kerberos', type: 'AP', at, service: this.service },
      text: ['AP', use.server, use.realm, word ?? outcome]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        ...{ user: client, outcome, reason: word },
        ...{ category: 'authentication', action: 'login' },
      },
      attributes: {
        ...{ request_type: 'AP', cname: client, realm: use.realm, sname: use.server },
        ...{ cipher: use.cipher, error_msg: word },
        success: isAccepted === undefined ? undefined : isAccepted ? 'T' : 'F',
        error_code: word === undefined ? undefined : String(error),
      },
    });
  }
}

/** The message whose fields begin at a place. */
function messageAt(all: Buffer, fields: number): TicketUse | undefined {
  for (let size = LEAST_HEADERS; size <= MOST_HEADERS && size <= fields; size++) {
    const use = readTicketUse(all, fields - size, all.length);
    if (use !== undefined) return use;
  }
  return undefined;
}
