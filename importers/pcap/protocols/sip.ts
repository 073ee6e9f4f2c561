/**
 * SIP (RFC 3261) over UDP and TCP: one event per message.
 *
 * Invariant: heads are buffered up to a limit, bodies not at all.
 */
import { FramedStream } from './streams/framed.ts';
import {
  type DatagramProtocol,
  type Endpoints,
  type MessageSink,
  type ProtocolMessage,
  type Stamp,
  type StreamProtocol,
  textOf,
} from './messages.ts';

const METHODS =
  /^(INVITE|ACK|BYE|CANCEL|OPTIONS|REGISTER|PRACK|SUBSCRIBE|NOTIFY|PUBLISH|INFO|REFER|MESSAGE|UPDATE) (\S{1,2048}) SIP\/2\.0$/;
const STATUS = /^SIP\/2\.0 (\d{3})(?: (.*))?$/;
const MAX_HEAD_BYTES = 16_384;
const MAX_FIRST_LINE = 2100;
const [CR, LF] = [13, 10];
/** Short forms of headers (RFC 3261, 7.3.3). */
const SHORT: Readonly<Record<string, string>> = {
  ...{ f: 'from', t: 'to', i: 'call-id', m: 'contact', v: 'via', s: 'subject', c: 'content-type' },
  l: 'content-length',
};

interface SipMessage {
  readonly message: ProtocolMessage;
  readonly isFromClient: boolean;
  /** Size of its body, if stated. */
  readonly bodyBytes: number;
}

function readSip(bytes: Uint8Array, start: number, end: number, at: Stamp): SipMessage | undefined {
  // A capital letter: few other messages begin with one.
  if (bytes[start]! < 65 || bytes[start]! > 90 || end - start < 16) return undefined;
  const text = textOf(bytes, start, Math.min(end, start + MAX_HEAD_BYTES));
  const [first = '', ...lines] = text.split(/\r?\n\r?\n/, 1)[0]!.split(/\r?\n(?![ \t])/);
  const request = METHODS.exec(first);
  const status = STATUS.exec(first);
  if (request === null && status === null) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const key = SHORT[name] ?? name;
    if (!headers.has(key))
      headers.set(
        key,
        line
          .slice(colon + 1)
          .replaceAll(/\s+/g, ' ')
          .trim(),
      );
  }
  const [from, to] = [headers.get('from'), headers.get('to')];
  const code = status?.[1];
  const method = request?.[1] ?? headers.get('cseq')?.split(' ')[1];
  const credentials = headers.get('authorization') ?? headers.get('proxy-authorization');
  const account = /\busername="([^"]*)"/i.exec(credentials ?? '')?.[1];
  const isFailed = code !== undefined && Number(code) >= 400;
  const length = headers.get('content-length') ?? '';
  const isCounted = /^\d{1,7}$/.test(length);
  return {
    isFromClient: request !== null,
    bodyBytes: isCounted ? Number(length) : 0,
    message: {
      ...{ kind: 'sip', type: request === null ? 'response' : 'request', at },
      text: [method, userOf(from), '→', userOf(to), code, status?.[2]]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        user: account ?? userOf(from),
        url: request?.[2],
        user_agent: headers.get('user-agent'),
        // Provisional answers have no outcome yet.
        outcome: code === undefined || code < '200' ? undefined : isFailed ? 'failure' : 'success',
        reason: isFailed ? status?.[2] : undefined,
        ...(method === 'REGISTER' ? { category: 'authentication', action: 'login' } : {}),
      },
      attributes: {
        ...{ method, uri: request?.[2], status_code: code, status_msg: status?.[2] },
        ...{ request_from: from, request_to: to, from_user: userOf(from), to_user: userOf(to) },
        ...{
          call_id: headers.get('call-id'),
          seq: headers.get('cseq'),
          subject: headers.get('subject'),
        },
        ...{
          contact: headers.get('contact'),
          server: headers.get('server'),
          via: headers.get('via'),
          date: headers.get('date'),
          warning: headers.get('warning'),
          content_type: headers.get('content-type'),
          [`${status === null ? 'request' : 'response'}_body_len`]: isCounted ? length : undefined,
        },
      },
    },
  };
}

/** `alice` of `"Alice" <sip:alice@example.com>;tag=1` */
function userOf(header: string | undefined): string | undefined {
  return /\bsips?:([^@;>]+)@/i.exec(header ?? '')?.[1];
}

export const SIP: DatagramProtocol = {
  service: 'sip',
  read: ({ bytes, start, end, at }) => readSip(bytes, start, end, at),
};

class SipStream extends FramedStream {
  readonly service = 'sip';
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;

  constructor(ends: Endpoints, sink: MessageSink) {
    super();
    this.ends = ends;
    this.sink = sink;
  }

  protected read(bytes: Uint8Array, _isClient: boolean, at: Stamp): number | undefined {
    // Line ends between messages keep a connection open.
    let from = 0;
    while (from < bytes.length && (bytes[from] === CR || bytes[from] === LF)) from += 1;
    if (from > 0) return from;
    const size = headSize(bytes);
    if (size < 0) return bytes.length > MAX_HEAD_BYTES ? undefined : 0;
    const found = readSip(bytes, 0, size, at);
    if (found === undefined) return undefined;
    this.sink.message(this.ends, found.message);
    return size + found.bodyBytes;
  }

  protected begins(bytes: Uint8Array, start: number, end: number): boolean {
    return senderOf(bytes, start, end) !== undefined;
  }

  finish(): void {
    // Every message was emitted on arrival.
  }
}

/** Size of a head including the empty line; -1: incomplete. */
function headSize(bytes: Uint8Array): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf('\r\n\r\n');
  return at < 0 ? -1 : at + 4;
}

/** Recognises a request or a response, whichever side of the connection sends it. */
function senderOf(bytes: Uint8Array, start: number, end: number): 'client' | 'server' | undefined {
  if (bytes[start]! < 65 || bytes[start]! > 90) return undefined;
  const text = textOf(bytes, start, Math.min(end, start + MAX_FIRST_LINE));
  const line = /^[^\r\n]*(?=\r?\n)/.exec(text)?.[0];
  if (line === undefined) return undefined;
  if (METHODS.test(line)) return 'client';
  return STATUS.test(line) ? 'server' : undefined;
}

export const SIP_STREAM: StreamProtocol = {
  recognise: senderOf,
  parser: (ends, sink) => new SipStream(ends, sink),
};
