/**
 * `host:web01`, `user:adm*`, `"Flow ID":"a b"`: the whole value of a text field, case ignored.
 * Wildcards match any characters; in quotes nothing is a wildcard.
 */
import { anyJsonValue, matches } from '../dialect/duckdb.ts';
import { type AttributeField, type TextField, type VirtualField, refSql } from '../fields.ts';
import { NO_COLUMN, type Predicate, type Scope } from '../scope.ts';
import { either } from './logic.ts';
import { checkLength, hasWildcard, valuePattern } from './wildcard.ts';

/** `attributes` means any attribute. */
export type ValueField = TextField | AttributeField | (VirtualField & { name: 'attributes' });

export interface TextValueFilter {
  readonly filter: 'text-value';
  readonly field: ValueField;
  readonly text: string;
  readonly wildcard: boolean;
}

/** Text that is its own only fold: no letters, and nothing beyond ASCII. */
const UNCASED = /^[\x01-@[-`{-\x7f]*$/;

export function textValueFilter(
  field: ValueField,
  text: string,
  quoted: boolean,
  at: number,
): TextValueFilter {
  checkLength(text, at);
  return {
    filter: 'text-value',
    field,
    text: text.toWellFormed(),
    wildcard: !quoted && hasWildcard(text),
  };
}

export function compileTextValue(filter: TextValueFilter, scope: Scope): Predicate {
  const { field, text, wildcard } = filter;
  const condition = (sql: string): string =>
    !wildcard && UNCASED.test(text)
      ? `${sql} = ${scope.params.text(text)}`
      : matches(sql, scope.params.text(valuePattern(text, wildcard)), true);
  if (field.type === 'virtual') {
    const all = scope.attributes();
    if (all.length === 0) return NO_COLUMN;
    return either(
      all.map(({ sql, json }) => ({ sql: json ? anyJsonValue(sql, condition) : condition(sql) })),
    );
  }
  const sql = fieldText(field, scope);
  return sql === undefined ? NO_COLUMN : { sql: condition(sql) };
}

export function fieldText(field: TextField | AttributeField, scope: Scope): string | undefined {
  return field.type === 'text' ? refSql(field.ref, scope) : scope.attribute(field.key);
}
