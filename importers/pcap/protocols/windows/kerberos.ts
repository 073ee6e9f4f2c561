/**
 * Kerberos 5 (RFC 4120): one event per request, with its answer. Over TCP each message is preceded by its length.
 *
 * Invariants: messages are buffered up to a limit; one request at a time is pending.
 */
import { u32 } from '../../bytes.ts';
import {
  BER,
  type BerElement,
  childrenOf,
  elementAt,
  elementsIn,
  headerAt,
  integerOf,
  stringOf,
} from '../ber.ts';
import { FramedStream } from '../streams/framed.ts';
import type { Endpoints, MessageSink, Stamp, StreamProtocol } from '../messages.ts';

export const KERBEROS_PORT = 88;
const MAX_MESSAGE_BYTES = 65_536;
const LENGTH_BYTES = 4;
/** Application tags of the messages, by their type. */
const APPLICATION = 0x60;
const [AS_REQUEST, AS_REPLY, TGS_REQUEST, TGS_REPLY, AP_REQUEST, ERROR] = [10, 11, 12, 13, 14, 30];
/** The side that sends a message. */
const SENDERS: ReadonlyMap<number, 'client' | 'server'> = new Map<number, 'client' | 'server'>([
  ...[AS_REQUEST, TGS_REQUEST].map((type) => [type, 'client'] as const),
  ...[AS_REPLY, TGS_REPLY, ERROR].map((type) => [type, 'server'] as const),
]);
/** Maximum size of an element's tag and length. */
const MOST_HEADER_BYTES = 6;
const PREAUTH_REQUIRED = 25;
const MORE_PROCESSING = 91;

const ETYPES: Readonly<Record<number, string>> = {
  ...{
    1: 'des-cbc-crc',
    2: 'des-cbc-md4',
    3: 'des-cbc-md5',
    5: 'des3-cbc-md5',
    7: 'des3-cbc-sha1',
  },
  ...{ 16: 'des3-cbc-sha1-kd', 17: 'aes128-cts-hmac-sha1-96', 18: 'aes256-cts-hmac-sha1-96' },
  ...{ 19: 'aes128-cts-hmac-sha256-128', 20: 'aes256-cts-hmac-sha384-192' },
  ...{ 23: 'rc4-hmac', 24: 'rc4-hmac-exp' },
};
/** RFC 4120, 7.5.9, as Zeek names them. */
const ERRORS: Readonly<Record<number, string>> = {
  ...{ 1: 'KDC_ERR_NAME_EXP', 2: 'KDC_ERR_SERVICE_EXP', 3: 'KDC_ERR_BAD_PVNO' },
  ...{ 6: 'KDC_ERR_C_PRINCIPAL_UNKNOWN', 7: 'KDC_ERR_S_PRINCIPAL_UNKNOWN' },
  ...{ 8: 'KDC_ERR_PRINCIPAL_NOT_UNIQUE', 9: 'KDC_ERR_NULL_KEY', 12: 'KDC_ERR_POLICY' },
  ...{ 13: 'KDC_ERR_BADOPTION', 14: 'KDC_ERR_ETYPE_NOSUPP', 16: 'KDC_ERR_PADATA_TYPE_NOSUPP' },
  ...{ 18: 'KDC_ERR_CLIENT_REVOKED', 19: 'KDC_ERR_SERVICE_REVOKED', 23: 'KDC_ERR_KEY_EXPIRED' },
  ...{ 24: 'KDC_ERR_PREAUTH_FAILED', 25: 'KDC_ERR_PREAUTH_REQUIRED', 26: 'KDC_ERR_SERVER_NOMATCH' },
  ...{ 27: 'KDC_ERR_MUST_USE_USER2USER', 29: 'KDC_ERR_SVC_UNAVAILABLE' },
  ...{ 31: 'KRB_AP_ERR_BAD_INTEGRITY', 32: 'KRB_AP_ERR_TKT_EXPIRED', 33: 'KRB_AP_ERR_TKT_NYV' },
  ...{ 34: 'KRB_AP_ERR_REPEAT', 35: 'KRB_AP_ERR_NOT_US', 37: 'KRB_AP_ERR_SKEW' },
  ...{ 41: 'KRB_AP_ERR_MODIFIED', 52: 'KRB_ERR_RESPONSE_TOO_BIG', 60: 'KRB_ERR_GENERIC' },
  ...{ 68: 'KDC_ERR_WRONG_REALM', 91: 'KDC_ERR_MORE_PREAUTH_DATA_REQUIRED' },
};

interface KerberosMessage {
  readonly type: number;
  readonly client: string | undefined;
  /** Realm of the client; a request for a service ticket (TGS) does not state it. */
  readonly clientRealm?: string | undefined;
  /** Realm of the server. */
  readonly realm: string | undefined;
  readonly server: string | undefined;
  /** The requested validity of the ticket. */
  readonly from?: string | undefined;
  readonly till?: string | undefined;
  /** Requested options (RFC 4120, 5.4.1), the first bit the highest. */
  readonly options?: number;
  /** Types of encryption that are offered. */
  readonly offered?: readonly string[];
  /** Of the ticket. */
  readonly cipher?: string | undefined;
  readonly error?: number | undefined;
  readonly errorText?: string | undefined;
}

/** Undefined if it is none of those messages. */
function readKerberos(bytes: Uint8Array, start: number, end: number): KerberosMessage | undefined {
  const type = (bytes[start] ?? 0) - APPLICATION;
  const isRequest = type === AS_REQUEST || type === TGS_REQUEST;
  const isReply = type === AS_REPLY || type === TGS_REPLY;
  if (!isRequest && !isReply && type !== ERROR) return undefined;
  const whole = elementAt(bytes, start, end);
  const all = whole && elementAt(bytes, whole.start, whole.end);
  if (all?.tag !== BER.sequence) return undefined;
  const fields = new Fields(bytes, all);
  if (fields.number(isRequest ? 2 : 1) !== type) return undefined;
  if (isRequest) {
    const body = fields.within(4);
    if (body === undefined) return undefined;
    const realm = body.text(2);
    return {
      ...{ type, client: body.name(1), realm, server: body.name(3) },
      // RFC 4120, 5.4.1: in a request to log in that of the client, too.
      clientRealm: type === AS_REQUEST ? realm : undefined,
      ...{ from: timeOf(body.text(4)), till: timeOf(body.text(5)), options: body.flags(0) },
      offered: body.numbers(8).map(etypeName),
    };
  }
  if (type === ERROR)
    return {
      ...{ type, client: fields.name(8), realm: fields.text(9), server: fields.name(10) },
      clientRealm: fields.text(7),
      ...{ error: fields.number(6), errorText: fields.text(11) },
    };
  const ticket = fields.ticket(5);
  const cipher = ticket?.within(3)?.number(0);
  return {
    ...{ type, client: fields.name(4), clientRealm: fields.text(3) },
    ...{ realm: ticket?.text(1), server: ticket?.name(2) },
    cipher: cipher === undefined ? undefined : etypeName(cipher),
  };
}

/** The contents of a login with a ticket, or the reason for its refusal. */
export type TicketUse = Pick<KerberosMessage, 'client' | 'realm' | 'server' | 'cipher' | 'error'>;

/** A login with a ticket (RFC 4120, 5.5.1), whose client is encrypted, or an error; undefined otherwise. */
export function readTicketUse(
  bytes: Uint8Array,
  start: number,
  end: number,
): TicketUse | undefined {
  const whole = elementAt(bytes, start, end);
  if (whole?.tag === APPLICATION + ERROR) return readKerberos(bytes, start, end);
  const all = whole && elementAt(bytes, whole.start, whole.end);
  if (whole?.tag !== APPLICATION + AP_REQUEST || all?.tag !== BER.sequence) return undefined;
  const fields = new Fields(bytes, all);
  const ticket = fields.ticket(3);
  if (fields.number(1) !== AP_REQUEST || ticket === undefined) return undefined;
  const cipher = ticket.within(3)?.number(0);
  return {
    ...{ client: undefined, realm: ticket.text(1), server: ticket.name(2) },
    cipher: cipher === undefined ? undefined : etypeName(cipher),
  };
}

/** Fields of a SEQUENCE, by the numbers of their context tags. */
class Fields {
  private readonly bytes: Uint8Array;
  private readonly fields: Map<number, BerElement>;

  constructor(bytes: Uint8Array, sequence: BerElement) {
    this.bytes = bytes;
    this.fields = childrenOf(bytes, sequence);
  }

  private value(number: number): BerElement | undefined {
    const field = this.fields.get(0xa0 + number);
    return field && elementAt(this.bytes, field.start, field.end);
  }

  within(number: number): Fields | undefined {
    const value = this.value(number);
    return value?.tag === BER.sequence ? new Fields(this.bytes, value) : undefined;
  }

  /** A Ticket, which has its own application tag. */
  ticket(number: number): Fields | undefined {
    const value = this.value(number);
    const inner =
      value?.tag === APPLICATION + 1 ? elementAt(this.bytes, value.start, value.end) : undefined;
    return inner?.tag === BER.sequence ? new Fields(this.bytes, inner) : undefined;
  }

  number(number: number): number | undefined {
    const value = this.value(number);
    return value?.tag === BER.integer ? integerOf(this.bytes, value) : undefined;
  }

  numbers(number: number): number[] {
    const value = this.value(number);
    if (value?.tag !== BER.sequence) return [];
    return [...elementsIn(this.bytes, value)]
      .slice(0, 64)
      .map((one) => integerOf(this.bytes, one))
      .filter((one) => one !== undefined);
  }

  /** The first 32 of a BIT STRING, after the number of unused ones. */
  flags(number: number): number {
    const value = this.value(number);
    return value === undefined || value.end - value.start < 5
      ? 0
      : u32(this.bytes, value.start + 1);
  }

  text(number: number): string | undefined {
    const value = this.value(number);
    return value === undefined ? undefined : stringOf(this.bytes, value);
  }

  /** PrincipalName: its parts joined by a slash. */
  name(number: number): string | undefined {
    const value = this.value(number);
    if (value?.tag !== BER.sequence) return undefined;
    const strings = new Fields(this.bytes, value).value(1);
    if (strings === undefined) return undefined;
    const parts = [...elementsIn(this.bytes, strings)].map((one) => stringOf(this.bytes, one));
    return parts.join('/');
  }
}

/** @param bit counted from the highest */
function flag({ options = 0 }: KerberosMessage, bit: number): string {
  return ((options << bit) & 0x8000_0000) === 0 ? 'F' : 'T';
}

export function errorName(code: number): string {
  return ERRORS[code] ?? `error ${code}`;
}

function etypeName(number: number): string {
  return ETYPES[number] ?? `etype-${number}`;
}

/** `20370913024805Z` */
function timeOf(text: string | undefined): string | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '');
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}

/** Requests and answers of one conversation. */
export class KerberosExchange {
  readonly service = 'kerberos';
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private waiting: { request: KerberosMessage; at: Stamp } | undefined;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return this.waiting === undefined ? 0 : 1024;
  }

  /** @returns whether it is a message of Kerberos */
  take(bytes: Uint8Array, start: number, end: number, at: Stamp): boolean {
    const message = readKerberos(bytes, start, end);
    if (message === undefined) return false;
    if (message.type === AS_REQUEST || message.type === TGS_REQUEST) {
      this.finish();
      this.waiting = { request: message, at };
      return true;
    }
    const { waiting } = this;
    this.waiting = undefined;
    this.tell(waiting?.request, message, waiting?.at ?? at);
    return true;
  }

  finish(): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting !== undefined) this.tell(waiting.request, undefined, waiting.at);
  }

  private tell(
    request: KerberosMessage | undefined,
    answer: KerberosMessage | undefined,
    at: Stamp,
  ): void {
    const isInitial = (request ?? answer)!.type === AS_REQUEST || answer?.type === AS_REPLY;
    const kind =
      request === undefined && answer?.type === ERROR ? undefined : isInitial ? 'AS' : 'TGS';
    const client = answer?.client ?? request?.client;
    const clientRealm = answer?.clientRealm ?? request?.clientRealm;
    const realm = request?.realm ?? answer?.realm;
    const server = request?.server ?? answer?.server;
    const { error } = answer ?? {};
    const word = error === undefined ? undefined : errorName(error);
    // The client must first prove its identity: it has neither failed nor succeeded.
    const isAskedFor = error === PREAUTH_REQUIRED || error === MORE_PROCESSING;
    const outcome =
      answer === undefined || isAskedFor ? undefined : error === undefined ? 'success' : 'failure';
    this.sink.message(this.ends, {
      ...{ kind: 'kerberos', type: kind ?? 'error', at },
      text: [
        kind,
        client === undefined ? undefined : `${client}@${clientRealm ?? ''}`,
        server,
        word ?? outcome,
      ]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        ...{ user: client, user_domain: clientRealm, outcome, reason: word },
        ...(isInitial && kind === 'AS' ? { category: 'authentication', action: 'login' } : {}),
      },
      attributes: {
        request_type: kind,
        client: client === undefined ? undefined : `${client}/${clientRealm ?? ''}`,
        ...{ cname: client, realm, sname: server, cipher: answer?.cipher },
        ...{ from: request?.from, till: request?.till },
        forwardable: request && flag(request, 1),
        renewable: request && flag(request, 8),
        etypes:
          request?.offered === undefined || request.offered.length === 0
            ? undefined
            : request.offered,
        success: outcome === undefined ? undefined : outcome === 'success' ? 'T' : 'F',
        error_code: error === undefined ? undefined : String(error),
        error_msg: word,
        error_text: answer?.errorText,
      },
    });
  }
}

class KerberosStream extends FramedStream {
  readonly service = 'kerberos';
  private readonly exchange: KerberosExchange;

  constructor(ends: Endpoints, sink: MessageSink) {
    super();
    this.exchange = new KerberosExchange(ends, sink);
  }

  protected override waitingBytes(): number {
    return this.exchange.heldBytes;
  }

  protected read(bytes: Uint8Array, _isClient: boolean, at: Stamp): number | undefined {
    if (bytes.length < LENGTH_BYTES) return 0;
    const size = LENGTH_BYTES + u32(bytes, 0);
    if (size > LENGTH_BYTES + MAX_MESSAGE_BYTES) return undefined;
    if (bytes.length < size) return 0;
    this.exchange.take(bytes, LENGTH_BYTES, size, at);
    return size;
  }

  protected begins(bytes: Uint8Array, start: number, end: number, isClient: boolean): boolean {
    return senderOf(bytes, start, end) === (isClient ? 'client' : 'server');
  }

  /** The next answer may belong to another request. */
  protected override lost(): void {
    this.exchange.finish();
  }

  finish(): void {
    this.exchange.finish();
  }
}

/** Recognises a length followed by a message. */
function senderOf(
  bytes: Uint8Array,
  start: number,
  end: number,
): ReturnType<StreamProtocol['recognise']> {
  if (bytes[start] !== 0) return undefined;
  const tag = bytes[start + LENGTH_BYTES];
  const isKnown = start + LENGTH_BYTES < end;
  const from = isKnown ? SENDERS.get(tag! - APPLICATION) : 'more';
  if (from === undefined || end - start < LENGTH_BYTES + MOST_HEADER_BYTES) return from && 'more';
  const header = headerAt(bytes, start + LENGTH_BYTES, end);
  const size = u32(bytes, start);
  if (header?.end !== start + LENGTH_BYTES + size || size > MAX_MESSAGE_BYTES) return undefined;
  return from;
}

export const KERBEROS: StreamProtocol = {
  recognise: senderOf,
  parser: (ends, sink) => new KerberosStream(ends, sink),
};
