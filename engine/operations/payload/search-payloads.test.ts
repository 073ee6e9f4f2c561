/** Payloads of connections, searched in captures of a case. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { ACK, classicFile, SYN } from '../../../importers/pcap/testing/build.ts';
import {
  datagram,
  exchange,
  type Frame,
  stream,
} from '../../../importers/pcap/protocols/testing/frames.ts';
import {
  END_HEADERS,
  END_STREAM,
  frame,
  PADDED,
  PREFACE,
  request,
  response,
  SETTINGS,
} from '../../../importers/pcap/protocols/testing/http2.ts';
import { notSearchedTexts } from '../../contract/words/payload-search.ts';
import { type SmallCase, smallCase } from '../testing/small-case.ts';
import { type FoundPayload, type PayloadSearchReport, searchPayloads } from './search-payloads.ts';

const SECONDS = 1_700_000_000;
function capture(frames: readonly Frame[], snaplen = 65_535): Uint8Array {
  return classicFile(
    {},
    frames.map((bytes, i) => ({
      seconds: SECONDS + i,
      fraction: 0,
      bytes: bytes.subarray(0, snaplen),
      wire: bytes.length,
    })),
  );
}

const { client, server } = stream(8080);
const other = stream(2222);
const ONE: readonly Frame[] = [
  ...[client(0, '', SYN), server(0, '', SYN | ACK, 1)],
  // In two packets, the second of which comes first, and again.
  ...[client(6, 'dle=1 '), client(1, 'a nee'), client(6, 'dle=1 ')],
  ...[server(1, 'no nee'), other.client(1, 'needle=2'), server(7, 'DLE here')],
  ...[datagram(true, 53, Buffer.from('x needle=3')), datagram(false, 53, Buffer.from('nee'))],
];
/** Its packets are truncated. */
const TWO: readonly Frame[] = [other.client(1, `${'.'.repeat(40)}needle`), client(1, 'needle')];

let small: SmallCase;
beforeAll(async () => {
  small = await smallCase(
    {
      'one.pcap': capture(ONE),
      'two.pcap': capture(TWO, 80),
      'b.log': 'Nov 21 10:00:00 web01 app: needle\n',
    },
    evidence,
  );
});
afterAll(() => small.dispose());

async function search(
  pattern: string,
  query?: string,
  limit = 100,
  { services, folder } = small,
): Promise<{ found: FoundPayload[]; report: PayloadSearchReport }> {
  return services.cases.use(folder, async (session) => {
    const running = await searchPayloads(session, evidence, {
      ...{ pattern, query, zone: 'UTC', limit },
      report: () => Promise.resolve(),
    });
    const found: FoundPayload[] = [];
    for await (const matches of running.matches()) found.push(...matches);
    return { found, report: running.report };
  });
}

const told = (found: readonly FoundPayload[]): unknown[] =>
  found.map(({ source, serverPort, isFromClient, offset, match }) => [
    ...[source, serverPort, isFromClient ? '>' : '<', offset, Buffer.from(match).toString()],
  ]);

it('finds a text across packets, once, in all captures of a case, and says what was not captured', async () => {
  const { found, report } = await search('needle');
  expect(told(found)).toEqual([
    ['one.pcap', 8080, '>', 2, 'needle'],
    ['one.pcap', 8080, '<', 3, 'neeDLE'],
    ['one.pcap', 2222, '>', 0, 'needle'],
    ['one.pcap', 53, '>', 2, 'needle'],
    ['two.pcap', 8080, '>', 0, 'needle'],
  ]);
  expect(found[0]).toMatchObject({
    ...{ time: '2023-11-14T22:13:23.000000Z', ts: (SECONDS + 3) * 1e6, proto: 'tcp' },
    ...{ client: '192.0.2.17', clientPort: 40_000, server: '198.51.100.7' },
  });
  const carried = 'a needle=1 '.length + 'no neeDLE here'.length + 'needle=2'.length;
  expect(report).toEqual({
    ...{ matches: 5, isStopped: false, sources: 2, streams: 4, datagrams: 2, evicted: 0, left: [] },
    ...{ bytes: carried + 'x needle=3nee'.length + 26 + 6, gaps: 1, missing: 20 },
    ...{ bodies: 0, decodedBytes: 0, undecoded: [] },
  });
});

it('searches in the connections alone that a query finds', async () => {
  const { found } = await search('/needle=\\d/', 'kind:flow (dst_port:8080 OR dst_port:53)');
  expect(told(found)).toEqual([
    ['one.pcap', 8080, '>', 2, 'needle=1'],
    ['one.pcap', 53, '>', 2, 'needle=3'],
  ]);
  await expect(search('x', 'kind:log')).rejects.toThrow('finds no connection of a capture');
  await expect(search('x', 'kind:flow | top 3 src_ip')).rejects.toThrow('gives a table');
});

it('ends at as many matches as are asked for, and says so', async () => {
  const { found, report } = await search('e', undefined, 3);
  expect(found).toHaveLength(3);
  expect(report).toMatchObject({ matches: 3, isStopped: true, sources: 1 });
});

it('names captures that are not there any more, and searches the others', async () => {
  const path = small.services.cases.use(small.folder, (session) =>
    Promise.resolve(
      session
        .snapshot()
        .sources()
        .find(({ name }) => name === 'two.pcap')!.path,
    ),
  );
  rmSync(await path, { force: true });
  const { found, report } = await search('needle');
  expect(found.map(({ source }) => source)).not.toContain('two.pcap');
  expect(found).toHaveLength(4);
  expect(report.left).toHaveLength(1);
  expect(report.left[0]).toMatchObject({ source: 'two.pcap' });
  writeFileSync(await path, capture(TWO, 80));
});

/** Text before a needle in a body, long enough to be compressed. */
const PAGE = 'what was got, and got again; '.repeat(400);
const BODY = Buffer.from(`${PAGE}needle ${PAGE}`);
const answer = (headers: string, body: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n`), Buffer.from(body)]);
const encoded = (encoding: string, body: Uint8Array): Buffer =>
  answer(`Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n`, body);
const chunks = (...all: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(
    [...all, ''].flatMap((one) => [
      Buffer.from(`${one.length.toString(16)}\r\n`),
      Buffer.from(one),
      Buffer.from('\r\n'),
    ]),
  );
const GET = Buffer.from('GET /page HTTP/1.1\r\nHost: a.example\r\n\r\n');

describe('HTTP bodies', () => {
  /** Matches in responses to as many requests on one connection, in segments of `cut` bytes. */
  async function inAnswers(pattern: string, answers: readonly Buffer[], cut = 700) {
    const turns = answers.flatMap((one) => [GET, one]);
    const other = await smallCase({ 'web.pcap': capture(exchange(8080, turns, cut)) }, evidence);
    try {
      return await search(pattern, undefined, 100, other);
    } finally {
      await other.dispose();
    }
  }

  it.each([
    ['gzip', gzipSync(BODY)],
    ['deflate', deflateSync(BODY)],
    ['br', brotliCompressSync(BODY)],
    ['zstd', zstdCompressSync(BODY)],
  ])('are searched decoded: %s', async (encoding, body) => {
    const first = answer('Content-Length: 2\r\n', 'ok');
    const second = encoded(encoding, body);
    const { found: all, report } = await inAnswers('needle', [first, second]);
    // Zstandard may leave the needle uncompressed: then it is also found as sent.
    const found = all.filter(({ body: within }) => within !== undefined);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      ...{ isFromClient: false, offset: PAGE.length, length: 6 },
      body: {
        ...{ message: '200 OK for GET /page', encoding },
        start: first.length + second.length - body.length,
      },
    });
    expect(report).toMatchObject({ bodies: 1, decodedBytes: BODY.length, undecoded: [] });
  });

  it('are searched without chunk framing, and a match within a chunk is found once', async () => {
    const head = 'Transfer-Encoding: chunked\r\n';
    const plain = answer(head, chunks('a needle, a nee', 'dle, and nee', 'dl', 'e'));
    const packed = gzipSync(BODY);
    const both = answer(
      `${head}Content-Encoding: gzip\r\n`,
      chunks(packed.subarray(0, 20), packed.subarray(20)),
    );
    const { found, report } = await inAnswers('needle', [plain, both], 7);
    const places = found.map(({ offset, body }) => [body?.encoding ?? 'as sent', offset]);
    expect(places.toSorted()).toEqual([
      ['as sent', plain.indexOf('needle')],
      ['chunked', 12],
      ['chunked', 24],
      ['gzip, chunked', PAGE.length],
    ]);
    expect(report.bodies).toBe(2);
  });

  it('are decoded as far as possible, and the rest is reported', async () => {
    const packed = gzipSync(Buffer.concat([BODY, randomBytes(3000)]));
    const damaged = Buffer.from(packed);
    damaged.fill(0, damaged.length - 8);
    const { found, report } = await inAnswers('needle', [
      encoded('gzip', damaged),
      encoded('gzip', Buffer.from('no such thing')),
      encoded('compress', Buffer.from('needles')),
      encoded('gzip', gzipSync(Buffer.alloc((64 << 20) + 1))),
      Buffer.from(encoded('gzip', packed).subarray(0, -1000)),
    ]);
    expect(found.map(({ offset, body }) => [offset, body?.encoding])).toContainEqual([
      PAGE.length,
      'gzip',
    ]);
    const why = Object.fromEntries(report.undecoded.map(({ reason, bodies }) => [reason, bodies]));
    // A body with only a wrong checksum is decoded.
    expect(why).toEqual({
      'they cannot be decoded as gzip': 1,
      'they are encoded as compress': 1,
      'they have more than 64 MiB when decoded': 1,
      'their ends were not captured': 1,
    });
    expect(notSearchedTexts(report)).toContain(
      'not fully decoded: 1 HTTP body: they cannot be decoded as gzip',
    );
  });

  /** Matches in what a client and a server send in HTTP/2, in segments of 700 bytes. */
  async function inFrames(pattern: string, mine: Uint8Array, theirs: Uint8Array) {
    const turns = [
      Buffer.concat([PREFACE, SETTINGS, mine]),
      Buffer.concat([SETTINGS, theirs]),
    ] as const;
    const frames = exchange(8080, turns, 700);
    const other = await smallCase({ 'frames.pcap': capture(frames) }, evidence);
    try {
      return { ...(await search(pattern, undefined, 100, other)), turns };
    } finally {
      await other.dispose();
    }
  }
  const asked = frame('headers', 1, END_HEADERS | END_STREAM, request('/page'));

  it('of HTTP/2 are searched decoded, as frames carried them', async () => {
    const packed = gzipSync(BODY);
    const theirs = Buffer.concat([
      frame('headers', 1, END_HEADERS, response('200', ['content-encoding', 'gzip'])),
      frame('data', 1, 0, packed.subarray(0, 20)),
      // A frame of another stream comes between.
      frame('headers', 3, END_HEADERS | END_STREAM, response('204')),
      frame('data', 1, END_STREAM, packed.subarray(20)),
    ]);
    const { found, report, turns } = await inFrames('needle', asked, theirs);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      ...{ isFromClient: false, offset: PAGE.length, length: 6 },
      body: {
        ...{ message: '200 for GET /page', encoding: 'gzip, frames' },
        start: turns[1].indexOf(packed.subarray(0, 20)),
      },
    });
    expect(report).toMatchObject({ bodies: 1, decodedBytes: BODY.length, undecoded: [] });
  });

  it('of HTTP/2 are searched across frames and without padding; what is in one frame is found once', async () => {
    const mine = Buffer.concat([
      frame('headers', 1, END_HEADERS, request('/up', 'POST')),
      frame('data', 1, PADDED, Buffer.from('\x03one needle, a nee\0\0\0', 'latin1')),
      frame('data', 1, END_STREAM, 'dle'),
    ]);
    const { found, report } = await inFrames('needle', mine, new Uint8Array(0));
    const places = found.map(({ offset, body }) => [body?.encoding ?? 'as sent', offset]);
    expect(places.toSorted()).toEqual([
      ['as sent', PREFACE.length + SETTINGS.length + mine.indexOf('needle')],
      ['frames', 'one needle, a '.length],
    ]);
    expect(found.every(({ isFromClient }) => isFromClient)).toBe(true);
    expect(report).toMatchObject({ bodies: 1, undecoded: [] });
  });

  it('of HTTP/2 whose end was not captured are decoded as far as possible, which is reported', async () => {
    const packed = gzipSync(Buffer.concat([BODY, randomBytes(3000)]));
    const theirs = Buffer.concat([
      frame('headers', 1, END_HEADERS, response('200', ['content-encoding', 'gzip'])),
      frame('data', 1, 0, packed.subarray(0, -1000)),
    ]);
    const { found, report } = await inFrames('needle', asked, theirs);
    expect(found.map(({ offset }) => offset)).toEqual([PAGE.length]);
    expect(report.undecoded).toEqual([{ reason: 'their ends were not captured', bodies: 1 }]);
  });

  it('are decoded after any number of unanswered requests', async () => {
    const body = gzipSync(BODY);
    const post = (headers: string, content: Uint8Array): Buffer =>
      Buffer.concat([
        Buffer.from(`POST /up HTTP/1.1\r\nHost: a.example\r\n${headers}`),
        Buffer.from(`Content-Length: ${content.length}\r\n\r\n`),
        content,
      ]);
    const packed = Array.from({ length: 131 }, () => post('Content-Encoding: gzip\r\n', body));
    // An unencoded body needs no decoding.
    const turns = [...packed, post('', Buffer.from('plain'))];
    let next = 1;
    const frames = turns.map((turn) => {
      next += turn.length;
      return client(next - turn.length, turn, ACK, 1);
    });
    const other = await smallCase({ 'one-sided.pcap': capture(frames) }, evidence);
    try {
      const { found, report } = await search('needle', undefined, 1000, other);
      expect(found.filter(({ body: within }) => within !== undefined)).toHaveLength(131);
      expect(report).toMatchObject({ bodies: 131, undecoded: [] });
    } finally {
      await other.dispose();
    }
  });
});
