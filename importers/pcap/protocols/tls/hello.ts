/** A TLS client's offer and a server's choice (RFC 8446, 4.1 and 4.2; RFC 5246, 7.4.1). */
import { u16 } from '../../bytes.ts';
import { textOf } from '../messages.ts';
import SUITES from './cipher-suites.json' with { type: 'json' };

export interface Hello {
  readonly isClient: boolean;
  readonly version: number;
  readonly random: Uint8Array;
  /** For a server: the chosen one. */
  readonly ciphers: readonly number[];
  readonly extensions: readonly number[];
  readonly groups: readonly number[];
  readonly pointFormats: readonly number[];
  readonly signatures: readonly number[];
  /** From `supported_versions`. */
  readonly versions: readonly number[];
  readonly alpn: readonly string[];
  readonly serverName: string | undefined;
}

const [FIRST_DRAFT, LAST_SHORT_DRAFT] = [0x7f00, 0x7f15];

/** In drafts of TLS 1.3 up to 21, a ServerHello has neither session nor compression. */
export function isShort(version: number, isClient: boolean): boolean {
  return !isClient && version >= FIRST_DRAFT && version <= LAST_SHORT_DRAFT;
}

/** Its name in IANA's registry and Zeek; undefined if it is in neither. */
export function suiteName(suite: number): string | undefined {
  return (SUITES as Readonly<Record<string, string>>)[hex4(suite)];
}

/** A code of TLS, as registries write it. */
export function hex4(value: number): string {
  return value.toString(16).padStart(4, '0');
}

/** Reads 16-bit numbers between two positions; an odd byte at the end is ignored. */
function words(bytes: Uint8Array, start: number, end: number): number[] {
  const out: number[] = [];
  for (let at = start; at + 2 <= end; at += 2) out.push(u16(bytes, at));
  return out;
}

/**
 * A ClientHello or ServerHello without its header; undefined if it is invalid.
 * @param isDatagram whether it is of DTLS, whose clients repeat a cookie of the server
 */
export function readHello(
  bytes: Uint8Array,
  start: number,
  end: number,
  isClient: boolean,
  isDatagram = false,
): Hello | undefined {
  let at = start + 34;
  if (at + 1 > end) return undefined;
  const version = u16(bytes, start);
  const random = bytes.subarray(start + 2, at);
  const isDraft = isShort(version, isClient);
  if (!isDraft) at += 1 + bytes[at]!;
  if (isClient && isDatagram) at += 1 + (bytes[at] ?? 0);
  if (at + 2 > end) return undefined;
  let ciphers: number[];
  if (isClient) {
    const size = u16(bytes, at);
    if (at + 2 + size + 1 > end) return undefined;
    ciphers = words(bytes, at + 2, at + 2 + size);
    at += 2 + size;
    at += 1 + bytes[at]!;
  } else {
    ciphers = [u16(bytes, at)];
    at += isDraft ? 2 : 3;
  }
  const hello = {
    ...{ isClient, version, random, ciphers, extensions: [] as number[] },
    ...{ groups: [] as number[], pointFormats: [] as number[], signatures: [] as number[] },
    ...{
      versions: [] as number[],
      alpn: [] as string[],
      serverName: undefined as string | undefined,
    },
  };
  if (at > end) return undefined;
  if (at + 2 > end) return hello;
  const last = Math.min(end, at + 2 + u16(bytes, at));
  at += 2;
  while (at + 4 <= last) {
    const type = u16(bytes, at);
    const size = u16(bytes, at + 2);
    const from = at + 4;
    const to = from + size;
    if (to > last) return undefined;
    hello.extensions.push(type);
    if (type === 0 && size > 5 && bytes[from + 2] === 0)
      hello.serverName = textOf(bytes, from + 5, Math.min(to, from + 5 + u16(bytes, from + 3)));
    else if (type === 10 && size > 2) hello.groups.push(...words(bytes, from + 2, to));
    else if (type === 11 && size > 1) hello.pointFormats.push(...bytes.subarray(from + 1, to));
    else if (type === 13 && size > 2) hello.signatures.push(...words(bytes, from + 2, to));
    else if (type === 16 && size > 2) hello.alpn.push(...names(bytes, from + 2, to));
    else if (type === 43)
      hello.versions.push(...(isClient ? words(bytes, from + 1, to) : words(bytes, from, to)));
    at = to;
  }
  return hello;
}

/** Texts with a length of one byte before each. */
function names(bytes: Uint8Array, start: number, end: number): string[] {
  const out: string[] = [];
  for (let at = start; at < end; at += 1 + bytes[at]!)
    if (at + 1 + bytes[at]! <= end) out.push(textOf(bytes, at + 1, at + 1 + bytes[at]!));
  return out;
}
