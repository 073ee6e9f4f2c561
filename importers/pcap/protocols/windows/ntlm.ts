/**
 * NTLM ([MS-NLMP] 2.2.1): which account logs in, from which workstation, to which server. Its messages are found by their
 * signature in whatever carries them (SPNEGO, SMB, HTTP).
 */
import type { MessageSink, Endpoints, Stamp } from '../messages.ts';

const SIGNATURE = Buffer.from('NTLMSSP\0', 'latin1');
const [CHALLENGE, AUTHENTICATE] = [2, 3];
const UNICODE = 1;
const MAX_TEXT_BYTES = 2048;
const MAX_PAIRS = 32;
/** Entries of the target information, with their names in Zeek's ntlm.log. */
const TARGET: Readonly<Record<number, string>> = {
  ...{ 1: 'server_nb_computer_name', 2: 'server_nb_domain_name', 3: 'server_dns_computer_name' },
  ...{ 4: 'server_dns_domain_name', 5: 'server_tree_name' },
};

interface Login {
  readonly user: string;
  readonly domain: string;
  readonly workstation: string;
  readonly at: Stamp;
}

/** The text or bytes that a field of a message names by length and place. */
function fieldOf(message: Buffer, at: number): Buffer {
  if (at + 8 > message.length) return Buffer.alloc(0);
  const start = message.readUInt32LE(at + 4);
  return message.subarray(start, start + Math.min(message.readUInt16LE(at), MAX_TEXT_BYTES));
}

function textOfField(message: Buffer, at: number, isUnicode: boolean): string {
  return fieldOf(message, at).toString(isUnicode ? 'utf16le' : 'latin1');
}

/** An NTLM exchange: a challenge, and the answer to it. */
export class NtlmExchange {
  private readonly service: string;
  private readonly target = new Map<string, string>();
  private login: Login | undefined;

  /** @param service protocol that carries it */
  constructor(service: string) {
    this.service = service;
  }

  /** User and domain of the answer that waits for its result. */
  get account(): { user: string; domain: string } | undefined {
    return this.login;
  }

  /** @param bytes in which a message may be */
  take(bytes: Uint8Array, at: Stamp): void {
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const start = all.indexOf(SIGNATURE);
    if (start < 0 || start + 12 > all.length) return;
    const message = all.subarray(start);
    const type = message.readUInt32LE(8);
    if (type === CHALLENGE) this.challenge(message);
    else if (type === AUTHENTICATE && message.length >= 52) {
      const flags = message.length >= 64 ? message.readUInt32LE(60) : UNICODE;
      const text = (place: number): string => textOfField(message, place, (flags & UNICODE) !== 0);
      this.login = { user: text(36), domain: text(28), workstation: text(44), at };
    }
  }

  /** An answer that is in fields of the carrying protocol instead of an NTLM message. */
  takeAccount(user: string, domain: string, at: Stamp): void {
    this.login = { user, domain, workstation: '', at };
  }

  private challenge(message: Buffer): void {
    this.target.clear();
    const pairs = fieldOf(message, 40);
    let at = 0;
    for (let n = 0; n < MAX_PAIRS && at + 4 <= pairs.length; n++) {
      const name = TARGET[pairs.readUInt16LE(at)];
      const size = pairs.readUInt16LE(at + 2);
      const text = pairs.subarray(at + 4, at + 4 + size).toString('utf16le');
      if (name !== undefined) this.target.set(name, text);
      at += 4 + size;
    }
  }

  /** The result for the answer; emits the event. @param isAccepted undefined: unknown */
  result(ends: Endpoints, sink: MessageSink, isAccepted: boolean | undefined): void {
    const { login } = this;
    this.login = undefined;
    if (login === undefined) return;
    const { user, domain, workstation, at } = login;
    const known = (text: string): string | undefined => (text === '' ? undefined : text);
    const outcome = isAccepted === undefined ? undefined : isAccepted ? 'success' : 'failure';
    const account = domain === '' ? user : `${domain}\\${user}`;
    sink.message(ends, {
      ...{ kind: 'ntlm', type: 'login', at, service: this.service },
      text: [account === '' ? 'anonymous' : account, workstation, outcome]
        .filter(Boolean)
        .join(' '),
      columns: {
        ...{ user: known(user), user_domain: known(domain), outcome },
        ...{ category: 'authentication', action: 'login' },
      },
      attributes: {
        ...{ username: known(user), hostname: known(workstation), domainname: known(domain) },
        ...Object.fromEntries(this.target),
        success: isAccepted === undefined ? undefined : isAccepted ? 'T' : 'F',
      },
    });
  }
}
