/** Values as messages write them: addresses, numbers, protocols. All functions read bytes, and none throws. */
import { isMappedIp4 } from '../../columns/event-batch.ts';
import { PROTOCOLS } from '../../contract/event.ts';

/** An address as 16 bytes in network order, IPv4 as IPv4-mapped (RFC 4291). */
export const ADDRESS = new Uint8Array(16);

/** Whether the first bytes of ADDRESS are those of all IPv4-mapped addresses. */
let isMapped = false;

/** Whether ADDRESS is an IPv4 address. */
export function isFour(): boolean {
  return isMapped;
}

/** The IPv4 address in ADDRESS, its first octet highest. */
export function four(): number {
  return ((ADDRESS[12]! << 24) | (ADDRESS[13]! << 16) | (ADDRESS[14]! << 8) | ADDRESS[15]!) >>> 0;
}

/** The end of the IPv4 address that begins at `start`, or -1; fills ADDRESS. */
function ip4End(b: Uint8Array, start: number, end: number): number {
  let p = start;
  for (let i = 0; i < 4; i++) {
    if (i > 0 && (p >= end || b[p++] !== 46)) return -1;
    const first = p;
    let value = 0;
    while (p < end && p - first < 3 && b[p]! >= 48 && b[p]! <= 57)
      value = value * 10 + b[p++]! - 48;
    // Zeros before a number mean octal to some and decimal to others.
    if (p === first || value > 255 || (p - first > 1 && b[first] === 48)) return -1;
    ADDRESS[12 + i] = value;
  }
  if (p < end && isDigit(b[p]!)) return -1;
  if (p + 1 < end && b[p] === 46 && isDigit(b[p + 1]!)) return -1;
  if (!isMapped) {
    ADDRESS.fill(0, 0, 10);
    ADDRESS[10] = 255;
    ADDRESS[11] = 255;
    isMapped = true;
  }
  return p;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function hexOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 97 && code <= 102) return code - 87;
  if (code >= 65 && code <= 70) return code - 55;
  return -1;
}

const tail = new Uint8Array(16);

/** The end of the IPv6 address that begins at `start`, including its zone, or -1; fills ADDRESS. */
function ip6End(b: Uint8Array, start: number, end: number): number {
  let p = start;
  let n = 0;
  let gap = -1;
  const out = tail;
  if (b[p] === 58) {
    if (p + 1 >= end || b[p + 1] !== 58) return -1;
    gap = 0;
    p += 2;
  }
  while (p < end && n < 16) {
    const first = p;
    let value = 0;
    while (p < end && p - first < 4 && hexOf(b[p]!) >= 0) value = value * 16 + hexOf(b[p++]!);
    if (p === first) break;
    if (b[p] === 46 && p + 1 < end && isDigit(b[p + 1]!) && n <= 12) {
      const after = ip4End(b, first, end);
      if (after < 0) return -1;
      for (let i = 0; i < 4; i++) out[n++] = ADDRESS[12 + i]!;
      p = after;
      break;
    }
    out[n++] = value >> 8;
    out[n++] = value & 255;
    if (p >= end || b[p] !== 58) break;
    if (p + 1 < end && b[p + 1] === 58) {
      if (gap >= 0) return -1;
      gap = n;
      p += 2;
    } else if (p + 1 < end && hexOf(b[p + 1]!) >= 0 && n < 16) p += 1;
    else break;
  }
  if (gap < 0 ? n !== 16 : n > 14) return -1;
  if (p < end && hexOf(b[p]!) >= 0) return -1;
  if (gap < 0) ADDRESS.set(out);
  else {
    ADDRESS.fill(0);
    for (let i = 0; i < gap; i++) ADDRESS[i] = out[i]!;
    for (let i = gap; i < n; i++) ADDRESS[16 - n + i] = out[i]!;
  }
  isMapped = isMappedIp4(ADDRESS, 0);
  if (p < end && b[p] === 37) {
    p += 1;
    while (p < end && isZone(b[p]!)) p += 1;
  }
  return p;
}

function isZone(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 45;
}

/** The end of the address that begins at `start`, or -1; fills ADDRESS. */
export function addressEnd(b: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end && p < start + 5; p++) {
    if (b[p] === 46) return ip4End(b, start, end);
    if (b[p] === 58) return ip6End(b, start, end);
  }
  return -1;
}

/** The number that all of these bytes are, or -1: of more than `most`, too. */
export function numberOf(b: Uint8Array, start: number, end: number, most: number): number {
  if (start >= end || end - start > 16) return -1;
  let value = 0;
  for (let p = start; p < end; p++) {
    if (!isDigit(b[p]!)) return -1;
    value = value * 10 + b[p]! - 48;
  }
  return value > most ? -1 : value;
}

/** The end of the digits that begin at `start`. */
export function digitsEnd(b: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && isDigit(b[p]!)) p += 1;
  return p;
}

const NAMES: readonly [Uint8Array, number][] = [
  ...Object.entries(PROTOCOLS),
  ...Object.entries({ icmpv6: 58, icmp6: 58, 'udp-lite': 136 }),
].map(([name, code]) => [new TextEncoder().encode(name), code]);

/** The protocol that these bytes name, by name or number, or -1: `tcp`, `6`, `tcp/https`. */
export function protocolOf(b: Uint8Array, start: number, to: number): number {
  let end = start;
  while (end < to && b[end] !== 47) end += 1;
  const number = numberOf(b, start, end, 255);
  if (number >= 0) return number;
  for (const [name, code] of NAMES) if (isText(b, start, end, name)) return code;
  return -1;
}

/** Whether these bytes are `text`, which is in lower case, whatever the case of their letters. */
export function isText(b: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    const code = b[start + i]!;
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== text[i]) return false;
  }
  return true;
}

/** Of an HTTP response: proxies and caches write 0 if there was none. */
export function isStatus(b: Uint8Array, start: number, end: number): boolean {
  return end - start === 3 && numberOf(b, start, end, 599) >= 100;
}
