/**
 * `bytes:>1000`, `dst_port:[1 TO 1023]`, `severity:<=err`, `proto:tcp`, and numbers in attributes.
 *
 * Whole-number columns are compared in their own type, with bounds clipped to its range, so that DuckDB can use its
 * minima and maxima; attributes are compared as reals if they are numbers.
 */
import type { Column } from '../../columns/columns.ts';
import type { Test } from '../syntax/ast.ts';
import { type RowFilter, anyFilter } from '../batch/row-filter.ts';
import { type RowScope, overflowNamed, textOf } from '../batch/row-scope.ts';
import { textNumber } from '../batch/values/text-number.ts';
import {
  anyOf,
  either as eitherSql,
  textAsNumber as textNumberSql,
  within,
} from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { INTEGER_RANGES, anyOfList, oneOf, textAsNumber } from '../dialect/duckdb.ts';
import { dimensionOf } from '../names/dimensions.ts';
import {
  type AttributeField,
  type NumberField,
  refSql,
  refType,
  refClickHouse,
} from '../names/fields.ts';
import { FALSE, NO_COLUMN, type Predicate, type Scope } from '../plan/scope.ts';
import { comparison, numberRanges } from '../values/number-test.ts';
import { describeAny, nameText } from './describe.ts';
import { anyText, someText } from './field-texts.ts';
import { keyFlags } from './key-flags.ts';
import { either } from './logic.ts';
import { memberNumbers, memberTexts, membersOf } from './members.ts';
import { type NumberRange, isWithin, parseNumber, rangeText } from './number-range.ts';
import type { FilterOperator, KeyCondition } from './operator.ts';

export interface NumberFilter {
  readonly filter: 'number';
  readonly field: NumberField | AttributeField;
  /** Any of them. */
  readonly ranges: readonly NumberRange[];
}

export function numberSql(filter: NumberFilter, scope: Scope): Predicate {
  const { field, ranges } = filter;
  if (field.type === 'attribute') {
    return anyText(scope.attributesNamed(field.key), (text) => {
      const meets = (sql: string): string => {
        const met = compare(sql, 'DOUBLE', ranges, scope);
        return 'sql' in met ? met.sql : 'FALSE';
      };
      return `(${meets(textAsNumber(text))} OR ${anyOfList(memberNumbers(text), meets)})`;
    });
  }
  return either(
    field.refs.map((ref) => {
      const sql = refSql(ref, scope);
      return sql === undefined ? NO_COLUMN : compare(sql, refType(ref), ranges, scope);
    }),
  );
}

export function numberClickHouse({ field, ranges }: NumberFilter, scope: ClickHouseScope): string {
  if (field.type === 'number')
    return eitherSql(field.refs.map((ref) => within(refClickHouse(ref, scope), ranges)));
  return someText(scope.attributesNamed(field.key), (text) => {
    const meets = (sql: string): string => within(textNumberSql(sql), ranges);
    return anyOf(`arrayConcat([${text}], ${memberTexts(text)})`, meets);
  });
}

function compare(
  sql: string,
  type: string,
  ranges: readonly NumberRange[],
  scope: Scope,
): Predicate {
  const whole = INTEGER_RANGES[type];
  const points = new Set<number>();
  const parts: Predicate[] = [];
  for (const range of ranges) {
    const clipped = whole === undefined ? range : clip(range, whole);
    if (clipped === undefined) continue;
    const { low, high, lowIncluded, highIncluded } = clipped;
    if (low !== undefined && low === high) {
      if (lowIncluded && highIncluded) points.add(low);
      continue;
    }
    const bounds: string[] = [];
    if (low !== undefined) {
      bounds.push(`${sql} ${lowIncluded ? '>=' : '>'} ${scope.params.bind(low, type)}`);
    }
    if (high !== undefined) {
      bounds.push(`${sql} ${highIncluded ? '<=' : '<'} ${scope.params.bind(high, type)}`);
    }
    if (bounds.length === 0) bounds.push(`${sql} IS NOT NULL`);
    parts.push({ sql: bounds.length === 1 ? bounds[0]! : `(${bounds.join(' AND ')})` });
  }
  if (points.size > 0) parts.push({ sql: oneOf(sql, [...points], type, scope.params) });
  return parts.length === 0 ? FALSE : either(parts);
}

/** The range in whole numbers of a type, open where it reaches the type's end; undefined: empty. */
function clip(
  range: NumberRange,
  [least, most]: readonly [number, number],
): NumberRange | undefined {
  let low: number | undefined;
  let high: number | undefined;
  if (range.low !== undefined) {
    low = Math.ceil(range.low);
    if (low === range.low && !range.lowIncluded) low += 1;
  }
  if (range.high !== undefined) {
    high = Math.floor(range.high);
    if (high === range.high && !range.highIncluded) high -= 1;
  }
  if ((low !== undefined && low > most) || (high !== undefined && high < least)) return undefined;
  if (low !== undefined && high !== undefined && low > high) return undefined;
  return {
    low: low === undefined || low <= least ? undefined : low,
    high: high === undefined || high >= most ? undefined : high,
    lowIncluded: true,
    highIncluded: true,
  };
}

/** Attributes that are compared with numbers are compared as numbers. */
function attributeRange(test: Test): NumberRange | undefined {
  if (test.test === 'compare') {
    const number = parseNumber(test.value);
    return number === undefined ? undefined : comparison(test.op, number);
  }
  if (test.test !== 'range' || (test.low ?? test.high) === undefined) return undefined;
  const { lowIncluded, highIncluded } = test;
  const low = test.low === undefined ? undefined : parseNumber(test.low);
  const high = test.high === undefined ? undefined : parseNumber(test.high);
  const numeric =
    (test.low === undefined || low !== undefined) &&
    (test.high === undefined || high !== undefined);
  return numeric ? { low, high, lowIncluded, highIncluded } : undefined;
}

function numberCondition({ field, ranges }: NumberFilter): KeyCondition | undefined {
  const dim = dimensionOf(field);
  if (field.type === 'attribute' || dim === undefined) return undefined;
  return {
    dim,
    flags: ({ numbers }, size) =>
      keyFlags(
        size,
        (place) => place < size && ranges.some((range) => isWithin(numbers[place]!, range)),
      ),
  };
}

export function numberColumns({ field, ranges }: NumberFilter, scope: RowScope): RowFilter {
  if (field.type === 'attribute') {
    const test = testOf(ranges);
    scope.attributesNamed(field.key);
    return (rows, n) => {
      const columns = scope.attributesNamed(field.key);
      const overflow = scope.overflow();
      if (columns.length === 0 && overflow === undefined) return 0;
      const isMet = (text: string): boolean => {
        const value = textNumber(text);
        return value !== undefined && test(value);
      };
      const meets = (text: string | undefined): boolean =>
        text !== undefined && (isMet(text) || membersOf(text)?.some(isMet) === true);
      let kept = 0;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const found =
          columns.some((column) => meets(textOf(column, row))) ||
          (overflow?.present[row] === 1 && overflowNamed(overflow, row, field.key).some(meets));
        if (found) rows[kept++] = row;
      }
      return kept;
    };
  }
  return anyFilter(
    field.refs.flatMap((ref) => {
      const column = scope.column(ref);
      return column === undefined ? [] : [rowsOfColumn(column, ranges)];
    }),
    scope.capacity,
  );
}

function rowsOfColumn(column: Column, ranges: readonly NumberRange[]): RowFilter {
  if (column.type === 'text' || column.type === 'ip6') return () => 0;
  const { values, present } = column;
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined) {
    const { low = -Infinity, high = Infinity, lowIncluded, highIncluded } = only;
    if (low === high && lowIncluded && highIncluded) {
      return (rows, n) => {
        let kept = 0;
        for (let i = 0; i < n; i++) {
          const row = rows[i]!;
          if (values[row] === low && present[row] === 1) rows[kept++] = row;
        }
        return kept;
      };
    }
    const strictLow = !lowIncluded && only.low !== undefined;
    const strictHigh = !highIncluded && only.high !== undefined;
    return (rows, n) => {
      let kept = 0;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const value = values[row]!;
        if (present[row] === 0 || value < low || value > high) continue;
        if ((strictLow && value === low) || (strictHigh && value === high)) continue;
        rows[kept++] = row;
      }
      return kept;
    };
  }
  const test = testOf(ranges);
  return (rows, n) => {
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] === 1 && test(values[row]!)) rows[kept++] = row;
    }
    return kept;
  };
}

function testOf(ranges: readonly NumberRange[]): (value: number) => boolean {
  const points = new Set<number>();
  const wide: NumberRange[] = [];
  for (const range of ranges) {
    const { low, high, lowIncluded, highIncluded } = range;
    if (low !== undefined && low === high && lowIncluded && highIncluded) points.add(low);
    else wide.push(range);
  }
  return (value) =>
    points.has(value) ||
    wide.some(
      ({ low, high, lowIncluded, highIncluded }) =>
        (low === undefined || (lowIncluded ? value >= low : value > low)) &&
        (high === undefined || (highIncluded ? value <= high : value < high)),
    );
}

export const numberOperator: FilterOperator<NumberFilter> = {
  parse: ({ field, test, at, around }) => {
    if (field.type === 'number') {
      return { filter: 'number', field, ranges: numberRanges(field, test, at, around.readings) };
    }
    const range = field.type === 'attribute' ? attributeRange(test) : undefined;
    return field.type === 'attribute' && range !== undefined
      ? { filter: 'number', field, ranges: [range] }
      : undefined;
  },
  mergeKey: ({ field }) => (field.type === 'number' ? field.name : undefined),
  merge: (filters) => ({ ...filters[0]!, ranges: filters.flatMap(({ ranges }) => ranges) }),
  describe: ({ field, ranges }) =>
    describeAny(
      nameText(field),
      ranges.map((range) => rangeText(range, field.type === 'attribute')),
    ),
  sql: numberSql,
  clickhouse: numberClickHouse,
  sqlCost: 'low',
  lookUpCost: () => 0,
  groups: numberCondition,
  columns: numberColumns,
};
