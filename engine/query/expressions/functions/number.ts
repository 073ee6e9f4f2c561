/**
 * Arithmetic. Numbers are 64-bit reals; an operation without a result, such as a division by zero, gives a missing
 * value.
 */
import {
  type FunctionOperator,
  type Made,
  literalAt,
  scalar,
  typedAt,
  valueAt,
} from '../operator.ts';
import {
  finite as finiteSql,
  maybeMicrosOf,
  real,
  remainder,
  rounded as roundedSql,
  timeLaterBy,
} from '../../dialect/clickhouse.ts';
import { laterBy, unitsBetween } from '../../dialect/function-sql.ts';
import { CIDR } from './address.ts';
import { type Cell, onePart, valueClickHouse } from '../value.ts';

function binary(
  sign: string,
  gives: string,
  sql: (a: string, b: string) => string,
  of: (a: number, b: number) => Cell,
  clickhouse = sql,
): FunctionOperator {
  return scalar({
    form: `a ${sign} b`,
    ...{ gives, takes: ['number', 'number'], type: 'number' },
    sql: ([a, b]) => finite(sql(a!, b!)),
    of: ([a, b]) => finiteCell(of(Number(a), Number(b))),
    // No zero has a sign.
    clickhouse: ([a, b]) => finiteSql(`${clickhouse(a!, b!)} + 0`),
  });
}

/** Results beyond the largest number are missing. */
function finite(sql: string): string {
  return `nullif(nullif(nullif(${sql}, CAST('inf' AS DOUBLE)), CAST('-inf' AS DOUBLE)), CAST('nan' AS DOUBLE))`;
}

function finiteCell(cell: Cell): Cell {
  return typeof cell === 'number' && !Number.isFinite(cell) ? null : cell;
}

function unary(
  name: string,
  gives: string,
  sql: (x: string) => string,
  of: (x: number) => Cell,
): FunctionOperator {
  return scalar({
    clickhouse: ([x]) => sql(x!),
    form: `${name}(number)`,
    ...{ gives, takes: ['number'], type: 'number' },
    sql: ([x]) => sql(x!),
    of: ([x]) => of(Number(x)),
  });
}

const plus = binary(
  '+',
  'the sum',
  (a, b) => `(${a} + ${b})`,
  (a, b) => a + b,
);
const minus = binary(
  '-',
  'the difference',
  (a, b) => `(${a} - ${b})`,
  (a, b) => a - b,
);

/** A time and seconds: `ts + 5m`, `ts - first`. */
function withTimes(numbers: FunctionOperator, sign: 1 | -1): FunctionOperator {
  return {
    ...numbers,
    make: (call): Made => {
      const [a, b] = [valueAt(call, 0), valueAt(call, 1)];
      if (a.type !== 'time' && (b.type !== 'time' || sign < 0)) return numbers.make(call);
      if (b.type === 'time' && a.type === 'time') {
        if (sign > 0) return call.wrong(1, 'takes seconds there, not a second time');
        return scalar({
          ...{ form: '', gives: '', takes: ['time', 'time'], type: 'number' },
          sql: ([to, from]) => unitsBetween(from!, to!, 1e6),
          of: ([from, to]) => (Number(from) - Number(to)) / 1e6,
          clickhouse: ([to, from]) =>
            `(${real(`${maybeMicrosOf(to!)} - ${maybeMicrosOf(from!)}`)} / 1000000)`,
        }).make(call);
      }
      const [time, seconds] =
        a.type === 'time' ? [a, typedAt(call, 1, 'number')] : [b, typedAt(call, 0, 'number')];
      // Ten thousand years at most, so that no time overflows.
      const limit = 3.2e11;
      return {
        type: 'time',
        sql: (scope) => {
          const moved = sign > 0 ? onePart(seconds, scope) : `(0 - ${onePart(seconds, scope)})`;
          return [laterBy(onePart(time, scope), moved, limit)];
        },
        clickhouse: (scope) => {
          const moved = `${sign > 0 ? '' : '0 - '}${valueClickHouse(seconds, scope)}`;
          return timeLaterBy(valueClickHouse(time, scope), moved, limit);
        },
        reader: (scope) => {
          const [readTime, readSeconds] = [time.reader(scope), seconds.reader(scope)];
          return (row) => {
            const [ts, s] = [readTime(row), readSeconds(row)];
            if (ts === null || s === null || Math.abs(Number(s)) > limit) return null;
            return Number(ts) + rounded(sign * Number(s) * 1e6);
          };
        },
      };
    },
  };
}

/** `src_ip/24` is the block that an address is in. */
function withBlocks(numbers: FunctionOperator): FunctionOperator {
  return {
    ...numbers,
    make: (call) => (valueAt(call, 0).type === 'address' ? CIDR.make(call) : numbers.make(call)),
  };
}

/** Halves are rounded away from zero, as SQL does it. */
function rounded(value: number): number {
  return value < 0 ? -Math.round(-value) : Math.round(value);
}

export const NUMBER_FUNCTIONS: Readonly<Record<string, FunctionOperator>> = {
  '+': withTimes(plus, 1),
  '-': withTimes(minus, -1),
  '*': binary(
    '*',
    'the product',
    (a, b) => `(${a} * ${b})`,
    (a, b) => a * b,
  ),
  '/': withBlocks(
    binary(
      '/',
      'the quotient; missing when dividing by zero',
      (a, b) => `(${a} / nullif(${b}, 0))`,
      (a, b) => (b === 0 ? null : a / b),
    ),
  ),
  '%': binary(
    '%',
    'the remainder of a division',
    (a, b) => `(${a} % nullif(${b}, 0))`,
    (a, b) => (b === 0 ? null : a % b),
    remainder,
  ),
  negate: scalar({
    ...{ form: '-a', gives: 'the negated number', takes: ['number'], type: 'number' },
    sql: ([x]) => `(0 - ${x})`,
    clickhouse: ([x]) => `(0 - ${x})`,
    of: ([x]) => 0 - Number(x),
  }),
  abs: unary('abs', 'the absolute value', (x) => `abs(${x})`, Math.abs),
  floor: unary(
    'floor',
    'the number rounded down',
    (x) => `(floor(${x}) + 0)`,
    (x) => Math.floor(x) + 0,
  ),
  ceil: unary(
    'ceil',
    'the number rounded up',
    (x) => `(ceil(${x}) + 0)`,
    (x) => Math.ceil(x) + 0,
  ),
  round: scalar({
    form: 'round(number [, digits])',
    gives: 'the number rounded to this many decimal places (0 to 6)',
    ...{ takes: ['number', 'number'], optional: 1, type: 'number' },
    check: (call) => {
      if (call.args.length < 2) return;
      const digits = literalAt(call, 1, 'number');
      if (!Number.isInteger(digits) || Number(digits) < 0 || Number(digits) > 6)
        call.wrong(1, 'takes a whole number from 0 to 6');
    },
    sql: ([x], _, call) => {
      const times = 10 ** (call.args.length < 2 ? 0 : Number(literalAt(call, 1, 'number')));
      return `(CASE WHEN abs(${x}) < 1000000000 THEN round(${x} * ${times}) / ${times} + 0 ELSE ${x} END)`;
    },
    clickhouse: ([x], _, call) =>
      roundedSql(x!, 10 ** (call.args.length < 2 ? 0 : Number(literalAt(call, 1, 'number')))),
    of: ([x, digits = 0]) => {
      const times = 10 ** Number(digits);
      return Math.abs(Number(x)) < 1e9 ? rounded(Number(x) * times) / times + 0 : x!;
    },
  }),
  sqrt: unary(
    'sqrt',
    'the square root',
    (x) => `CASE WHEN ${x} >= 0 THEN sqrt(${x}) END`,
    (x) => (x >= 0 ? Math.sqrt(x) : null),
  ),
  tonumber: scalar({
    ...{
      form: 'tonumber(text)',
      gives: 'the text as a number',
      takes: ['number'],
      type: 'number',
    },
    sql: ([x]) => x!,
    of: ([x]) => x!,
    clickhouse: ([x]) => x!,
  }),
};
