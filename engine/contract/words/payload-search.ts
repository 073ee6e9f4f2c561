/** Messages about a search in payloads, identical in every shell. */
import { counted } from './counted.ts';

export interface SearchedPayloads {
  /** Whether it stopped at the requested number of matches. */
  readonly isStopped: boolean;
  /** Captures read at least in part, connections and datagrams with a payload, and their bytes. */
  readonly sources: number;
  readonly streams: number;
  readonly datagrams: number;
  readonly bytes: number;
  /** Number of gaps with bytes that were not captured, and of these bytes. */
  readonly gaps: number;
  readonly missing: number;
  /** Connections whose rest was not searched because too many were open at a time. */
  readonly evicted: number;
  /** Captures that could not be read, or not to their end, with the reason. */
  readonly left: readonly { readonly source: string; readonly reason: string }[];
  /** HTTP/1 bodies sent compressed or chunked, and the number of decoded bytes searched. */
  readonly bodies: number;
  readonly decodedBytes: number;
  /** Bodies that were not decoded completely, by reason. */
  readonly undecoded: readonly { readonly reason: string; readonly bodies: number }[];
}

/** The decoded body that contains the match. */
export interface FoundBody {
  /** Its message, such as `200 OK for GET /`. */
  readonly message: string;
  /** Position of its first byte in what the side sent. */
  readonly start: number;
  /** The encodings in which it was sent, such as `gzip, chunked`. */
  readonly encoding: string;
}

export function bodyText({ message, encoding }: FoundBody): string {
  return `decoded body (${encoding}) of ${message}`;
}

/** @param size formats a number of bytes for the shell */
export function searchedText(
  matches: number,
  { streams, datagrams, sources, bytes, bodies, decodedBytes }: SearchedPayloads,
  size: (bytes: number) => string,
): string {
  const carriers = `${counted(streams, 'connection')} and ${counted(datagrams, 'datagram')}`;
  const decoded =
    bodies === 0
      ? ''
      : `, and in ${size(decodedBytes)} decoded from ${counted(bodies, 'HTTP body', 'HTTP bodies')}`;
  return `${counted(matches, 'match', 'matches')} in ${size(bytes)} that ${carriers} of ${counted(sources, 'capture')} carried${decoded}`;
}

/** Notes on payloads that were not searched and may contain matches. */
export function notSearchedTexts(searched: SearchedPayloads): string[] {
  const { gaps, missing, evicted, left, undecoded } = searched;
  const texts: string[] = [];
  if (gaps > 0)
    texts.push(
      `not searched: ${counted(missing, 'byte')} that were not captured, at ${counted(gaps, 'place')}`,
    );
  if (evicted > 0)
    texts.push(
      `not searched: the rest of ${counted(evicted, 'connection')}, because too many were open at once`,
    );
  for (const { reason, bodies } of undecoded)
    texts.push(`not fully decoded: ${counted(bodies, 'HTTP body', 'HTTP bodies')}: ${reason}`);
  for (const { source, reason } of left) texts.push(`${source} was not searched: ${reason}`);
  return texts;
}

/** Bytes as text; a byte that is not printable ASCII becomes a dot. */
export function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (c) => (c >= 32 && c < 127 ? String.fromCharCode(c) : '.')).join('');
}

/** An address with a port. */
export function endText(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** A match, for the window and the command line. */
export interface PayloadMatch {
  /** Id of the flow that contains it. */
  readonly event: string;
  readonly source: string;
  readonly proto: 'tcp' | 'udp';
  readonly client: string;
  readonly clientPort: number;
  readonly server: string;
  readonly serverPort: number;
  readonly isFromClient: boolean;
  readonly offset: number;
  readonly length: number;
  readonly body?: FoundBody | undefined;
  readonly before: Uint8Array;
  /** Its first bytes. */
  readonly match: Uint8Array;
  readonly after: Uint8Array;
}

/** Columns of a file of matches, in order. */
export const MATCH_COLUMNS = [
  'ts',
  'source',
  'event_id',
  'proto',
  'client',
  'client_port',
  'server',
  'server_port',
  'sent_by',
  'offset',
  'length',
  'text',
  'hex',
  'before',
  'after',
  'body_of',
  'body_start',
  'body_encoding',
] as const;

/** @param time RFC 3339; undefined if the packet has none */
export function matchRecord(
  one: PayloadMatch,
  time: string | undefined,
): Record<(typeof MATCH_COLUMNS)[number], string | number | null> {
  return {
    ...{ ts: time ?? null, source: one.source, event_id: one.event, proto: one.proto },
    ...{ client: one.client, client_port: one.clientPort },
    ...{ server: one.server, server_port: one.serverPort },
    ...{ sent_by: one.isFromClient ? 'client' : 'server' },
    ...{ offset: one.offset, length: one.length },
    text: printable(one.match),
    hex: Array.from(one.match, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    ...{ before: printable(one.before), after: printable(one.after) },
    body_of: one.body?.message ?? null,
    body_start: one.body?.start ?? null,
    body_encoding: one.body?.encoding ?? null,
  };
}
