/**
 * SSH (RFC 4253): the banners of both sides, and what they offer each other before anything is encrypted.
 *
 * One event a connection, at the time of its first banner. HASSH is the MD5 of what a client offers, and of what a server
 * does: https://github.com/salesforce/hassh.
 *
 * Invariants: lines and packets are held up to a bound; what is no SSH ends the reading.
 */
import { createHash } from 'node:crypto';
import { u32 } from '../bytes.ts';
import { HeldBytes } from './held-bytes.ts';
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
const KEXINIT = 20;
const COOKIE_BYTES = 16;

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
}

class SshStream implements StreamParser {
  readonly service = 'ssh';
  isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  /** The client's first. */
  private readonly sides = [new Side(), new Side()] as const;
  private at: Stamp | undefined;
  private problem: string | undefined;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return this.sides[0].held.capacity + this.sides[1].held.capacity;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    if (this.isDone || side.offer !== undefined) return;
    this.at ??= at;
    side.held.append(bytes.subarray(start, end));
    if (side.banner === undefined && !this.lines(side)) return;
    this.packet(side);
    const [client, server] = this.sides;
    if (client.offer !== undefined && server.offer !== undefined) this.finish();
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
        side.banner = line;
        return true;
      }
      side.lines += 1;
      if (side.lines > MAX_LINES) {
        this.fail('no banner is in the first lines');
        return false;
      }
    }
  }

  private packet(side: Side): void {
    const { bytes } = side.held;
    // Version 1 has packets of another form.
    if (bytes.length < 6 || /^SSH-1\.[0-8]/.test(side.banner ?? '')) return;
    const size = u32(bytes, 0);
    if (size > MAX_PACKET_BYTES || bytes[5] !== KEXINIT) {
      this.fail('the first packet offers nothing');
      return;
    }
    if (bytes.length < 4 + size) return;
    side.offer = readOffer(bytes, 6 + COOKIE_BYTES, 4 + size - bytes[4]!);
    side.held.clear();
    if (side.offer === undefined) this.fail('an offer cannot be read');
  }

  private fail(why: string): void {
    this.problem ??= why;
    this.finish();
  }

  gap(): void {
    this.fail('bytes of the first messages are missing');
  }

  end(): void {
    // The other side may still say its version.
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
    const banners = [client.banner, server.banner].filter((banner) => banner !== undefined);
    this.sink.message(this.ends, {
      kind: 'ssh',
      type: 'ssh',
      at: this.at!,
      text: [client.banner, server.banner].filter(Boolean).join(' → '),
      columns: {},
      attributes: {
        version: banners.every((banner) => /^SSH-(?:2|1\.99)/.test(banner)) ? '2' : '1',
        client: client.banner,
        server: server.banner,
        kex_alg: agreed(both, ({ kex }) => kex),
        host_key_alg: agreed(both, ({ hostKeys }) => hostKeys),
        cipher_alg: agreed(both, ({ ciphers }) => ciphers[0]),
        mac_alg: agreed(both, ({ macs }) => macs[0]),
        compression_alg: agreed(both, ({ compressions }) => compressions[0]),
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

/** What HASSH is computed of. @param to 0: from the client to the server */
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
    const size = Math.min(BANNER.length, end - start);
    if (Buffer.compare(bytes.subarray(start, start + size), BANNER.subarray(0, size)) !== 0)
      return undefined;
    if (size < BANNER.length) return 'more';
    return isClient ? 'client' : 'server';
  },
  parser: (ends, sink) => new SshStream(ends, sink),
};
