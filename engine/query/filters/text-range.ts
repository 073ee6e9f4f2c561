/** `host:[a TO f]`, `user:>m`: text in the order of its UTF-8 bytes, case-sensitive. */
import type { Test } from '../syntax/ast.ts';
import type { RowFilter } from '../batch/row-filter.ts';
import type { RowScope } from '../batch/row-scope.ts';
import {
  type TextTest,
  compareBytes,
  filterPlaces,
  placesOf,
} from '../batch/values/text-places.ts';
import { both, text } from '../dialect/clickhouse.ts';
import type { AttributeField, Field, TextField } from '../names/fields.ts';
import { syntaxError } from '../syntax/query-error.ts';
import type { Predicate, Scope } from '../plan/scope.ts';
import { nameText } from './describe.ts';
import { anyTextClickHouse, anyTextOf } from './field-texts.ts';
import type { FilterOperator } from './operator.ts';

export interface TextRangeFilter {
  readonly filter: 'text-range';
  readonly field: TextField | AttributeField;
  readonly low: string | undefined;
  readonly high: string | undefined;
  readonly lowIncluded: boolean;
  readonly highIncluded: boolean;
}

function textRangeSql(filter: TextRangeFilter, scope: Scope): Predicate {
  const { low, high, lowIncluded, highIncluded } = filter;
  return anyTextOf(filter.field, scope, (sql) => {
    const parts: string[] = [];
    if (low !== undefined)
      parts.push(`${sql} ${lowIncluded ? '>=' : '>'} ${scope.params.text(low)}`);
    if (high !== undefined)
      parts.push(`${sql} ${highIncluded ? '<=' : '<'} ${scope.params.text(high)}`);
    return parts.length === 0 ? `${sql} IS NOT NULL` : `(${parts.join(' AND ')})`;
  });
}

const utf8 = new TextEncoder();

function textRangeColumns(filter: TextRangeFilter, scope: RowScope): RowFilter {
  const { lowIncluded, highIncluded } = filter;
  const low = filter.low === undefined ? undefined : utf8.encode(filter.low);
  const high = filter.high === undefined ? undefined : utf8.encode(filter.high);
  const test: TextTest = (bytes, start, end) => {
    if (low !== undefined) {
      const order = compareBytes(bytes, start, end, low);
      if (order < 0 || (order === 0 && !lowIncluded)) return false;
    }
    if (high === undefined) return true;
    const order = compareBytes(bytes, start, end, high);
    return order < 0 || (order === 0 && highIncluded);
  };
  return filterPlaces(placesOf(filter.field, scope), test);
}

/** Other operators handle numbers and whole values. */
function readTextRange(field: Field, test: Test, at: number): TextRangeFilter | undefined {
  if (test.test !== 'compare' && test.test !== 'range') return undefined;
  if (field.type === 'virtual' && field.name === 'attributes')
    throw syntaxError('attributes takes words and patterns', at);
  if (field.type !== 'text' && field.type !== 'attribute') return undefined;
  if (test.test === 'range') {
    const { low, high, lowIncluded, highIncluded } = test;
    return {
      filter: 'text-range',
      field,
      low: plain(low),
      high: plain(high),
      lowIncluded,
      highIncluded,
    };
  }
  const up = test.op.startsWith('>');
  const value = plain(test.value);
  const included = test.op.endsWith('=');
  return {
    ...{ filter: 'text-range', field, lowIncluded: included, highIncluded: included },
    low: up ? value : undefined,
    high: up ? undefined : value,
  };
}

function plain(text: string | undefined): string | undefined {
  return text?.toWellFormed().replaceAll('\0', '');
}

export const textRangeOperator: FilterOperator<TextRangeFilter> = {
  parse: ({ field, test, at }) => readTextRange(field, test, at),
  describe: ({ field, low, high, lowIncluded, highIncluded }) =>
    `${nameText(field)}:${lowIncluded ? '[' : '{'}${low ?? '*'} TO ${high ?? '*'}${highIncluded ? ']' : '}'}`,
  sql: textRangeSql,
  clickhouse: ({ field, low, high, lowIncluded, highIncluded }, scope) =>
    anyTextClickHouse(field, scope, (sql) =>
      low === undefined && high === undefined
        ? `${sql} IS NOT NULL`
        : both([
            ...(low === undefined ? [] : [`${sql} ${lowIncluded ? '>=' : '>'} ${text(low)}`]),
            ...(high === undefined ? [] : [`${sql} ${highIncluded ? '<=' : '<'} ${text(high)}`]),
          ]),
    ),
  sqlCost: 'high',
  lookUpCost: () => 0,
  columns: textRangeColumns,
};
