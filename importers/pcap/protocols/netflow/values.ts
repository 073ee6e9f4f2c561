/**
 * Values of information elements, and the elements' names: IANA's registry of IPFIX, whose first numbers are those
 * of NetFlow v9. https://www.iana.org/assignments/ipfix/
 */
import { u16, u32 } from '../../bytes.ts';
import { ip4Text, ip6Text } from '../../decode/tunnel-notes.ts';
import { textOf } from '../messages.ts';
import ELEMENTS from './information-elements.json' with { type: 'json' };

/**
 * `u`: unsigned, `i`: signed, `f`: float, `b`: boolean, `s`: text, `4` and `6`: addresses, `m`: a MAC address, `t…`: times in
 * seconds, milliseconds, and NTP's form, `o`: bytes.
 */
type ElementType = 'u' | 'i' | 'f' | 'b' | 's' | '4' | '6' | 'm' | 'ts' | 'tm' | 'tu' | 'tn' | 'o';

interface Element {
  readonly name: string;
  readonly type: ElementType;
}

const known = new Map<number, Element>();
for (const [id, line] of Object.entries(ELEMENTS)) {
  const [name, type] = line.split(' ') as [string, ElementType];
  known.set(Number(id), { name, type });
}

/**
 * Vendors' elements in NetFlow v9 beyond the registry.
 * https://www.cisco.com/c/en/us/td/docs/security/asa/special/netflow/
 */
const CISCO: ReadonlyMap<number, Element> = new Map<number, Element>([
  [33_000, { name: 'ingressAclId', type: 'o' }],
  [33_001, { name: 'egressAclId', type: 'o' }],
  [33_002, { name: 'firewallExtendedEvent', type: 'u' }],
  [40_000, { name: 'userName', type: 's' }],
]);

/** RFC 5103: elements of the other direction. */
const REVERSE = 29_305;

/** Represents the enterprise of NetFlow v9's scopes, which have their own numbers. */
export const V9_SCOPE = -1;
const SCOPES = [
  '',
  'scopeSystem',
  'scopeInterface',
  'scopeLineCard',
  'scopeCache',
  'scopeTemplate',
];

/** @param enterprise 0: IANA */
export function elementOf(id: number, enterprise: number): Element {
  if (enterprise === V9_SCOPE)
    return { name: SCOPES[id] ?? `scope_${id}`, type: id === 2 ? 'u' : 'o' };
  const element =
    enterprise === 0 || enterprise === REVERSE ? (known.get(id) ?? CISCO.get(id)) : undefined;
  if (element === undefined)
    return { name: enterprise === 0 ? `element_${id}` : `element_${enterprise}_${id}`, type: 'o' };
  if (enterprise === 0) return element;
  return {
    name: `reverse${element.name[0]!.toUpperCase()}${element.name.slice(1)}`,
    type: element.type,
  };
}

/** An unsigned number of 1 to 8 bytes; undefined if it is longer, or beyond 2^53. */
export function unsignedAt(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end <= start) return undefined;
  let value = 0;
  for (let at = start; at < end; at++) value = value * 256 + bytes[at]!;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** UTC microseconds since 1970; NaN if it is not a time. */
export function timeAt(bytes: Uint8Array, start: number, end: number, type: ElementType): number {
  if (type === 'tu' || type === 'tn') {
    if (end - start !== 8) return NaN;
    // Seconds since 1900 and a fraction of 2^32 parts (RFC 7011, 6.1.9).
    return (
      (u32(bytes, start) - 2_208_988_800) * 1e6 + Math.floor(u32(bytes, start + 4) / 4294.967296)
    );
  }
  const value = unsignedAt(bytes, start, end);
  return value === undefined ? NaN : value * (type === 'ts' ? 1e6 : 1e3);
}

/** A value as text; undefined if there is nothing to show. */
export function valueText(
  bytes: Uint8Array,
  start: number,
  end: number,
  type: ElementType,
): string | undefined {
  const size = end - start;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, size);
  switch (type) {
    case 'u': {
      const value = unsignedAt(bytes, start, end);
      if (value !== undefined) return String(value);
      return size === 8 ? String(view.getBigUint64(0)) : hex(bytes, start, end);
    }
    case 'i':
      if (size === 1) return String(view.getInt8(0));
      if (size === 2) return String(view.getInt16(0));
      if (size === 4) return String(view.getInt32(0));
      return size === 8 ? String(view.getBigInt64(0)) : hex(bytes, start, end);
    case 'f':
      if (size === 4) return String(view.getFloat32(0));
      return size === 8 ? String(view.getFloat64(0)) : hex(bytes, start, end);
    case 'b':
      if (size === 1 && bytes[start] === 1) return 'true';
      return size === 1 && bytes[start] === 2 ? 'false' : hex(bytes, start, end);
    case 's': {
      let last = end;
      while (last > start && bytes[last - 1] === 0) last -= 1;
      return last > start ? textOf(bytes, start, last) : undefined;
    }
    case '4':
      return size === 4 ? ip4Text(u32(bytes, start)) : hex(bytes, start, end);
    case '6':
      return size === 16 ? ip6Text(bytes, start) : hex(bytes, start, end);
    case 'm':
      return size === 6
        ? Buffer.from(bytes.subarray(start, end)).toString('hex').match(/../g)!.join(':')
        : hex(bytes, start, end);
    case 'o':
      return hex(bytes, start, end);
    default: {
      const micros = timeAt(bytes, start, end, type);
      const date = new Date(micros / 1000);
      return Number.isNaN(date.getTime()) ? hex(bytes, start, end) : date.toISOString();
    }
  }
}

function hex(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end <= start) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('hex');
}

/** Type and code of ICMP where NetFlow has a port. */
export function icmpAt(bytes: Uint8Array, start: number): { type: number; code: number } {
  const both = u16(bytes, start);
  return { type: both >>> 8, code: both & 255 };
}
