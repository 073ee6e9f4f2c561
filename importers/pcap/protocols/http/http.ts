/**
 * HTTP/1 (RFC 9110, RFC 9112): one event per request, with its response; pipelined ones are paired in order.
 *
 * Bodies are counted as transferred, dechunked; each is a file, too.
 *
 * Invariants: heads are buffered up to a limit, bodies as described in `carried-file.ts`. Where bytes are missing,
 * reading continues with the next segment that begins with a head; a response after a gap is assumed to be that of
 * the last request, and the event says so.
 */
import { GssExchange } from '../windows/gss.ts';
import { HeldBytes } from '../streams/held-bytes.ts';
import { Http2Stream } from './http2.ts';
import {
  type Body,
  type BodyBeginning,
  bodyBeginning,
  carriedFile,
  describe,
  endBody,
  type EventDetails,
  HEAD_COST,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  KEPT_HEADERS,
  lengthProblem,
  newBody,
  statedLength,
  tokenOf,
} from './http-message.ts';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  type StreamProtocol,
  textOf,
} from '../messages.ts';

const MAX_HEAD_BYTES = 65_536;
const MAX_WAITING = 128;
/** Abandoned requests whose responses are still expected. */
const MAX_GIVEN_UP = 8192;
/** Problem of the request and the response that are not joined, and of overflow beyond that. */
const TOO_MANY = `more than ${MAX_WAITING} requests were unanswered`;
const REQUEST_ALONE = `${TOO_MANY}: its response, if captured, is another event`;
const RESPONSE_ALONE = `${TOO_MANY}: its request is another event`;
const NOT_READ = `more than ${MAX_WAITING + MAX_GIVEN_UP} requests were unanswered: responses are no longer read`;
const UNREAD = 'what the server sent cannot be read as a response of HTTP/1';
/** Methods whose responses may end with their heads (RFC 9112, 6.3). */
const BODILESS = ['HEAD', 'CONNECT'] as const;
const MAX_CHUNK_LINE_BYTES = 4096;
const METHODS: ReadonlySet<string> = new Set(
  (
    'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT ' +
    'SEARCH SUBSCRIBE UNSUBSCRIBE NOTIFY M-SEARCH MERGE CHECKOUT RPC_IN_DATA RPC_OUT_DATA BITS_POST BCOPY BDELETE ' +
    'BMOVE BPROPFIND BPROPPATCH X-MS-ENUMATTS DESCRIBE ANNOUNCE SETUP PLAY'
  ).split(' '),
);
const LONGEST_METHOD = 16;
const [CR, LF, SPACE] = [13, 10, 32];

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;
const VERSION = /^HTTP\/\d\.\d$/;
const VERSION_LENGTH = 8;
const STATUS_LINE = /^HTTP\/(\d\.\d) {1,8}(\d{3})(?= |$)/;

interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly version: string | undefined;
}

/** Undefined if it is not a request line. */
export function readRequestLine(line: string): RequestLine | undefined {
  const space = line.indexOf(' ');
  const method = line.slice(0, Math.max(space, 0));
  if (!METHOD.test(method)) return undefined;
  const rest = line.slice(space + 1);
  if (rest === '' || rest.trimStart() !== rest) return undefined;
  const at = rest.length - VERSION_LENGTH;
  if (!VERSION.test(rest.slice(Math.max(at, 0))) || rest[at - 1] !== ' ')
    return { method, target: rest, version: undefined };
  let end = at;
  while (end > 0 && rest.charCodeAt(end - 1) === SPACE) end -= 1;
  return { method, target: rest.slice(0, end), version: rest.slice(at + 5) };
}

/** The side that sends the head that begins there; `more`: it may be a head, but is too short to tell. */
export function headAt(
  bytes: Uint8Array,
  start: number,
  end: number,
): 'client' | 'server' | 'more' | undefined {
  // Nearly all other payloads do not begin with a capital letter.
  if (bytes[start]! < 65 || bytes[start]! > 90) return undefined;
  let at = start;
  while (at < end && at - start < LONGEST_METHOD && bytes[at] !== SPACE) at += 1;
  const word = Buffer.from(bytes.buffer, bytes.byteOffset + start, at - start).toString('latin1');
  if (word.startsWith('HTTP/1.')) return 'server';
  if (at === end) {
    if ('HTTP/1.'.startsWith(word)) return 'more';
    for (const method of METHODS) if (method.startsWith(word)) return 'more';
    return undefined;
  }
  if (!METHODS.has(word)) return undefined;
  const part = bytes.subarray(at, Math.min(end, start + MAX_HEAD_BYTES));
  const stop = part.indexOf(LF);
  if (stop < 0) return part.includes(0) ? undefined : 'more';
  const line = textOf(bytes, start, part[stop - 1] === CR ? at + stop - 1 : at + stop);
  const read = readRequestLine(line);
  if (read === undefined || read.version !== undefined) return read && 'client';
  // Without a version (`GET /HTTP/1.1`) only if headers follow.
  const next = textOf(bytes, at + stop + 1, Math.min(end, at + stop + 1 + LONGEST_NAME));
  return /^[/*]\S*$/.test(read.target) && /^[a-z][a-z-]*:/i.test(next) ? 'client' : undefined;
}

/** Maximum length of a header's name. */
const LONGEST_NAME = 64;

/** Number of bytes of a head that identify it. */
const BEGINNING_BYTES = 33;

/** Whether the available bytes may begin a head. */
function mayBegin(isClient: boolean, bytes: Uint8Array): boolean {
  const text = textOf(bytes, 0, Math.min(bytes.length, BEGINNING_BYTES));
  return isClient ? /^[A-Za-z_-]{1,32}( |$)/.test(text) : /^(H|HT|HTT|HTTP|HTTP\/.*)$/s.test(text);
}

interface Head {
  /** Request line or status line. */
  readonly line: string;
  /** The requested ones, in lower case; values of a repeated name are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Its size in bytes. */
  readonly size: number;
  /** Whether its end was not captured. */
  readonly isCut?: boolean;
}

/** `Transfer-Encoding` of a chunked body. */
const CHUNKED = /\bchunked\s*$/i;
/** LOST: until a head begins a segment; UNPAIRED: until bytes are missing. */
const [HEAD, LENGTH, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER, TO_END, LOST, UNPAIRED] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
];

/** One direction: heads and bodies one after another. */
class Direction {
  state = HEAD;
  /** An incomplete head, or line with the size of a chunk. */
  readonly held = new HeldBytes();
  /** Bytes left of the body or the chunk. */
  left = 0;
  body: Body | undefined;
  /** The message of the body; a request may be answered before its body ends. */
  message: HttpRequest | HttpResponse | undefined;
  at: Stamp | undefined;
}

export class HttpStream implements StreamParser {
  readonly service = 'http';
  isDone = false;
  isTunnel = false;
  unread = 0;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly sides = [new Direction(), new Direction()] as const;
  /** Requests, in order, whose responses have not arrived, or not ended. */
  private readonly requests: HttpRequest[] = [];
  private response: HttpResponse | undefined;
  /** Announces the response. */
  private information: Pick<HttpResponse, 'status' | 'phrase'> | undefined;
  /** Memory of stored heads, as objects and strings. */
  private headBytes = 0;
  private logins: GssExchange | undefined;
  /** Whether the next response may belong to another request. */
  private isUnsure = false;
  /** Methods, if in BODILESS, of abandoned requests whose responses are next, in order. */
  private readonly givenUp: ((typeof BODILESS)[number] | undefined)[] = [];
  /** Whether the response is one of those. */
  private isOfGivenUp = false;
  /** Whether the server's bytes are not a response although nothing is missing. */
  private isUnread = false;
  /** Too many were abandoned: no response is read after the current one. */
  private isFull = false;

  /** The protocol that the connection has switched to. */
  private changed: Http2Stream | undefined;
  private readonly takeBody: (beginning: BodyBeginning) => HttpBody;

  constructor(ends: Endpoints, sink: MessageSink, takeBody = carriedFile) {
    this.ends = ends;
    this.sink = sink;
    this.takeBody = takeBody;
  }

  get heldBytes(): number {
    if (this.changed !== undefined) return this.changed.heldBytes;
    const [client, server] = this.sides;
    const files = (client.body?.file?.heldBytes ?? 0) + (server.body?.file?.heldBytes ?? 0);
    const heads = this.headBytes + 8 * this.givenUp.length;
    return client.held.capacity + server.held.capacity + heads + files;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    let from = start;
    if (side.state === UNPAIRED) return;
    if (side.state === LOST && this.changed === undefined) {
      if (headAt(bytes, start, end) !== (isClient ? 'client' : 'server')) return;
      side.state = HEAD;
      if (!isClient) this.leaveOlder();
    }
    while (from < end && !this.isDone && side.state < LOST && this.changed === undefined) {
      switch (side.state) {
        case HEAD:
          side.at ??= at;
          from = this.head(side, isClient, bytes, from, end);
          break;
        case LENGTH:
        case CHUNK:
        case TO_END:
          from = this.bodyBytes(side, isClient, bytes, from, end, at);
          break;
        default:
          from = this.chunkLine(side, isClient, bytes, from, end);
      }
    }
    if (this.isTunnel) this.unread = end - from;
    if (this.changed === undefined) return;
    this.changed.data(isClient, bytes, from, end, at);
    this.isDone = this.changed.isDone;
  }

  /** Takes bytes of a head, which is parsed once it is complete. @returns start of what follows */
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
    const part = bytes.subarray(from, end);
    if (before > 0) side.held.append(part);
    const all = before === 0 ? part : side.held.bytes;
    if (before < BEGINNING_BYTES && !mayBegin(isClient, all)) {
      this.loseUnread(side, isClient);
      return end;
    }
    const size = headSize(all, Math.max(0, before - 3));
    if (size < 0) {
      if (all.length > MAX_HEAD_BYTES) this.loseUnread(side, isClient);
      else if (before === 0) side.held.append(all);
      return end;
    }
    const head = readHead(all, size);
    side.held.clear();
    const isRead = isClient ? this.request(side, head) : this.status(side, head);
    side.at = undefined;
    if (!isRead) {
      this.loseUnread(side, isClient);
      return end;
    }
    return from + size - before;
  }

  private request(side: Direction, { line, headers, size, isCut }: Head): boolean {
    const parts = readRequestLine(line);
    if (parts === undefined) return false;
    const body = newBody(isCut);
    const request = { at: side.at!, ...parts, headers, body, size };
    if (this.requests.length >= MAX_WAITING) this.giveUpOldest();
    this.requests.push(request);
    side.message = request;
    this.headBytes += HEAD_COST * size;
    side.body = body;
    this.bodyOf(side, true, headers, false);
    return true;
  }

  private status(side: Direction, { line, headers, size, isCut }: Head): boolean {
    const parts = STATUS_LINE.exec(line);
    if (parts === null) return false;
    this.isUnread = false;
    const [all, version = '', status = ''] = parts;
    const phrase = line.slice(all.length).trim();
    const body = newBody(isCut);
    const response = { at: side.at!, version, status, phrase, headers, body, size };
    this.keepResponse(response);
    side.message = response;
    side.body = body;
    // Another response to the same request follows (RFC 9110, 15.2), except after a protocol switch.
    if (status.startsWith('1') && status !== '101') {
      this.information = response;
      this.keepResponse(undefined);
      return true;
    }
    this.isOfGivenUp = this.givenUp.length > 0;
    const method = this.isOfGivenUp ? this.givenUp.shift() : this.answered?.method;
    if (status === '101' && /\bh2c\b/i.test(headers.get('upgrade') ?? '')) {
      this.keepResponse(undefined);
      const request = this.isOfGivenUp ? undefined : this.requests.shift();
      const { ends, sink, takeBody } = this;
      this.changed = new Http2Stream(ends, sink, takeBody, { request, information: response });
      this.stop();
      this.isDone = false;
      return true;
    }
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

  private keepResponse(response: HttpResponse | undefined): void {
    this.headBytes += HEAD_COST * ((response?.size ?? 0) - (this.response?.size ?? 0));
    this.response = response;
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
    const total = statedLength(length);
    if (side.body !== undefined) side.body.problem ??= lengthProblem(encoding, length, isClient);
    if (encoding !== undefined && CHUNKED.test(encoding)) {
      side.state = CHUNK_SIZE;
    } else if (total !== undefined) {
      side.left = total;
      if (side.body !== undefined) side.body.total = side.left;
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
    at: Stamp,
  ): number {
    const size = side.state === TO_END ? end - start : Math.min(side.left, end - start);
    const part = bytes.subarray(start, start + size);
    const { body } = side;
    if (body !== undefined && size > 0) {
      body.file ??= this.file(side, isClient, at, start);
      body.file.add(part, body.size === 0 && side.state === LENGTH && size === side.left);
      body.size += size;
    }
    if (side.state === TO_END) return end;
    side.left -= size;
    if (side.left === 0) {
      if (side.state === LENGTH) this.complete(side, isClient);
      else {
        side.state = CHUNK_END;
        body?.file?.endChunk?.();
      }
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
    const isBegun = side.held.length > 0;
    if (isBegun || !isLine) side.held.append(part);
    if (!isLine) {
      const isOther =
        side.state === CHUNK_SIZE && !/^(?:[0-9a-f]|$)/i.test(firstOf(side.held.bytes));
      if (isOther || side.held.length > MAX_CHUNK_LINE_BYTES) this.loseUnread(side, isClient);
      return end;
    }
    const whole = isBegun ? side.held.bytes : part;
    const line = textOf(whole, 0, whole.length).replace(/\r$/, '');
    side.held.clear();
    if (side.state === CHUNK_END) side.state = CHUNK_SIZE;
    else if (side.state === TRAILER) {
      if (line === '') this.complete(side, isClient, stop + 1);
    } else {
      const size = /^[0-9a-f]{1,13}(?=\s*(?:;|$))/i.exec(line)?.[0];
      if (size === undefined) {
        this.loseUnread(side, isClient);
        return end;
      }
      side.left = Number.parseInt(size, 16);
      side.state = side.left === 0 ? TRAILER : CHUNK;
    }
    return stop + 1;
  }

  /** The message of one side is at its end. */
  private complete(side: Direction, isClient: boolean, at?: number): void {
    side.state = HEAD;
    this.endBody(side, isClient, true, at);
    if (isClient) return;
    this.give();
    if (this.isFull) this.lose(side, false, UNPAIRED);
  }

  private file(side: Direction, isFromClient: boolean, at: Stamp, start: number): HttpBody {
    return this.takeBody(this.beginning(side, isFromClient, at, start));
  }

  private beginning(
    { message, state }: Direction,
    isFromClient: boolean,
    at: Stamp,
    start: number,
  ): BodyBeginning {
    const request = this.isUnsure ? undefined : this.answered;
    const { ends, sink } = this;
    const framing = state === CHUNK ? 'chunked' : undefined;
    return bodyBeginning(message, request, { ends, sink, at, isFromClient, framing, start });
  }

  private endBody(side: Direction, isClient: boolean, isWhole: boolean, at?: number): void {
    const { body, message } = side;
    side.body = undefined;
    if (body === undefined || message === undefined) return;
    const asked = 'target' in message ? message : undefined;
    const request = isClient ? asked : this.isUnsure ? undefined : this.answered;
    endBody(message, request, this.ends, isWhole, at);
  }

  gap(isClient: boolean, size: number): void {
    if (this.changed !== undefined) {
      this.changed.gap(isClient, size);
      return;
    }
    const side = this.sides[isClient ? 0 : 1];
    if (side.state === LENGTH && size < side.left) {
      side.left -= size;
      this.missing(side, isClient, size);
    } else if (side.state === TO_END) this.missing(side, isClient, size);
    else {
      if (side.state === HEAD) this.cutHead(side, isClient);
      this.lose(side, isClient);
    }
  }

  /** A head whose end is missing, as in captures that keep the first bytes of packets: its whole lines count. */
  private cutHead(side: Direction, isClient: boolean): void {
    const size = side.held.bytes.lastIndexOf(LF) + 1;
    if (size === 0) return;
    const head = { ...readHead(side.held.bytes, size), isCut: true };
    if (isClient) this.request(side, head);
    else this.status(side, head);
  }

  private missing(side: Direction, isClient: boolean, size: number): void {
    const { body } = side;
    if (body === undefined) return;
    body.missing += size;
    body.file ??= this.file(side, isClient, side.message!.at, 0);
    body.file.skip(size);
  }

  /** It is unknown where the next message of a side begins, or what it answers. */
  private lose(side: Direction, isClient: boolean, state = LOST): void {
    side.state = state;
    side.held.clear();
    this.endBody(side, isClient, false);
    side.at = undefined;
    if (!isClient && this.response !== undefined) this.give();
  }

  /** A side sends something that is not a message, or not a chunk of one. */
  private loseUnread(side: Direction, isClient: boolean): void {
    if (side.body !== undefined) side.body.isUnread = true;
    else if (!isClient) this.isUnread = true;
    this.lose(side, isClient);
  }

  /** The request that the response answers. */
  private get answered(): HttpRequest | undefined {
    return this.isOfGivenUp ? undefined : this.requests[0];
  }

  /** In a connection that was captured in one direction only, nothing is answered. */
  private giveUpOldest(): void {
    const isAnswered = this.response !== undefined && !this.isOfGivenUp;
    const [oldest] = this.requests.splice(isAnswered ? 1 : 0, 1);
    if (oldest === undefined) return;
    const [, server] = this.sides;
    if (server.state < LOST) {
      if (this.givenUp.length < MAX_GIVEN_UP)
        this.givenUp.push(BODILESS.find((method) => method === oldest.method));
      else if (this.response === undefined) this.lose(server, false, UNPAIRED);
      else this.isFull = true;
    }
    this.tell(oldest, undefined, { problem: REQUEST_ALONE });
  }

  /** After a gap in what the server sends, a response most probably belongs to the last request. */
  private leaveOlder(): void {
    this.isUnsure = this.requests.length > 0;
    this.givenUp.length = 0;
    this.isFull = false;
    while (this.requests.length > 1) this.give();
  }

  end(isClient: boolean): void {
    if (this.changed !== undefined) return;
    const side = this.sides[isClient ? 0 : 1];
    if (side.state === TO_END) this.complete(side, isClient);
  }

  finish(): void {
    if (this.changed !== undefined) this.changed.finish();
    else if (!this.isDone) this.stop();
  }

  /** Nothing more of this connection can be read: pending requests are emitted. */
  private stop(): void {
    this.isDone = true;
    this.endBody(this.sides[0], true, false);
    this.endBody(this.sides[1], false, false);
    if (this.response !== undefined) this.give();
    while (this.requests.length > 0) this.give();
  }

  private give(): void {
    const isUnread = this.isUnread && this.response === undefined;
    const problem = this.isOfGivenUp ? RESPONSE_ALONE : isUnread ? UNREAD : undefined;
    const request = this.isOfGivenUp ? undefined : this.requests.shift();
    this.isOfGivenUp = false;
    const { response } = this;
    this.keepResponse(undefined);
    const isUnsure = this.isUnsure && response !== undefined;
    if (isUnsure) this.isUnsure = false;
    const { information } = this;
    this.information = undefined;
    this.tell(request, response, { isUnsure, information, problem });
  }

  private tell(
    request: HttpRequest | undefined,
    response: HttpResponse | undefined,
    details: Omit<EventDetails, 'account'>,
  ): void {
    if (request !== undefined) this.headBytes -= HEAD_COST * request.size;
    const account = this.tokenLogin(request, details.isUnsure === true ? undefined : response);
    if (request === undefined && response === undefined) return;
    const problem = this.sides[1].state === UNPAIRED ? NOT_READ : details.problem;
    this.sink.message(
      this.ends,
      describe(this.ends, request, response, { ...details, account, problem }),
    );
  }

  /** NTLM and Kerberos in headers ([MS-NTHT], RFC 4559): emits the event of a login, and returns its account. */
  private tokenLogin(
    request: HttpRequest | undefined,
    response: HttpResponse | undefined,
  ): string | undefined {
    for (const message of [request, response]) {
      const token = message && tokenOf(message.headers);
      if (token === undefined) continue;
      this.logins ??= new GssExchange('http');
      this.logins.take(token, message!.at);
    }
    const user = this.logins?.account?.user;
    const status = response?.status;
    const isAccepted = status === undefined ? undefined : status !== '401' && status !== '407';
    this.logins?.result(this.ends, this.sink, isAccepted);
    return user === '' ? undefined : user;
  }
}

/** The first byte as a character. */
function firstOf(bytes: Uint8Array): string {
  return textOf(bytes, 0, Math.min(1, bytes.length));
}

/** Size of a head including the empty line at its end; -1: incomplete. */
function headSize(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

function readHead(bytes: Uint8Array, size: number): Head {
  const text = textOf(bytes, 0, size);
  const headers = new Map<string, string>();
  let line: string | undefined;
  let last = '';
  for (let from = 0; from < text.length;) {
    const at = text.indexOf('\n', from);
    const to = at < 0 ? text.length : at;
    const part = text.slice(from, to > from && text.charCodeAt(to - 1) === CR ? to - 1 : to);
    from = to + 1;
    if (line === undefined) line = part;
    else if (part.startsWith(' ') || part.startsWith('\t')) {
      // A line that begins with a blank continues the previous one (RFC 9112, 5.2).
      if (headers.has(last)) headers.set(last, `${headers.get(last)!} ${part.trim()}`);
    } else {
      const colon = part.indexOf(':');
      last = part.slice(0, Math.max(colon, 0)).trim().toLowerCase();
      if (!KEPT_HEADERS.has(last)) last = '';
      else {
        const before = headers.get(last);
        const value = part.slice(colon + 1).trim();
        headers.set(last, before === undefined ? value : `${before}, ${value}`);
      }
    }
  }
  return { line: line ?? '', headers, size };
}

export const HTTP: StreamProtocol = {
  recognise: headAt,
  begun: (bytes, start, end) => (headSize(bytes.subarray(start, end), 0) < 0 ? 'http' : undefined),
  parser: (ends, sink) => new HttpStream(ends, sink),
};
