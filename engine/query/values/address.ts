/**
 * IP addresses as text, as ranges and back.
 *
 * IPv4 is a number, IPv6 a 128-bit bigint; a range includes both ends. Text forms follow
 * https://www.rfc-editor.org/rfc/rfc4291 (reading) and https://www.rfc-editor.org/rfc/rfc5952
 * (writing).
 */

export type AddressRange =
  | { readonly version: 4; readonly low: number; readonly high: number }
  | { readonly version: 6; readonly low: bigint; readonly high: bigint };

const [DOT, ZERO, NINE] = [0x2e, 0x30, 0x39];
const ALL_ONES = (1n << 128n) - 1n;

/** Undefined if `text` is not a dotted IPv4 address. */
export function parseIp4(text: string): number | undefined {
  let value = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0 || ++dots > 3) return undefined;
      value = value * 256 + octet;
      octet = 0;
      digits = 0;
      continue;
    }
    if (code < ZERO || code > NINE || ++digits > 3) return undefined;
    octet = octet * 10 + code - ZERO;
    if (octet > 255) return undefined;
  }
  return dots === 3 && digits > 0 ? value * 256 + octet : undefined;
}

/** Undefined if `text` is not an IPv6 address. */
export function parseIp6(text: string): bigint | undefined {
  if (text.length > 45 || !/^[0-9a-fA-F:.]+$/.test(text) || !text.includes(':')) return undefined;
  let rest = text;
  const lastColon = rest.lastIndexOf(':');
  if (rest.includes('.')) {
    const tail = parseIp4(rest.slice(lastColon + 1));
    if (tail === undefined) return undefined;
    rest = `${rest.slice(0, lastColon + 1)}${(tail >>> 16).toString(16)}:${(tail & 0xffff).toString(16)}`;
  }
  const halves = rest.split('::');
  if (halves.length > 2) return undefined;
  const groups = (part: string): number[] | undefined => {
    if (part === '') return [];
    const out: number[] = [];
    for (const group of part.split(':')) {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
      out.push(Number.parseInt(group, 16));
    }
    return out;
  };
  const head = groups(halves[0]!);
  const tail = halves.length === 2 ? groups(halves[1]!) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  let value = 0n;
  for (const group of [...head, ...Array<number>(missing).fill(0), ...tail]) {
    value = (value << 16n) | BigInt(group);
  }
  return value;
}

/** `::ffff:0.0.0.0`, where IPv4-mapped addresses begin, and their bits that are always the same. */
const MAPPED = 0xffff_0000_0000n;
const MAPPED_BITS = 96;

/** The IPv4-mapped IPv6 addresses of IPv4 ones. */
export function mappedRange(
  range: Extract<AddressRange, { version: 4 }>,
): Extract<AddressRange, { version: 6 }> {
  return {
    version: 6,
    low: MAPPED + BigInt(range.low),
    high: MAPPED + BigInt(range.high),
  };
}

/**
 * An address, or a CIDR block (host bits are ignored), as a range. IPv4-mapped addresses (`::ffff:10.0.0.1`) become
 * IPv4, as they are stored.
 */
export function parseAddress(text: string): AddressRange | undefined {
  const slash = text.indexOf('/');
  const base = slash < 0 ? text : text.slice(0, slash);
  const prefix = slash < 0 ? undefined : text.slice(slash + 1);
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined;
  const v4 = parseIp4(base);
  if (v4 !== undefined) {
    const bits = prefix === undefined ? 32 : Number(prefix);
    if (bits > 32) return undefined;
    const size = 2 ** (32 - bits);
    const low = Math.floor(v4 / size) * size;
    return { version: 4, low, high: low + size - 1 };
  }
  const v6 = parseIp6(base);
  if (v6 === undefined) return undefined;
  const bits = prefix === undefined ? 128 : Number(prefix);
  if (bits > 128) return undefined;
  if (bits >= MAPPED_BITS && v6 >> 32n === 0xffffn)
    return parseAddress(`${formatIp4(Number(v6 & 0xffff_ffffn))}/${bits - MAPPED_BITS}`);
  const host = ALL_ONES >> BigInt(bits);
  const low = v6 & ~host & ALL_ONES;
  return { version: 6, low, high: low | host };
}

export function formatIp4(value: number): string {
  return `${(value >>> 24) & 255}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

/** The shortest form: the longest run of zero groups, the first of equals, becomes `::`. */
export function formatIp6(value: bigint): string {
  const groups: number[] = [];
  for (let i = 7n; i >= 0n; i--) groups.push(Number((value >> (i * 16n)) & 0xffffn));
  if (groups.slice(0, 5).every((g) => g === 0) && groups[5] === 0xffff) {
    return `::ffff:${formatIp4(groups[6]! * 65536 + groups[7]!)}`;
  }
  let bestStart = -1;
  let bestLength = 1;
  for (let i = 0; i < 8; i++) {
    let n = 0;
    while (i + n < 8 && groups[i + n] === 0) n++;
    if (n > bestLength) {
      bestStart = i;
      bestLength = n;
    }
    if (n > 0) i += n - 1;
  }
  const hex = groups.map((group) => group.toString(16));
  if (bestStart < 0) return hex.join(':');
  return `${hex.slice(0, bestStart).join(':')}::${hex.slice(bestStart + bestLength).join(':')}`;
}

/** The 36-character text of a UUID that holds these 16 bytes. */
export function ip6ToUuid(value: bigint): string {
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function uuidToIp6(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '')}`);
}
