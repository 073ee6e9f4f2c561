/**
 * `src_ip:10.0.0.0/8`, `ip:2001:db8::/32`, `dst_ip:192.168.*`, `ip:(10.0.0.1 OR 10.0.0.2)`: addresses
 * as ranges, compared as the integers (v4) and UUIDs (v6) they are stored as.
 */
import { type AddressRange, ip6ToUuid, parseAddress } from '../address.ts';
import type { Test } from '../ast.ts';
import { oneOf } from '../dialect/duckdb.ts';
import { type AddressField, refSql } from '../fields.ts';
import { syntaxError, shown } from '../query-error.ts';
import { NO_COLUMN, type Predicate, type Scope } from '../scope.ts';
import { either } from './logic.ts';

/** IPv4 addresses with wildcards inside: `(address & mask) = value`. */
export interface AddressMask {
  readonly version: 'mask';
  readonly mask: number;
  readonly value: number;
}

export interface AddressFilter {
  readonly filter: 'address';
  readonly field: AddressField;
  /** Any of them, on any side of the field. */
  readonly ranges: readonly (AddressRange | AddressMask)[];
}

const HINT = 'write an address, a block (10.0.0.0/8, 2001:db8::/32) or 192.168.*';
const MOST6 = (1n << 128n) - 1n;

export function addressFilter(field: AddressField, test: Test, at: number): AddressFilter {
  return { filter: 'address', field, ranges: readRanges(test, at) };
}

function readAddress(text: string, at: number): AddressRange {
  const range = parseAddress(text.replace(/^\[(.*)\]$/, '$1'));
  if (range === undefined) throw syntaxError(`${shown(text)} is no IP address`, at, HINT);
  return range;
}

function readRanges(test: Test, at: number): (AddressRange | AddressMask)[] {
  switch (test.test) {
    case 'word': {
      if (test.text.includes(','))
        return test.text
          .split(',')
          .filter((one) => one !== '')
          .flatMap((text) => readRanges({ test: 'word', text }, at));
      const ends = test.text.split('-').map(parseAddress);
      const [low, high] = ends;
      // `10.0.0.1-10.0.0.9`
      if (ends.length === 2 && low !== undefined && high !== undefined) {
        if (low.version !== high.version) throw syntaxError('a range from IPv4 to IPv6', at, HINT);
        return between(low, high, true, true);
      }
      const wild = wildcardAddress(test.text);
      return [wild ?? readAddress(test.text, at)];
    }
    case 'quoted':
      return [readAddress(test.text, at)];
    case 'compare': {
      const { op } = test;
      const range = readAddress(test.value, at);
      if (op === '=') return [range];
      const up = op === '>' || op === '>=';
      return between(up ? range : undefined, up ? undefined : range, op === '>=', op === '<=');
    }
    case 'range': {
      const low = test.low === undefined ? undefined : readAddress(test.low, at);
      const high = test.high === undefined ? undefined : readAddress(test.high, at);
      if (low !== undefined && high !== undefined && low.version !== high.version) {
        throw syntaxError('a range from IPv4 to IPv6', at, HINT);
      }
      return between(low, high, test.lowIncluded, test.highIncluded);
    }
    default:
      throw syntaxError('addresses take no pattern', at, HINT);
  }
}

/** From all of block `low` to all of block `high`, or beyond them when they are not included. */
function between(
  low: AddressRange | undefined,
  high: AddressRange | undefined,
  lowIncluded: boolean,
  highIncluded: boolean,
): AddressRange[] {
  if ((low?.version ?? high?.version ?? 4) === 4) {
    const from = low?.version === 4 ? (lowIncluded ? low.low : low.high + 1) : 0;
    const to = high?.version === 4 ? (highIncluded ? high.high : high.low - 1) : 0xffff_ffff;
    const v4: AddressRange[] = from <= to ? [{ version: 4, low: from, high: to }] : [];
    const open = low === undefined && high === undefined;
    return open ? [...v4, { version: 6, low: 0n, high: MOST6 }] : v4;
  }
  const from = low?.version === 6 ? (lowIncluded ? low.low : low.high + 1n) : 0n;
  const to = high?.version === 6 ? (highIncluded ? high.high : high.low - 1n) : MOST6;
  return from <= to ? [{ version: 6, low: from, high: to }] : [];
}

/** `192.168.*` and `10.*.0.1`. */
function wildcardAddress(text: string): AddressRange | AddressMask | undefined {
  if (!/^(?:\d{1,3}|\*)(?:\.(?:\d{1,3}|\*)){0,3}$/.test(text) || !text.includes('*')) {
    return undefined;
  }
  const octets = text.split('.');
  if (octets.length < 4 && octets.at(-1) !== '*') return undefined;
  while (octets.length < 4) octets.push('*');
  let mask = 0;
  let value = 0;
  let prefix = 0;
  octets.forEach((octet, i) => {
    mask = mask * 256 + (octet === '*' ? 0 : 255);
    value = value * 256 + (octet === '*' ? 0 : Number(octet));
    if (octet !== '*' && prefix === i) prefix = i + 1;
  });
  if (octets.some((octet) => octet !== '*' && Number(octet) > 255)) return undefined;
  if (octets.slice(prefix).every((octet) => octet === '*')) {
    return { version: 4, low: value, high: value + 2 ** (32 - prefix * 8) - 1 };
  }
  return { version: 'mask', mask, value };
}

export function compileAddress(filter: AddressFilter, scope: Scope): Predicate {
  return either(
    filter.field.sides.flatMap((side) => {
      const v4 = side.v4 === undefined ? undefined : refSql(side.v4, scope);
      const v6 = side.v6 === undefined ? undefined : refSql(side.v6, scope);
      return [compileV4(v4, filter.ranges, scope), compileV6(v6, filter.ranges, scope)];
    }),
  );
}

function compileV4(
  sql: string | undefined,
  ranges: AddressFilter['ranges'],
  scope: Scope,
): Predicate {
  if (sql === undefined) return NO_COLUMN;
  const bind = (value: number) => scope.params.bind(value, 'UINTEGER');
  const single: number[] = [];
  const parts: Predicate[] = [];
  for (const range of ranges) {
    if (range.version === 'mask') {
      parts.push({ sql: `(${sql} & ${bind(range.mask)}) = ${bind(range.value)}` });
    } else if (range.version === 4) {
      if (range.low === range.high) single.push(range.low);
      else parts.push({ sql: `${sql} BETWEEN ${bind(range.low)} AND ${bind(range.high)}` });
    }
  }
  if (single.length > 0) parts.push({ sql: oneOf(sql, single, 'UINTEGER', scope.params) });
  return parts.length === 0 ? NO_COLUMN : either(parts);
}

function compileV6(
  sql: string | undefined,
  ranges: AddressFilter['ranges'],
  scope: Scope,
): Predicate {
  if (sql === undefined) return NO_COLUMN;
  const bind = (value: bigint) => scope.params.bind(ip6ToUuid(value), 'UUID');
  const single: string[] = [];
  const parts: Predicate[] = [];
  for (const range of ranges) {
    if (range.version !== 6) continue;
    if (range.low === range.high) single.push(ip6ToUuid(range.low));
    else parts.push({ sql: `${sql} BETWEEN ${bind(range.low)} AND ${bind(range.high)}` });
  }
  if (single.length > 0) parts.push({ sql: oneOf(sql, single, 'UUID', scope.params) });
  return parts.length === 0 ? NO_COLUMN : either(parts);
}
