/**
 * LDAP (RFC 4511) over TCP: one event per login, search, change or other operation, with its result. Messages
 * signed by SASL are read, encrypted ones are not.
 *
 * Invariants: messages are buffered up to a limit, longer ones are skipped; pending requests are bounded.
 */
import { u16, u32 } from '../../bytes.ts';
import {
  BER,
  type BerElement,
  elementAt,
  elementsIn,
  headerAt,
  integerOf,
  stringOf,
} from '../ber.ts';
import { FramedStream } from '../streams/framed.ts';
import { loginMessage } from '../login.ts';
import type { Endpoints, MessageSink, Stamp, StreamProtocol } from '../messages.ts';
import { GssExchange } from './gss.ts';

const MAX_MESSAGE_BYTES = 262_144;
/** Maximum size of a skipped message: a larger one is not a message. */
const MOST_PASSED_OVER = 16 << 20;
/** Bytes that contain a message's number and operation. */
const BEGINNING_BYTES = 24;
/** The length before a signed message (RFC 4422, 3.7). */
const LENGTH_BYTES = 4;
/** Size of a Kerberos token (RFC 4121, 4.2.6.2), and of an NTLM signature ([MS-NLMP] 2.2.2.9). */
const TOKEN_BYTES = 16;
const WRAP_TOKEN = 0x0504;
const SEALED = 2;
const MAX_WAITING = 256;
const MAX_FILTER_DEPTH = 16;
const MAX_FILTER_CHARACTERS = 2048;
const MOST_ATTRIBUTES = 64;

const BIND = 0x60;
const BIND_RESPONSE = 0x61;
const SEARCH = 0x63;
const SEARCH_ENTRY = 0x64;
const SEARCH_DONE = 0x65;
const EXTENDED = 0x77;
const EXTENDED_RESPONSE = 0x78;
const START_TLS = '1.3.6.1.4.1.1466.20037';
const OPERATIONS: Readonly<Record<string, string>> = {
  [START_TLS]: 'StartTLS',
  ...{ '1.3.6.1.4.1.4203.1.11.1': 'PasswdModify', '1.3.6.1.4.1.4203.1.11.3': 'whoami' },
};
/** Changes, by the tags of requests; the tag of a response is one more. */
const CHANGES: Readonly<Record<number, string>> = {
  ...{ 0x66: 'modify', 0x68: 'add', 0x4a: 'delete', 0x6c: 'modify_dn', 0x6e: 'compare' },
};
const CHANGE_RESPONSES: ReadonlySet<number> = new Set([0x67, 0x69, 0x6b, 0x6d, 0x6f]);
const CLIENT_TAGS: ReadonlySet<number> = new Set([
  ...[BIND, 0x42, SEARCH, EXTENDED, 0x50],
  ...Object.keys(CHANGES).map(Number),
]);
const SERVER_TAGS: ReadonlySet<number> = new Set([
  ...[BIND_RESPONSE, SEARCH_ENTRY, SEARCH_DONE, 0x73, EXTENDED_RESPONSE, 0x79],
  ...CHANGE_RESPONSES,
]);
const SCOPES = ['base', 'single', 'tree'] as const;
const [SUCCESS, SASL_IN_PROGRESS] = [0, 14];
const RESULTS: Readonly<Record<number, string>> = {
  ...{ 0: 'success', 1: 'operationsError', 2: 'protocolError', 3: 'timeLimitExceeded' },
  ...{
    4: 'sizeLimitExceeded',
    7: 'authMethodNotSupported',
    8: 'strongerAuthRequired',
    10: 'referral',
  },
  ...{ 14: 'saslBindInProgress', 16: 'noSuchAttribute', 32: 'noSuchObject', 34: 'invalidDNSyntax' },
  ...{
    48: 'inappropriateAuthentication',
    49: 'invalidCredentials',
    50: 'insufficientAccessRights',
  },
  ...{
    51: 'busy',
    52: 'unavailable',
    53: 'unwillingToPerform',
    68: 'entryAlreadyExists',
    80: 'other',
  },
};

interface Waiting {
  readonly at: Stamp;
  readonly id: number;
  readonly tag: number;
  readonly name: string;
  /** For a bind. */
  readonly password?: string | undefined;
  readonly mechanism?: string;
  readonly version?: number | undefined;
  /** For a search. */
  readonly scope?: string | undefined;
  readonly filter?: string | undefined;
  readonly attributes?: readonly string[];
  entries: number;
  /** Whether some may be missing. */
  mayLackEntries?: boolean;
}

class LdapStream extends FramedStream {
  readonly service = 'ldap';
  isTunnel = false;
  unread = 0;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly waiting = new Map<number, Waiting>();
  private readonly logins = new GssExchange('ldap');
  private user: string | undefined;
  /** A login with another step to follow. */
  private begun: { readonly request: Waiting; readonly text: string } | undefined;
  /** Whether messages may be signed or encrypted. */
  private isProtected = false;

  constructor(ends: Endpoints, sink: MessageSink) {
    super();
    this.ends = ends;
    this.sink = sink;
  }

  protected override waitingBytes(): number {
    return 1024 * this.waiting.size;
  }

  override data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    super.data(isClient, bytes, start, end, at);
    if (this.isTunnel) this.unread = this.unreadOf(isClient);
  }

  protected read(bytes: Uint8Array, isClient: boolean, at: Stamp): number | undefined {
    if (this.isProtected && bytes[0] === 0) return this.readProtected(bytes, isClient, at);
    const whole = headerAt(bytes, 0, bytes.length);
    if (whole === undefined) return bytes.length >= 6 ? undefined : 0;
    if (whole.tag !== BER.sequence || whole.end > MOST_PASSED_OVER) return undefined;
    if (whole.end <= MAX_MESSAGE_BYTES) {
      if (whole.end > bytes.length) return 0;
      this.message(bytes, whole, at);
    } else {
      if (bytes.length < BEGINNING_BYTES) return 0;
      this.tooLong(bytes, whole.start, isClient);
    }
    return whole.end;
  }

  /** An entry counts, whatever it contains; other overlong messages are skipped. */
  private tooLong(bytes: Uint8Array, start: number, isClient: boolean): void {
    const id = elementAt(bytes, start, bytes.length);
    const number = id?.tag === BER.integer ? integerOf(bytes, id) : undefined;
    const request = number === undefined ? undefined : this.waiting.get(number);
    if (request !== undefined && bytes[id!.end] === SEARCH_ENTRY) request.entries += 1;
    else if (!isClient) this.loseEntries();
  }

  private readProtected(bytes: Uint8Array, isClient: boolean, at: Stamp): number | undefined {
    if (bytes.length < LENGTH_BYTES) return 0;
    const size = LENGTH_BYTES + u32(bytes, 0);
    if (size > MAX_MESSAGE_BYTES) {
      if (!isClient) this.loseEntries();
      return size;
    }
    if (bytes.length < size) return 0;
    const signed = signedPart(bytes.subarray(LENGTH_BYTES, size));
    for (let from = 0; signed !== undefined && from < signed.length;) {
      const whole = headerAt(signed, from, signed.length);
      if (whole?.tag !== BER.sequence || whole.end > signed.length) break;
      this.message(signed, whole, at);
      from = whole.end;
    }
    return size;
  }

  protected begins(bytes: Uint8Array, start: number, end: number, isClient: boolean): boolean {
    if (this.isProtected && bytes[start] === 0)
      return end - start > LENGTH_BYTES + 2 && u16(bytes, start + LENGTH_BYTES) === WRAP_TOKEN;
    return senderOf(bytes, start, end) === (isClient ? 'client' : 'server');
  }

  private loseEntries(): void {
    for (const request of this.waiting.values()) request.mayLackEntries = true;
  }

  private message(bytes: Uint8Array, whole: BerElement, at: Stamp): void {
    const [id, operation] = elementsIn(bytes, whole);
    const number = id?.tag === BER.integer ? integerOf(bytes, id) : undefined;
    if (number === undefined || operation === undefined) return;
    const { tag } = operation;
    const parts = [...elementsIn(bytes, operation)];
    const text = (part: BerElement | undefined): string =>
      part === undefined ? '' : stringOf(bytes, part);
    if (tag === BIND) {
      const [version, name, credentials] = parts;
      const sasl =
        credentials?.tag === 0xa3
          ? elementAt(bytes, credentials.start, credentials.end)
          : undefined;
      const isSimple = credentials?.tag === 0x80;
      const mechanism = isSimple ? 'simple' : sasl === undefined ? 'other' : text(sasl);
      this.goOn(mechanism);
      if (credentials !== undefined && !isSimple)
        this.logins.take(bytes.subarray(credentials.start, credentials.end), at);
      this.wait(number, {
        ...{ at, tag, name: text(name), version: version && integerOf(bytes, version) },
        password: isSimple && credentials.end > credentials.start ? text(credentials) : undefined,
        mechanism,
      });
    } else if (tag === SEARCH) {
      const [base, scope, , , , , filter, wanted] = parts;
      const found = scope && integerOf(bytes, scope);
      this.wait(number, {
        ...{ at, tag, name: text(base) },
        scope: found === undefined ? undefined : SCOPES[found],
        filter: filter && filterText(bytes, filter, 0),
        attributes:
          wanted === undefined
            ? []
            : [...elementsIn(bytes, wanted)].slice(0, MOST_ATTRIBUTES).map(text),
      });
    } else if (tag === EXTENDED) {
      this.wait(number, { at, tag, name: text(parts[0]) });
    } else if (tag in CHANGES) {
      const name = tag === 0x4a ? text(operation) : text(parts[0]);
      this.wait(number, { at, tag, name });
    } else if (tag === SEARCH_ENTRY) {
      const request = this.waiting.get(number);
      if (request !== undefined) request.entries += 1;
    } else if (SERVER_TAGS.has(tag) && tag !== 0x73 && tag !== 0x79) {
      const code = parts[0] && integerOf(bytes, parts[0]);
      if (tag === BIND_RESPONSE)
        this.logins.take(bytes.subarray(operation.start, operation.end), at);
      this.answered(number, code, text(parts[2]));
    }
  }

  private wait(id: number, request: Omit<Waiting, 'id' | 'entries'>): void {
    const { waiting } = this;
    if (waiting.size >= MAX_WAITING) {
      const [[first, oldest] = []] = waiting;
      waiting.delete(first!);
      this.tell(oldest!, undefined, '');
    }
    waiting.set(id, { ...request, id, entries: 0 });
  }

  private answered(id: number, code: number | undefined, text: string): void {
    const request = this.waiting.get(id);
    if (request === undefined) return;
    this.waiting.delete(id);
    if (request.tag === EXTENDED && request.name === START_TLS && code === SUCCESS) {
      this.isTunnel = true;
      this.isDone = true;
    }
    if (request.tag === BIND) {
      // Another step of the same login follows.
      if (code === SASL_IN_PROGRESS) {
        this.begun = { request, text };
        return;
      }
      if (code === SUCCESS) {
        const account = this.logins.account?.user;
        this.user = request.name === '' ? account : request.name;
        this.isProtected = request.mechanism !== 'simple';
      }
    }
    this.tell(request, code, text);
  }

  private tell(request: Waiting, code: number | undefined, diagnostic: string): void {
    const { tag, at, id, name, scope, filter, attributes, entries, mayLackEntries } = request;
    const word = code === undefined ? undefined : (RESULTS[code] ?? `result ${code}`);
    const said = {
      ...{ message_id: String(id), result: word },
      diagnostic_message: diagnostic === '' ? undefined : diagnostic,
    };
    if (tag === BIND) {
      const { password, mechanism, version } = request;
      const account = name === '' ? this.logins.account?.user : name;
      const login = { user: account === '' ? undefined : account, password, mechanism, at };
      const isKnown = code !== undefined && code !== SASL_IN_PROGRESS;
      const isAccepted = isKnown ? code === SUCCESS : undefined;
      const reply = [word, diagnostic]
        .filter((part) => part !== undefined && part !== '')
        .join(': ');
      const message = loginMessage('ldap', login, isAccepted, reply === '' ? undefined : reply);
      const attributes = {
        ...{ ...message.attributes, ...said },
        version: version === undefined ? undefined : String(version),
      };
      this.sink.message(this.ends, { ...message, attributes });
      this.logins.result(this.ends, this.sink, isAccepted);
      return;
    }
    const operation = OPERATIONS[name];
    const object = tag === EXTENDED && operation !== undefined ? `${name} (${operation})` : name;
    const type = tag === SEARCH ? 'search' : (CHANGES[tag] ?? 'extended');
    const outcome = code === undefined ? undefined : code === SUCCESS ? 'success' : 'failure';
    this.sink.message(this.ends, {
      ...{ kind: 'ldap', type, at },
      text: [type, object === '' ? 'the root' : object, scope, filter, word]
        .filter((part) => part !== undefined)
        .join(' '),
      columns: {
        user: this.user === '' ? undefined : this.user,
        outcome,
        reason: outcome === 'failure' ? word : undefined,
      },
      attributes: {
        ...(tag === SEARCH
          ? { base_object: name, scope, filter, result_count: String(entries) }
          : { object }),
        attributes: attributes === undefined || attributes.length === 0 ? undefined : attributes,
        ...said,
        problem: tag === SEARCH && mayLackEntries === true ? 'entries may be missing' : undefined,
      },
    });
  }

  protected override lost(isClient: boolean): void {
    if (!isClient) this.loseEntries();
  }

  finish(): void {
    for (const request of this.waiting.values()) this.tell(request, undefined, '');
    this.waiting.clear();
    this.goOn(undefined);
  }

  /** Emits a begun login, unless its next step is a bind with that mechanism. */
  private goOn(mechanism: string | undefined): void {
    const { begun } = this;
    this.begun = undefined;
    if (begun !== undefined && begun.request.mechanism !== mechanism)
      this.tell(begun.request, SASL_IN_PROGRESS, begun.text);
  }
}

/** A filter as people write it (RFC 4515). */
function filterText(bytes: Uint8Array, filter: BerElement, depth: number): string {
  if (depth > MAX_FILTER_DEPTH) return '(…)';
  const { tag } = filter;
  const parts = [...elementsIn(bytes, filter)];
  const text = (part: BerElement | undefined): string =>
    part === undefined ? '' : stringOf(bytes, part).slice(0, 256);
  const list = (): string => parts.map((part) => filterText(bytes, part, depth + 1)).join('');
  const compared = (sign: string): string => `(${text(parts[0])}${sign}${text(parts[1])})`;
  const all = ((): string => {
    switch (tag) {
      case 0xa0:
        return `(&${list()})`;
      case 0xa1:
        return `(|${list()})`;
      case 0xa2:
        return `(!${list()})`;
      case 0xa3:
        return compared('=');
      case 0xa4: {
        const pieces = parts[1] === undefined ? [] : [...elementsIn(bytes, parts[1])];
        const value = pieces.map((piece) =>
          piece.tag === 0x80
            ? `${text(piece)}*`
            : piece.tag === 0x82
              ? text(piece)
              : `${text(piece)}*`,
        );
        return `(${text(parts[0])}=${pieces[0]?.tag === 0x80 ? '' : '*'}${value.join('')})`;
      }
      case 0xa5:
        return compared('>=');
      case 0xa6:
        return compared('<=');
      case 0x87:
        return `(${text(filter)}=*)`;
      case 0xa8:
        return compared('~=');
      case 0xa9: {
        const of = (wanted: number): string => text(parts.find((part) => part.tag === wanted));
        return `(${of(0x82)}:${of(0x81)}:=${of(0x83)})`;
      }
      default:
        return '(…)';
    }
  })();
  return all.length > MAX_FILTER_CHARACTERS ? `${all.slice(0, MAX_FILTER_CHARACTERS)}…` : all;
}

/** The signed content of a token; undefined: it is encrypted, or unknown. */
function signedPart(token: Uint8Array): Uint8Array | undefined {
  if (token.length <= TOKEN_BYTES) return undefined;
  const rest = token.subarray(TOKEN_BYTES);
  if (u16(token, 0) === WRAP_TOKEN) {
    if ((token[2]! & SEALED) !== 0) return undefined;
    const sumBytes = u16(token, 4);
    // It is rotated to the right by this many bytes, with the checksum at its end.
    const turn = u16(token, 6) % rest.length;
    const straight = Buffer.concat([rest.subarray(turn), rest.subarray(0, turn)]);
    return straight.subarray(0, Math.max(0, rest.length - sumBytes));
  }
  const isNtlm = u32(token, 0) === 0x0100_0000;
  return isNtlm && headerAt(rest, 0, rest.length)?.end === rest.length ? rest : undefined;
}

/** Recognises a SEQUENCE that begins with a message number and an operation. */
function senderOf(
  bytes: Uint8Array,
  start: number,
  end: number,
): ReturnType<StreamProtocol['recognise']> {
  if (bytes[start] !== BER.sequence) return undefined;
  if (end - start < 8) return 'more';
  const whole = headerAt(bytes, start, end);
  if (whole === undefined || whole.end - whole.start < 5) return undefined;
  const id = elementAt(bytes, whole.start, end);
  if (id?.tag !== BER.integer || id.end - id.start > 4) return undefined;
  const operation = headerAt(bytes, id.end, end);
  if (operation === undefined || operation.end > whole.end) return undefined;
  if (CLIENT_TAGS.has(operation.tag)) return 'client';
  return SERVER_TAGS.has(operation.tag) ? 'server' : undefined;
}

export const LDAP: StreamProtocol = {
  recognise: senderOf,
  parser: (ends, sink) => new LdapStream(ends, sink),
};
