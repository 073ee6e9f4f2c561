/**
 * DCE/RPC (C706, [MS-RPCE]) over TCP and in SMB pipes: one event per call, with whether it was answered, and NTLM
 * logins. For calls that create services and tasks, their names.
 *
 * Invariants: up to 64 KiB of a message are buffered; pending calls and interfaces are bounded.
 */
import INTERFACES from './dce-rpc-interfaces.json' with { type: 'json' };
import { FramedStream } from '../streams/framed.ts';
import {
  type Endpoints,
  type MessageSink,
  type ProtocolMessage,
  secondsBetween,
  type Stamp,
  type StreamProtocol,
} from '../messages.ts';
import { GssExchange } from './gss.ts';

const HEADER_BYTES = 16;
const MAX_WAITING = 256;
const MAX_CONTEXTS = 256;
const MAX_TEXT = 2048;
/** Flags of a message: its first fragment; the call names an object. */
const [FIRST_FRAGMENT, HAS_OBJECT] = [1, 0x80];
const LITTLE_ENDIAN = 0x10;
const TYPE = {
  ...{ request: 0, response: 2, fault: 3, bind: 11, bindAck: 12, bindNak: 13 },
  ...{ alterContext: 14, alterContextResponse: 15, auth3: 16 },
} as const;
const MAX_TYPE = 19;
const FROM_CLIENT: ReadonlySet<number> = new Set([
  ...[TYPE.request, TYPE.bind, TYPE.alterContext, TYPE.auth3],
]);
const FROM_SERVER: ReadonlySet<number> = new Set([
  ...[TYPE.response, TYPE.fault, TYPE.bindAck, TYPE.bindNak, TYPE.alterContextResponse],
]);
/** Level of authentication at which calls are encrypted. */
const PRIVACY = 6;
const AUTH_HEADER_BYTES = 8;
/** Size of a handle at the beginning of a call's parameters. */
const HANDLE_BYTES = 20;

const FAULTS: Readonly<Record<number, string>> = {
  ...{ 0x00000005: 'ACCESS_DENIED', 0x1c010002: 'OP_RANGE_ERROR', 0x1c010003: 'UNKNOWN_INTERFACE' },
  ...{ 0x1c00001a: 'CONTEXT_MISMATCH', 0x000006f7: 'BAD_STUB_DATA', 0x00000721: 'SEC_PKG_ERROR' },
};

interface Interface {
  readonly name: string;
  readonly operations: Readonly<Record<string, string>>;
}
/** By their UUIDs. */
const KNOWN: ReadonlyMap<string, Interface> = new Map(
  Object.entries(INTERFACES).flatMap(([name, { interfaces, operations }]) =>
    interfaces.map((uuid) => [uuid, { name, operations }] as const),
  ),
);

interface Call {
  readonly at: Stamp;
  /** UUID of its interface, if its binding was seen. */
  readonly uuid: string | undefined;
  readonly operation: number;
  /** The contents of its parameters. */
  readonly details: Readonly<Record<string, string>>;
}

/** A message as bytes, with its numbers in the order that it states. */
class Pdu {
  private readonly bytes: Buffer;
  private readonly isLittle: boolean;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.isLittle = (bytes[4]! & LITTLE_ENDIAN) !== 0;
  }

  get length(): number {
    return this.bytes.length;
  }

  /** 0 beyond its end. */
  u16(at: number): number {
    if (at + 2 > this.bytes.length) return 0;
    return this.isLittle ? this.bytes.readUInt16LE(at) : this.bytes.readUInt16BE(at);
  }

  /** 0 beyond its end. */
  u32(at: number): number {
    if (at + 4 > this.bytes.length) return 0;
    return this.isLittle ? this.bytes.readUInt32LE(at) : this.bytes.readUInt32BE(at);
  }

  part(start: number, end: number): Buffer {
    return this.bytes.subarray(start, end);
  }

  uuid(at: number): string | undefined {
    if (at + 16 > this.bytes.length) return undefined;
    const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
    const rest = this.bytes.toString('hex', at + 8, at + 16);
    const first = [hex(this.u32(at), 8), hex(this.u16(at + 4), 4), hex(this.u16(at + 6), 4)];
    return [...first, rest.slice(0, 4), rest.slice(4)].join('-');
  }
}

/** Size of the message that begins at a position; 0: more bytes are needed; undefined: it is not one. */
function messageSize(bytes: Uint8Array, start: number, end: number): number | undefined {
  // Missing bytes count as valid.
  const at = (place: number): number => (start + place < end ? bytes[start + place]! : 0);
  const isKnown =
    at(0) === 5 &&
    at(1) === 0 &&
    at(2) <= MAX_TYPE &&
    (at(4) === 0 || at(4) === LITTLE_ENDIAN) &&
    at(5) <= 3 &&
    at(6) === 0 &&
    at(7) === 0;
  if (!isKnown) return undefined;
  if (end - start < HEADER_BYTES) return 0;
  const pdu = new Pdu(bytes.subarray(start, start + HEADER_BYTES));
  const size = pdu.u16(8);
  return size < HEADER_BYTES || pdu.u16(10) + HEADER_BYTES > size ? undefined : size;
}

/** Whether unknown bytes begin like a message; decidable from four bytes on. */
export function beginsRpc(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && messageSize(bytes, 0, bytes.length) !== undefined;
}

function isFromServer(bytes: Uint8Array, start: number): boolean {
  return FROM_SERVER.has(bytes[start + 2]!);
}

/** The transport of such a stream: TCP, or an SMB pipe. */
interface RpcPlace {
  readonly pipe?: string;
  readonly columns?: ProtocolMessage['columns'];
}

export class DceRpcStream extends FramedStream {
  readonly service = 'dce_rpc';
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  /** UUIDs of interfaces by the number that calls name them by. */
  private readonly contexts = new Map<number, string>();
  private readonly waiting = new Map<number, Call>();
  private readonly logins = new GssExchange('dce_rpc');
  /** The account of the login that worked. */
  private account: ProtocolMessage['columns'];
  /** The server's stated endpoint: a pipe, or a port. */
  private endpoint: string | undefined;

  constructor(ends: Endpoints, sink: MessageSink, place: RpcPlace = {}) {
    super();
    this.ends = ends;
    this.sink = sink;
    this.account = place.columns ?? {};
    this.endpoint = place.pipe;
  }

  protected override waitingBytes(): number {
    return 512 * this.waiting.size + 128 * this.contexts.size;
  }

  protected read(bytes: Uint8Array, isClient: boolean, at: Stamp): number | undefined {
    const size = messageSize(bytes, 0, bytes.length);
    if (size === undefined) return undefined;
    if (size > bytes.length) return 0;
    if (size > 0) this.message(bytes.subarray(0, size), isClient, at);
    return size;
  }

  protected begins(bytes: Uint8Array, start: number, end: number): boolean {
    return (messageSize(bytes, start, end) ?? 0) > 0;
  }

  private message(bytes: Uint8Array, isClient: boolean, at: Stamp): void {
    const type = bytes[2]!;
    if (isClient !== FROM_CLIENT.has(type)) return;
    const pdu = new Pdu(bytes);
    const authBytes = pdu.u16(10);
    if (authBytes > 0 && type !== TYPE.request && type !== TYPE.response)
      this.logins.take(pdu.part(pdu.length - authBytes, pdu.length), at);
    if (type === TYPE.bind || type === TYPE.alterContext) this.bind(pdu);
    else if (type === TYPE.bindAck) this.bound(pdu);
    else if (type === TYPE.bindNak) this.logins.result(this.ends, this.sink, false);
    else if ((bytes[3]! & FIRST_FRAGMENT) === 0) return;
    else if (type === TYPE.request) this.request(pdu, bytes[3]!, at);
    else if (type === TYPE.response || type === TYPE.fault) this.answered(pdu, type, at);
  }

  private bind(pdu: Pdu): void {
    let at = 28;
    for (let left = pdu.part(24, 25)[0] ?? 0; left > 0; left--) {
      const uuid = pdu.uuid(at + 4);
      if (uuid === undefined) return;
      const { contexts } = this;
      if (contexts.size >= MAX_CONTEXTS) contexts.delete(contexts.keys().next().value!);
      contexts.set(pdu.u16(at), uuid);
      at += 24 + 20 * (pdu.part(at + 2, at + 3)[0] ?? 0);
    }
  }

  private bound(pdu: Pdu): void {
    const text = pdu.part(26, 26 + Math.min(pdu.u16(24), 256)).toString('latin1');
    const name = text.replace(/\0.*$/s, '');
    if (name !== '') this.endpoint = name;
  }

  private request(pdu: Pdu, flags: number, at: Stamp): void {
    const { waiting } = this;
    const [id, context, operation] = [pdu.u32(12), pdu.u16(20), pdu.u16(22)];
    const uuid = this.contexts.get(context);
    const before = waiting.get(id);
    if (before !== undefined) {
      waiting.delete(id);
      this.tell(before, undefined, undefined);
    } else if (waiting.size >= MAX_WAITING) {
      const [[oldest, call] = []] = waiting;
      waiting.delete(oldest!);
      this.tell(call!, undefined, undefined);
    }
    const start = 24 + ((flags & HAS_OBJECT) === 0 ? 0 : 16);
    const authBytes = pdu.u16(10);
    const trailer = authBytes === 0 ? pdu.length : pdu.length - authBytes - AUTH_HEADER_BYTES;
    const isEncrypted = authBytes > 0 && pdu.part(trailer + 1, trailer + 2)[0] === PRIVACY;
    const name = nameOf(uuid, operation);
    const details = isEncrypted ? {} : detailsOf(name, pdu, start);
    waiting.set(id, { at, uuid, operation, details });
  }

  private answered(pdu: Pdu, type: number, at: Stamp): void {
    const id = pdu.u32(12);
    const call = this.waiting.get(id);
    this.waiting.delete(id);
    const status = type === TYPE.fault ? pdu.u32(24) : 0;
    const word = FAULTS[status] ?? `0x${status.toString(16).padStart(8, '0')}`;
    const isRefused = status !== 0 && (word === 'ACCESS_DENIED' || word === 'SEC_PKG_ERROR');
    // Only the answer to the first call after it shows whether a login worked.
    const { account } = this.logins;
    if (account !== undefined && account.user !== '' && !isRefused)
      this.account = { user: account.user, user_domain: account.domain };
    this.logins.result(this.ends, this.sink, !isRefused);
    if (call !== undefined) this.tell(call, type === TYPE.fault ? word : '', at);
  }

  /** @param fault empty: it was answered; undefined: nothing was */
  private tell(call: Call, fault: string | undefined, answered: Stamp | undefined): void {
    const { at, uuid, operation, details } = call;
    const endpoint = uuid === undefined ? undefined : (KNOWN.get(uuid)?.name ?? uuid);
    const name = nameOf(uuid, operation);
    this.sink.message(this.ends, {
      ...{ kind: 'dce_rpc', type: 'call', at },
      text: [endpoint, name, ...Object.values(details), fault]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        ...this.account,
        outcome: fault === undefined ? undefined : fault === '' ? 'success' : 'failure',
        reason: fault === '' ? undefined : fault,
      },
      attributes: {
        ...{ named_pipe: this.endpoint, endpoint, operation: name, opnum: String(operation) },
        ...details,
        rtt: answered === undefined ? undefined : secondsBetween(at, answered),
      },
    });
  }

  finish(): void {
    for (const call of this.waiting.values()) this.tell(call, undefined, undefined);
    this.waiting.clear();
    this.logins.result(this.ends, this.sink, undefined);
  }
}

/** The name of an operation; `unknown-7`, as in Zeek. */
function nameOf(uuid: string | undefined, operation: number): string {
  return KNOWN.get(uuid ?? '')?.operations[operation] ?? `unknown-${operation}`;
}

/** The names in the parameters of a call. */
function detailsOf(name: string, pdu: Pdu, start: number): Record<string, string> {
  const texts = new Texts(pdu, start, name.endsWith('A') ? 1 : 2);
  if (/^OpenService[AW]$/.test(name)) {
    texts.skip(HANDLE_BYTES);
    return known({ service_name: texts.text() });
  }
  if (/^CreateService(?:WOW64)?[AW]$/.test(name)) {
    texts.skip(HANDLE_BYTES);
    const service = texts.text();
    texts.optional();
    // Access, type, start and error handling.
    texts.skip(16);
    return known({ service_name: service, command: texts.text() });
  }
  if (name === 'SchRpcRegisterTask') {
    const path = texts.optional();
    const command = /<Command>([^<]{1,2048})<\/Command>/i.exec(texts.text(65_536) ?? '')?.[1];
    return known({ task_name: path, command });
  }
  return {};
}

function known(values: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => !!entry[1]);
  return Object.fromEntries(entries);
}

/** Strings among parameters in NDR (C706, 14.3.4), each to a multiple of four bytes. */
class Texts {
  private readonly pdu: Pdu;
  private readonly start: number;
  private readonly width: 1 | 2;
  private at: number;

  /** @param width bytes of a character */
  constructor(pdu: Pdu, start: number, width: 1 | 2) {
    this.pdu = pdu;
    this.start = start;
    this.width = width;
    this.at = start;
  }

  skip(size: number): void {
    this.at += size;
  }

  /** The text that a pointer refers to, if it is not null. */
  optional(): string | undefined {
    const pointer = this.pdu.u32(this.at);
    this.at += 4;
    return pointer === 0 ? undefined : this.text();
  }

  /** Undefined if it is not a text. A longer one, or one that continues in another fragment, ends with `…`. */
  text(most = MAX_TEXT): string | undefined {
    const { pdu, at, width } = this;
    const [room, offset, characters] = [pdu.u32(at), pdu.u32(at + 4), pdu.u32(at + 8)];
    const end = at + 12 + width * characters;
    const isText = offset === 0 && characters <= room && characters <= 65_536;
    if (!isText || at + 12 >= pdu.length) {
      this.at = pdu.length;
      return undefined;
    }
    this.at = this.start + Math.ceil((end - this.start) / 4) * 4;
    const there = Math.min(end, pdu.length, at + 12 + width * most);
    const text = pdu.part(at + 12, there).toString(width === 1 ? 'latin1' : 'utf16le');
    return there < end ? `${text}…` : text.replace(/\0.*$/s, '');
  }
}

export const DCE_RPC: StreamProtocol = {
  recognise(bytes, start, end) {
    const size = messageSize(bytes, start, end);
    if (size === undefined || size === 0) return size === 0 ? 'more' : undefined;
    if (FROM_CLIENT.has(bytes[start + 2]!)) return 'client';
    return isFromServer(bytes, start) ? 'server' : undefined;
  },
  parser: (ends, sink) => new DceRpcStream(ends, sink),
};
