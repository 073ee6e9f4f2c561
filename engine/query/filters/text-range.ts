/** `host:[a TO f]`, `user:>m`: text in the order of its UTF-8 bytes, case told apart. */
import type { AttributeField, TextField } from '../fields.ts';
import type { Predicate, Scope } from '../scope.ts';
import { anyText, fieldTexts } from './text-value.ts';

export interface TextRangeFilter {
  readonly filter: 'text-range';
  readonly field: TextField | AttributeField;
  readonly low: string | undefined;
  readonly high: string | undefined;
  readonly lowIncluded: boolean;
  readonly highIncluded: boolean;
}

export function compileTextRange(filter: TextRangeFilter, scope: Scope): Predicate {
  const { low, high, lowIncluded, highIncluded } = filter;
  return anyText(fieldTexts(filter.field, scope), (sql) => {
    const parts: string[] = [];
    if (low !== undefined)
      parts.push(`${sql} ${lowIncluded ? '>=' : '>'} ${scope.params.text(low)}`);
    if (high !== undefined)
      parts.push(`${sql} ${highIncluded ? '<=' : '<'} ${scope.params.text(high)}`);
    return parts.length === 0 ? `${sql} IS NOT NULL` : `(${parts.join(' AND ')})`;
  });
}
