/**
 * `src_ip:10.0.0.0/8`, `ip:2001:db8::/32`, `dst_ip:192.168.*`, `ip:(10.0.0.1 OR 10.0.0.2)`: addresses
 * as ranges, compared as the integers (v4) and UUIDs (v6) they are stored as.
 */
import type { Ip6Column, U32Column } from '../../columns/columns.ts';
import {
  type AddressRange,
  formatIp4,
  formatIp6,
  ip6ToUuid,
  mappedRange,
  parseAddress,
} from '../values/address.ts';
import type { Test } from '../syntax/ast.ts';
import { type RowFilter, anyFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import {
  either as eitherSql,
  ip4,
  ip6,
  number,
  oneOf as oneOfSql,
  text as textSql,
} from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { dimensionOf } from '../names/dimensions.ts';
import { IP6_TYPE, oneOf } from '../dialect/duckdb.ts';
import { type AddressField, refSql, addressTextClickHouse } from '../names/fields.ts';
import { ip6Bytes } from '../values/ip6-bytes.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { compilePattern } from '../re2/matcher.ts';
import type { RowSet } from '../../util/row-set.ts';
import { type Rows, rowsOf, unite } from '../plan/known-rows/rows.ts';
import { syntaxError, shown } from '../syntax/query-error.ts';
import { NO_COLUMN, type Predicate, type Scope, type SegmentInfo } from '../plan/scope.ts';
import { addressClass, classesIn } from './address-classes.ts';
import { addressTextFilter } from './address-text.ts';
import { either } from './logic.ts';
import type { AddressCondition, FilterOperator, RecordTest } from './operator.ts';
import { describeAny, nameText } from './describe.ts';
import { wholePattern } from './text.ts';
import { someAddressIn } from './written-addresses.ts';

/** IPv4 addresses with wildcards inside: `(address & mask) = value`. */
interface AddressMask {
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

const HINT =
  'write an address, a block (10.0.0.0/8, 2001:db8::/32), 192.168.*, or private, public, multicast, loopback, linklocal';
const MOST6 = (1n << 128n) - 1n;

function readAddress(text: string, at: number): AddressRange {
  const range = parseAddress(text.replace(/^\[(.*)\]$/, '$1'));
  if (range === undefined) throw syntaxError(`${shown(text)} is not an IP address`, at, HINT);
  return range;
}

/** An IPv4 address written as IPv6 is searched for as both: older cases stored it as IPv6. */
function readAddresses(text: string, at: number): AddressRange[] {
  const range = readAddress(text, at);
  return range.version === 4 && text.includes(':') ? [range, mappedRange(range)] : [range];
}

function readRanges(test: Test, at: number): (AddressRange | AddressMask)[] {
  switch (test.test) {
    case 'word': {
      if (test.text.includes(','))
        return test.text
          .split(',')
          .filter((one) => one !== '')
          .flatMap((text) => readRanges({ test: 'word', text }, at));
      const named = addressClass(test.text);
      if (named !== undefined) return [...named];
      const ends = test.text.split('-').map(parseAddress);
      const [low, high] = ends;
      // `10.0.0.1-10.0.0.9`
      if (ends.length === 2 && low !== undefined && high !== undefined) {
        if (low.version !== high.version) throw syntaxError('a range from IPv4 to IPv6', at, HINT);
        return between(low, high, true, true);
      }
      const wild = wildcardAddress(test.text);
      return wild === undefined ? readAddresses(test.text, at) : [wild];
    }
    case 'quoted':
      return readAddresses(test.text, at);
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

/** From all of block `low` to all of block `high`; without them if they are excluded. */
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

export function addressSql(filter: AddressFilter, scope: Scope): Predicate {
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
  const bind = (value: bigint) => scope.params.bind(ip6ToUuid(value), IP6_TYPE);
  const single: string[] = [];
  const parts: Predicate[] = [];
  for (const range of ranges) {
    if (range.version !== 6) continue;
    if (range.low === range.high) single.push(ip6ToUuid(range.low));
    else parts.push({ sql: `${sql} BETWEEN ${bind(range.low)} AND ${bind(range.high)}` });
  }
  if (single.length > 0) parts.push({ sql: oneOf(sql, single, IP6_TYPE, scope.params) });
  return parts.length === 0 ? NO_COLUMN : either(parts);
}

/** Addresses are texts there: a single one is compared as text, so that an index of texts serves it. */
export function addressClickHouse(
  { field, ranges }: AddressFilter,
  scope: ClickHouseScope,
): string {
  return eitherSql(
    field.sides.map((side) => {
      const sql = addressTextClickHouse(side, scope);
      if (sql === undefined) return eitherSql([]);
      const [has4, has6] = [side.v4 !== undefined, side.v6 !== undefined || !scope.events];
      const single: string[] = [];
      const parts: string[] = [];
      for (const range of ranges) {
        if (range.version === 'mask') {
          if (has4)
            parts.push(
              `bitAnd(toUInt32(${ip4(sql)}), ${number(range.mask)}) = ${number(range.value)}`,
            );
        } else if (range.version === 4) {
          if (has4) part4(range, sql, single, parts);
        } else if (has6) part6(range, sql, single, parts);
      }
      return eitherSql([oneOfSql(sql, single), ...parts]);
    }),
  );
}

type Range<V extends 4 | 6> = Extract<AddressRange, { version: V }>;

function part4({ low, high }: Range<4>, sql: string, single: string[], parts: string[]): void {
  if (low === high) single.push(textSql(formatIp4(low)));
  else
    parts.push(`${ip4(sql)} BETWEEN toIPv4('${formatIp4(low)}') AND toIPv4('${formatIp4(high)}')`);
}

const MAPPED = mappedRange({ version: 4, low: 0, high: 0xffff_ffff });

function part6({ low, high }: Range<6>, sql: string, single: string[], parts: string[]): void {
  if (low === high) {
    single.push(textSql(formatIp6(low)));
    return;
  }
  const between = `${ip6(sql)} BETWEEN toIPv6('${formatIp6(low)}') AND toIPv6('${formatIp6(high)}')`;
  // IPv4 addresses are among the mapped ones there.
  const mayBe4 = MAPPED.low <= high && MAPPED.high >= low;
  parts.push(mayBe4 ? `(${between} AND isIPv6String(${sql}))` : between);
}

// -- rows by index ---------------------------------------------------------------------------------

export function addressRows(
  { field, ranges }: AddressFilter,
  segment: SegmentInfo,
  known: SegmentView,
): CandidateRows | undefined {
  let rows: Rows = 'none';
  for (const side of field.sides) {
    for (const ref of [side.v4, side.v6]) {
      if (ref === undefined) continue;
      const found = 'column' in ref ? inColumn(ref.column, ranges, segment, known) : undefined;
      if (found === undefined) return undefined;
      rows = unite(rows, found);
    }
  }
  return { rows, exact: true };
}

/** Above this share of the rows, comparing addresses beats looking a block up. */
const MOST_OF_BLOCK = 1 / 32;
const MOST_OF_ONE = 1 / 4;

function inColumn(
  column: string,
  ranges: AddressFilter['ranges'],
  { columns, rows: total }: SegmentInfo,
  { indexes }: SegmentView,
): Rows | undefined {
  const { values } = indexes;
  if (!columns.has(column)) return 'none';
  if (values === undefined) return undefined;
  let rows: Rows = 'none';
  for (const range of ranges) {
    let found: RowSet | undefined;
    if (column === 'src_ip4' || column === 'dst_ip4') {
      if (range.version === 6) continue;
      if (range.version === 4) {
        const { low, high } = range;
        const most = total * (low === high ? MOST_OF_ONE : MOST_OF_BLOCK);
        if ((values.mostOfIp4(column, low, high) ?? 0) <= most)
          found = values.rowsOfIp4(column, low, high);
      }
    } else if (column === 'src_ip6' || column === 'dst_ip6') {
      if (range.version !== 6) continue;
      const [low, high] = [ip6Bytes(range.low), ip6Bytes(range.high)];
      const most = total * (range.low === range.high ? MOST_OF_ONE : MOST_OF_BLOCK);
      if ((values.mostOfIp6(column, low, high) ?? 0) <= most)
        found = values.rowsOfIp6(column, low, high);
    }
    if (found === undefined) return undefined;
    rows = unite(rows, rowsOf(found));
  }
  return rows;
}

function addressCondition({ field, ranges }: AddressFilter): AddressCondition | undefined {
  const dim = dimensionOf(field);
  const [range, ...more] = ranges;
  if (range === undefined || range.version === 'mask' || more.length > 0) return undefined;
  return dim === 'src_ip' || dim === 'dst_ip' ? { dim, range } : undefined;
}

// -- rows of a batch -------------------------------------------------------------------------------

export function addressColumns({ field, ranges }: AddressFilter, scope: RowScope): RowFilter {
  const parts: RowFilter[] = [];
  for (const side of field.sides) {
    const v4 = side.v4 === undefined ? undefined : scope.column(side.v4);
    const v6 = side.v6 === undefined ? undefined : scope.column(side.v6);
    if (v4?.type === 'u32') parts.push(rowsOf4(v4, ranges));
    if (v6?.type === 'ip6') parts.push(rowsOf6(v6, ranges));
  }
  return anyFilter(parts, scope.capacity);
}

function rowsOf4({ values, present }: U32Column, ranges: AddressFilter['ranges']): RowFilter {
  const single = new Set<number>();
  const blocks: { low: number; high: number }[] = [];
  const masks: { mask: number; value: number }[] = [];
  for (const range of ranges) {
    if (range.version === 'mask') masks.push({ mask: range.mask | 0, value: range.value | 0 });
    else if (range.version === 4) {
      if (range.low === range.high) single.add(range.low);
      else blocks.push({ low: range.low, high: range.high });
    }
  }
  const [one] = single;
  const [block] = blocks;
  if (masks.length === 0 && single.size + blocks.length === 1) {
    const low = one ?? block?.low ?? 0;
    const high = one ?? block?.high ?? 0;
    return (rows, n) => {
      let kept = 0;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const value = values[row]!;
        if (value >= low && value <= high && present[row] === 1) rows[kept++] = row;
      }
      return kept;
    };
  }
  if (single.size + blocks.length + masks.length === 0) return () => 0;
  const has = (value: number): boolean =>
    single.has(value) ||
    blocks.some(({ low, high }) => value >= low && value <= high) ||
    masks.some(({ mask, value: wanted }) => (value & mask) === wanted);
  return (rows, n) => {
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] === 1 && has(values[row]!)) rows[kept++] = row;
    }
    return kept;
  };
}

function rowsOf6({ values, present }: Ip6Column, ranges: AddressFilter['ranges']): RowFilter {
  const blocks = ranges.flatMap((range) =>
    range.version === 6 ? [{ low: ip6Bytes(range.low), high: ip6Bytes(range.high) }] : [],
  );
  if (blocks.length === 0) return () => 0;
  return (rows, n) => {
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] === 0) continue;
      for (const { low, high } of blocks) {
        if (compare(values, row * 16, low) < 0 || compare(values, row * 16, high) > 0) continue;
        rows[kept++] = row;
        break;
      }
    }
    return kept;
  };
}

function compare(values: Uint8Array, at: number, other: Uint8Array): number {
  for (let i = 0; i < 16; i++) {
    const difference = values[at + i]! - other[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

// -- all faces -------------------------------------------------------------------------------------

/** Whether one of the addresses is written in the text of a record. */
function addressRecord({ ranges }: AddressFilter): RecordTest {
  const tests = ranges.map(rangeRecord);
  return (bytes, text) => {
    let unknown = false;
    for (const test of tests) {
      const says = test(bytes, text);
      if (says === true) return true;
      unknown ||= says === undefined;
    }
    return unknown ? undefined : false;
  };
}

function rangeRecord(range: AddressRange | AddressMask): RecordTest {
  if (range.version === 'mask')
    return (_, text) => someAddressIn(text(), (one) => (one & range.mask) >>> 0 === range.value);
  if (isBlock(range)) {
    const pattern = compilePattern(wholePattern(addressTextFilter(range, undefined)), true);
    return (bytes) => pattern.test(bytes, 0, bytes.length);
  }
  // Only blocks are patterns; the spellings of an IPv6 address are not enumerated here.
  if (range.version === 6) return () => undefined;
  return (_, text) => someAddressIn(text(), (one) => one >= range.low && one <= range.high);
}

/** Whether a range is all addresses with one prefix. */
function isBlock(range: AddressRange): boolean {
  const size = BigInt(range.high) - BigInt(range.low) + 1n;
  return (size & (size - 1n)) === 0n && BigInt(range.low) % size === 0n;
}

function rangeText(range: AddressRange | AddressMask): string {
  if (range.version === 'mask') return `${formatIp4(range.value)} & ${formatIp4(range.mask)}`;
  const [low, high] =
    range.version === 4
      ? [formatIp4(range.low), formatIp4(range.high)]
      : [formatIp6(range.low), formatIp6(range.high)];
  return low === high ? low : `[${low} TO ${high}]`;
}

export const addressOperator: FilterOperator<AddressFilter> = {
  parse: ({ field, test, at }) =>
    field.type === 'address'
      ? { filter: 'address', field, ranges: readRanges(test, at) }
      : undefined,
  mergeKey: ({ field }) => field.name,
  merge: (filters) => ({ ...filters[0]!, ranges: filters.flatMap(({ ranges }) => ranges) }),
  describe: ({ field, ranges }) => {
    const { names, rest } = classesIn(ranges);
    return describeAny(nameText(field), [...names, ...rest.map(rangeText)]);
  },
  sql: addressSql,
  clickhouse: addressClickHouse,
  sqlCost: 'low',
  rows: addressRows,
  lookUpCost: () => 4,
  groups: addressCondition,
  columns: addressColumns,
  record: addressRecord,
};
