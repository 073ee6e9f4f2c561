/**
 * HTTP/1 (RFC 9110, RFC 9112): one event a request, with its response; pipelined ones are paired in order.
 *
 * Bodies are counted as they were transferred, without their chunks; each is a file, too.
 *
 * Invariants: heads are held up to a bound, bodies as `carried-file.ts` says. Where bytes are missing, reading goes on with the next
 * segment that begins with a head; a response after a gap is taken for that of the last request, and the event says so.
 */
import { ip6Text } from '../tunnel-notes.ts';
import { CarriedFile, type Digests, type FileDetails } from './carried-file.ts';
import { HeldBytes } from './held-bytes.ts';
import {
  type Endpoints,
  type MessageSink,
  type Stamp,
  type StreamParser,
  type StreamProtocol,
  secondsBetween,
  textOf,
} from './messages.ts';
import { GssExchange } from './gss.ts';

const MAX_HEAD_BYTES = 65_536;
const MAX_WAITING = 128;
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

/** Headers that events or the ends of bodies are told by. */
const WANTED: ReadonlySet<string> = new Set([
  ...[
    'host',
    'user-agent',
    'referer',
    'authorization',
    'proxy-authorization',
    'www-authenticate',
    'proxy-authenticate',
    'origin',
    'x-forwarded-for',
    'via',
  ],
  ...['content-length', 'transfer-encoding', 'content-type', 'content-encoding'],
  ...['content-disposition', 'content-range', 'server', 'location'],
]);

const TOKEN_HEADERS = [
  ...['authorization', 'proxy-authorization', 'www-authenticate', 'proxy-authenticate'],
] as const;
const TOKEN = /(?:^|,\s*)(?:NTLM|Negotiate|Kerberos)\s+([a-z0-9+/]{16,}=*)/i;

interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly version: string | undefined;
}

/** Undefined for what is no request line. */
function readRequestLine(line: string): RequestLine | undefined {
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

/** Which side sends a head that begins there; `more`: it may be one, but ends before that can be told. */
function headAt(
  bytes: Uint8Array,
  start: number,
  end: number,
): 'client' | 'server' | 'more' | undefined {
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
  // Without a version (`GET /HTTP/1.1`) only what is followed by headers.
  const next = textOf(bytes, at + stop + 1, Math.min(end, at + stop + 1 + LONGEST_NAME));
  return /^[/*]\S*$/.test(read.target) && /^[a-z][a-z-]*:/i.test(next) ? 'client' : undefined;
}

/** Of a header. */
const LONGEST_NAME = 64;

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
  /** Those that are wanted, in lower case; the values of a name that comes twice are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /** Bytes of it. */
  readonly size: number;
}

interface Body {
  /** Bytes that came, as they were transferred. */
  size: number;
  /** From its first byte on, up to its end. */
  file: HttpBody | undefined;
  /** Bytes that it is said to have. */
  total: number | undefined;
  /** Of a file that is whole. */
  digests: Digests | undefined;
  isWhole: boolean;
  /** Bytes that were not captured. */
  missing: number;
  /** What is wrong with how its end is told. */
  problem: string | undefined;
}

interface Request {
  readonly at: Stamp;
  readonly method: string;
  readonly target: string;
  readonly version: string | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Body;
  readonly size: number;
}

interface Response {
  readonly at: Stamp;
  readonly version: string;
  readonly status: string;
  readonly phrase: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Body;
  readonly size: number;
}

/** What takes the bytes of a body, without its chunks. */
export interface HttpBody {
  readonly heldBytes: number;
  /** @param isAll whether these are all its bytes */
  add(part: Uint8Array, isAll?: boolean): void;
  /** Bytes that were not captured. */
  skip(size: number): void;
  /** A chunk ends: what comes next does not follow in what was sent. */
  endChunk?(): void;
  end(details: FileDetails): Digests | undefined;
}

/** A body whose first byte comes. */
export interface BodyBeginning {
  readonly ends: Endpoints;
  readonly sink: MessageSink;
  readonly at: Stamp;
  readonly isFromClient: boolean;
  /** How it is encoded, without chunks; several in the order in which they were applied, with commas. */
  readonly encoding: string;
  readonly isChunked: boolean;
  /** What it belongs to: `POST /upload`, or `200 OK for GET /`. */
  readonly message: string;
  /** Where it begins in the bytes that the parser was given. */
  readonly start: number;
}

function carriedFile({ ends, sink, at, isFromClient, encoding }: BodyBeginning): HttpBody {
  return new CarriedFile(ends, sink, at, isFromClient, encoding);
}

function newBody(): Body {
  const unknown = { file: undefined, total: undefined, digests: undefined, problem: undefined };
  return { size: 0, missing: 0, isWhole: false, ...unknown };
}

/** Of `Transfer-Encoding`: the body is in chunks. */
const CHUNKED = /\bchunked\s*$/i;
/** Strings and maps of a head take about so many times its bytes. */
const HEAD_COST = 4;
const [HEAD, LENGTH, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER, TO_END, LOST] = [
  0, 1, 2, 3, 4, 5, 6, 7,
];

/** One direction: heads and bodies one after another. */
class Direction {
  state = HEAD;
  /** Of a head, or of the line that tells the size of a chunk. */
  readonly held = new HeldBytes();
  /** Bytes left of the body or the chunk. */
  left = 0;
  body: Body | undefined;
  /** That the body is of; a request may be answered before its body ends. */
  message: Request | Response | undefined;
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
  /** Requests in order whose responses have not come, or have not ended. */
  private readonly requests: Request[] = [];
  private response: Response | undefined;
  /** Announces the response. */
  private information: Pick<Response, 'status' | 'phrase'> | undefined;
  /** Of heads that are kept, as objects and strings. */
  private headBytes = 0;
  private logins: GssExchange | undefined;
  /** Whether the next response may be that of another request. */
  private isUnsure = false;

  private readonly takeBody: (beginning: BodyBeginning) => HttpBody;
  private readonly leaveBody: (beginning: BodyBeginning) => void;

  /** @param leaveBody told of the body of a request that is not followed, since too many before it were not answered */
  constructor(
    ends: Endpoints,
    sink: MessageSink,
    takeBody = carriedFile,
    leaveBody: (beginning: BodyBeginning) => void = () => undefined,
  ) {
    this.ends = ends;
    this.sink = sink;
    this.takeBody = takeBody;
    this.leaveBody = leaveBody;
  }

  get heldBytes(): number {
    const [client, server] = this.sides;
    const files = (client.body?.file?.heldBytes ?? 0) + (server.body?.file?.heldBytes ?? 0);
    return client.held.capacity + server.held.capacity + this.headBytes + files;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    let from = start;
    if (side.state === LOST) {
      if (headAt(bytes, start, end) !== (isClient ? 'client' : 'server')) return;
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
          from = this.bodyBytes(side, isClient, bytes, from, end, at);
          break;
        default:
          from = this.chunkLine(side, isClient, bytes, from, end);
      }
    }
    if (this.isTunnel) this.unread = end - from;
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
    const part = bytes.subarray(from, end);
    if (before > 0) side.held.append(part);
    const all = before === 0 ? part : side.held.bytes;
    if (before < BEGINNING_BYTES && !mayBegin(isClient, all)) {
      this.lose(side, isClient);
      return end;
    }
    const size = headSize(all, Math.max(0, before - 3));
    if (size < 0) {
      if (all.length > MAX_HEAD_BYTES) this.lose(side, isClient);
      else if (before === 0) side.held.append(all);
      return end;
    }
    const head = readHead(all, size);
    side.held.clear();
    const isRead = isClient ? this.request(side, head) : this.status(side, head);
    side.at = undefined;
    if (!isRead) {
      this.lose(side, isClient);
      return end;
    }
    return from + size - before;
  }

  private request(side: Direction, { line, headers, size }: Head): boolean {
    const parts = readRequestLine(line);
    if (parts === undefined) return false;
    const body = newBody();
    const request = { at: side.at!, ...parts, headers, body, size };
    if (this.requests.length >= MAX_WAITING) {
      const isChunked = CHUNKED.test(headers.get('transfer-encoding') ?? '');
      if (isChunked || Number.parseInt(headers.get('content-length') ?? '', 10) > 0)
        this.leaveBody(this.beginning(request, true, request.at, 0, isChunked));
      return false;
    }
    this.requests.push(request);
    side.message = request;
    this.headBytes += HEAD_COST * size;
    side.body = body;
    this.bodyOf(side, true, headers, false);
    return true;
  }

  private status(side: Direction, { line, headers, size }: Head): boolean {
    const parts = STATUS_LINE.exec(line);
    if (parts === null) return false;
    const [all, version = '', status = ''] = parts;
    const phrase = line.slice(all.length).trim();
    const body = newBody();
    const response = { at: side.at!, version, status, phrase, headers, body, size };
    this.keepResponse(response);
    side.message = response;
    side.body = body;
    // Another response to the same request follows (RFC 9110, 15.2), but for a change of protocols.
    if (status.startsWith('1') && status !== '101') {
      this.information = response;
      this.keepResponse(undefined);
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

  private keepResponse(response: Response | undefined): void {
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
    if (side.body !== undefined) side.body.problem = lengthProblem(encoding, length, isClient);
    if (encoding !== undefined && CHUNKED.test(encoding)) {
      side.state = CHUNK_SIZE;
    } else if (length !== undefined && /^\d{1,15}$/.test(length.split(',')[0]!.trim())) {
      side.left = Number(length.split(',')[0]);
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
      if (side.held.length > MAX_CHUNK_LINE_BYTES) this.lose(side, isClient);
      return end;
    }
    const whole = isBegun ? side.held.bytes : part;
    const line = textOf(whole, 0, whole.length).replace(/\r$/, '');
    side.held.clear();
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
    this.endBody(side, isClient, true);
    if (!isClient) this.give();
  }

  private file(side: Direction, isFromClient: boolean, at: Stamp, start: number): HttpBody {
    return this.takeBody(
      this.beginning(side.message, isFromClient, at, start, side.state === CHUNK),
    );
  }

  private beginning(
    message: Request | Response | undefined,
    isFromClient: boolean,
    at: Stamp,
    start: number,
    isChunked: boolean,
  ): BodyBeginning {
    const transferred = (message?.headers.get('transfer-encoding') ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => !/^(?:chunked|identity)?$/i.test(one));
    const encoded = [message?.headers.get('content-encoding') ?? '', ...transferred];
    const encoding = encoded.filter((one) => one !== '').join(', ');
    const request = this.isUnsure ? undefined : this.requests[0];
    return {
      ...{ ends: this.ends, sink: this.sink, at, isFromClient, encoding, start },
      isChunked,
      message: message === undefined ? '' : messageText(message, request),
    };
  }

  private endBody(side: Direction, isClient: boolean, isWhole: boolean): void {
    const { body } = side;
    side.body = undefined;
    if (body === undefined) return;
    body.isWhole = isWhole;
    const { file } = body;
    body.file = undefined;
    const { message } = side;
    const headers = message?.headers;
    const asked = message !== undefined && 'target' in message ? message : undefined;
    const request = isClient ? asked : this.isUnsure ? undefined : this.requests[0];
    const range = headers?.get('content-range');
    body.digests = file?.end({
      ...{ service: 'http', isWhole },
      name: fileNameOf(headers?.get('content-disposition')) ?? (request && lastOf(request.target)),
      total: body.total,
      isPart: range !== undefined && !isAll(range),
      problem: range === undefined ? undefined : `a part of the file: ${range}`,
      columns: { url: request && urlOf(request, this.ends) },
      attributes: { content_type: headers?.get('content-type') },
    });
  }

  gap(isClient: boolean, size: number): void {
    const side = this.sides[isClient ? 0 : 1];
    if (side.state === LENGTH && size < side.left) {
      side.left -= size;
      this.missing(side, isClient, size);
    } else if (side.state === TO_END) this.missing(side, isClient, size);
    else this.lose(side, isClient);
  }

  private missing(side: Direction, isClient: boolean, size: number): void {
    const { body } = side;
    if (body === undefined) return;
    body.missing += size;
    body.file ??= this.file(side, isClient, side.message!.at, 0);
    body.file.skip(size);
  }

  /** Nothing tells where the next message of a side begins. */
  private lose(side: Direction, isClient: boolean): void {
    side.state = LOST;
    side.held.clear();
    this.endBody(side, isClient, false);
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
    this.endBody(this.sides[0], true, false);
    this.endBody(this.sides[1], false, false);
    if (this.response !== undefined) this.give();
    while (this.requests.length > 0) this.give();
  }

  private give(): void {
    const request = this.requests.shift();
    if (request !== undefined) this.headBytes -= HEAD_COST * request.size;
    const { response } = this;
    this.keepResponse(undefined);
    const isUnsure = this.isUnsure && response !== undefined;
    if (isUnsure) this.isUnsure = false;
    const { information } = this;
    this.information = undefined;
    const account = this.tokenLogin(request, isUnsure ? undefined : response);
    if (request !== undefined || response !== undefined)
      this.sink.message(
        this.ends,
        describe(this.ends, request, response, { isUnsure, account, information }),
      );
  }

  /** NTLM and Kerberos are spoken in headers ([MS-NTHT], RFC 4559): gives the event of a login, and its account. */
  private tokenLogin(
    request: Request | undefined,
    response: Response | undefined,
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

/** @param asked the request of a response, where it is known */
function messageText(message: Request | Response, asked: Request | undefined): string {
  if ('target' in message) return `${message.method} ${message.target}`;
  const { status, phrase } = message;
  const said = phrase === '' ? status : `${status} ${phrase}`;
  return asked === undefined ? said : `${said} for ${asked.method} ${asked.target}`;
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
      // A line that begins with a blank goes on from the one before it (RFC 9112, 5.2).
      if (headers.has(last)) headers.set(last, `${headers.get(last)!} ${part.trim()}`);
    } else {
      const colon = part.indexOf(':');
      last = part.slice(0, Math.max(colon, 0)).trim().toLowerCase();
      if (!WANTED.has(last)) last = '';
      else {
        const before = headers.get(last);
        const value = part.slice(colon + 1).trim();
        headers.set(last, before === undefined ? value : `${before}, ${value}`);
      }
    }
  }
  return { line: line ?? '', headers, size };
}

/** Two readers may see the end of such a body at different places, and take what follows for another message. */
function lengthProblem(
  encoding: string | undefined,
  length: string | undefined,
  isRequest: boolean,
): string | undefined {
  if (encoding !== undefined && length !== undefined) return 'states a length, and chunks';
  if (encoding !== undefined && isRequest && !/^chunked$/i.test(encoding))
    return 'states chunks, but not as all of its encoding';
  if (length === undefined) return undefined;
  const lengths = new Set(length.split(',', MAX_WAITING).map((part) => part.trim()));
  if (lengths.size > 1) return 'states several lengths';
  return /^\d{1,15}$/.test([...lengths][0]!) ? undefined : 'states a length that is no number';
}

/** What a side sends to log in, or to have the other log in (RFC 4559). */
function tokenOf(headers: ReadonlyMap<string, string>): Uint8Array | undefined {
  for (const name of TOKEN_HEADERS) {
    const [, encoded] = TOKEN.exec(headers.get(name) ?? '') ?? [];
    if (encoded !== undefined) return Buffer.from(encoded, 'base64');
  }
  return undefined;
}

/** Account and password of Basic (RFC 7617), account of Digest authentication (RFC 7616). */
function loginOf(header: string | undefined): { user?: string; password?: string } {
  const account = /^digest\s.{0,2048}?\busername="([^"]+)"/is.exec(header ?? '')?.[1];
  if (account !== undefined) return { user: account };
  const encoded = /^basic\s+([a-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon <= 0 ? {} : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function urlOf({ target, headers, method }: Request, { serverPort, server }: Endpoints): string {
  if (method === 'CONNECT' || /^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return target;
  const host = headers.get('host');
  const named = host === undefined || host === '' ? undefined : host;
  const address = server.length === 4 ? server.join('.') : `[${ip6Text(server, 0)}]`;
  const authority = named ?? (serverPort === 80 ? address : `${address}:${serverPort}`);
  return `http://${authority}${target.startsWith('/') ? '' : '/'}${target}`;
}

function digests(body: Body | undefined, side: 'req' | 'resp'): Record<string, string> {
  if (body?.digests === undefined) return {};
  const { md5, sha1, sha256 } = body.digests;
  return { [`${side}_md5`]: md5, [`${side}_sha1`]: sha1, [`${side}_sha256`]: sha256 };
}

function describe(
  ends: Endpoints,
  request: Request | undefined,
  response: Response | undefined,
  {
    isUnsure,
    account,
    information,
  }: {
    /** Whether the response may be that of another request. */
    readonly isUnsure: boolean;
    /** That logs in with NTLM. */
    readonly account: string | undefined;
    readonly information: Pick<Response, 'status' | 'phrase'> | undefined;
  },
): Parameters<MessageSink['message']>[1] {
  const status = response?.status;
  const url = request === undefined ? undefined : urlOf(request, ends);
  const asked = request?.headers;
  const answered = response?.headers;
  const login = loginOf(asked?.get('authorization') ?? asked?.get('proxy-authorization'));
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
      user: login.user ?? account,
      dst_domain: asked?.get('host')?.replace(/:\d+$/, ''),
      outcome: status === undefined ? undefined : Number(status) < 400 ? 'success' : 'failure',
    },
    attributes: {
      host: asked?.get('host'),
      uri: request?.target,
      version: request?.version ?? response?.version,
      status_msg: response?.phrase === '' ? undefined : response?.phrase,
      info_code: information?.status,
      info_msg: information?.phrase === '' ? undefined : information?.phrase,
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
      password: login.password,
      filename: fileNameOf(answered?.get('content-disposition')),
      ...digests(request?.body, 'req'),
      ...digests(response?.body, 'resp'),
      problem: problemOf(request, response, isUnsure),
    },
  };
}

function problemOf(
  request: Request | undefined,
  response: Response | undefined,
  isUnsure: boolean,
): string | undefined {
  const problems = [
    isUnsure
      ? 'bytes before the response are missing: it may be that of another request'
      : response?.body.isWhole === false && 'the body was not captured to its end',
    (response?.body.missing ?? 0) > 0 && 'bytes of the body were not captured',
    request?.body.isWhole === false && 'the request did not come to its end',
    (request?.body.missing ?? 0) > 0 && 'bytes of the request were not captured',
    request?.body.problem !== undefined && `the request ${request.body.problem}`,
    response?.body.problem !== undefined && `the response ${response.body.problem}`,
  ].filter((problem) => problem !== false);
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** `bytes 0-99/100` */
function isAll(range: string): boolean {
  const [, last, size] = /^bytes 0-(\d{1,15})\/(\d{1,15})$/i.exec(range.trim()) ?? [];
  return last !== undefined && Number(last) + 1 === Number(size);
}

/** The last part of a path, without its query; undefined where it has none. */
function lastOf(target: string): string | undefined {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === '' ? undefined : last;
}

function fileNameOf(header: string | undefined): string | undefined {
  return /;\s*filename="?([^";]+)"?/i.exec(header ?? '')?.[1];
}

export const HTTP: StreamProtocol = {
  recognise: headAt,
  parser: (ends, sink) => new HttpStream(ends, sink),
};
