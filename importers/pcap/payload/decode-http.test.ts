import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHttp } from './decode-http.ts';

const BODY = 'the quick brown fox '.repeat(50);
const text = (parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));
const chunked = (body: Uint8Array): Buffer =>
  text([
    `${(7).toString(16)}\r\n`,
    body.subarray(0, 7),
    `\r\n${(body.length - 7).toString(16)};ext=1\r\n`,
    body.subarray(7),
    '\r\n0\r\nX-Trailer: 1\r\n\r\n',
  ]);
const head = (...headers: string[]): string =>
  `HTTP/1.1 200 OK\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n`;
const decoded = (bytes: Uint8Array): string | undefined => {
  const found = decodeHttp(bytes);
  return found && Buffer.from(found.bytes).toString('latin1');
};

describe.each([
  ['gzip', gzipSync(BODY)],
  ['x-gzip', gzipSync(BODY)],
  ['deflate', deflateSync(BODY)],
  ['deflate', deflateRawSync(BODY)],
  ['br', brotliCompressSync(BODY)],
  ['zstd', zstdCompressSync(BODY)],
])('%s', (encoding, body) => {
  const headers = [`Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`];

  it('is decoded, with the message after it', () => {
    const own = head(...headers);
    const next = head('Content-Length: 2');
    expect(decoded(text([own, body, next, 'ok']))).toBe(`${own}${BODY}${next}ok`);
  });

  it('is decoded without its chunks', () => {
    const own = head('Transfer-Encoding: chunked', `Content-Encoding: ${encoding}`);
    expect(decoded(text([own, chunked(body)]))).toBe(own + BODY);
  });

  it('is decoded as far as it came', () => {
    const own = head(...headers);
    const found = decoded(text([own, body.subarray(0, body.length - 3)]));
    expect((own + BODY).startsWith(found!)).toBe(true);
  });
});

it('takes chunks together', () => {
  const own = head('Transfer-Encoding: chunked');
  expect(decoded(text([own, chunked(Buffer.from(BODY)), head()]))).toBe(own + BODY + head());
});

it('leaves alone what is not encoded', () => {
  for (const bytes of [
    `GET / HTTP/1.1\r\nHost: a\r\n\r\n`,
    head('Content-Length: 5') + 'hello',
    `HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n`.replace('gzip', 'identity'),
    'SSH-2.0-x\r\n',
  ])
    expect(decodeHttp(Buffer.from(bytes))).toBeUndefined();
});

it('says what cannot be decoded, and shows it as it is', () => {
  const own = head('Content-Encoding: gzip', 'Content-Length: 5');
  const found = decodeHttp(text([own, 'hello']))!;
  expect(found.problems).toEqual(['a body cannot be decoded as gzip']);
  expect(Buffer.from(found.bytes).toString()).toBe(`${own}hello`);
});

it('decodes what has a wrong checksum, and says so', () => {
  const packed = gzipSync(BODY);
  packed[packed.length - 8]! ^= 1;
  const found = decodeHttp(
    text([head('Content-Encoding: gzip', `Content-Length: ${packed.length}`), packed]),
  )!;
  expect(found.problems).toEqual(['the gzip encoding of a body has a wrong checksum']);
  expect(Buffer.from(found.bytes).toString()).toContain(BODY);
});

it('bounds what comes out', () => {
  const bomb = gzipSync(Buffer.alloc(64 << 20));
  const found = decodeHttp(text([head('Content-Encoding: gzip'), bomb]))!;
  expect(found.problems).toHaveLength(1);
  expect(found.bytes.length).toBeLessThan(1 << 20);
});

it('ends with any bytes', () => {
  const start = fc.constantFrom(
    head('Transfer-Encoding: chunked', 'Content-Encoding: gzip'),
    head('Content-Encoding: br'),
    'POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 300 }), (first, bytes) => {
      decodeHttp(text([first, bytes]));
      decodeHttp(text([first, '5\r\n', bytes]));
    }),
    { numRuns: 2000 },
  );
});
