/**
 * What a request and its response say, whichever version of HTTP carries them (RFC 9110), and what becomes of their bodies.
 */
import { ip6Text } from '../tunnel-notes.ts';
import { CarriedFile, type Digests, type FileDetails } from './carried-file.ts';
import { type Endpoints, type MessageSink, secondsBetween, type Stamp } from './messages.ts';

/** Headers that events or the ends of bodies are told by. */
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

/** Strings and maps of a head take about so many times its bytes. */
export const HEAD_COST = 4;

const TOKEN_HEADERS = [
  ...['authorization', 'proxy-authorization', 'www-authenticate', 'proxy-authenticate'],
] as const;
const TOKEN = /(?:^|,\s*)(?:NTLM|Negotiate|Kerberos)\s+([a-z0-9+/]{16,}=*)/i;

/** Of a request or a response, as far as it came. */
export interface Body {
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

/** One whose head was read. */
export interface HttpRequest {
  readonly at: Stamp;
  readonly method: string;
  readonly target: string;
  readonly version: string | undefined;
  /** `http` where it says none. */
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
  /** Between parts of it something else was sent. */
  readonly framing: 'chunked' | 'frames' | undefined;
  /** What it belongs to: `POST /upload`, or `200 OK for GET /`. */
  readonly message: string;
  /** Where it begins in the bytes that the parser was given. */
  readonly start: number;
}

export function carriedFile({ ends, sink, at, isFromClient, encoding }: BodyBeginning): HttpBody {
  return new CarriedFile(ends, sink, at, isFromClient, encoding);
}

export function newBody(isCut = false): Body {
  const problem = isCut ? 'has a head that was not captured to its end' : undefined;
  const unknown = { file: undefined, total: undefined, digests: undefined };
  return { size: 0, missing: 0, isWhole: false, ...unknown, problem };
}

/** @param request that a message is, or answers, where it is known */
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

/** @param request that a message is, or answers, where it is known */
export function endBody(
  { body, headers }: HttpRequest | HttpResponse,
  request: HttpRequest | undefined,
  ends: Endpoints,
  isWhole: boolean,
): void {
  body.isWhole = isWhole;
  const { file } = body;
  body.file = undefined;
  const range = headers.get('content-range');
  body.digests = file?.end({
    ...{ service: 'http', isWhole },
    name: fileNameOf(headers.get('content-disposition')) ?? (request && lastOf(request.target)),
    total: body.total,
    isPart: range !== undefined && !isAll(range),
    problem: range === undefined ? undefined : `a part of the file: ${range}`,
    columns: { url: request && urlOf(request, ends) },
    attributes: { content_type: headers.get('content-type') },
  });
}

/** @param asked the request of a response, where it is known */
function messageText(message: HttpRequest | HttpResponse, asked: HttpRequest | undefined): string {
  if ('target' in message) return `${message.method} ${message.target}`;
  const { status, phrase } = message;
  const said = phrase === '' ? status : `${status} ${phrase}`;
  return asked === undefined ? said : `${said} for ${asked.method} ${asked.target}`;
}

/** What a side sends to log in, or to have the other log in (RFC 4559). */
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
  /** Whether the response may be that of another request. */
  readonly isUnsure?: boolean;
  /** That logs in with NTLM. */
  readonly account?: string | undefined;
  readonly information?: Pick<HttpResponse, 'status' | 'phrase'> | undefined;
  /** What is wrong with both. */
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
      filename: fileNameOf(answered?.get('content-disposition')),
      ...digests(request?.body, 'req'),
      ...digests(response?.body, 'resp'),
      problem: problemOf(request, response, isUnsure, problem),
    },
  };
}

function problemOf(
  request: HttpRequest | undefined,
  response: HttpResponse | undefined,
  isUnsure: boolean,
  problem: string | undefined,
): string | undefined {
  const problems = [
    problem ?? false,
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
