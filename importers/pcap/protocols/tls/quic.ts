/**
 * QUIC's Initial packets (RFC 9000, RFC 9001; version 2: RFC 9369): the hellos of its TLS handshake. They are
 * encrypted with keys derived from data sent in clear, so that every observer can read them.
 *
 * One event per connection, of kind `tls`, at the time of the first packet.
 *
 * Invariants: the number of decrypted packets is bounded for each connection, and so are the buffered parts of its
 * hellos.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { u24, u32 } from '../../bytes.ts';
import { HandshakePieces } from './handshake-pieces.ts';
import { type Hello, readHello } from './hello.ts';
import type { Endpoints, MessageSink, Stamp } from '../messages.ts';
import { handshakeMessage } from './tls.ts';

const LONG_HEADER = 0x80;
/** Set by a client in its first packets; a server may leave it away (RFC 9287). */
const FIXED_BIT = 0x40;
const MAX_CONNECTION_ID_BYTES = 20;
/** RFC 9000, 14.1: datagrams in which clients begin are at least this large. */
const LEAST_DATAGRAM = 1200;
const MAX_PACKETS = 32;
const MAX_COALESCED = 8;
const MAX_PIECES = 256;
const TAG_BYTES = 16;
const [CLIENT_HELLO, SERVER_HELLO] = [1, 2];

interface Version {
  readonly salt: Buffer;
  readonly labels: 'quic' | 'quicv2';
  /** Bits of the first byte that identify an Initial. */
  readonly initial: number;
}

function version(salt: string, labels: Version['labels'] = 'quic', initial = 0): Version {
  return { salt: Buffer.from(salt, 'hex'), labels, initial };
}
const V1 = version('38762cf7f55934b34d179ae6a4c80cadccbb7f0a');
const V2 = version('0dede3def700a6db819381be6e269dcbf9bd2ed9', 'quicv2', 1);
const DRAFT_29 = version('afbfec289993d24c9e9786f19c6111e04390a899');
const DRAFT_22 = version('7fbcdb0e7c66bbe9193a96cd21519ebd7a02644a');
const DRAFT_23 = version('c3eef712c72ebb5a11a7d2432bb46365bef9f502');

function versionOf(number: number): Version | undefined {
  if (number === 1) return V1;
  if (number === 0x6b3343cf) return V2;
  if (number >= 0xff00001d && number <= 0xff000022) return DRAFT_29;
  if (number >= 0xff000017 && number <= 0xff00001c) return DRAFT_23;
  // A version that no server has, with which a client asks for those that it has (RFC 9000, 15).
  if ((number & 0x0f0f0f0f) === 0x0a0a0a0a) return DRAFT_29;
  // Versions of one vendor, by the draft that they follow.
  if (number === 0xfaceb001) return DRAFT_22;
  return number === 0xfaceb002 || number === 0xfaceb00e ? DRAFT_23 : undefined;
}

interface Keys {
  readonly key: Buffer;
  readonly iv: Buffer;
  readonly mask: Buffer;
}

/** HKDF-Expand-Label of TLS 1.3 (RFC 8446, 7.1), without context. */
function expand(secret: Buffer, label: string, size: number): Buffer {
  const name = `tls13 ${label}`;
  const info = Buffer.concat([
    Buffer.of(size >>> 8, size & 255, name.length),
    Buffer.from(name, 'latin1'),
    Buffer.of(0, 1),
  ]);
  // One block of HMAC is enough here.
  return createHmac('sha256', secret).update(info).digest().subarray(0, size);
}

function keysOf({ salt, labels }: Version, id: Uint8Array, side: 'client in' | 'server in'): Keys {
  const initial = createHmac('sha256', salt).update(id).digest();
  const secret = expand(initial, side, 32);
  return {
    key: expand(secret, `${labels} key`, 16),
    iv: expand(secret, `${labels} iv`, 12),
    mask: expand(secret, `${labels} hp`, 16),
  };
}

interface LongPacket {
  readonly version: Version;
  readonly number: number;
  readonly isInitial: boolean;
  readonly id: Uint8Array;
  /** Position of the packet's number, and end of the packet. */
  readonly at: number;
  readonly end: number;
}

/** A variable-length number (RFC 9000, 16), and the start of what follows. */
function variable(
  bytes: Uint8Array,
  at: number,
  end: number,
): readonly [number, number] | undefined {
  if (at >= end) return undefined;
  const size = 1 << (bytes[at]! >>> 6);
  if (at + size > end) return undefined;
  let value = bytes[at]! & 0x3f;
  for (let i = 1; i < size; i++) value = value * 256 + bytes[at + i]!;
  return value <= Number.MAX_SAFE_INTEGER ? [value, at + size] : undefined;
}

/** The packet with a long header that begins there; undefined if it is not one of a known version. */
function longPacket(bytes: Uint8Array, start: number, end: number): LongPacket | undefined {
  if (end - start < 7 || (bytes[start]! & LONG_HEADER) !== LONG_HEADER) return undefined;
  const number = u32(bytes, start + 1);
  const known = versionOf(number);
  if (known === undefined) return undefined;
  const size = bytes[start + 5]!;
  let at = start + 6 + size;
  if (size > MAX_CONNECTION_ID_BYTES || at >= end) return undefined;
  const id = bytes.subarray(start + 6, at);
  at += 1 + bytes[at]!;
  const type = (bytes[start]! >>> 4) & 3;
  const isInitial = type === known.initial;
  // Retry has no length.
  if (type === (known.initial + 3) % 4) return undefined;
  if (isInitial) {
    const token = variable(bytes, at, end);
    if (token === undefined) return undefined;
    at = token[1] + token[0];
  }
  const length = variable(bytes, at, end);
  if (length === undefined || length[1] + length[0] > end) return undefined;
  return { version: known, number, isInitial, id, at: length[1], end: length[1] + length[0] };
}

/** The payload of a packet; undefined if the keys do not fit. */
function decrypt(
  bytes: Uint8Array,
  start: number,
  { at, end }: LongPacket,
  { key, iv, mask }: Keys,
): Buffer | undefined {
  if (end - at < 4 + TAG_BYTES) return undefined;
  const cipher = createCipheriv('aes-128-ecb', mask, null);
  const bits = cipher.update(bytes.subarray(at + 4, at + 4 + 16));
  const head = Buffer.from(bytes.subarray(start, at + 4));
  head[0]! ^= bits[0]! & 0x0f;
  const size = (head[0]! & 3) + 1;
  const nonce = Buffer.from(iv);
  const first = at - start;
  for (let i = 0; i < size; i++) {
    head[first + i]! ^= bits[1 + i]!;
    nonce[nonce.length - size + i]! ^= head[first + i]!;
  }
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAAD(head.subarray(0, first + size));
  decipher.setAuthTag(bytes.subarray(end - TAG_BYTES, end));
  const plain = decipher.update(bytes.subarray(at + size, end - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    // The keys belong to another packet, or it was modified: it is ignored.
    return undefined;
  }
  return plain;
}

/** The first message of a side, if it is complete and has the given type. */
function messageIn(pieces: HandshakePieces, type: number): Buffer | undefined {
  const head = pieces.first(4);
  return head?.[0] === type ? pieces.first(4 + u24(head, 1))?.subarray(4) : undefined;
}

/** Takes the CRYPTO frames of a packet; others that Initials may have are skipped (RFC 9000, 12.4). */
function takeCrypto(plain: Buffer, crypto: HandshakePieces): void {
  let at = 0;
  const next = (): number => {
    const found = variable(plain, at, plain.length);
    at = found === undefined ? plain.length + 1 : found[1];
    return found?.[0] ?? 0;
  };
  while (at < plain.length) {
    const type = next();
    if (type === 0 || type === 1) continue;
    if (type === 6) {
      const place = next();
      const size = next();
      if (at + size > plain.length) return;
      crypto.add(place, plain.subarray(at, at + size));
      at += size;
    } else if (type === 2 || type === 3) {
      next();
      next();
      const ranges = next();
      next();
      for (let i = 0; i < ranges && at < plain.length; i++) {
        next();
        next();
      }
      if (type === 3) for (let i = 0; i < 3; i++) next();
    } else return;
  }
}

/** Whether a datagram may begin a connection of QUIC. */
export function mayBeginQuic(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    end - start >= LEAST_DATAGRAM &&
    (bytes[start]! & FIXED_BIT) !== 0 &&
    longPacket(bytes, start, end)?.isInitial === true
  );
}

export class QuicConversation {
  readonly service = 'quic';
  /** Whether a client has begun it, so that it certainly is one. */
  isKnown = false;
  isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly at: Stamp;
  private readonly sides = [
    new HandshakePieces(MAX_PIECES),
    new HandshakePieces(MAX_PIECES),
  ] as const;
  private keys: { readonly client: Keys; readonly server: Keys } | undefined;
  private number = 0;
  private packets = 0;
  private client: Hello | undefined;
  private server: Hello | undefined;

  constructor(ends: Endpoints, sink: MessageSink, at: Stamp) {
    this.ends = ends;
    this.sink = sink;
    this.at = at;
  }

  get heldBytes(): number {
    return this.isDone ? 0 : this.sides[0].heldBytes + this.sides[1].heldBytes;
  }

  take(bytes: Uint8Array, start: number, end: number, isClient: boolean): void {
    let at = start;
    for (let n = 0; n < MAX_COALESCED && !this.isDone; n++) {
      const packet = longPacket(bytes, at, end);
      if (packet === undefined) return;
      if (packet.isInitial) {
        this.packets += 1;
        if (this.packets > MAX_PACKETS) {
          this.finish();
          return;
        }
        this.initial(bytes, at, packet, isClient);
      }
      at = packet.end;
    }
  }

  private initial(bytes: Uint8Array, start: number, packet: LongPacket, isClient: boolean): void {
    let plain: Buffer | undefined;
    if (this.keys !== undefined)
      plain = decrypt(bytes, start, packet, isClient ? this.keys.client : this.keys.server);
    if (plain === undefined && isClient) {
      // Its first packet, or the first one after the server's Retry.
      const keys = keysOf(packet.version, packet.id, 'client in');
      plain = decrypt(bytes, start, packet, keys);
      if (plain !== undefined) {
        this.keys = { client: keys, server: keysOf(packet.version, packet.id, 'server in') };
        this.isKnown = true;
        this.number = packet.number;
      }
    }
    if (plain === undefined) return;
    const side = this.sides[isClient ? 0 : 1];
    takeCrypto(plain, side);
    const message = messageIn(side, isClient ? CLIENT_HELLO : SERVER_HELLO);
    if (message === undefined) return;
    if (isClient) this.client ??= readHello(message, 0, message.length, true);
    else this.server ??= readHello(message, 0, message.length, false);
    if (this.client !== undefined && this.server !== undefined) this.finish();
  }

  finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    const { client, server, number } = this;
    if (client === undefined && server === undefined) return;
    const message = handshakeMessage({ client, server, at: this.at, transport: 'q' });
    const attributes = { ...message.attributes, quic_version: quicVersionText(number) };
    this.sink.message(this.ends, { ...message, service: this.service, attributes });
  }
}

function quicVersionText(number: number): string {
  if (number === 1) return '1';
  if (number === 0x6b3343cf) return 'quicv2';
  return number >>> 8 === 0xff0000 ? `draft-${number & 255}` : number.toString(16);
}
