/**
 * HTTP/1 (RFC 9110, RFC 9112): one event a request, with its response; pipelined ones are paired in order.
 *
 * Bodies are counted and hashed as they were transferred, without their chunks, and are not kept.
 *
 * Invariants: heads are held up to a bound, bodies not at all. Where bytes are missing, reading goes on with the next
 * segment that begins with a head; a response after a gap is taken for that of the last request, and the event says so.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  secondsBetween,
  textOf,
} from './messages.ts';

const MAX_HEAD_BYTES = 65_536;
const MAX_WAITING = 128;
const MAX_CHUNK_LINE_BYTES = 4096;
const METHODS =
  /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|PROPFIND|PROPPATCH|MKCOL|COPY|MOVE|LOCK|UNLOCK|REPORT|SEARCH|SUBSCRIBE|UNSUBSCRIBE|NOTIFY|M-SEARCH|MERGE|CHECKOUT|RPC_IN_DATA|RPC_OUT_DATA|BITS_POST|BCOPY|BDELETE|BMOVE|BPROPFIND|BPROPPATCH|X-MS-ENUMATTS|DESCRIBE|ANNOUNCE|SETUP|PLAY)$/;
const [CR, LF] = [13, 10];

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) (\S.*?)(?: +(HTTP\/\d\.\d))?$/;
const STATUS_LINE = /^HTTP\/(\d\.\d) +(\d{3})(?: +(.*))?$/;

/** Whether a stream begins with a request. */
export function isHttpRequest(bytes: Uint8Array, start: number, end: number): boolean {
  const line = lineAt(bytes, start, Math.min(end, start + 2048));
  if (line === undefined) return false;
  const parts = REQUEST_LINE.exec(line);
  return parts !== null && parts[3] !== undefined && METHODS.test(parts[1]!);
}

export function isHttpResponse(bytes: Uint8Array, start: number, end: number): boolean {
  return textOf(bytes, start, Math.min(end, start + 7)) === 'HTTP/1.';
}

/** The line that begins there, or what there is of one. */
function lineAt(bytes: Uint8Array, start: number, end: number): string | undefined {
  const at = bytes.subarray(start, end).indexOf(LF);
  const stop = at < 0 ? end : start + at;
  return stop === start ? undefined : textOf(bytes, start, stop).replace(/\r$/, '');
}

/** Bytes of a head that tell whether it is one. */
const BEGINNING_BYTES = 33;

/** Whether bytes are the beginning of a head, as far as they go. */
function mayBegin(isClient: boolean, bytes: Uint8Array): boolean {
  const text = textOf(bytes, 0, Math.min(bytes.length, BEGINNING_BYTES));
  return isClient ? /^[A-Za-z_-]{1,32}( |$)/.test(text) : /^(H|HT|HTT|HTTP|HTTP\/.*)$/s.test(text);
}

interface Head {
  /** Request line or status line. */
  readonly line: string;
  /** In lower case; the values of a name that comes twice are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
}

interface Body {
  size: number;
  /** Empty where there are no bytes. */
  hashes: readonly Hash[];
  isWhole: boolean;
}

interface Request {
  readonly at: Stamp;
  readonly method: string;
  readonly target: string;
  readonly version: string | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Body;
}

interface Response {
  readonly at: Stamp;
  readonly version: string;
  readonly status: string;
  readonly phrase: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Body;
}

const HASHES = ['md5', 'sha1', 'sha256'] as const;

function newBody(): Body {
  return { size: 0, hashes: [], isWhole: false };
}

const [HEAD, LENGTH, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER, TO_END, LOST] = [
  0, 1, 2, 3, 4, 5, 6, 7,
];

/** One direction: heads and bodies one after another. */
class Direction {
  state = HEAD;
  /** Of a head, or of the line that tells the size of a chunk. */
  held: Uint8Array = new Uint8Array(0);
  /** Bytes left of the body or the chunk. */
  left = 0;
  body: Body | undefined;
  at: Stamp | undefined;
}

export class HttpStream implements StreamParser {
  readonly service = 'http';
  isDone = false;
  isTunnel = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly sides = [new Direction(), new Direction()] as const;
  /** Requests in order whose responses have not come, or have not ended. */
  private readonly requests: Request[] = [];
  private response: Response | undefined;
  /** Whether the next response may be that of another request. */
  private isUnsure = false;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    return this.sides[0].held.length + this.sides[1].held.length;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    let from = start;
    if (side.state === LOST) {
      const isHead = isClient
        ? isHttpRequest(bytes, start, end)
        : isHttpResponse(bytes, start, end);
      if (!isHead) return;
      side.state = HEAD;
      if (!isClient) this.leaveOlder();
    }
    while (from < end && !this.isDone && side.state !== LOST) {
      switch (side.state) {
        case HEAD:
          side.at ??= at;
          from = this.head(side, isClient, bytes, from, end);
          break;
        case LENGTH:
        case CHUNK:
        case TO_END:
          from = this.bodyBytes(side, isClient, bytes, from, end);
          break;
        default:
          from = this.chunkLine(side, isClient, bytes, from, end);
      }
    }
  }

  /** Takes bytes of a head; it is read once all of it is there. @returns where what follows begins */
  private head(
    side: Direction,
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    let from = start;
    // Empty lines before a request count for nothing (RFC 9112, 2.2).
    if (side.held.length === 0)
      while (from < end && (bytes[from] === CR || bytes[from] === LF)) from += 1;
    if (from === end) return end;
    const before = side.held.length;
    const all =
      before === 0
        ? bytes.subarray(from, end)
        : Buffer.concat([side.held, bytes.subarray(from, end)]);
    if (before < BEGINNING_BYTES && !mayBegin(isClient, all)) {
      this.lose(side, isClient);
      return end;
    }
    const size = headSize(all, Math.max(0, before - 3));
    if (size < 0) {
      if (all.length > MAX_HEAD_BYTES) this.lose(side, isClient);
      else side.held = Uint8Array.from(all);
      return end;
    }
    side.held = new Uint8Array(0);
    const head = readHead(all, size);
    const isRead = isClient ? this.request(side, head) : this.status(side, head);
    side.at = undefined;
    if (!isRead) {
      this.lose(side, isClient);
      return end;
    }
    return from + size - before;
  }

  private request(side: Direction, { line, headers }: Head): boolean {
    const parts = REQUEST_LINE.exec(line);
    if (parts === null || this.requests.length >= MAX_WAITING) return false;
    const body = newBody();
    const [, method = '', target = '', version] = parts;
    this.requests.push({ at: side.at!, method, target, version: version?.slice(5), headers, body });
    side.body = body;
    this.bodyOf(side, true, headers, false);
    return true;
  }

  private status(side: Direction, { line, headers }: Head): boolean {
    const parts = STATUS_LINE.exec(line);
    if (parts === null) return false;
    const [, version = '', status = '', phrase = ''] = parts;
    const body = newBody();
    this.response = { at: side.at!, version, status, phrase, headers, body };
    side.body = body;
    // Another response to the same request follows (RFC 9110, 15.2), but for a change of protocols.
    if (status.startsWith('1') && status !== '101') {
      this.response = undefined;
      return true;
    }
    const method = this.requests[0]?.method;
    if (status === '101' || (method === 'CONNECT' && status.startsWith('2'))) {
      this.complete(side, false);
      this.isTunnel = true;
      this.stop();
      return true;
    }
    const isEmpty = method === 'HEAD' || status === '204' || status === '304';
    if (isEmpty) this.complete(side, false);
    else this.bodyOf(side, false, headers, true);
    return true;
  }

  /** How a body ends (RFC 9112, 6.3). */
  private bodyOf(
    side: Direction,
    isClient: boolean,
    headers: ReadonlyMap<string, string>,
    mayEndLast: boolean,
  ): void {
    const encoding = headers.get('transfer-encoding');
    const length = headers.get('content-length');
    if (encoding !== undefined && /\bchunked\s*$/i.test(encoding)) {
      side.state = CHUNK_SIZE;
    } else if (length !== undefined && /^\d{1,15}$/.test(length.split(',')[0]!.trim())) {
      side.left = Number(length.split(',')[0]);
      if (side.left === 0) this.complete(side, isClient);
      else side.state = LENGTH;
    } else if (mayEndLast) {
      side.state = TO_END;
    } else this.complete(side, isClient);
  }

  private bodyBytes(
    side: Direction,
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    const size = side.state === TO_END ? end - start : Math.min(side.left, end - start);
    const part = bytes.subarray(start, start + size);
    const { body } = side;
    if (body !== undefined) {
      if (body.size === 0) body.hashes = HASHES.map((name) => createHash(name));
      body.size += size;
      for (const hash of body.hashes) hash.update(part);
    }
    if (side.state === TO_END) return end;
    side.left -= size;
    if (side.left === 0) {
      if (side.state === LENGTH) this.complete(side, isClient);
      else side.state = CHUNK_END;
    }
    return start + size;
  }

  /** Lines between chunks: sizes, the end of a chunk, trailers. */
  private chunkLine(
    side: Direction,
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    const at = bytes.subarray(start, end).indexOf(LF);
    const stop = at < 0 ? end : start + at;
    const isLine = stop < end;
    const part = bytes.subarray(start, stop);
    const whole = side.held.length === 0 ? part : Buffer.concat([side.held, part]);
    if (!isLine) {
      if (whole.length > MAX_CHUNK_LINE_BYTES) this.lose(side, isClient);
      else side.held = Uint8Array.from(whole);
      return end;
    }
    side.held = new Uint8Array(0);
    const line = textOf(whole, 0, whole.length).replace(/\r$/, '');
    if (side.state === CHUNK_END) side.state = CHUNK_SIZE;
    else if (side.state === TRAILER) {
      if (line === '') this.complete(side, isClient);
    } else {
      const size = /^[0-9a-f]{1,13}(?=\s*(?:;|$))/i.exec(line)?.[0];
      if (size === undefined) {
        this.lose(side, isClient);
        return end;
      }
      side.left = Number.parseInt(size, 16);
      side.state = side.left === 0 ? TRAILER : CHUNK;
    }
    return stop + 1;
  }

  /** The message of one side is at its end. */
  private complete(side: Direction, isClient: boolean): void {
    side.state = HEAD;
    if (side.body !== undefined) side.body.isWhole = true;
    side.body = undefined;
    if (!isClient) this.give();
  }

  gap(isClient: boolean, size: number): void {
    const side = this.sides[isClient ? 0 : 1];
    if (side.state === LENGTH && size < side.left) {
      side.left -= size;
      // Its hashes would be those of other bytes.
      side.body = undefined;
    } else if (side.state === TO_END) side.body = undefined;
    else this.lose(side, isClient);
  }

  /** Nothing tells where the next message of a side begins. */
  private lose(side: Direction, isClient: boolean): void {
    side.state = LOST;
    side.held = new Uint8Array(0);
    side.body = undefined;
    side.at = undefined;
    if (!isClient && this.response !== undefined) this.give();
  }

  /** After a gap in what the server sends, a response is most probably that of the last request. */
  private leaveOlder(): void {
    this.isUnsure = this.requests.length > 0;
    while (this.requests.length > 1) this.give();
  }

  end(isClient: boolean): void {
    const side = this.sides[isClient ? 0 : 1];
    if (side.state === TO_END) this.complete(side, isClient);
  }

  finish(): void {
    if (!this.isDone) this.stop();
  }

  /** Nothing more of this connection can be read: what was seen is given up. */
  private stop(): void {
    this.isDone = true;
    if (this.response !== undefined) this.give();
    while (this.requests.length > 0) this.give();
  }

  private give(): void {
    const request = this.requests.shift();
    const { response } = this;
    this.response = undefined;
    const isUnsure = this.isUnsure && response !== undefined;
    if (isUnsure) this.isUnsure = false;
    if (request !== undefined || response !== undefined)
      this.sink.message(this.ends, describe(this.ends, request, response, isUnsure));
  }
}

/** Bytes of a head with the empty line that ends it; -1: it goes on. */
function headSize(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

function readHead(bytes: Uint8Array, size: number): Head {
  // A line that begins with a blank goes on from the one before it (RFC 9112, 5.2).
  const lines = textOf(bytes, 0, size)
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  const headers = new Map<string, string>();
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return { line: lines[0] ?? '', headers };
}

/** The account of Basic authentication (RFC 7617); its password is not kept. */
function basicUser(header: string | undefined): string | undefined {
  const encoded = /^basic\s+([a-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [user = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return user === '' ? undefined : user;
}

function urlOf({ target, headers, method }: Request, { serverPort, server }: Endpoints): string {
  if (method === 'CONNECT' || /^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return target;
  const host = headers.get('host');
  const named = host === undefined || host === '' ? undefined : host;
  const address = server.length === 4 ? [...server].join('.') : undefined;
  const authority =
    named ??
    (address === undefined ? undefined : serverPort === 80 ? address : `${address}:${serverPort}`);
  return authority === undefined
    ? target
    : `http://${authority}${target.startsWith('/') ? '' : '/'}${target}`;
}

function digests(body: Body | undefined, side: 'req' | 'resp'): Record<string, string> {
  if (body?.isWhole !== true || body.size === 0) return {};
  const [md5, sha1, sha256] = body.hashes.map((hash) => hash.digest('hex'));
  return { [`${side}_md5`]: md5!, [`${side}_sha1`]: sha1!, [`${side}_sha256`]: sha256! };
}

function describe(
  ends: Endpoints,
  request: Request | undefined,
  response: Response | undefined,
  isUnsure: boolean,
): Parameters<MessageSink['message']>[1] {
  const status = response?.status;
  const url = request === undefined ? undefined : urlOf(request, ends);
  const asked = request?.headers;
  const answered = response?.headers;
  return {
    kind: 'http',
    type: 'http',
    at: (request ?? response)!.at,
    text: [request?.method, url, status, response?.phrase].filter(Boolean).join(' '),
    columns: {
      url,
      http_method: request?.method,
      http_status: status,
      user_agent: asked?.get('user-agent'),
      referrer: asked?.get('referer'),
      user: basicUser(asked?.get('authorization')),
      dst_domain: asked?.get('host')?.replace(/:\d+$/, ''),
      outcome: status === undefined ? undefined : Number(status) < 400 ? 'success' : 'failure',
    },
    attributes: {
      host: asked?.get('host'),
      uri: request?.target,
      version: request?.version ?? response?.version,
      status_msg: response?.phrase === '' ? undefined : response?.phrase,
      request_body_len: request === undefined ? undefined : String(request.body.size),
      response_body_len: response === undefined ? undefined : String(response.body.size),
      response_time:
        response === undefined || request === undefined
          ? undefined
          : secondsBetween(request.at, response.at),
      content_type: answered?.get('content-type'),
      content_encoding: answered?.get('content-encoding'),
      request_content_type: asked?.get('content-type'),
      server: answered?.get('server'),
      location: answered?.get('location'),
      origin: asked?.get('origin'),
      x_forwarded_for: asked?.get('x-forwarded-for'),
      proxied: asked?.get('via'),
      filename: fileNameOf(answered?.get('content-disposition')),
      ...digests(request?.body, 'req'),
      ...digests(response?.body, 'resp'),
      problem: problemOf(response, isUnsure),
    },
  };
}

function problemOf(response: Response | undefined, isUnsure: boolean): string | undefined {
  if (isUnsure) return 'bytes before the response are missing: it may be that of another request';
  return response?.body.isWhole === false ? 'the body was not captured to its end' : undefined;
}

function fileNameOf(header: string | undefined): string | undefined {
  return /;\s*filename="?([^";]+)"?/i.exec(header ?? '')?.[1];
}
