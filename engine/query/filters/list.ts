/**
 * A list that narrows a query: events that meet every value of any of its rows. In SQL its groups are
 * tables, which whoever runs a statement has put there.
 */
import {
  blockOfIp4,
  blockOfIp6,
  foldedText,
  listTable,
  quoteIdentifier,
} from '../dialect/duckdb.ts';
import { knownField } from '../fields.ts';
import type { ListGroup, ListKey, MatchList } from '../lists/match-list.ts';
import { FALSE, NO_COLUMN, type Predicate, type Scope } from '../scope.ts';
import { communitySql } from './community-id.ts';
import type { Filter } from './filter.ts';
import { sidePresent } from './flow.ts';
import { both, either } from './logic.ts';

export interface ListFilter {
  readonly filter: 'list';
  readonly list: MatchList;
}

/** The events that a list takes. */
export function listFilter(list: MatchList): Filter {
  const items: Filter[] = list.texts.map(({ filter }) => filter);
  if (list.groups.length > 0 || items.length === 0) items.unshift({ filter: 'list', list });
  const [first] = items;
  return items.length === 1 && first !== undefined ? first : { filter: 'or', items };
}

export function compileList({ list }: ListFilter, scope: Scope): Predicate {
  return either(list.groups.map((group) => compileGroup(group, scope)));
}

/** The names that a group's table gives the values of its keys, and the lines of its rows. */
export const keyColumn = (at: number): string => `k${at}`;
export const LINE_COLUMN = 'at_line';

function compileGroup(group: ListGroup, scope: Scope): Predicate {
  const condition = groupCondition(group, scope);
  if (!('sql' in condition) || group.keys.every(({ key }) => key.key === 'present'))
    return condition;
  return {
    sql: `EXISTS (SELECT 1 FROM ${listTable(group.table)} AS l WHERE ${condition.sql})`,
  };
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
