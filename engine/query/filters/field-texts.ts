/** The texts that an event has of a field, in SQL. */
import { anyOf, either as eitherSql } from '../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { anyJsonValue, anyOfList } from '../dialect/duckdb.ts';
import {
  type AttributeField,
  type Field,
  type TextField,
  type VirtualField,
  refSql,
  refClickHouse,
} from '../names/fields.ts';
import {
  type NamedText,
  NO_COLUMN,
  type Predicate,
  type Scope,
  type Searchable,
} from '../plan/scope.ts';
import { either } from './logic.ts';

/** `attributes` means any attribute. */
export type ValueField = TextField | AttributeField | (VirtualField & { name: 'attributes' });

export function isValueField(field: Field): field is ValueField {
  return (
    field.type === 'text' ||
    field.type === 'attribute' ||
    (field.type === 'virtual' && field.name === 'attributes')
  );
}

/** Whether any text of a field meets a condition. */
export function anyTextOf(
  field: ValueField,
  scope: Scope,
  condition: (sql: string) => string,
): Predicate {
  if (field.type !== 'virtual') return anyText(fieldTexts(field, scope), condition);
  return anySearchable(scope.attributes(), condition);
}

/** Whether one of some texts, each a column or the values of a JSON object, meets a condition. */
export function anySearchable(
  texts: readonly Searchable[],
  condition: (sql: string) => string,
): Predicate {
  if (texts.length === 0) return NO_COLUMN;
  return either(
    texts.map(({ sql, json }) => ({ sql: json ? anyJsonValue(sql, condition) : condition(sql) })),
  );
}

/** The texts that an event has of a field; of an attribute those of all its spellings. */
function fieldTexts(field: TextField | AttributeField, scope: Scope): readonly NamedText[] {
  if (field.type === 'attribute') return scope.attributesNamed(field.key);
  const sql = refSql(field.ref, scope);
  return sql === undefined ? [] : [{ sql, isList: false }];
}

/** Whether one of some texts meets a condition. */
export function anyText(
  texts: readonly NamedText[],
  condition: (sql: string) => string,
): Predicate {
  if (texts.length === 0) return NO_COLUMN;
  return either(
    texts.map(({ sql, isList }) => ({ sql: isList ? anyOfList(sql, condition) : condition(sql) })),
  );
}

/** The same in ClickHouse: whether any text of a field meets a condition. */
export function anyTextClickHouse(
  field: ValueField,
  scope: ClickHouseScope,
  condition: (sql: string) => string,
): string {
  return someText(textsClickHouse(field, scope), condition);
}

export function someText(texts: readonly NamedText[], condition: (sql: string) => string): string {
  return eitherSql(
    texts.map(({ sql, isList }) => (isList ? anyOf(sql, condition) : condition(sql))),
  );
}

function textsClickHouse(field: ValueField, scope: ClickHouseScope): readonly NamedText[] {
  switch (field.type) {
    case 'text':
      return [{ sql: refClickHouse(field.ref, scope), isList: false }];
    case 'attribute':
      return scope.attributesNamed(field.key);
    default:
      return [scope.attributes() ?? []].flat();
  }
}
