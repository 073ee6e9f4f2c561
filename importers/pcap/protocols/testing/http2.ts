/** For tests: frames of HTTP/2. */
import { ascii, cat, n16, n32 } from '../../testing/build.ts';

export const [END_STREAM, END_HEADERS, PADDED, PRIORITY] = [1, 4, 8, 32];
const TYPES = { data: 0, headers: 1, reset: 3, settings: 4, push: 5, ping: 6, continuation: 9 };
export const PREFACE = ascii('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(
  type: keyof typeof TYPES,
  stream: number,
  flags: number,
  content: Uint8Array | string = '',
): Uint8Array {
  const bytes = typeof content === 'string' ? ascii(content) : content;
  const size = cat(Uint8Array.of(bytes.length >>> 16), n16(bytes.length & 0xffff));
  return cat(size, Uint8Array.of(TYPES[type], flags), n32(stream), bytes);
}

/** Literal headers that no table stores (RFC 7541, 6.2.2). */
export function block(...headers: readonly (readonly [string, string])[]): Uint8Array {
  const text = (value: string): Uint8Array => cat(Uint8Array.of(value.length), ascii(value));
  return cat(...headers.map(([name, value]) => cat('00', text(name), text(value))));
}

export const request = (path: string, method = 'GET'): Uint8Array =>
  block(
    ...([
      [':method', method],
      [':scheme', 'http'],
      [':path', path],
    ] as const),
    ...([
      [':authority', 'www.example.com'],
      ['user-agent', 'agent/1'],
    ] as const),
  );
export const response = (
  status: string,
  ...more: readonly (readonly [string, string])[]
): Uint8Array => block([':status', status], ['content-type', 'text/plain'], ...more);
export const SETTINGS = frame('settings', 0, 0, cat(n16(3), n32(100)));

/** Two requests with interleaved responses in reverse order; requests and responses alternate. */
export const SESSION: readonly Uint8Array[] = [
  cat(
    ...[PREFACE, SETTINGS, frame('headers', 1, END_HEADERS | END_STREAM, request('/a'))],
    frame('headers', 3, END_HEADERS, request('/b', 'POST')),
    ...[
      frame('data', 3, 0, 'he'),
      frame('data', 3, END_STREAM | PADDED, cat('03', ascii('llo'), '000000')),
    ],
  ),
  cat(
    ...[SETTINGS, frame('headers', 3, END_HEADERS, response('201')), frame('data', 3, 0, 'two')],
    frame('headers', 1, END_HEADERS, response('100')),
    ...[frame('headers', 1, END_HEADERS, response('200')), frame('data', 1, 0, 'o')],
    ...[frame('ping', 0, 0, '01234567'), frame('data', 1, 0, 'ne')],
    frame('headers', 3, END_HEADERS | END_STREAM, block(['grpc-status', '0'])),
    frame('data', 1, END_STREAM),
  ),
];
