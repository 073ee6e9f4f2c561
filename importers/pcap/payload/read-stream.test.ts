import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStream } from './read-stream.ts';
import { ACK, classicFile } from '../testing/build.ts';
import { datagram, exchange, type Frame, stream } from '../protocols/testing/frames.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-stream-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(frames: readonly Frame[], flow: number, limit = 1000, snaplen = 65_535) {
  const path = join(folder, 'a.pcap');
  writeFileSync(
    path,
    classicFile(
      {},
      frames.map((bytes, i) => ({
        seconds: 1_700_000_000 + i,
        fraction: 0,
        bytes: bytes.subarray(0, snaplen),
        wire: bytes.length,
      })),
    ),
  );
  const content = await readStream({
    ...{ location: { path, members: [] }, flow, limit },
    progress: () => undefined,
  });
  return {
    ...{ fromClient: content.fromClient, fromServer: content.fromServer },
    said: content.parts.map(({ isFromClient, bytes, missing }) => {
      const way = isFromClient ? '>' : '<';
      return missing > 0 ? `${way} ${missing} missing` : `${way} ${Buffer.from(bytes).toString()}`;
    }),
    decoded: content.parts.map(
      ({ decoded }) =>
        decoded && [Buffer.from(decoded.bytes).toString('latin1'), ...decoded.problems],
    ),
  };
}

const { client, server } = stream(9999);

it('gives both sides of a connection in order, whatever they say', async () => {
  const other = stream(22);
  const found = await read(
    [
      ...[client(0, '', 2), server(0, '', 18, 1), other.client(1, 'SSH-2.0-other\r\n')],
      // The second segment comes first.
      ...[client(4, 'def'), client(1, 'abc'), server(1, 'no protocol'), client(7, 'ghi')],
    ],
    1,
  );
  expect(found).toMatchObject({
    fromClient: 9,
    fromServer: 11,
    said: ['> abcdef', '< no protocol', '> ghi'],
  });
});

it('says what is missing, and how much there is beyond the limit', async () => {
  const frames = [client(1, 'abc'), client(10, 'jkl'), server(1, 'x', ACK, 13), client(13, 'mno')];
  expect((await read(frames, 1)).said).toEqual(['> abc', '> 6 missing', '> jkl', '< x', '> mno']);
  expect(await read(frames, 1, 5)).toMatchObject({
    ...{ fromClient: 9, fromServer: 1, said: ['> abc', '> 6 missing', '> jk'] },
  });
});

it('gives datagrams', async () => {
  const frames = [
    datagram(true, 7777, Buffer.from('ping')),
    datagram(false, 7777, Buffer.from('pong')),
  ];
  expect((await read(frames, 1)).said).toEqual(['> ping', '< pong']);
  expect((await read(frames, 2)).said).toEqual([]);
});

it('says what the capture cut off datagrams', async () => {
  const frames = [
    ...[datagram(true, 7777, Buffer.from('ping')), datagram(true, 7777, Buffer.from('ping'))],
    datagram(false, 7777, Buffer.from('pong')),
  ];
  const said = ['> pi', '> 2 missing', '> pi', '> 2 missing', '< po', '< 2 missing'];
  expect((await read(frames, 1, 1000, 14 + 20 + 8 + 2)).said).toEqual(said);
  const many = Array.from({ length: 100 }, () => datagram(true, 7777, Buffer.from('ping')));
  expect((await read(many, 1, 1000, 14 + 20 + 8)).said).toEqual(['> 400 missing']);
});

it('keeps a bounded number of parts', async () => {
  const turns = Array.from({ length: 10_100 }, (_, i) =>
    datagram(i % 2 === 0, 7777, Buffer.from('x')),
  );
  const found = await read(turns, 1, 1 << 20);
  expect([found.said.length, found.fromClient + found.fromServer]).toEqual([10_000, 10_100]);
});

describe('HTTP', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n';
  const BODY = 'the quick brown fox '.repeat(50);
  const all = (...parts: readonly (string | Uint8Array)[]): Buffer =>
    Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = (...headers: string[]): string =>
    `HTTP/1.1 200 OK\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n`;
  const sized = (encoding: string, body: Uint8Array): [string, Uint8Array] => [
    head(`Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`),
    body,
  ];
  const chunked = (body: Uint8Array): Buffer =>
    all(
      ...['7\r\n', body.subarray(0, 7), `\r\n${(body.length - 7).toString(16)};ext=1\r\n`],
      ...[body.subarray(7), '\r\n0\r\nX-Trailer: 1\r\n\r\n'],
    );
  /** The decoded bytes of turns, the client's first. */
  async function decoded(turns: readonly (string | Uint8Array)[], limit = 100_000) {
    const frames = exchange(
      8080,
      turns.map((turn) => Buffer.from(turn)),
      700,
    );
    return (await read(frames, 1, limit)).decoded;
  }

  it.each([
    ['gzip', gzipSync(BODY)],
    ['x-gzip', gzipSync(BODY)],
    ['deflate', deflateSync(BODY)],
    ['deflate', deflateRawSync(BODY)],
    ['br', brotliCompressSync(BODY)],
    ['zstd', zstdCompressSync(BODY)],
  ])('is given decoded, with the messages around it: %s', async (encoding, body) => {
    const [first, packed] = sized(encoding, body);
    const second = head('Transfer-Encoding: chunked', `Content-Encoding: ${encoding}`);
    const last = `${head('Content-Length: 2')}ok`;
    const turn = all(first, packed, second, chunked(body), last);
    expect(await decoded([GET.repeat(3), turn])).toEqual([
      undefined,
      [first + BODY + second + BODY + last],
    ]);
  });

  it('is given as far as it came', async () => {
    const [first, packed] = sized('gzip', gzipSync(BODY));
    const [, [text, problem] = []] = await decoded([GET, all(first, packed.subarray(0, -12))]);
    expect(text!.length).toBeGreaterThan(first.length + 20);
    expect((first + BODY).startsWith(text!)).toBe(true);
    expect(problem).toBe('not fully decoded: 1 HTTP body: their ends were not captured');
  });

  it('is given without its chunks, wherever the other side speaks', async () => {
    const own = head('Transfer-Encoding: chunked');
    const sent = all(own, chunked(Buffer.from(BODY)));
    const next = `${head('Content-Length: 2')}ok`;
    expect(await decoded([GET, sent.subarray(0, 200), GET, all(sent.subarray(200), next)])).toEqual(
      [undefined, [own + BODY], undefined, [next]],
    );
    expect(await decoded([GET, sent], GET.length + own.length + 20)).toEqual([
      undefined,
      [own + BODY],
    ]);
    expect(await decoded([GET, sent], GET.length + own.length - 20)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is left as it is where nothing is encoded', async () => {
    const [first] = sized('gzip', gzipSync(BODY));
    const asked = GET.replace('GET', 'HEAD');
    expect(await decoded([asked, first, GET, `${head('Content-Length: 5')}hello`])).toEqual([
      ...[undefined, undefined, undefined, undefined],
    ]);
    expect(await decoded(['SSH-2.0-x\r\n', 'SSH-2.0-y\r\n'])).toEqual([undefined, undefined]);
  });

  it.each([
    ['that a proxy connects', 'CONNECT a.example:80 HTTP/1.1\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['of another protocol', GET, 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ])('is given decoded in a tunnel %s', async (_, asked, agreed) => {
    const [first, packed] = sized('gzip', gzipSync(BODY));
    const answer = all(first, packed);
    const inner = [undefined, [first + BODY]];
    expect(await decoded([asked, agreed, GET, answer, GET, answer])).toEqual([
      ...[undefined, undefined, ...inner, ...inner],
    ]);
    const some = all(agreed, answer.subarray(0, 8));
    expect(await decoded([asked, some, GET, answer.subarray(8)])).toEqual([
      ...[undefined, undefined, undefined, [(first + BODY).slice(8)]],
    ]);
    // The server speaks first.
    expect(await decoded([asked, all(agreed, answer), GET, answer])).toEqual([
      ...[undefined, [agreed + first + BODY], ...inner],
    ]);
    const asks = 'CONNECT b.example:80 HTTP/1.1\r\n\r\n';
    expect(await decoded([asked, agreed, asks, agreed, GET, answer])).toEqual([
      ...[undefined, undefined, undefined, undefined, ...inner],
    ]);
  });

  it('says what is wrong with a body, and shows what cannot be decoded as it was sent', async () => {
    const broken = all(...sized('gzip', Buffer.from('hello')));
    const damaged = gzipSync(BODY);
    damaged[damaged.length - 8]! ^= 1;
    const [first, packed] = sized('gzip', damaged);
    expect(await decoded([GET, broken, GET, all(first, packed)])).toEqual([
      undefined,
      [broken.toString(), 'not fully decoded: 1 HTTP body: they cannot be decoded as gzip'],
      undefined,
      [first + BODY, 'the gzip encoding of a body has a wrong checksum'],
    ]);
  });

  it('is bounded when decoded', async () => {
    const [first, packed] = sized('gzip', gzipSync(Buffer.alloc(20 << 20)));
    const [, [text, problem] = []] = await decoded([GET, all(first, packed)]);
    expect(text!.length).toBe(first.length + (16 << 20));
    expect(problem).toBe('only the first 16 MiB of decoded bodies are shown');
  });

  it('is read whatever its bytes are', async () => {
    const start = fc.constantFrom(
      head('Transfer-Encoding: chunked', 'Content-Encoding: gzip'),
      head('Content-Encoding: br'),
      head('Transfer-Encoding: chunked'),
    );
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
    const answer = fc
      .tuple(start, bytes, bytes)
      .map(([first, some, more]) => [GET, all(first, some), GET, all('5\r\n', more)]);
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 40 }), async (answers) => {
        expect(await decoded(answers.flat(), 1 << 20)).toHaveLength(4 * answers.length);
      }),
      { numRuns: 30 },
    );
  });
});
