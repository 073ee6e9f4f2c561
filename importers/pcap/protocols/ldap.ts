/**
 * LDAP (RFC 4511) over TCP: one event a bind, a search, or a change, with its result.
 *
 * Invariants: of a message up to a bound is held, longer ones are skipped; requests that wait for results are bounded.
 */
import {
  BER,
  type BerElement,
  elementAt,
  elementsIn,
  headerAt,
  integerOf,
  stringOf,
} from './ber.ts';
import { HeldBytes } from './held-bytes.ts';
import { loginMessage } from './login.ts';
import type { Endpoints, MessageSink, Stamp, StreamParser, StreamProtocol } from './messages.ts';

const MAX_MESSAGE_BYTES = 65_536;
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
  readonly tag: number;
  readonly name: string;
  /** Of a bind. */
  readonly password?: string | undefined;
  readonly mechanism?: string;
  /** Of a search. */
  readonly scope?: string | undefined;
  readonly filter?: string | undefined;
  readonly attributes?: readonly string[];
  entries: number;
}

class LdapStream implements StreamParser {
  readonly service = 'ldap';
  isDone = false;
  isTunnel = false;
  unread = 0;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly held = [new HeldBytes(), new HeldBytes()] as const;
  private readonly skip: [number, number] = [0, 0];
  private readonly waiting = new Map<number, Waiting>();
  private user: string | undefined;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return this.held[0].capacity + this.held[1].capacity + 1024 * this.waiting.size;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = isClient ? 0 : 1;
    const skipped = Math.min(this.skip[side], end - start);
    this.skip[side] -= skipped;
    const held = this.held[side];
    held.append(bytes.subarray(start + skipped, end));
    while (held.length > 0 && !this.isDone) {
      const all = held.bytes;
      const header = headerAt(all, 0, all.length);
      if (header === undefined) {
        // Encrypted by SASL, or something else.
        if (all.length >= 6) this.isDone = true;
        return;
      }
      if (header.tag !== BER.sequence) {
        this.isDone = true;
        return;
      }
      if (header.end > all.length) {
        if (header.end <= MAX_MESSAGE_BYTES) return;
        this.skip[side] = header.end - all.length;
        held.clear();
        return;
      }
      this.message(all, header, at);
      held.drop(header.end);
      if (this.isTunnel) this.unread = held.length;
    }
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
      const [, name, credentials] = parts;
      const sasl =
        credentials?.tag === 0xa3
          ? elementAt(bytes, credentials.start, credentials.end)
          : undefined;
      const isSimple = credentials?.tag === 0x80;
      this.wait(number, {
        ...{ at, tag, name: text(name), entries: 0 },
        password: isSimple && credentials.end > credentials.start ? text(credentials) : undefined,
        mechanism: isSimple ? 'simple' : sasl === undefined ? 'other' : text(sasl),
      });
    } else if (tag === SEARCH) {
      const [base, scope, , , , , filter, wanted] = parts;
      const found = scope && integerOf(bytes, scope);
      this.wait(number, {
        ...{ at, tag, name: text(base), entries: 0 },
        scope: found === undefined ? undefined : SCOPES[found],
        filter: filter && filterText(bytes, filter, 0),
        attributes:
          wanted === undefined
            ? []
            : [...elementsIn(bytes, wanted)].slice(0, MOST_ATTRIBUTES).map(text),
      });
    } else if (tag === EXTENDED) {
      this.wait(number, { at, tag, name: text(parts[0]), entries: 0 });
    } else if (tag in CHANGES) {
      const name = tag === 0x4a ? text(operation) : text(parts[0]);
      this.wait(number, { at, tag, name, entries: 0 });
    } else if (tag === SEARCH_ENTRY) {
      const request = this.waiting.get(number);
      if (request !== undefined) request.entries += 1;
    } else if (SERVER_TAGS.has(tag) && tag !== 0x73 && tag !== 0x79) {
      const code = parts[0] && integerOf(bytes, parts[0]);
      this.answered(number, code, text(parts[2]));
    }
  }

  private wait(id: number, request: Waiting): void {
    const { waiting } = this;
    if (waiting.size >= MAX_WAITING) {
      const [[first, oldest] = []] = waiting;
      waiting.delete(first!);
      this.tell(oldest!, undefined, '');
    }
    waiting.set(id, request);
  }

  private answered(id: number, code: number | undefined, text: string): void {
    const request = this.waiting.get(id);
    if (request === undefined) return;
    this.waiting.delete(id);
    if (request.tag === EXTENDED && request.name === START_TLS && code === SUCCESS) {
      this.isTunnel = true;
      this.isDone = true;
    }
    // Another step of the same login follows.
    if (request.tag === BIND && code === SASL_IN_PROGRESS) return;
    if (request.tag === BIND && code === SUCCESS) this.user = request.name;
    this.tell(request, code, text);
  }

  private tell(request: Waiting, code: number | undefined, diagnostic: string): void {
    const { tag, at, name, scope, filter, attributes, entries } = request;
    if (tag === EXTENDED) return;
    const word = code === undefined ? undefined : (RESULTS[code] ?? `result ${code}`);
    if (tag === BIND) {
      const { password, mechanism } = request;
      const login = { user: name === '' ? undefined : name, password, mechanism, at };
      const isAccepted = code === undefined ? undefined : code === SUCCESS;
      const reply = [word, diagnostic]
        .filter((part) => part !== undefined && part !== '')
        .join(': ');
      this.sink.message(
        this.ends,
        loginMessage('ldap', login, isAccepted, reply === '' ? undefined : reply),
      );
      return;
    }
    const type = tag === SEARCH ? 'search' : CHANGES[tag]!;
    const outcome = code === undefined ? undefined : code === SUCCESS ? 'success' : 'failure';
    this.sink.message(this.ends, {
      ...{ kind: 'ldap', type, at },
      text: [type, name === '' ? 'the root' : name, scope, filter, word]
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
          : { object: name }),
        attributes: attributes === undefined || attributes.length === 0 ? undefined : attributes,
        ...{ result: word, diagnostic_message: diagnostic === '' ? undefined : diagnostic },
      },
    });
  }

  gap(isClient: boolean, size: number): void {
    const side = isClient ? 0 : 1;
    if (this.held[side].length === 0 && size <= this.skip[side]) this.skip[side] -= size;
    else this.isDone = true;
  }

  end(): void {
    // Results may still come.
  }

  finish(): void {
    for (const request of this.waiting.values()) this.tell(request, undefined, '');
    this.waiting.clear();
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

export const LDAP: StreamProtocol = {
  /** A SEQUENCE that begins with the number of a message and an operation. */
  recognise(bytes, start, end) {
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
  },
  parser: (ends, sink) => new LdapStream(ends, sink),
};
