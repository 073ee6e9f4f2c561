/**
 * `flow:10.1.2.3:4444-10.9.9.9:443/tcp`: a five-tuple in either direction. Any part may be `*` or omitted; IPv6 is
 * written in brackets (`[2001:db8::1]:443`); an address may be a block.
 */
import {
  type AddressRange,
  formatIp4,
  formatIp6,
  mappedRange,
  parseAddress,
} from '../values/address.ts';
import type { Test } from '../syntax/ast.ts';
import { presentIn } from '../batch/values/presence.ts';
import { type RowFilter, every, anyFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import { both as bothSql, either as eitherSql, TRUE_SQL } from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import {
  type AddressField,
  type AddressSide,
  type NumberField,
  knownField,
  refSql,
  refType,
} from '../names/fields.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { type Rows, intersect, unite } from '../plan/known-rows/rows.ts';
import { syntaxError, shown } from '../syntax/query-error.ts';
import { FALSE, TRUE, type Predicate, type Scope, type SegmentInfo } from '../plan/scope.ts';
import { addressClickHouse, addressColumns, addressRows, addressSql } from './address.ts';
import { both, either } from './logic.ts';
import { codeOf } from './names.ts';
import { numberClickHouse, numberColumns, numberSql } from './number.ts';
import { exactly } from './number-range.ts';
import type { FilterOperator } from './operator.ts';

export interface FlowEnd {
  readonly address: AddressRange | undefined;
  /** An IPv4 address written as IPv6: older cases stored it as IPv6. */
  readonly isMapped?: boolean;
  readonly port: number | undefined;
}
export interface FlowFilter {
  readonly filter: 'flow';
  readonly ends: readonly [FlowEnd, FlowEnd];
  readonly proto: number | undefined;
}

const ADDRESS = String.raw`(\*|\[[0-9a-f:.]+(?:/\d{1,3})?\]|\d+\.\d+\.\d+\.\d+(?:/\d{1,2}(?=[:-]))?)`;
const FLOW = new RegExp(
  `^${ADDRESS}(?::(\\*|\\d{1,5}))?(?:-${ADDRESS}(?::(\\*|\\d{1,5}))?)?(?:/(\\*|[a-z0-9-]+))?$`,
  'i',
);
const HINT = 'write flow:10.1.2.3:4444-10.9.9.9:443/tcp; any part may be *';

export function flowFilter(test: Test, at: number): FlowFilter {
  const text = test.test === 'word' || test.test === 'quoted' ? test.text : '';
  const m = FLOW.exec(text);
  if (m === null) throw syntaxError(`${shown(text)} is not a flow`, at, HINT);
  const protoText = m[5];
  let proto: number | undefined;
  if (protoText !== undefined && protoText !== '*') {
    proto = /^\d+$/.test(protoText) ? Number(protoText) : codeOf('proto', protoText);
    if (proto === undefined || proto > 255) {
      throw syntaxError(`unknown protocol ${shown(protoText)}`, at, HINT);
    }
  }
  return { filter: 'flow', ends: [readEnd(m[1], m[2], at), readEnd(m[3], m[4], at)], proto };
}

function readEnd(address: string | undefined, port: string | undefined, at: number): FlowEnd {
  const number = port === undefined || port === '*' ? undefined : Number(port);
  if (number !== undefined && number > 65_535) {
    throw syntaxError(`port ${shown(port ?? '')} is above 65535`, at, HINT);
  }
  if (address === undefined || address === '*') return { address: undefined, port: number };
  const range = parseAddress(address.replace(/^\[(.*)\]$/, '$1'));
  if (range === undefined) throw syntaxError(`${shown(address)} is not an IP address`, at, HINT);
  const isMapped = range.version === 4 && address.includes('[');
  return { address: range, port: number, ...(isMapped ? { isMapped } : {}) };
}

function rangesOf({ address, isMapped }: FlowEnd): AddressRange[] {
  if (address === undefined) return [];
  return isMapped === true && address.version === 4 ? [address, mappedRange(address)] : [address];
}

const ENDS = ['src', 'dst'] as const;

export function flowSql(filter: FlowFilter, scope: Scope): Predicate {
  const [a, b] = filter.ends;
  const one = (end: FlowEnd, side: 'src' | 'dst'): Predicate => {
    const ip = knownField(`${side}_ip`);
    const port = knownField(`${side}_port`);
    if (ip?.type !== 'address' || port?.type !== 'number') return FALSE;
    return both([
      end.address === undefined
        ? TRUE
        : addressSql({ filter: 'address', field: ip, ranges: rangesOf(end) }, scope),
      end.port === undefined
        ? TRUE
        : numberSql({ filter: 'number', field: port, ranges: [exactly(end.port)] }, scope),
    ]);
  };
  const proto = knownField('proto');
  const ofProto =
    filter.proto === undefined || proto?.type !== 'number'
      ? TRUE
      : numberSql({ filter: 'number', field: proto, ranges: [exactly(filter.proto)] }, scope);
  return both([
    hasAddresses(scope),
    ofProto,
    either([both([one(a, ENDS[0]), one(b, ENDS[1])]), both([one(b, ENDS[0]), one(a, ENDS[1])])]),
  ]);
}

export function flowClickHouse(
  { ends: [a, b], proto }: FlowFilter,
  scope: ClickHouseScope,
): string {
  const ofNumber = (field: NumberField, value: number | undefined): string =>
    value === undefined
      ? TRUE_SQL
      : numberClickHouse({ filter: 'number', field, ranges: [exactly(value)] }, scope);
  const one = (end: FlowEnd, side: 'src' | 'dst'): string =>
    bothSql([
      end.address === undefined
        ? TRUE_SQL
        : addressClickHouse(
            { filter: 'address', field: addressField(`${side}_ip`), ranges: rangesOf(end) },
            scope,
          ),
      ofNumber(numberField(`${side}_port`), end.port),
    ]);
  return bothSql([
    ...ENDS.map((side) => `${side}_ip IS NOT NULL`),
    ofNumber(numberField('proto'), proto),
    eitherSql([bothSql([one(a, 'src'), one(b, 'dst')]), bothSql([one(b, 'src'), one(a, 'dst')])]),
  ]);
}

/** Only events with both addresses have a five-tuple, so `flow:*` matches only these. */
function hasAddresses(scope: Scope): Predicate {
  return both(
    ENDS.map((side) => {
      const field = knownField(`${side}_ip`);
      if (field?.type !== 'address') return FALSE;
      return either(field.sides.map((one) => sidePresent(one, scope)));
    }),
  );
}

export function sidePresent(side: AddressSide, scope: Scope): Predicate {
  const parts = [side.v4, side.v6].flatMap((ref) => {
    const sql = ref === undefined ? undefined : refSql(ref, scope);
    return sql === undefined || ref === undefined || refType(ref) === '' ? [] : [sql];
  });
  if (parts.length === 0) return { value: false, reason: 'column' };
  return either(parts.map((sql) => ({ sql: `${sql} IS NOT NULL` })));
}

/** By its addresses; ports and protocol must be read. */
function flowRows(
  { ends, proto }: FlowFilter,
  segment: SegmentInfo,
  known: SegmentView,
): CandidateRows | undefined {
  const [a, b] = ends;
  if (a.address === undefined && b.address === undefined) return undefined;
  const side = (name: string, end: FlowEnd): Rows | undefined => {
    const field = knownField(name);
    if (end.address === undefined || field?.type !== 'address') return 'all';
    return addressRows({ filter: 'address', field, ranges: rangesOf(end) }, segment, known)?.rows;
  };
  const both = (from: FlowEnd, to: FlowEnd) => {
    const source = side('src_ip', from);
    if (source === undefined || source === 'none') return source;
    const target = side('dst_ip', to);
    return target && intersect(source, target);
  };
  const forth = both(a, b);
  const back = both(b, a);
  if (forth === undefined || back === undefined) return undefined;
  const whole = a.address !== undefined && b.address !== undefined;
  const exact = whole && a.port === undefined && b.port === undefined && proto === undefined;
  return { rows: unite(forth, back), exact };
}

function addressField(name: 'src_ip' | 'dst_ip'): AddressField {
  const field = knownField(name);
  if (field?.type !== 'address') throw new TypeError(`${name} is not an address`);
  return field;
}

function numberField(name: 'src_port' | 'dst_port' | 'proto'): NumberField {
  const field = knownField(name);
  if (field?.type !== 'number') throw new TypeError(`${name} is not a number`);
  return field;
}

/** A five-tuple in either direction, of events that have both addresses. */
export function flowColumns({ ends, proto }: FlowFilter, scope: RowScope): RowFilter {
  const [a, b] = ends;
  const ofNumber = (field: NumberField, value: number | undefined): RowFilter[] =>
    value === undefined
      ? []
      : [numberColumns({ filter: 'number', field, ranges: [exactly(value)] }, scope)];
  const at = (end: FlowEnd, side: 'src' | 'dst'): RowFilter => {
    const { address, port } = end;
    const field = addressField(`${side}_ip`);
    const ofAddress =
      address === undefined
        ? []
        : [addressColumns({ filter: 'address', field, ranges: rangesOf(end) }, scope)];
    return every([...ofAddress, ...ofNumber(numberField(`${side}_port`), port)]);
  };
  const hasAddress = ENDS.map((side) =>
    presentIn(
      addressField(`${side}_ip`).sides.flatMap(({ v4, v6 }) => [v4, v6]),
      scope,
    ),
  );
  const eitherWay = [every([at(a, 'src'), at(b, 'dst')]), every([at(b, 'src'), at(a, 'dst')])];
  return every([
    ...hasAddress,
    ...ofNumber(numberField('proto'), proto),
    anyFilter(eitherWay, scope.capacity),
  ]);
}

function endText({ address, port }: FlowEnd): string {
  if (address === undefined) return `*:${port ?? '*'}`;
  // An address or a block: its size is a power of two.
  const size = BigInt(address.high) - BigInt(address.low);
  const prefix = (address.version === 4 ? 32 : 128) - size.toString(2).replace('0', '').length;
  const block = size === 0n ? '' : `/${prefix}`;
  const text =
    address.version === 4
      ? `${formatIp4(address.low)}${block}`
      : `[${formatIp6(address.low)}${block}]`;
  return `${text}:${port ?? '*'}`;
}

const OPEN: FlowEnd = { address: undefined, port: undefined };
/** Any event with both addresses: `flow:*`. */
export const ANY_FLOW: FlowFilter = { filter: 'flow', ends: [OPEN, OPEN], proto: undefined };

export const flowOperator: FilterOperator<FlowFilter> = {
  parse: ({ field, test, at }) =>
    field.type === 'virtual' && field.name === 'flow' ? flowFilter(test, at) : undefined,
  describe: ({ ends: [a, b], proto }) => `flow:${endText(a)}-${endText(b)}/${proto ?? '*'}`,
  sql: flowSql,
  clickhouse: flowClickHouse,
  sqlCost: 'high',
  rows: flowRows,
  lookUpCost: () => 4,
  columns: flowColumns,
};
