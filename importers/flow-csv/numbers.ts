/**
 * Counts, times of day, protocols and flags as flow tools write them, read from bytes without
 * strings on the common paths.
 *
 * Held always: a value is either read whole or refused; nothing is rounded, wrapped or cut short.
 */
import { PROTOCOLS } from '../../engine/contract/event.ts';
import { parseDecimal, parseHex } from '../shared/bytes.ts';

const ZERO = 48;
const NINE = 57;
const DOT = 46;
const COLON = 58;

/** A whole number from 0 to 2^53-1; -1 for anything else. A fraction of zeros (`12.0`) is allowed. */
export function parseWhole(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  let value = 0;
  while (at < end) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
    at += 1;
  }
  if (at === start || value > Number.MAX_SAFE_INTEGER) return -1;
  if (at === end) return value;
  if (bytes[at] === DOT && at + 1 < end) {
    for (at += 1; at < end && bytes[at] === ZERO; at++);
    if (at === end) return value;
  }
  return -1;
}

/** A whole number in decimal or `0x` form; -1 for anything else. */
export function parseWholeOrHex(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > 2 && bytes[start] === ZERO && (bytes[start + 1]! | 32) === 120) {
    return parseHex(bytes, start + 2, end);
  }
  return parseWhole(bytes, start, end);
}

/** A count that nfdump may have shortened: `1.8 M` is 1,800,000. -1 for anything else. */
export function parseScaled(bytes: Uint8Array, start: number, end: number): number {
  const unit = bytes[end - 1]!;
  let factor = 1;
  if (unit === 75 || unit === 107) factor = 1e3;
  else if (unit === 77) factor = 1e6;
  else if (unit === 71) factor = 1e9;
  else if (unit === 84) factor = 1e12;
  if (factor === 1) return parseWhole(bytes, start, end);
  let stop = end - 1;
  while (stop > start && bytes[stop - 1] === 32) stop -= 1;
  const value = parseDecimal(bytes, start, stop);
  return value >= 0 ? Math.round(value * factor) : -1;
}

/** Seconds from a decimal number or from `[h:]m:s[.fraction]`; NaN for anything else. */
export function parseSeconds(bytes: Uint8Array, start: number, end: number): number {
  let colon = -1;
  for (let at = start; at < end; at++) if (bytes[at] === COLON) colon = at;
  if (colon < 0) return parseDecimal(bytes, start, end);
  let whole = 0;
  let part = start;
  let parts = 0;
  for (let at = start; at <= colon; at++) {
    if (bytes[at] !== COLON) continue;
    const value = parseWhole(bytes, part, at);
    if (value < 0 || parts > 1) return Number.NaN;
    whole = whole * 60 + value;
    part = at + 1;
    parts += 1;
  }
  const last = parseDecimal(bytes, colon + 1, end);
  // Via whole thousandths if there are no more digits: 62.838 and not 62.83800000000001.
  const millis = Math.round(last * 1000);
  if (millis / 1000 === last) return (whole * 60_000 + millis) / 1000;
  return whole * 60 + last;
}

/** Names that tools use for protocols with another name in PROTOCOLS. */
const ALIASES: Readonly<Record<string, number>> = {
  icmp6: 58,
  icmpv6: 58,
  'ipv6-icmp': 58,
  ip: 0,
  ipv4: 4,
  'ip-in-ip': 4,
  ipencap: 4,
  ipnip: 4,
  ip6: 41,
  ospfigp: 89,
  ospfv3: 89,
  'udp-lite': 136,
  vrrpv3: 112,
};

/** IANA number of a protocol given by name or number; -1 if it is unknown here. */
export function parseProtocol(bytes: Uint8Array, start: number, end: number): number {
  const size = end - start;
  const first = bytes[start]!;
  if (first >= ZERO && first <= NINE) {
    const value = parseWhole(bytes, start, end);
    return value <= 255 ? value : -1;
  }
  if (size === 3) {
    const word = ((first | 32) << 16) | ((bytes[start + 1]! | 32) << 8) | (bytes[start + 2]! | 32);
    if (word === 0x746370) return 6;
    if (word === 0x756470) return 17;
  } else if (size === 4) {
    const low = ((bytes[start + 2]! | 32) << 8) | (bytes[start + 3]! | 32);
    if ((first | 32) === 0x69 && (bytes[start + 1]! | 32) === 0x63 && low === 0x6d70) return 1;
  }
  if (size > 12) return -1;
  let name = '';
  for (let at = start; at < end; at++) name += String.fromCharCode(bytes[at]!);
  name = name.toLowerCase();
  if (Object.hasOwn(PROTOCOLS, name)) return PROTOCOLS[name]!;
  return Object.hasOwn(ALIASES, name) ? ALIASES[name]! : -1;
}

/** Bit of a TCP flag's letter, as SiLK, nfdump and Argus write them; 0 for a filler, -1 for others. */
function flagBit(byte: number): number {
  switch (byte) {
    case 70:
      return 1;
    case 83:
      return 2;
    case 82:
      return 4;
    case 80:
      return 8;
    case 65:
      return 16;
    case 85:
      return 32;
    case 69:
      return 64;
    case 67:
    case 87:
      return 128;
    case 78:
      return 256;
    case 46:
    case 45:
    case 32:
    case 95:
      return 0;
    default:
      return -1;
  }
}

/** TCP flags as letters (`...AP.SF`, `SAPF`), decimal or `0x` number; -1 for anything else. */
export function parseTcpFlags(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]!;
  if (first >= ZERO && first <= NINE) {
    const value = parseWholeOrHex(bytes, start, end);
    return value <= 511 ? value : -1;
  }
  if (end - start > 32) return -1;
  let flags = 0;
  for (let at = start; at < end; at++) {
    const bit = flagBit(bytes[at]!);
    if (bit < 0) return -1;
    flags |= bit;
  }
  return flags;
}
