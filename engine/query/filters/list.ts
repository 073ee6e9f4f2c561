/**
 * A list that narrows a query: events that meet every value of any of its rows. In SQL its groups are
 * tables, which whoever runs a statement has put there.
 */
import {
  allJsonText,
  blockOfIp4,
  blockOfIp6,
  foldedText,
  listTable,
  quoteIdentifier,
  writtenIp4,
} from '../dialect/duckdb.ts';
import { knownField } from '../fields.ts';
import { type ListGroup, type ListKey, type MatchList, isWritten } from '../lists/match-list.ts';
import { FALSE, NO_COLUMN, type Predicate, type Scope, type Searchable } from '../scope.ts';
import { communitySql } from './community-id.ts';
import type { Filter } from './filter.ts';
import { sidePresent } from './flow.ts';
import { both, either } from './logic.ts';

export interface ListFilter {
  readonly filter: 'list';
  readonly list: MatchList;
}

/** The addresses of a list as they are written in text. */
export interface ListTextFilter {
  readonly filter: 'list-text';
  readonly list: MatchList;
}

/** The events that a list takes. */
export function listFilter(list: MatchList): Filter {
  const items: Filter[] = list.texts.map(({ filter }) => filter);
  if (list.groups.some(isWritten)) items.unshift({ filter: 'list-text', list });
  if (list.columnGroups.length > 0 || items.length === 0) items.unshift({ filter: 'list', list });
  const [first] = items;
  return items.length === 1 && first !== undefined ? first : { filter: 'or', items };
}

export function compileList({ list }: ListFilter, scope: Scope): Predicate {
  return either(list.columnGroups.map((group) => compileGroup(group, scope)));
}

export function compileListText({ list }: ListTextFilter, scope: Scope): Predicate {
  return either(list.groups.filter(isWritten).map((group) => compileGroup(group, scope)));
}

/** The names that a group's table gives the values of its keys, and the lines of its rows. */
export const keyColumn = (at: number): string => `k${at}`;
export const LINE_COLUMN = 'at_line';

function compileGroup(group: ListGroup, scope: Scope): Predicate {
  const [only] = group.keys;
  if (only?.key.key === 'written4') return writtenIn(group, only.key.prefix, scope);
  const condition = groupCondition(group, scope);
  if (!('sql' in condition) || group.keys.every(({ key }) => key.key === 'present'))
    return condition;
  return {
    sql: `EXISTS (SELECT 1 FROM ${listTable(group.table)} AS l WHERE ${condition.sql})`,
  };
}

/** Whether an address that is written in the text of an event is in a group's table. */
function writtenIn({ table }: ListGroup, prefix: number, scope: Scope): Predicate {
  const texts = scope.texts();
  if (texts.length === 0) return NO_COLUMN;
  const own = `l.${quoteIdentifier(keyColumn(0))}`;
  return {
    sql: `EXISTS (SELECT 1 FROM (SELECT unnest(${writtenNumbers(texts)}) AS a) AS w JOIN ${listTable(table)} AS l ON ${own} = ${blockOfIp4('w.a', prefix)})`,
  };
}

/** The addresses that are written in the texts of an event: a list of numbers. */
export function writtenNumbers(texts: readonly Searchable[]): string {
  const each = texts.map(({ sql, json }) => writtenIp4(json ? allJsonText(sql) : sql));
  return each.length === 1 ? each[0]! : `list_concat(${each.join(', ')})`;
}

/** The condition that an event of a scope meets row `l` of a group's table. */
export function groupCondition({ keys }: ListGroup, scope: Scope): Predicate {
  return both(
    keys.map(({ key }, at): Predicate => {
      if (key.key === 'present') return sideIsThere(key.side, scope);
      const own = `l.${quoteIdentifier(keyColumn(at))}`;
      const isText = key.key === 'text' || key.key === 'attribute';
      const value = isText ? foldedText(own) : own;
      const texts = keyTexts(key, scope);
      return texts.length === 0
        ? NO_COLUMN
        : either(texts.map((of) => ({ sql: `${value} = ${of}` })));
    }),
  );
}

function sideIsThere(side: 'src' | 'dst', scope: Scope): Predicate {
  const field = knownField(`${side}_ip`);
  if (field?.type !== 'address') return FALSE;
  return either(field.sides.map((one) => sidePresent(one, scope)));
}

/** What an event has for a key; nothing where no event of the scope has any. */
function keyTexts(key: Exclude<ListKey, { key: 'present' }>, scope: Scope): string[] {
  switch (key.key) {
    case 'address4': {
      const sql = scope.column(key.column);
      return sql === undefined ? [] : [blockOfIp4(sql, key.prefix)];
    }
    case 'address6': {
      const sql = scope.column(key.column);
      return sql === undefined ? [] : [blockOfIp6(sql, key.prefix)];
    }
    case 'number': {
      const sql = scope.column(key.column);
      return sql === undefined ? [] : [sql];
    }
    case 'text': {
      const sql = scope.column(key.column);
      return [
        ...(sql === undefined ? [] : [foldedText(sql)]),
        ...(key.attribute === undefined ? [] : attributeTexts(key.attribute, scope)),
      ];
    }
    case 'attribute':
      return attributeTexts(key.name, scope);
    case 'written4':
      throw new TypeError('addresses in text are compared as a group');
    case 'community-id': {
      const sql = communitySql(scope);
      return sql === undefined ? [] : [sql];
    }
  }
}

function attributeTexts(name: string, scope: Scope): string[] {
  // Of those in the overflow one is compared: of a list none could be joined with.
  return scope
    .attributesNamed(name)
    .map(({ sql, isList }) => foldedText(isList ? `(${sql})[1]` : sql));
}
