/**
 * TLS handshakes (RFC 8446, RFC 5246, SSL 3.0): a client's offer, a server's choice, and its certificates if they
 * are sent in clear, which they are not in TLS 1.3.
 *
 * One event per connection, at the time of the ClientHello. Nothing is read after the handshake.
 *
 * Invariants: handshake messages are buffered up to a limit; reading ends at anything that is not a handshake.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { u16, u24 } from '../../bytes.ts';
import { ja3, ja3s, ja4 } from './fingerprints.ts';
import { type Hello, hex4, readHello, suiteName } from './hello.ts';
import { HeldBytes } from '../streams/held-bytes.ts';
import type {
  Endpoints,
  MessageSink,
  ProtocolMessage,
  Stamp,
  StreamParser,
  StreamProtocol,
} from '../messages.ts';

const RECORD_HEADER = 5;
export const [CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA] = [20, 21, 22, 23];
export const [CLIENT_HELLO, SERVER_HELLO, CERTIFICATE] = [1, 2, 11];
/** 2^14 plus the expansion of encryption. */
const MAX_RECORD_BYTES = 16_384 + 2048;
/** A chain of certificates is the longest message. */
const MAX_HELD_BYTES = 262_144;
const MAX_CERTIFICATES = 10;

/** RFC 8446, 4.1.3: a ServerHello with this random value asks for another ClientHello. */
const HELLO_RETRY = Buffer.from(
  'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c',
  'hex',
);

const VERSIONS: Readonly<Record<number, string>> = {
  ...{ 0x0300: 'SSLv3', 0x0301: 'TLSv10', 0x0302: 'TLSv11', 0x0303: 'TLSv12', 0x0304: 'TLSv13' },
  ...{ 0xfeff: 'DTLSv10', 0xfefd: 'DTLSv12', 0xfefc: 'DTLSv13' },
};
/** The first byte of TLS 1.3 draft versions. */
const DRAFTS = 0x7f;
const ALERTS: Readonly<Record<number, string>> = {
  ...{ 0: 'close_notify', 10: 'unexpected_message', 20: 'bad_record_mac', 40: 'handshake_failure' },
  ...{ 42: 'bad_certificate', 43: 'unsupported_certificate', 44: 'certificate_revoked' },
  ...{ 45: 'certificate_expired', 46: 'certificate_unknown', 47: 'illegal_parameter' },
  ...{ 48: 'unknown_ca', 49: 'access_denied', 50: 'decode_error', 51: 'decrypt_error' },
  ...{ 70: 'protocol_version', 71: 'insufficient_security', 80: 'internal_error' },
  ...{ 86: 'inappropriate_fallback', 90: 'user_canceled', 109: 'missing_extension' },
  ...{ 110: 'unsupported_extension', 112: 'unrecognized_name', 116: 'certificate_required' },
  ...{ 120: 'no_application_protocol' },
};

export function alertName(number: number): string {
  return ALERTS[number] ?? `alert ${number}`;
}

/** Whether a ServerHello asks for another ClientHello. */
export function isHelloRetry({ random }: Pick<Hello, 'random'>): boolean {
  return Buffer.compare(random, HELLO_RETRY) === 0;
}

/** The records of one side, and the handshake messages in them. */
class Side {
  readonly held = new HeldBytes();
  readonly handshake = new HeldBytes();
  isEncrypted = false;
}

class TlsStream implements StreamParser {
  readonly service = 'tls';
  isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly sides = [new Side(), new Side()] as const;
  private at: Stamp | undefined;
  private client: Hello | undefined;
  private server: Hello | undefined;
  private certificates: readonly Uint8Array[] = [];
  private alert: string | undefined;
  /** Approximate memory of hellos and certificates. */
  private helloBytes = 0;
  private isEstablished = false;
  private isRetried = false;
  private problem: string | undefined;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    const [a, b] = this.sides;
    const begun = a.held.capacity + a.handshake.capacity + b.held.capacity + b.handshake.capacity;
    return begun + this.helloBytes;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    if (this.isDone || side.isEncrypted) return;
    this.at ??= at;
    const isBegun = side.held.length > 0;
    let all = bytes.subarray(start, end);
    if (isBegun) {
      side.held.append(all);
      all = side.held.bytes;
    }
    let from = 0;
    while (all.length - from >= RECORD_HEADER && !side.isEncrypted) {
      const size = u16(all, from + 3);
      if (all[from]! < CHANGE_CIPHER_SPEC || all[from]! > 24 || size > MAX_RECORD_BYTES) {
        this.fail('it is no TLS record');
        return;
      }
      if (all.length - from - RECORD_HEADER < size) break;
      this.record(side, isClient, all, from, from + RECORD_HEADER + size);
      from += RECORD_HEADER + size;
    }
    if (side.isEncrypted) side.held.clear();
    else if (isBegun) side.held.drop(from);
    else if (from < all.length) side.held.append(all.subarray(from));
    if (this.sides[0].isEncrypted && this.sides[1].isEncrypted) this.finish();
  }

  private record(
    side: Side,
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const from = start + RECORD_HEADER;
    switch (bytes[start]) {
      case HANDSHAKE:
        side.handshake.append(bytes.subarray(from, end));
        this.messages(side, isClient);
        break;
      case ALERT:
        if (end - from === 2 && bytes[from + 1] !== 0) this.alert ??= alertName(bytes[from + 1]!);
        break;
      case APPLICATION_DATA:
        side.isEncrypted = true;
        this.isEstablished = true;
        break;
      default:
        // After a HelloRetryRequest it changes nothing: both hellos are still to come.
        if (this.isRetried && this.server === undefined) return;
        // Everything after a ChangeCipherSpec is encrypted; in TLS 1.3 it is only sent for compatibility.
        side.isEncrypted = true;
        if (this.server !== undefined && !isClient) this.isEstablished = true;
    }
  }

  private messages(side: Side, isClient: boolean): void {
    let at = 0;
    const handshake = side.handshake.bytes;
    while (handshake.length - at >= 4) {
      const size = u24(handshake, at + 1);
      if (size > MAX_HELD_BYTES) {
        this.fail('a handshake message is too long');
        return;
      }
      if (handshake.length - at - 4 < size) break;
      this.message(handshake[at]!, isClient, handshake, at + 4, at + 4 + size);
      at += 4 + size;
    }
    side.handshake.drop(at);
  }

  private message(
    type: number,
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    // Numbers and strings take more than bytes.
    const cost = 4 * (end - start);
    if (type === CLIENT_HELLO && isClient && this.client === undefined) {
      this.client = readHello(bytes, start, end, true);
      this.helloBytes += cost;
    } else if (type === SERVER_HELLO && !isClient && this.server === undefined) {
      const hello = readHello(bytes, start, end, false);
      if (hello !== undefined && isHelloRetry(hello)) this.isRetried = true;
      else this.server = hello;
      this.helloBytes += cost;
    } else if (type === CERTIFICATE && !isClient && this.certificates.length === 0) {
      this.certificates = certificatesIn(bytes, start, end);
      this.helloBytes += end - start;
    }
  }

  private fail(why: string): void {
    this.problem = why;
    this.finish();
  }

  gap(isClient: boolean): void {
    const side = this.sides[isClient ? 0 : 1];
    if (side.isEncrypted) return;
    this.problem ??= 'bytes of the handshake are missing';
    // The start of this side's next record is unknown.
    side.isEncrypted = true;
    side.held.clear();
  }

  end(): void {
    // The other side may still answer.
  }

  finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    const { client, server, at } = this;
    if (at === undefined || (client === undefined && server === undefined)) return;
    const { certificates, alert, isEstablished, problem } = this;
    this.sink.message(
      this.ends,
      handshakeMessage({
        ...{ client, server, at, transport: 't' },
        ...{ certificates, alert, isEstablished, problem },
      }),
    );
  }
}

/** What is known of a handshake; at least one of the hellos. */
interface Handshake {
  readonly at: Stamp;
  readonly client: Hello | undefined;
  readonly server: Hello | undefined;
  /** TCP, QUIC, DTLS. */
  readonly transport: 't' | 'q' | 'd';
  readonly certificates?: readonly Uint8Array[];
  readonly alert?: string | undefined;
  /** Undefined: that cannot be seen. */
  readonly isEstablished?: boolean | undefined;
  readonly problem?: string | undefined;
}

export function handshakeMessage(handshake: Handshake): ProtocolMessage {
  const { client, server, at, transport, certificates = [], alert, isEstablished } = handshake;
  const version = server === undefined ? undefined : (server.versions[0] ?? server.version);
  const cipher = server?.ciphers[0];
  const [leaf] = certificates.map(describeCertificate);
  return {
    kind: 'tls',
    type: 'tls',
    at,
    text: [
      client?.serverName ?? leaf?.subject,
      version === undefined ? undefined : versionText(version),
      alert,
    ]
      .filter((part) => part !== undefined)
      .join(' '),
    columns: {
      tls_sni: client?.serverName,
      ja3: client === undefined ? undefined : ja3(client),
      outcome: alert !== undefined ? 'failure' : isEstablished === true ? 'success' : undefined,
      reason: alert,
    },
    attributes: {
      server_name: client?.serverName,
      version: version === undefined ? undefined : versionText(version),
      cipher: cipher === undefined ? undefined : (suiteName(cipher) ?? hex4(cipher)),
      next_protocol: server?.alpn[0],
      alpn: client === undefined || client.alpn.length === 0 ? undefined : client.alpn,
      established: isEstablished === undefined ? undefined : isEstablished ? 'T' : 'F',
      last_alert: alert,
      ja3s: server === undefined ? undefined : ja3s(server),
      ja4: client === undefined ? undefined : ja4(client, transport),
      subject: leaf?.subject,
      issuer: leaf?.issuer,
      'san.dns': leaf?.names,
      serial: leaf?.serial,
      not_valid_before: leaf?.from,
      not_valid_after: leaf?.to,
      cert_sha256: leaf?.sha256,
      cert_sha1: leaf?.sha1,
      cert_chain_sha256:
        certificates.length > 1 ? certificates.map((bytes) => hash('sha256', bytes)) : undefined,
      problem: handshake.problem ?? leaf?.problem,
    },
  };
}

/** The certificates of a Certificate message before TLS 1.3, the server's own first. */
export function certificatesIn(bytes: Uint8Array, start: number, end: number): Uint8Array[] {
  const out: Uint8Array[] = [];
  let at = start + 3;
  while (at + 3 <= end && out.length < MAX_CERTIFICATES) {
    const size = u24(bytes, at);
    if (at + 3 + size > end) break;
    out.push(Uint8Array.from(bytes.subarray(at + 3, at + 3 + size)));
    at += 3 + size;
  }
  return out;
}

interface CertificateFacts {
  readonly sha256: string;
  readonly sha1: string;
  readonly subject?: string;
  readonly issuer?: string;
  readonly names?: readonly string[];
  readonly serial?: string;
  readonly from?: string;
  readonly to?: string;
  readonly problem?: string;
}

function describeCertificate(bytes: Uint8Array): CertificateFacts {
  const hashes = { sha256: hash('sha256', bytes), sha1: hash('sha1', bytes) };
  try {
    const certificate = new X509Certificate(bytes);
    const names = (certificate.subjectAltName ?? '')
      .split(', ')
      .filter((name) => name.startsWith('DNS:'))
      .map((name) => name.slice(4));
    return {
      ...hashes,
      subject: certificate.subject.replaceAll('\n', ', '),
      issuer: certificate.issuer.replaceAll('\n', ', '),
      ...(names.length > 0 ? { names } : {}),
      serial: certificate.serialNumber,
      from: dateText(certificate.validFrom),
      to: dateText(certificate.validTo),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...hashes, problem: `the certificate cannot be read: ${why}` };
  }
}

function dateText(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

function hash(name: string, bytes: Uint8Array): string {
  return createHash(name).update(bytes).digest('hex');
}

function versionText(version: number): string {
  if (version >>> 8 === DRAFTS) return `TLSv13-draft${version & 0xff}`;
  return VERSIONS[version] ?? `0x${hex4(version)}`;
}

export const TLS: StreamProtocol = {
  /** A record with the beginning of a ClientHello or ServerHello. */
  recognise(bytes, start, end) {
    if (bytes[start] !== HANDSHAKE) return undefined;
    if (end - start <= RECORD_HEADER)
      return end - start < 2 || bytes[start + 1] === 3 ? 'more' : undefined;
    const size = u16(bytes, start + 3);
    if (bytes[start + 1] !== 3 || bytes[start + 2]! > 4 || size === 0 || size > MAX_RECORD_BYTES)
      return undefined;
    const type = bytes[start + 5];
    return type === CLIENT_HELLO ? 'client' : type === SERVER_HELLO ? 'server' : undefined;
  },
  begun: (bytes, start, end) =>
    end - start < RECORD_HEADER + u16(bytes, start + 3) ? 'tls' : undefined,
  parser: (ends, sink) => new TlsStream(ends, sink),
};
