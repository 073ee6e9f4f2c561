/**
 * `flow:10.1.2.3:4444-10.9.9.9:443/tcp`: a five-tuple in either direction. Any part may be `*` or left
 * out; IPv6 stands in brackets (`[2001:db8::1]:443`); an address may be a block.
 */
import { type AddressRange, parseAddress } from '../address.ts';
import type { Test } from '../ast.ts';
import { type AddressSide, knownField, refSql, refType } from '../fields.ts';
import { syntaxError, shown } from '../query-error.ts';
import { FALSE, TRUE, type Predicate, type Scope } from '../scope.ts';
import { compileAddress } from './address.ts';
import { both, either } from './logic.ts';
import { codeOf } from './names.ts';
import { compileNumber, exactly } from './number.ts';

export interface FlowEnd {
  readonly address: AddressRange | undefined;
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
  if (m === null) throw syntaxError(`${shown(text)} is no flow`, at, HINT);
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
  if (range === undefined) throw syntaxError(`${shown(address)} is no IP address`, at, HINT);
  return { address: range, port: number };
}

const ENDS = ['src', 'dst'] as const;

export function compileFlow(filter: FlowFilter, scope: Scope): Predicate {
  const [a, b] = filter.ends;
  const one = (end: FlowEnd, side: 'src' | 'dst'): Predicate => {
    const ip = knownField(`${side}_ip`);
    const port = knownField(`${side}_port`);
    if (ip?.type !== 'address' || port?.type !== 'number') return FALSE;
    return both([
      end.address === undefined
        ? TRUE
        : compileAddress({ filter: 'address', field: ip, ranges: [end.address] }, scope),
      end.port === undefined
        ? TRUE
        : compileNumber({ filter: 'number', field: port, ranges: [exactly(end.port)] }, scope),
    ]);
  };
  const proto = knownField('proto');
  const ofProto =
    filter.proto === undefined || proto?.type !== 'number'
      ? TRUE
      : compileNumber({ filter: 'number', field: proto, ranges: [exactly(filter.proto)] }, scope);
  return both([
    hasAddresses(scope),
    ofProto,
    either([both([one(a, ENDS[0]), one(b, ENDS[1])]), both([one(b, ENDS[0]), one(a, ENDS[1])])]),
  ]);
}

/** Only events with both addresses have a five-tuple: `flow:*` is no other events. */
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
