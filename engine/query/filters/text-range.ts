/** `host:[a TO f]`, `user:>m`: text in the order of its UTF-8 bytes, case told apart. */
import type { AttributeField, TextField } from '../fields.ts';
import { NO_COLUMN, type Predicate, type Scope } from '../scope.ts';
import { both } from './logic.ts';
import { fieldText } from './text-value.ts';

export interface TextRangeFilter {
  readonly filter: 'text-range';
  readonly field: TextField | AttributeField;
  readonly low: string | undefined;
  readonly high: string | undefined;
  readonly lowIncluded: boolean;
  readonly highIncluded: boolean;
}

export function compileTextRange(filter: TextRangeFilter, scope: Scope): Predicate {
  const sql = fieldText(filter.field, scope);
  if (sql === undefined) return NO_COLUMN;
  const { low, high, lowIncluded, highIncluded } = filter;
  const parts: Predicate[] = [];
  if (low !== undefined) {
    parts.push({ sql: `${sql} ${lowIncluded ? '>=' : '>'} ${scope.params.text(low)}` });
  }
  if (high !== undefined) {
    parts.push({ sql: `${sql} ${highIncluded ? '<=' : '<'} ${scope.params.text(high)}` });
  }
  return parts.length === 0 ? { sql: `${sql} IS NOT NULL` } : both(parts);
}
