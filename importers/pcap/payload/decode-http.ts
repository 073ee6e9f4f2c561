/**
 * Messages of HTTP/1 as people read them: bodies without their chunks, and decompressed (RFC 9112, 6 and 7).
 *
 * Invariant: heads, and whatever is no message, stay as they are.
 */
import { decodeContent, isContentEncoding } from '../protocols/http/content-encodings.ts';

const BEGINNING = /^(?:HTTP\/1\.\d \d{3}|[A-Z][A-Z_-]{1,19} \S{1,4096} HTTP\/1\.\d\r?\n)/;
const MOST_HEAD_BYTES = 65_536;
const MOST_DECODED_BYTES = 4 << 20;
const CHUNK_SIZE = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/i;
const CHUNK_LINE_BYTES = 4096;

interface DecodedHttp {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What could not be decoded, and why. */
  readonly problems: string[];
}

/** @returns undefined where there is nothing to decode */
export function decodeHttp(bytes: Uint8Array): DecodedHttp | undefined {
  const out: Uint8Array[] = [];
  const problems: string[] = [];
  let changed = false;
  let at = 0;
  while (at < bytes.length) {
    const head = headAt(bytes, at);
    if (head === undefined) break;
    const body = bodyOf(bytes, head);
    out.push(bytes.subarray(at, head.end));
    let { content } = body;
    changed ||= body.isChunked;
    for (const encoding of head.encodings.toReversed()) {
      try {
        const decoded = decodeContent(content, encoding, {
          maxOutputLength: MOST_DECODED_BYTES,
          isPartial: true,
        });
        ({ content } = decoded);
        if (decoded.flaw !== undefined)
          problems.push(`the ${encoding} encoding of a body has ${decoded.flaw}`);
        changed = true;
      } catch {
        problems.push(`a body cannot be decoded as ${encoding}`);
        break;
      }
    }
    out.push(content);
    at = body.end;
  }
  if (!changed && problems.length === 0) return undefined;
  out.push(bytes.subarray(at));
  const all = Buffer.concat(out);
  return { bytes: new Uint8Array(all), problems: [...new Set(problems)] };
}

interface Head {
  /** Where the body begins. */
  readonly end: number;
  readonly isResponse: boolean;
  readonly status: number;
  readonly isChunked: boolean;
  readonly length: number | undefined;
  /** In the order in which they were applied. */
  readonly encodings: readonly string[];
}

function headAt(bytes: Uint8Array, at: number): Head | undefined {
  const text = latin1(bytes, at, MOST_HEAD_BYTES);
  if (!BEGINNING.test(text)) return undefined;
  const stop = /\r?\n\r?\n/.exec(text);
  if (stop === null) return undefined;
  const headers = new Map<string, string>();
  for (const line of text.slice(0, stop.index).split(/\r?\n/).slice(1)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    headers.set(name, headers.has(name) ? `${headers.get(name)!}, ${value}` : value);
  }
  const list = (name: string): string[] =>
    (headers.get(name) ?? '').split(',').flatMap((one) => one.trim() || []);
  const length = headers.get('content-length');
  const transfer = list('transfer-encoding');
  const known = [...list('content-encoding'), ...transfer].filter(isContentEncoding);
  return {
    end: at + stop.index + stop[0].length,
    isResponse: text.startsWith('HTTP/'),
    status: Number(text.slice(9, 12)),
    isChunked: transfer.includes('chunked'),
    length: length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    encodings: known,
  };
}

interface Body {
  readonly content: Uint8Array;
  /** Where the next message begins. */
  readonly end: number;
  readonly isChunked: boolean;
}

function bodyOf(bytes: Uint8Array, head: Head): Body {
  const { end: start, isResponse, status } = head;
  if (head.isChunked) return chunksOf(bytes, start);
  const hasNone = isResponse && (status < 200 || status === 204 || status === 304);
  // A response without a length ends with its connection.
  const rest = isResponse ? bytes.length - start : 0;
  const length = hasNone ? 0 : Math.min(head.length ?? rest, bytes.length - start);
  const end = start + length;
  return { content: bytes.subarray(start, end), end, isChunked: false };
}

function chunksOf(bytes: Uint8Array, start: number): Body {
  const chunks: Uint8Array[] = [];
  let at = start;
  for (;;) {
    const line = latin1(bytes, at, CHUNK_LINE_BYTES);
    const found = CHUNK_SIZE.exec(line);
    // What is no chunk is not told from the body's end.
    if (found === null) break;
    const size = parseInt(found[1]!, 16);
    at += found[0].length;
    if (size === 0) {
      const trailer = /^(?:[^\r\n]+\r?\n)*\r?\n/.exec(line.slice(found[0].length));
      at += trailer?.[0].length ?? 0;
      break;
    }
    chunks.push(bytes.subarray(at, at + size));
    at = Math.min(bytes.length, at + size);
    if (bytes[at] === 13) at += 1;
    if (bytes[at] === 10) at += 1;
  }
  return { content: Buffer.concat(chunks), end: at, isChunked: true };
}

function latin1(bytes: Uint8Array, at: number, most: number): string {
  const length = Math.min(most, bytes.length - at);
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('latin1');
}
