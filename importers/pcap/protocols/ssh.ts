/**
 * SSH (RFC 4253): the banners of both sides, their offers before encryption starts, the server's key, and whether a
 * login succeeded, as far as the lengths of encrypted messages tell.
 *
 * One event per connection, at the time of its first banner. HASSH is the MD5 of a client's offer, and of a
 * server's: https://github.com/salesforce/hassh.
 *
 * Invariants: lines and packets are buffered up to a limit; reading ends at anything that is not SSH, and after
 * some inconclusive answers.
 */
import { createHash } from 'node:crypto';
import { u32 } from '../bytes.ts';
import { HeldBytes } from './streams/held-bytes.ts';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  type StreamProtocol,
  textOf,
} from './messages.ts';

const LF = 10;
const MAX_LINE_BYTES = 1024;
/** Lines that a server may send before its banner (RFC 4253, 4.2). */
const MAX_LINES = 64;
/** RFC 4253, 6.1: every implementation reads 35,000 bytes. */
const MAX_PACKET_BYTES = 65_536;
const [KEXINIT, NEWKEYS] = [20, 21];
/** Messages in which the server sends its key (RFC 4253, 8; RFC 4419). */
const [KEX_REPLY, GROUP_EXCHANGE_REPLY] = [31, 33];
const COOKIE_BYTES = 16;

/** Answers of a server after which no login is waited for. */
const MAX_ANSWERS = 256;
/** Bytes by which SSH_MSG_USERAUTH_SUCCESS is shorter than SSH_MSG_SERVICE_ACCEPT, whatever the cipher. */
const LESS_FOR_SUCCESS = 16;

/** The lists of a KEXINIT, in its order. */
interface Offer {
  readonly kex: string;
  readonly hostKeys: string;
  readonly ciphers: readonly [string, string];
  readonly macs: readonly [string, string];
  readonly compressions: readonly [string, string];
}

class Side {
  readonly held = new HeldBytes();
  banner: string | undefined;
  lines = 0;
  offer: Offer | undefined;
  isEncrypted = false;
}

/** Infers the results of logins from the lengths of the answers, each in its own segment. */
class LoginAnswers {
  hasSucceeded = false;
  /** Number of logins without the first refused one, by which clients query the methods. */
  private attempts = 0;
  private answers = 0;
  private isAsked = false;
  /** Number of answers with other lengths since the last conclusive one. */
  private others = 0;
  /** Answers are missing, or several are inconclusive: a session may have begun among them. */
  private isBlind = false;
  /** Lengths of the answer that a login may be tried, and of a refusal. */
  private acceptBytes = 0;
  private refusalBytes = 0;

  /** Whether nothing more can be found out. */
  get isDone(): boolean {
    return this.hasSucceeded || this.answers > MAX_ANSWERS;
  }

  /** Undefined: unknown. */
  get outcome(): 'T' | 'F' | undefined {
    if (this.hasSucceeded) return 'T';
    return this.attempts > 0 && !this.isBlind && this.others === 0 ? 'F' : undefined;
  }

  /** Logins that were tried; undefined: unknown. */
  get count(): number | undefined {
    if (this.acceptBytes === 0 || (this.isBlind && !this.hasSucceeded)) return undefined;
    return this.attempts;
  }

  take(isClient: boolean, size: number): void {
    if (isClient) this.isAsked = true;
    // A server's messages before a login request announce its extensions (RFC 8308).
    if (isClient || !this.isAsked) return;
    this.answers += 1;
    if (this.acceptBytes === 0) this.acceptBytes = size;
    else if (size === this.acceptBytes - LESS_FOR_SUCCESS) {
      this.attempts += 1;
      this.hasSucceeded = true;
    } else if (this.refusalBytes === 0) this.refusalBytes = size;
    else if (size === this.refusalBytes) {
      this.attempts += 1;
      this.others = 0;
    } else {
      this.others += 1;
      // A server may ask for more before it answers; longer exchanges are part of a session.
      if (this.others > 1) this.isBlind = true;
    }
  }

  /** Answers are missing: a successful login may be among them. */
  forget(): void {
    this.isBlind = true;
  }
}

class SshStream implements StreamParser {
  readonly service = 'ssh';
  isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  /** The client's first. */
  private readonly sides = [new Side(), new Side()] as const;
  private readonly logins = new LoginAnswers();
  private at: Stamp | undefined;
  private hostKey: string | undefined;
  private problem: string | undefined;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return this.sides[0].held.capacity + this.sides[1].held.capacity;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    if (this.isDone) return;
    const side = this.sides[isClient ? 0 : 1];
    if (side.isEncrypted) {
      this.encrypted(isClient, end - start);
      return;
    }
    this.at ??= at;
    side.held.append(bytes.subarray(start, end));
    if (side.banner === undefined && !this.lines(side)) return;
    this.packets(side, isClient);
  }

  /** Reads lines up to the banner. @returns whether it was there */
  private lines(side: Side): boolean {
    for (;;) {
      const { bytes } = side.held;
      const stop = bytes.indexOf(LF);
      if (stop < 0) {
        if (bytes.length > MAX_LINE_BYTES) this.fail('a line is too long');
        return false;
      }
      const line = textOf(bytes, 0, stop).replace(/\r$/, '');
      side.held.drop(stop + 1);
      if (line.startsWith('SSH-')) {
        // Padding, and what would end it for a receiver, is not part of it.
        side.banner = line.replace(/ ?\0.*$/s, '');
        return true;
      }
      side.lines += 1;
      if (side.lines > MAX_LINES) {
        this.fail('no banner is in the first lines');
        return false;
      }
    }
  }

  private packets(side: Side, isClient: boolean): void {
    const { held } = side;
    // Version 1 has packets of another form.
    if (/^SSH-1\.[0-8]/.test(side.banner ?? '')) {
      held.clear();
      if (this.sides.every(({ banner }) => banner !== undefined)) this.finish();
      return;
    }
    while (held.length >= 6 && !this.isDone) {
      const { bytes } = held;
      const size = u32(bytes, 0);
      const type = bytes[5]!;
      if (size > MAX_PACKET_BYTES || size < 2 || (side.offer === undefined && type !== KEXINIT)) {
        if (side.offer === undefined) this.fail('the first packet offers nothing');
        else this.finish();
        return;
      }
      if (bytes.length < 4 + size) return;
      if (type === KEXINIT) side.offer = readOffer(bytes, 6 + COOKIE_BYTES, 4 + size - bytes[4]!);
      else if (!isClient && type === this.keyType())
        this.hostKey = keyOf(bytes.subarray(6, 4 + size));
      if (side.offer === undefined) {
        this.fail('an offer cannot be read');
        return;
      }
      held.drop(4 + size);
      if (type !== NEWKEYS) continue;
      side.isEncrypted = true;
      const rest = held.length;
      held.clear();
      if (rest > 0) this.encrypted(isClient, rest);
      return;
    }
  }

  /** The message in which the server sends its key; undefined: that depends on an unknown method. */
  private keyType(): number | undefined {
    const method = this.agreed(({ kex }) => kex);
    if (method === undefined || method.startsWith('gss-')) return undefined;
    return method.includes('group-exchange') ? GROUP_EXCHANGE_REPLY : KEX_REPLY;
  }

  private agreed(listOf: (offer: Offer) => string): string | undefined {
    const [client, server] = this.sides;
    return agreed([client.offer, server.offer], listOf);
  }

  private encrypted(isClient: boolean, size: number): void {
    this.logins.take(isClient, size);
    if (this.logins.isDone) this.finish();
  }

  private fail(why: string): void {
    this.problem ??= why;
    this.finish();
  }

  gap(): void {
    if (this.sides.every(({ offer }) => offer !== undefined)) {
      this.logins.forget();
      this.finish();
    } else this.fail('bytes of the first messages are missing');
  }

  end(): void {
    // The other side may still state its version.
  }

  finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    for (const { held } of this.sides) held.clear();
    const [client, server] = this.sides;
    if (client.banner === undefined && server.banner === undefined) return;
    const both = [client.offer, server.offer] as const;
    const hassh = both[0] && algorithms(both[0], 0);
    const hasshServer = both[1] && algorithms(both[1], 1);
    const { logins } = this;
    // Compressed messages have other lengths.
    const isTold = this.agreed(({ compressions }) => compressions[0]) === 'none';
    const worked = isTold ? logins.outcome : undefined;
    const banners = [client.banner, server.banner].filter((banner) => banner !== undefined);
    this.sink.message(this.ends, {
      kind: 'ssh',
      type: 'ssh',
      at: this.at!,
      text: [client.banner, server.banner].filter(Boolean).join(' → '),
      columns:
        worked === undefined
          ? {}
          : { category: 'authentication', outcome: worked === 'T' ? 'success' : 'failure' },
      attributes: {
        version: banners.every((banner) => /^SSH-(?:2|1\.99)/.test(banner)) ? '2' : '1',
        client: client.banner,
        server: server.banner,
        kex_alg: this.agreed(({ kex }) => kex),
        host_key_alg: this.agreed(({ hostKeys }) => hostKeys),
        cipher_alg: this.agreed(({ ciphers }) => ciphers[0]),
        mac_alg: this.agreed(({ macs }) => macs[0]),
        compression_alg: this.agreed(({ compressions }) => compressions[0]),
        host_key_fingerprint: this.hostKey,
        auth_attempts: isTold ? logins.count?.toString() : undefined,
        auth_success: worked,
        hassh: hassh && md5(hassh),
        hasshServer: hasshServer && md5(hasshServer),
        hasshAlgorithms: hassh,
        hasshServerAlgorithms: hasshServer,
        problem: this.problem,
      },
    });
  }
}

function readOffer(bytes: Uint8Array, start: number, end: number): Offer | undefined {
  const lists: string[] = [];
  let at = start;
  while (lists.length < 8) {
    const size = at + 4 <= end ? u32(bytes, at) : end;
    if (at + 4 + size > end) return undefined;
    lists.push(textOf(bytes, at + 4, at + 4 + size));
    at += 4 + size;
  }
  const [kex = '', hostKeys = '', c1 = '', c2 = '', m1 = '', m2 = '', p1 = '', p2 = ''] = lists;
  return { kex, hostKeys, ciphers: [c1, c2], macs: [m1, m2], compressions: [p1, p2] };
}

/** The fingerprint of the key in an answer, as OpenSSH writes it. */
function keyOf(answer: Uint8Array): string | undefined {
  const size = answer.length >= 4 ? u32(answer, 0) : 0;
  if (size === 0 || 4 + size > answer.length) return undefined;
  const hash = createHash('sha256').update(answer.subarray(4, 4 + size));
  return `SHA256:${hash.digest('base64').replace(/=+$/, '')}`;
}

/** The input of HASSH. @param to 0: from the client to the server */
function algorithms({ kex, ciphers, macs, compressions }: Offer, to: 0 | 1): string {
  return [kex, ciphers[to], macs[to], compressions[to]].join(';');
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** The first that the client offers and the server has, too (RFC 4253, 7.1). */
function agreed(
  [client, server]: readonly [Offer | undefined, Offer | undefined],
  listOf: (offer: Offer) => string,
): string | undefined {
  if (client === undefined || server === undefined) return undefined;
  const known = new Set(listOf(server).split(','));
  return listOf(client)
    .split(',')
    .find((name) => name !== '' && known.has(name));
}

const BANNER = Buffer.from('SSH-');

export const SSH: StreamProtocol = {
  /** A banner, which both sides send. */
  recognise(bytes, start, end, _, isClient) {
    if (bytes[start] !== BANNER[0]) return undefined;
    const size = Math.min(BANNER.length, end - start);
    if (Buffer.compare(bytes.subarray(start, start + size), BANNER.subarray(0, size)) !== 0)
      return undefined;
    if (size < BANNER.length) return 'more';
    return isClient ? 'client' : 'server';
  },
  parser: (ends, sink) => new SshStream(ends, sink),
};
