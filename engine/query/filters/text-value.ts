/**
 * `host:web01`, `user:adm*`, `"Flow ID":"a b"`: the whole value of a text field, case ignored.
 * Wildcards match any characters; in quotes nothing is a wildcard.
 */
import { anyJsonValue, anyOfList } from '../dialect/duckdb.ts';
import { type AttributeField, type TextField, type VirtualField, refSql } from '../fields.ts';
import { type NamedText, NO_COLUMN, type Predicate, type Scope, hasMatch } from '../scope.ts';
import { either } from './logic.ts';
import { arrayPattern, isArrayText, memberPattern } from './members.ts';
import { checkLength, hasWildcard, joinable, valuePattern } from './wildcard.ts';

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
  return anyValue(filter.field, [filter], scope);
}

/** Any of several: those of one field share a list or a pattern. */
export function compileTextValues(filters: readonly TextValueFilter[], scope: Scope): Predicate[] {
  const groups = new Map<string, TextValueFilter[]>();
  for (const filter of filters) {
    const key = JSON.stringify(filter.field);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [filter]);
    else group.push(filter);
  }
  return [...groups.values()].flatMap((group) =>
    joinable(group, ({ text }) => text.length * 24 + 60).map((some) =>
      anyValue(some[0]!.field, some, scope),
    ),
  );
}

function anyValue(field: ValueField, filters: readonly TextValueFilter[], scope: Scope): Predicate {
  const plain: string[] = [];
  const patterns: string[] = [];
  for (const { text, wildcard } of filters) {
    if (!wildcard && UNCASED.test(text)) plain.push(scope.params.text(text));
    else patterns.push(valuePattern(text, wildcard));
  }
  const pattern = patterns.length === 0 ? undefined : patterns.join('|');
  // Columns hold no lists.
  const members =
    field.type === 'text'
      ? undefined
      : arrayPattern(filters.map(({ text, wildcard }) => memberPattern(text, wildcard)));
  const condition = (sql: string): string => {
    const parts: string[] = [];
    if (plain.length === 1) parts.push(`${sql} = ${plain[0]}`);
    else if (plain.length > 1) parts.push(`${sql} IN (${plain.join(', ')})`);
    if (pattern !== undefined) parts.push(hasMatch(scope, sql, pattern, true));
    if (members !== undefined)
      parts.push(`(${isArrayText(sql)} AND ${hasMatch(scope, sql, members, true)})`);
    return parts.length === 1 ? parts[0]! : `(${parts.join(' OR ')})`;
  };
  if (field.type === 'virtual') {
    const all = scope.attributes();
    if (all.length === 0) return NO_COLUMN;
    return either(
      all.map(({ sql, json }) => ({ sql: json ? anyJsonValue(sql, condition) : condition(sql) })),
    );
  }
  return anyText(fieldTexts(field, scope), condition);
}

/** The texts that an event has of a field: of an attribute those of all its spellings. */
export function fieldTexts(field: TextField | AttributeField, scope: Scope): readonly NamedText[] {
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
