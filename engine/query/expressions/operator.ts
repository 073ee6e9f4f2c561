/**
 * The interface of one function of expressions: everything that Daybook knows of it. Each file of `functions/` has
 * the functions of one field; functions.ts lists them.
 */
import type { Interval } from '../syntax/ast.ts';
import type { RowScope } from '../batch/row-scope.ts';
import {
  addressText,
  WRITTEN,
  READ_NUMBER,
  addressText as textOfAddress,
  textAddress,
} from './written.ts';
import * as sqlText from '../dialect/written-sql.ts';
import { addressOfText, real, textAsNumber } from '../dialect/clickhouse.ts';
import { numberText, timeText } from '../dialect/clickhouse-texts.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { IP6_TYPE, nullOf } from '../dialect/duckdb.ts';
import { once } from '../dialect/once.ts';
import type { Scope } from '../plan/scope.ts';
import type { ZoneClock } from '../time/zone-clock.ts';
import {
  type Cell,
  type CellReader,
  type Value,
  type ValueType,
  valueClickHouse,
  onePart,
} from './value.ts';

export interface PatternArgument {
  readonly type: 'pattern';
  readonly pattern: string;
  readonly ignoreCase: boolean;
}
interface IntervalArgument {
  readonly type: 'interval';
  readonly interval: Interval;
  readonly seconds: Value;
}
export type Argument = Value | PatternArgument | IntervalArgument;

/** The value of a call, without its text. */
export type Made = Omit<Value, 'text'>;

export interface Call {
  readonly args: readonly Argument[];
  readonly clock: () => ZoneClock;
  /** @throws QueryError at an argument */
  wrong(at: number, problem: string, hint?: string): never;
}

export interface FunctionOperator {
  /** Its signature: `substr(text, from [, length])`. */
  readonly form: string;
  /** Its result, in a few words. */
  readonly gives: string;
  readonly least: number;
  readonly most: number;
  make(call: Call): Made;
}

/** A value among the arguments. @throws QueryError */
export function valueAt(call: Call, at: number): Value {
  const found = call.args[at];
  if (found?.type === 'interval') return found.seconds;
  if (found === undefined || found.type === 'pattern')
    return call.wrong(
      at,
      `takes a value there, not ${found === undefined ? 'nothing' : 'a pattern'}`,
    );
  return found;
}

export function typedAt(call: Call, at: number, type: ValueType): Value {
  const found = converted(valueAt(call, at), type);
  return found ?? call.wrong(at, `takes ${NAMES[type]}, not ${NAMES[valueAt(call, at).type]}`);
}

export const NAMES: Readonly<Record<ValueType, string>> = {
  text: 'a text',
  number: 'a number',
  time: 'a time',
  address: 'an address',
  condition: 'a condition',
};

export function literalAt(call: Call, at: number, type: 'number' | 'text'): string | number {
  const found = call.args[at];
  const literal = found !== undefined && 'literal' in found ? found.literal : undefined;
  if (typeof literal !== (type === 'number' ? 'number' : 'string'))
    return call.wrong(at, `takes a ${type} that is written there`);
  return literal!;
}

/** A value as one of another type; undefined: it never is one. */
export function converted(value: Value, type: ValueType): Value | undefined {
  if (value.type === type) return value;
  const make = (
    sql: (parts: readonly string[]) => readonly string[],
    of: (cell: string | number) => Cell,
    clickhouse?: (sql: string) => string,
  ): Value => ({
    type,
    text: value.text,
    sql: (scope) => sql(value.sql(scope)),
    reader: (scope) => mapped(value.reader(scope), of),
    ...(clickhouse === undefined
      ? {}
      : { clickhouse: (scope: ClickHouseScope) => clickhouse(valueClickHouse(value, scope)) }),
    ...(value.literal === null ? { literal: null } : {}),
  });
  // NULL is a value of every type.
  if (value.literal === null)
    return make(
      () => NOTHING[type],
      () => null,
      () => NOTHING_THERE[type],
    );
  switch (type) {
    case 'text':
      if (value.type === 'address')
        return make(
          ([v4, v6]) => [sqlText.addressText(v4!, v6!)],
          addressText,
          (sql) => sql,
        );
      if (value.type === 'condition')
        return make(
          ([sql]) => [`CASE WHEN ${sql} THEN 'true' ELSE 'false' END`],
          (cell) => (cell === 1 ? 'true' : 'false'),
          (sql) => `if(${sql}, 'true', 'false')`,
        );
      return make(
        ([sql]) => [once(sql!, WRITTEN[value.type === 'time' ? 'time' : 'number'].sql)],
        (cell) => WRITTEN[value.type === 'time' ? 'time' : 'number'].of(Number(cell)),
        value.type === 'time' ? timeText : numberText,
      );
    case 'number':
      if (value.type === 'text')
        return make(
          ([sql]) => [READ_NUMBER.sql(sql!)],
          (cell) => READ_NUMBER.of(String(cell)),
          textAsNumber,
        );
      if (value.type === 'condition')
        return make(
          ([sql]) => [`CASE WHEN ${sql} THEN CAST(1 AS DOUBLE) ELSE CAST(0 AS DOUBLE) END`],
          (cell) => cell,
          real,
        );
      return undefined;
    case 'address':
      if (value.type !== 'text') return undefined;
      return make(
        ([sql]) => [once(sql!, sqlText.ip4OfText), once(sql!, sqlText.ip6OfText)],
        (cell) => textAddress(String(cell)),
        addressOfText,
      );
    default:
      return undefined;
  }
}

export const NOTHING: Readonly<Record<ValueType, readonly string[]>> = {
  text: ['CAST(NULL AS VARCHAR)'],
  number: ['CAST(NULL AS DOUBLE)'],
  time: ['CAST(NULL AS TIMESTAMP)'],
  address: [nullOf('UINTEGER'), nullOf(IP6_TYPE)],
  condition: ['FALSE'],
};

const NOTHING_THERE: Readonly<Record<ValueType, string>> = {
  text: 'CAST(NULL AS Nullable(String))',
  number: 'CAST(NULL AS Nullable(Float64))',
  time: 'CAST(NULL AS Nullable(DateTime64(6)))',
  address: 'CAST(NULL AS Nullable(String))',
  condition: 'false',
};

function mapped(read: CellReader, of: (cell: string | number) => Cell): CellReader {
  return (row) => {
    const cell = read(row);
    return cell === null ? null : of(cell);
  };
}

type Reads = readonly (string | number)[];

/** A function of values of certain types that is missing where any of them is. */
export function scalar(
  given: Pick<FunctionOperator, 'form' | 'gives'> & {
    readonly takes: readonly ValueType[];
    /** Number of optional parameters, at the end. */
    readonly optional?: number;
    readonly type: ValueType;
    readonly sql: (args: readonly string[], scope: Scope, call: Call) => string;
    readonly of: (args: Reads, call: Call) => Cell;
    /** Absent: it is refused there. */
    readonly clickhouse?: (args: readonly string[], scope: ClickHouseScope, call: Call) => string;
    readonly check?: (call: Call) => void;
  },
): FunctionOperator {
  const { form, gives, takes, optional = 0, type } = given;
  return {
    ...{ form, gives, least: takes.length - optional, most: takes.length },
    make: (call) => {
      const args = call.args.map((_, i) => typedAt(call, i, takes[i]!));
      given.check?.(call);
      return {
        type,
        sql: (scope) => [
          given.sql(
            args.map((arg) =>
              arg.type === 'address'
                ? sqlText.addressText(...pair(arg, scope))
                : onePart(arg, scope),
            ),
            scope,
            call,
          ),
        ],
        reader: (scope) => all(args, scope, (cells) => given.of(cells, call)),
        ...(given.clickhouse === undefined
          ? {}
          : {
              clickhouse: (scope: ClickHouseScope) =>
                given.clickhouse!(
                  args.map((arg) => valueClickHouse(arg, scope)),
                  scope,
                  call,
                ),
            }),
      };
    },
  };
}

function pair(value: Value, scope: Scope): [string, string] {
  const [v4, v6] = value.sql(scope);
  return [v4!, v6!];
}

function all(args: readonly Value[], scope: RowScope, of: (cells: Reads) => Cell): CellReader {
  const readers = args.map((arg) => arg.reader(scope));
  const isAddress = args.map(({ type }) => type === 'address');
  return (row) => {
    const cells: (string | number)[] = [];
    for (let i = 0; i < readers.length; i++) {
      const cell = readers[i]!(row);
      if (cell === null) return null;
      cells.push(isAddress[i] === true ? textOfAddress(cell) : cell);
    }
    return of(cells);
  };
}

/** The common type of some values: the first that is not text, otherwise text. */
export function common(call: Call, places: readonly number[]): Value[] {
  const values = places.map((at) => valueAt(call, at));
  const types = new Set(values.filter(({ literal }) => literal !== null).map(({ type }) => type));
  const [first] = types;
  const type: ValueType = types.size === 1 && first !== undefined ? first : 'text';
  return values.map(
    (value, i) =>
      converted(value, type) ?? call.wrong(places[i]!, `is ${NAMES[value.type]}, another is not`),
  );
}

/** A boundary of a text in characters, as SQL counts them. */
export function characters(text: string): string[] {
  return Array.from(text);
}
