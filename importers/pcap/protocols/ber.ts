/** BER (X.690), as Kerberos, LDAP and SNMP use it: definite lengths, tags of one byte. */
import { textOf } from './messages.ts';

export interface BerElement {
  readonly tag: number;
  /** Start of its content. */
  readonly start: number;
  readonly end: number;
}

export const BER = {
  ...{ boolean: 0x01, integer: 0x02, octets: 0x04, null: 0x05, oid: 0x06, enumerated: 0x0a },
  ...{ sequence: 0x30, set: 0x31 },
} as const;

/**
 * Tag and length at a position.
 * @returns the element, whose end may be beyond the bytes; undefined: there is none, or too little of it
 */
export function headerAt(bytes: Uint8Array, at: number, end: number): BerElement | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (at + 1 >= end || tag === undefined || first === undefined || (tag & 31) === 31)
    return undefined;
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first };
  const size = first & 0x7f;
  if (size === 0 || size > 4 || at + 2 + size > end) return undefined;
  let length = 0;
  for (let i = 0; i < size; i++) length = length * 256 + bytes[at + 2 + i]!;
  return { tag, start: at + 2 + size, end: at + 2 + size + length };
}

/** A whole element. */
export function elementAt(bytes: Uint8Array, at: number, end: number): BerElement | undefined {
  const found = headerAt(bytes, at, end);
  return found !== undefined && found.end <= end ? found : undefined;
}

/** Consecutive elements, as far as they are complete. */
export function* elementsIn(
  bytes: Uint8Array,
  { start, end }: Pick<BerElement, 'start' | 'end'>,
): Generator<BerElement> {
  for (let at = start; at < end;) {
    const found = elementAt(bytes, at, end);
    if (found === undefined) return;
    yield found;
    at = found.end;
  }
}

/** The elements in an element, by tag; of several with a tag the first. */
export function childrenOf(bytes: Uint8Array, parent: BerElement): Map<number, BerElement> {
  const found = new Map<number, BerElement>();
  for (const child of elementsIn(bytes, parent))
    if (!found.has(child.tag)) found.set(child.tag, child);
  return found;
}

/** A whole number of up to six bytes. */
export function integerOf(bytes: Uint8Array, { start, end }: BerElement): number | undefined {
  if (end <= start || end - start > 6) return undefined;
  let value = (bytes[start]! & 0x80) === 0 ? 0 : -1;
  for (let at = start; at < end; at++) value = value * 256 + bytes[at]!;
  return value;
}

export function stringOf(bytes: Uint8Array, { start, end }: BerElement): string {
  return textOf(bytes, start, end);
}

/** `1.3.6.1.2`; undefined if it is not an identifier. */
export function oidOf(bytes: Uint8Array, { start, end }: BerElement): string | undefined {
  if (end <= start || end - start > 128) return undefined;
  const parts: number[] = [];
  let value = 0;
  for (let at = start; at < end; at++) {
    value = value * 128 + (bytes[at]! & 0x7f);
    // Beyond that a number would no longer be exact.
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
    if ((bytes[at]! & 0x80) !== 0) continue;
    if (parts.length > 0) parts.push(value);
    else {
      const first = Math.min(Math.floor(value / 40), 2);
      parts.push(first, value - 40 * first);
    }
    value = 0;
  }
  return parts.join('.');
}
