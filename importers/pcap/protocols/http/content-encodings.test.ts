/** Decoding, and the reports on faulty bytes. */
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeContent, isTooLarge } from './content-encodings.ts';

const maxOutputLength = 1 << 20;
const text = Buffer.from('some content, '.repeat(40));

describe.each([
  ['gzip', 'gzip', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without its header', 'deflate', deflateRawSync],
  ['br', 'br', brotliCompressSync],
  ['zstd', 'zstd', zstdCompressSync],
] as const)('%s', (_name, encoding, compress) => {
  const decode = (bytes: Uint8Array) => decodeContent(bytes, encoding, { maxOutputLength });

  it('is decoded', () => {
    expect(decode(compress(text))).toEqual({ content: text, flaw: undefined });
    const { content, flaw } = decodeContent(compress(text).subarray(0, -6), encoding, {
      ...{ maxOutputLength, isPartial: true },
    });
    expect([flaw, text.subarray(0, content.length).equals(content)]).toEqual([undefined, true]);
  });

  it.each(['secret payload', '\0secret payload'])('says that %j comes after its end', (more) => {
    expect(decode(Buffer.concat([compress(text), Buffer.from(more)]))).toEqual({
      content: text,
      flaw: 'other bytes after its end',
    });
  });

  it('is not decoded beyond the limit, and the error says so', () => {
    let thrown: unknown;
    try {
      decode(compress(Buffer.alloc(2 * maxOutputLength)));
    } catch (error) {
      thrown = error;
    }
    expect(isTooLarge(thrown)).toBe(true);
  });
});
