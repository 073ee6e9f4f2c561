/**
 * `bytes:>1000`, `dst_port:[1 TO 1023]`, `severity:<=err`, `proto:tcp`, and numbers in attributes.
 *
 * Whole-number columns are compared in their own type, with bounds clipped to what it can hold, so
 * that DuckDB can use its minima and maxima; attributes are compared as reals where they are numbers.
 */
import { INTEGER_RANGES, anyOfList, oneOf, textAsNumber } from '../dialect/duckdb.ts';
import { type AttributeField, type NumberField, refSql, refType } from '../fields.ts';
import { FALSE, NO_COLUMN, type Predicate, type Scope } from '../scope.ts';
import { either } from './logic.ts';
import { memberNumbers } from './members.ts';
import { anyText } from './text-value.ts';

export interface NumberRange {
  /** Undefined: open. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly lowIncluded: boolean;
  readonly highIncluded: boolean;
}

export interface NumberFilter {
  readonly filter: 'number';
  readonly field: NumberField | AttributeField;
  /** Any of them. */
  readonly ranges: readonly NumberRange[];
}

/** A decimal number (also with exponent) or a hexadecimal one; undefined when `text` is none. */
export function parseNumber(text: string): number | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  return /^0x[0-9a-f]{1,13}$/i.test(text) ? Number(text) : undefined;
}

export function exactly(value: number): NumberRange {
  return { low: value, high: value, lowIncluded: true, highIncluded: true };
}

export function compileNumber(filter: NumberFilter, scope: Scope): Predicate {
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
