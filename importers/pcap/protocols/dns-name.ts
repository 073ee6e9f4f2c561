/**
 * Names in DNS messages (RFC 1035, 4.1.4), and the names of its types and classes.
 *
 * Invariant: pointers in a name are followed backwards only, so that it cannot be endless, and no more of them than
 * it can have labels.
 */
import { u16 } from '../bytes.ts';
import { textOf } from './messages.ts';

const MAX_NAME_BYTES = 255;
const MAX_POINTERS = 127;

const TYPES: Readonly<Record<number, string>> = {
  ...{ 1: 'A', 2: 'NS', 5: 'CNAME', 6: 'SOA', 10: 'NULL', 12: 'PTR', 13: 'HINFO', 15: 'MX' },
  ...{ 16: 'TXT', 17: 'RP', 24: 'SIG', 25: 'KEY', 28: 'AAAA', 29: 'LOC', 32: 'NB', 33: 'SRV' },
  ...{ 35: 'NAPTR', 37: 'CERT', 39: 'DNAME', 41: 'OPT', 43: 'DS', 44: 'SSHFP', 46: 'RRSIG' },
  ...{ 47: 'NSEC', 48: 'DNSKEY', 50: 'NSEC3', 51: 'NSEC3PARAM', 52: 'TLSA', 64: 'SVCB' },
  ...{ 65: 'HTTPS', 99: 'SPF', 249: 'TKEY', 250: 'TSIG', 251: 'IXFR', 252: 'AXFR', 255: 'ANY' },
  ...{ 257: 'CAA' },
};
export const CLASSES: Readonly<Record<number, string>> = {
  ...{ 1: 'IN', 3: 'CH', 4: 'HS', 254: 'NONE', 255: 'ANY' },
};

const NETBIOS_TYPES: Readonly<Record<number, string>> = { 32: 'NB', 33: 'NBSTAT' };

export function typeName(type: number, isNetbios: boolean): string {
  return (isNetbios ? NETBIOS_TYPES[type] : undefined) ?? TYPES[type] ?? `TYPE${type}`;
}

interface DnsName {
  /** With dots, empty for the root; as far as it is readable. */
  readonly text: string;
  /** Start of what follows: beyond `end` if the name itself ends too early. */
  readonly next: number;
  /** Why it cannot be read to its end. */
  readonly problem: string | undefined;
}

/**
 * The name at a position.
 * @param message start of the message, from which pointers count
 */
export function nameAt(bytes: Uint8Array, message: number, start: number, end: number): DnsName {
  let at = start;
  let next = -1;
  let text = '';
  let size = 0;
  let pointers = 0;
  const failed = (problem: string, after = at): DnsName => ({
    ...{ text, next: next < 0 ? after : next, problem },
  });
  const cut = (): DnsName => failed('a compressed name runs beyond the message', end + 1);
  for (;;) {
    if (at >= end) return cut();
    const length = bytes[at]!;
    if (length === 0) return { text, next: next < 0 ? at + 1 : next, problem: undefined };
    if (length >= 0xc0) {
      if (at + 1 >= end) return cut();
      const target = message + (u16(bytes, at) & 0x3fff);
      if (next < 0) next = at + 2;
      if (target >= at) return failed('a compressed name points forward');
      if (++pointers > MAX_POINTERS)
        return failed(`a compressed name has more than ${MAX_POINTERS} pointers`);
      at = target;
      continue;
    }
    if (length >= 0x40) return failed('a name has a label of an unknown kind', at + 1);
    if (at + length >= end) return cut();
    const label = labelOf(bytes, at + 1, at + 1 + length);
    text += text === '' ? label : `.${label}`;
    size += length + 1;
    at += 1 + length;
    if (size > MAX_NAME_BYTES) return failed('a name is longer than 255 bytes');
  }
}

/** Dots, backslashes and control characters within a label are escaped, as in zone files (RFC 1035, 5.1). */
function labelOf(bytes: Uint8Array, start: number, end: number): string {
  return textOf(bytes, start, end).replace(UNSAFE, (char) =>
    char === '.' || char === '\\' ? `\\${char}` : `\\${decimal(char)}`,
  );
}
const UNSAFE = /[.\\\p{Cc}]/gu;

function decimal(char: string): string {
  return String(char.charCodeAt(0)).padStart(3, '0');
}

/** RFC 1001, 14: half bytes as letters from A on; the last byte is the type of the name's owner. */
export function netbiosName(text: string): string {
  const [first = '', ...scope] = text.split('.');
  if (!/^[A-P]{32}$/.test(first)) return text;
  let name = '';
  let suffix = 0;
  for (let i = 0; i < 32; i += 2) {
    const byte = ((first.charCodeAt(i) - 65) << 4) | (first.charCodeAt(i + 1) - 65);
    if (i === 30) suffix = byte;
    else if (byte >= 0x20 && byte <= 0x7e) name += String.fromCharCode(byte);
    else name += `<${hex2(byte)}>`;
  }
  return [`${name.replace(/ +$/, '')}<${hex2(suffix)}>`, ...scope].join('.');
}

function hex2(value: number): string {
  return value.toString(16).padStart(2, '0');
}
