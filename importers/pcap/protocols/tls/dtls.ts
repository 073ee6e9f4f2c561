/**
 * DTLS handshakes (RFC 9147, RFC 6347, 1.0: RFC 4347): a client's offer, a server's choice, and its certificates if
 * they are sent in clear.
 *
 * One event per handshake, of kind `tls`, at the time of its first hello. After it nothing is read but a hello in
 * clear with another random value, which begins another handshake.
 *
 * Invariant: fragmented handshake messages are bounded in size and number.
 */
import { u16, u24 } from '../../bytes.ts';
import { HandshakePieces, MAX_HANDSHAKE_BYTES } from './handshake-pieces.ts';
import { type Hello, readHello } from './hello.ts';
import type { Endpoints, MessageSink, Stamp } from '../messages.ts';
import {
  ALERT,
  alertName,
  APPLICATION_DATA,
  CERTIFICATE,
  certificatesIn,
  CHANGE_CIPHER_SPEC,
  CLIENT_HELLO,
  HANDSHAKE,
  handshakeMessage,
  isHelloRetry,
  SERVER_HELLO,
} from './tls.ts';

const RECORD_HEADER = 13;
const MESSAGE_HEADER = 12;
const HELLO_VERIFY_REQUEST = 3;
/** Versions of the record layer: 1.0, 1.2 and 1.3, and the pre-standard one. */
const VERSIONS: ReadonlySet<number> = new Set([0xfeff, 0xfefd, 0x0100]);
/** Encrypted records of 1.3 (RFC 9147, 4). */
const [UNIFIED_MASK, UNIFIED] = [0xe0, 0x20];
const MAX_PIECES = 128;
/** Maximum number of incomplete messages of a side. */
const MAX_BEGUN = 4;

interface Record {
  readonly type: number;
  /** Above 0: encrypted. */
  readonly epoch: number;
  readonly start: number;
  readonly end: number;
}

/** The record that begins there; undefined if it is not one. */
function recordAt(bytes: Uint8Array, start: number, end: number): Record | undefined {
  const from = start + RECORD_HEADER;
  if (from > end || !VERSIONS.has(u16(bytes, start + 1))) return undefined;
  const type = bytes[start]!;
  const to = from + u16(bytes, start + 11);
  if (type < CHANGE_CIPHER_SPEC || type > 26 || to > end) return undefined;
  return { type, epoch: u16(bytes, start + 3), start: from, end: to };
}

/** The side that begins a connection with a datagram; undefined: it does not. */
export function dtlsSender(
  bytes: Uint8Array,
  start: number,
  end: number,
): 'client' | 'server' | undefined {
  if (bytes[start] !== HANDSHAKE) return undefined;
  const record = recordAt(bytes, start, end);
  if (record === undefined || record.epoch > 0) return undefined;
  const { start: at } = record;
  if (at + MESSAGE_HEADER > record.end) return undefined;
  const [size, offset, length] = [u24(bytes, at + 1), u24(bytes, at + 6), u24(bytes, at + 9)];
  if (offset + length > size || at + MESSAGE_HEADER + length > record.end) return undefined;
  const type = bytes[at];
  if (type === CLIENT_HELLO) return 'client';
  return type === SERVER_HELLO || type === HELLO_VERIFY_REQUEST ? 'server' : undefined;
}

/**
 * The random value of the hello whose first piece begins at a position; undefined if there is none. A
 * HelloVerifyRequest has none of its own.
 */
function helloRandom(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const isHello = bytes[at] === CLIENT_HELLO || bytes[at] === SERVER_HELLO;
  if (!isHello || u24(bytes, at + 6) > 0 || u24(bytes, at + 9) < 34) return undefined;
  const from = at + MESSAGE_HEADER + 2;
  const random = bytes.subarray(from, from + 32);
  return isHelloRetry({ random }) ? undefined : random;
}

interface Begun {
  readonly size: number;
  readonly pieces: HandshakePieces;
}

export class DtlsConversation {
  readonly service = 'dtls';
  isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly at: Stamp;
  /** Fragmented messages, by number. */
  private readonly begun = [new Map<number, Begun>(), new Map<number, Begun>()] as const;
  private readonly isEncrypted = [false, false];
  /** Random values of the hellos, by the types of these. */
  private readonly randoms: (Uint8Array | undefined)[] = [];
  private helloBytes = 0;
  private client: Hello | undefined;
  private server: Hello | undefined;
  private certificates: readonly Uint8Array[] = [];
  private alert: string | undefined;
  private isEstablished = false;

  constructor(ends: Endpoints, sink: MessageSink, at: Stamp) {
    this.ends = ends;
    this.sink = sink;
    this.at = at;
  }

  get heldBytes(): number {
    if (this.isDone) return 0;
    let held = this.helloBytes;
    for (const side of this.begun) for (const one of side.values()) held += one.pieces.heldBytes;
    for (const one of this.certificates) held += one.length;
    return held;
  }

  /**
   * Whether a datagram begins another handshake on the same ports. Hellos that are sent again, with or without a cookie, have
   * the same random value.
   */
  isFollowedBy(bytes: Uint8Array, start: number, end: number, isClient: boolean): boolean {
    const sender = dtlsSender(bytes, start, end);
    if (sender === undefined) return false;
    const type = sender === 'client' ? CLIENT_HELLO : SERVER_HELLO;
    const random = helloRandom(bytes, start + RECORD_HEADER);
    if (random === undefined) return false;
    const known = this.randoms[type];
    if (known === undefined) return this.isDone || (sender === 'client') !== isClient;
    // A server may answer the same hello twice, each time with a different one.
    const mayDiffer =
      sender === 'server' && !this.isDone && this.randoms[CLIENT_HELLO] !== undefined;
    return !mayDiffer && Buffer.compare(known, random) !== 0;
  }

  take(bytes: Uint8Array, start: number, end: number, isClient: boolean): void {
    let at = start;
    while (at < end && !this.isDone) {
      if ((bytes[at]! & UNIFIED_MASK) === UNIFIED) {
        this.encrypted(isClient);
        return;
      }
      const record = recordAt(bytes, at, end);
      // STUN and RTP may go over the same ports (RFC 7983).
      if (record === undefined) return;
      if (record.epoch > 0 || record.type === APPLICATION_DATA) this.encrypted(isClient);
      else if (record.type === CHANGE_CIPHER_SPEC) this.isEncrypted[isClient ? 0 : 1] = true;
      else if (record.type === HANDSHAKE) this.messages(bytes, record, isClient);
      else if (record.type === ALERT && record.end - record.start === 2)
        this.alert ??=
          bytes[record.start + 1] === 0 ? undefined : alertName(bytes[record.start + 1]!);
      at = record.end;
    }
  }

  /**
   * A side sends encrypted data. Early data of a client, or what overtook it, may precede the server's hello, which
   * is waited for.
   */
  private encrypted(isClient: boolean): void {
    this.isEncrypted[isClient ? 0 : 1] = true;
    if (!isClient) this.isEstablished = true;
    const isOver = this.server !== undefined && this.isEncrypted[0] && this.isEncrypted[1];
    if (isOver === true) this.finish();
  }

  private messages(bytes: Uint8Array, { start, end }: Record, isClient: boolean): void {
    let at = start;
    while (at + MESSAGE_HEADER <= end) {
      const size = u24(bytes, at + 1);
      const [offset, length] = [u24(bytes, at + 6), u24(bytes, at + 9)];
      const from = at + MESSAGE_HEADER;
      if (from + length > end || offset + length > size || size > MAX_HANDSHAKE_BYTES) return;
      const type = bytes[at]!;
      if (this.randoms[type] === undefined) {
        const random = helloRandom(bytes, at);
        if (random !== undefined) this.randoms[type] = Uint8Array.from(random);
      }
      const part = bytes.subarray(from, from + length);
      const whole =
        length === size ? part : this.joined(isClient, u16(bytes, at + 4), size, offset, part);
      if (whole !== undefined) this.message(type, isClient, whole);
      at = from + length;
    }
  }

  private joined(
    isClient: boolean,
    number: number,
    size: number,
    offset: number,
    part: Uint8Array,
  ): Uint8Array | undefined {
    if (part.length === 0) return undefined;
    const begun = this.begun[isClient ? 0 : 1];
    let one = begun.get(number);
    if (one?.size !== size) {
      if (begun.size >= MAX_BEGUN) begun.delete(begun.keys().next().value!);
      one = { size, pieces: new HandshakePieces(MAX_PIECES) };
      begun.set(number, one);
    }
    const whole = one.pieces.add(offset, part) ? one.pieces.first(size) : undefined;
    if (whole !== undefined) begun.delete(number);
    return whole;
  }

  private message(type: number, isClient: boolean, bytes: Uint8Array): void {
    const { length } = bytes;
    const { client, server } = this;
    if (type === CLIENT_HELLO && isClient) this.client ??= readHello(bytes, 0, length, true, true);
    else if (type === SERVER_HELLO && !isClient && this.server === undefined) {
      const hello = readHello(bytes, 0, length, false);
      if (hello !== undefined && !isHelloRetry(hello)) this.server = hello;
    } else if (type === CERTIFICATE && !isClient && this.certificates.length === 0)
      this.certificates = certificatesIn(bytes, 0, length);
    // Numbers and strings take more than bytes.
    if (this.client !== client || this.server !== server) this.helloBytes += 4 * length;
  }

  finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    const { client, server, at, certificates, alert } = this;
    this.client = undefined;
    this.server = undefined;
    this.certificates = [];
    for (const side of this.begun) side.clear();
    if (client === undefined && server === undefined) return;
    // A side that encrypts has had an answer, though it was not captured.
    const isUnknown = server === undefined && this.isEncrypted.includes(true);
    const isEstablished = isUnknown ? undefined : this.isEstablished;
    const message = handshakeMessage({
      ...{ client, server, at, certificates, alert, isEstablished, transport: 'd' },
    });
    this.sink.message(this.ends, { ...message, service: this.service });
  }
}
