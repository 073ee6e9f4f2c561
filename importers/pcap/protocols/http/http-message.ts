/** Contents of a request and its response in any version of HTTP (RFC 9110), and the handling of their bodies. */
import { ip6Text } from '../../decode/tunnel-notes.ts';
import { statedFileName } from '../files/file-names.ts';
import { CarriedFile, type Digests, type FileDetails } from '../files/carried-file.ts';
import { type Endpoints, type MessageSink, secondsBetween, type Stamp } from '../messages.ts';

/** Headers that events or the ends of bodies depend on. */
export const KEPT_HEADERS: ReadonlySet<string> = new Set([
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
  ...['content-disposition', 'content-range', 'server', 'location', 'upgrade'],
]);

/** Memory of the strings and maps of a head, as a multiple of its bytes. */
export const HEAD_COST = 4;

/** Number of lengths that are compared if a message states several. */
const MAX_LENGTHS = 128;

const TOKEN_HEADERS = [
  ...['authorization', 'proxy-authorization', 'www-authenticate', 'proxy-authenticate'],
] as const;
const TOKEN = /(?:^|,\s*)(?:NTLM|Negotiate|Kerberos)\s+([a-z0-9+/]{16,}=*)/i;

/** The body of a request or a response, as far as it arrived. */
export interface Body {
  /** Number of bytes received, as transferred. */
  size: number;
  /** From its first byte to its end. */
  file: HttpBody | undefined;
  /** Its stated size. */
  total: number | undefined;
  /** For a complete file. */
  digests: Digests | undefined;
  isWhole: boolean;
  /** Bytes that were not captured. */
  missing: number;
  /** Whether something that is not a chunk follows. */
  isUnread: boolean;
  /** A fault in the statement of its end. */
  problem: string | undefined;
}

/** One whose head was read. */
export interface HttpRequest {
  readonly at: Stamp;
  readonly method: string;
  readonly target: string;
  readonly version: string | undefined;
  /** `http` if none is stated. */
  readonly scheme?: string | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Body;
  readonly size: number;
}

/** One whose head was read. */
export interface HttpResponse {
  readonly at: Stamp;
  readonly version: string;
  readonly status: string;
  readonly phrase: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Body;
  readonly size: number;
}

/** Takes the bytes of a body, dechunked. */
export interface HttpBody {
  readonly heldBytes: number;
  /** @param isAll whether these are all its bytes */
  add(part: Uint8Array, isAll?: boolean): void;
  /** Bytes that were not captured. */
  skip(size: number): void;
  /** The end of a chunk: the next bytes were not adjacent when sent. */
  endChunk?(): void;
  /** @param at end of its message in the bytes given to the parser; undefined: with its last bytes */
  end(details: FileDetails, at: number | undefined): Digests | undefined;
}

/** A body at its first byte. */
export interface BodyBeginning {
  readonly ends: Endpoints;
  readonly sink: MessageSink;
  readonly at: Stamp;
  readonly isFromClient: boolean;
  /** Its encoding, without chunking; several in the order in which they were applied, comma-separated. */
  readonly encoding: string;
  /** Whether other bytes were sent between its parts. */
  readonly framing: 'chunked' | 'frames' | undefined;
  /** Its message: `POST /upload`, or `200 OK for GET /`. */
  readonly message: string;
  /** Its start in the bytes given to the parser. */
  readonly start: number;
}

export function carriedFile({ ends, sink, at, isFromClient, encoding }: BodyBeginning): HttpBody {
  return new CarriedFile(ends, sink, at, isFromClient, encoding);
}

export function newBody(isCut = false): Body {
  const problem = isCut ? 'has a head that was not captured to its end' : undefined;
  const unknown = { file: undefined, total: undefined, digests: undefined };
  return { size: 0, missing: 0, isWhole: false, isUnread: false, ...unknown, problem };
}

/** @param request the message itself or the one it answers, if known */
export function bodyBeginning(
  message: HttpRequest | HttpResponse | undefined,
  request: HttpRequest | undefined,
  place: Omit<BodyBeginning, 'encoding' | 'message'>,
): BodyBeginning {
  const transferred = (message?.headers.get('transfer-encoding') ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !/^(?:chunked|identity)?$/i.test(one));
  const encoded = [message?.headers.get('content-encoding') ?? '', ...transferred];
  return {
    ...place,
    encoding: encoded.filter((one) => one !== '').join(', '),
    message: message === undefined ? '' : messageText(message, request),
  };
}

/**
 * @param request the message itself or the one it answers, if known
 * @param at its end in the bytes given to the parser, if bytes follow the body itself
 */
export function endBody(
  message: HttpRequest | HttpResponse,
  request: HttpRequest | undefined,
  ends: Endpoints,
  isWhole: boolean,
  at?: number,
): void {
  const { body, headers } = message;
  body.isWhole = isWhole;
  const { file } = body;
  body.file = undefined;
  const range = headers.get('content-range');
  const otherLength = isWhole ? otherLengthOf(message, request) : undefined;
  body.problem ??= otherLength;
  const problems = [
    otherLength !== undefined && `its message ${otherLength}`,
    body.isUnread && UNREAD,
    range !== undefined && `a part of the file: ${range}`,
  ].filter((problem) => problem !== false);
  const details = {
    ...{ service: 'http', isWhole },
    name:
      statedFileName(headers.get('content-disposition') ?? '') ??
      (request && lastOf(request.target)),
    total: body.total,
    isPart: otherLength !== undefined || (range !== undefined && !isAll(range)),
    problem: problems.length === 0 ? undefined : problems.join('; '),
    columns: { url: request && urlOf(request, ends) },
    attributes: { content_type: headers.get('content-type') },
  };
  const digests = file?.end(details, at);
  body.digests = otherLength === undefined ? digests : undefined;
}

/** The first stated length of a message, in bytes; undefined for none. */
export function statedLength(length: string | undefined): number | undefined {
  const first = length?.split(',', 1)[0]!.trim() ?? '';
  return /^\d{1,15}$/.test(first) ? Number(first) : undefined;
}

/** Two readers may see the end of such a body at different positions, and take what follows for another message. */
export function lengthProblem(
  encoding: string | undefined,
  length: string | undefined,
  isRequest: boolean,
): string | undefined {
  if (encoding !== undefined && length !== undefined) return 'states a length, and chunks';
  if (encoding !== undefined && isRequest && !/^chunked$/i.test(encoding))
    return 'states chunks, but not as all of its encoding';
  if (length === undefined) return undefined;
  const lengths = new Set(length.split(',', MAX_LENGTHS).map((part) => part.trim()));
  if (lengths.size > 1) return 'states several lengths';
  return /^\d{1,15}$/.test([...lengths][0]!) ? undefined : 'states a length that is no number';
}

/** Reports that a body differs from the stated length: frames of HTTP/2 end it regardless (RFC 9113, 8.1.1). */
function otherLengthOf(
  message: HttpRequest | HttpResponse,
  request: HttpRequest | undefined,
): string | undefined {
  const { size, missing, total } = message.body;
  const came = size + missing;
  if (total === undefined || came === total) return undefined;
  if (came === 0 && !hasBody(message, request)) return undefined;
  return `has a body of ${came} bytes, and states ${total}`;
}

/** Whether it has the body whose length it states, as far as is known (RFC 9110, 6.4.1 and 8.6). */
function hasBody(message: HttpRequest | HttpResponse, request: HttpRequest | undefined): boolean {
  if (request === undefined || request.method === 'CONNECT') return false;
  if ('target' in message) return true;
  return request.method !== 'HEAD' && message.status !== '204' && message.status !== '304';
}

/** @param asked the request of a response, if known */
function messageText(message: HttpRequest | HttpResponse, asked: HttpRequest | undefined): string {
  if ('target' in message) return `${message.method} ${message.target}`;
  const { status, phrase } = message;
  const said = phrase === '' ? status : `${status} ${phrase}`;
  return asked === undefined ? said : `${said} for ${asked.method} ${asked.target}`;
}

/** The token by which a side logs in, or asks the other to (RFC 4559). */
export function tokenOf(headers: ReadonlyMap<string, string>): Uint8Array | undefined {
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

function urlOf(
  { target, headers, method, scheme }: HttpRequest,
  { serverPort, server }: Endpoints,
): string {
  if (method === 'CONNECT' || /^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return target;
  const host = headers.get('host');
  const named = host === undefined || host === '' ? undefined : host;
  const address = server.length === 4 ? server.join('.') : `[${ip6Text(server, 0)}]`;
  const authority = named ?? (serverPort === 80 ? address : `${address}:${serverPort}`);
  return `${scheme ?? 'http'}://${authority}${target.startsWith('/') ? '' : '/'}${target}`;
}

function digests(body: Body | undefined, side: 'req' | 'resp'): Record<string, string> {
  if (body?.digests === undefined) return {};
  const { md5, sha1, sha256 } = body.digests;
  return { [`${side}_md5`]: md5, [`${side}_sha1`]: sha1, [`${side}_sha256`]: sha256 };
}

export interface EventDetails {
  /** Whether the response may belong to another request. */
  readonly isUnsure?: boolean;
  /** The account that logs in with NTLM. */
  readonly account?: string | undefined;
  readonly information?: Pick<HttpResponse, 'status' | 'phrase'> | undefined;
  /** A fault of both. */
  readonly problem?: string | undefined;
}

export function describe(
  ends: Endpoints,
  request: HttpRequest | undefined,
  response: HttpResponse | undefined,
  { isUnsure = false, account, information, problem }: EventDetails,
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
      filename: statedFileName(answered?.get('content-disposition') ?? ''),
      ...digests(request?.body, 'req'),
      ...digests(response?.body, 'resp'),
      problem: problemOf(request, response, isUnsure, problem),
    },
  };
}

const UNREAD = 'a chunk states no size that can be read';

function problemOf(
  request: HttpRequest | undefined,
  response: HttpResponse | undefined,
  isUnsure: boolean,
  problem: string | undefined,
): string | undefined {
  const problems = [
    problem ?? false,
    isUnsure
      ? 'bytes before the response are missing or cannot be read: it may be that of another request'
      : isCutOff(response) && 'the body was not captured to its end',
    response?.body.isUnread === true && `the body cannot be read to its end: ${UNREAD}`,
    (response?.body.missing ?? 0) > 0 && 'bytes of the body were not captured',
    isCutOff(request) && 'the request did not come to its end',
    request?.body.isUnread === true && `the request cannot be read to its end: ${UNREAD}`,
    (request?.body.missing ?? 0) > 0 && 'bytes of the request were not captured',
    request?.body.problem !== undefined && `the request ${request.body.problem}`,
    response?.body.problem !== undefined && `the response ${response.body.problem}`,
  ].filter((problem) => problem !== false);
  return problems.length === 0 ? undefined : problems.join('; ');
}

function isCutOff(message: HttpRequest | HttpResponse | undefined): boolean {
  return message?.body.isWhole === false && !message.body.isUnread;
}

/** `bytes 0-99/100` */
function isAll(range: string): boolean {
  const [, last, size] = /^bytes 0-(\d{1,15})\/(\d{1,15})$/i.exec(range.trim()) ?? [];
  return last !== undefined && Number(last) + 1 === Number(size);
}

/** The last part of a path, without its query; undefined if it has none. */
function lastOf(target: string): string | undefined {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === '' ? undefined : last;
}
