/**
 * A list that narrows a query: events that meet every value of any of its rows. In SQL its groups are
 * tables, which whoever runs a statement has put there.
 */
import { either as eitherSql } from '../dialect/clickhouse.ts';
import {
  allJsonText,
  blockOfIp4,
  blockOfIp6,
  eachOf,
  firstOf,
  foldedText,
  isAmong,
  joinedLists,
  listTable,
  quoteIdentifier,
  tuple,
  writtenIp4,
} from '../dialect/duckdb.ts';
import { knownField } from '../fields.ts';
import type { CandidateRows, SegmentView, ValueView } from '../index-view.ts';
import type { KeyValues, ListGroup, ListKey, MatchList } from '../lists/match-list.ts';
import { type Rows, countOf, intersect, rowsOf, unite } from '../rows.ts';
import {
  FALSE,
  NO_COLUMN,
  type Predicate,
  type Scope,
  type Searchable,
  type SegmentInfo,
  mayHaveAttribute,
} from '../scope.ts';
import { communitySql } from './community-id.ts';
import { sidePresent } from './flow.ts';
import { listedAddresses } from './listed-addresses.ts';
import { listGroupClickHouse } from './listed-clickhouse.ts';
import { both, either } from './logic.ts';
import type { FilterOperator } from './operator.ts';

export interface ListFilter {
  readonly filter: 'list';
  readonly list: MatchList;
}

function listSql({ list }: ListFilter, scope: Scope): Predicate {
  return either(list.columnGroups.map((group) => groupSql(group, scope)));
}

/** The names that a group's table gives the values of its keys, and the lines of its rows. */
export const keyColumn = (at: number): string => `k${at}`;
export const LINE_COLUMN = 'at_line';

export function groupSql(group: ListGroup, scope: Scope): Predicate {
  const [only] = group.keys;
  if (only?.key.key === 'written4') return writtenIn(group, only.key.prefix, scope);
  if (group.keys.some(({ key }) => key.key === 'text')) return amongRows(group, scope);
  const condition = groupCondition(group, scope);
  if (!('sql' in condition) || group.keys.every(({ key }) => key.key === 'present'))
    return condition;
  return {
    sql: `EXISTS (SELECT 1 FROM ${listTable(group.table)} AS l WHERE ${condition.sql})`,
  };
}

/**
 * Whether what an event has is among the rows of a group's table. Columns of events stand outside the subquery:
 * inside one, DuckDB takes "user" for its function of that name, which is the user of the database.
 */
function amongRows({ keys, table }: ListGroup, scope: Scope): Predicate {
  const conditions: Predicate[] = [];
  const own: string[] = [];
  let choices: string[][] = [[]];
  for (const [at, { key }] of keys.entries()) {
    if (key.key === 'present') {
      conditions.push(sideIsThere(key.side, scope));
      continue;
    }
    own.push(listValue(key, at));
    const texts = keyTexts(key, scope);
    choices = choices.flatMap((before) => texts.map((text) => [...before, text]));
  }
  if (choices.length === 0) return NO_COLUMN;
  const rows = `(SELECT ${tuple(own)} FROM ${listTable(table)} AS l)`;
  const among = choices.map((texts) => ({ sql: isAmong(tuple(texts), rows) }));
  return both([...conditions, either(among)]);
}

/** A key's value of row `l` of its group's table, as events are compared with it. */
function listValue({ key }: ListKey, at: number): string {
  const own = `l.${quoteIdentifier(keyColumn(at))}`;
  return key === 'text' || key === 'attribute' ? foldedText(own) : own;
}

/** Whether an address that is written in the text of an event is in a group's table. */
function writtenIn({ table }: ListGroup, prefix: number, scope: Scope): Predicate {
  const texts = scope.texts();
  if (texts.length === 0) return NO_COLUMN;
  const own = `l.${quoteIdentifier(keyColumn(0))}`;
  return {
    sql: `EXISTS (SELECT 1 FROM (SELECT ${eachOf(writtenNumbers(texts))} AS a) AS w JOIN ${listTable(table)} AS l ON ${own} = ${blockOfIp4('w.a', prefix)})`,
  };
}

/** The addresses that are written in the texts of an event: a list of numbers. */
export function writtenNumbers(texts: readonly Searchable[]): string {
  const each = texts.map(({ sql, json }) => writtenIp4(json ? allJsonText(sql) : sql));
  return joinedLists(each);
}

/** The condition that an event of a scope meets row `l` of a group's table. */
export function groupCondition({ keys }: ListGroup, scope: Scope): Predicate {
  return both(
    keys.map(({ key }, at): Predicate => {
      if (key.key === 'present') return sideIsThere(key.side, scope);
      const value = listValue(key, at);
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
    .map(({ sql, isList }) => foldedText(isList ? firstOf(sql) : sql));
}

// -- rows by index ---------------------------------------------------------------------------------

/** Candidates beyond this part of the rows are found sooner by joining all rows with the list. */
const MOST_CANDIDATES = 1 / 32;
/** A list of more than one line for so many rows is joined with them. */
const ROWS_A_LINE = 2000;
/** Pages of the index beyond this part of a column are no shorter way to candidates. */
const MOST_LOOKED_UP = 1 / 4;

export function listRows(
  { list }: ListFilter,
  segment: SegmentInfo,
  values: ValueView | undefined,
): CandidateRows | undefined {
  if (values === undefined || list.columnGroups.some((group) => isLong(group, segment)))
    return undefined;
  let rows: Rows = 'none';
  let exact = true;
  for (const group of list.columnGroups) {
    const found = groupRows(group, segment, values);
    if (found === undefined) return undefined;
    rows = unite(rows, found.rows);
    exact &&= found.exact;
  }
  if (!exact && countOf(rows, segment.rows) > segment.rows * MOST_CANDIDATES) return undefined;
  return { rows, exact };
}

/** Many rows of several keys: some value of each is nearly everywhere. */
function isLong({ keys, lines }: ListGroup, { rows }: SegmentInfo): boolean {
  return keys.length > 1 && lines.length * ROWS_A_LINE > rows;
}

function groupRows(
  group: ListGroup,
  segment: SegmentInfo,
  values: ValueView,
): CandidateRows | undefined {
  const { keys } = group;
  if (keys.some(({ key }) => isMissing(key, segment))) return { rows: 'none', exact: true };
  const alone = keys.length === 1;
  let rows: Rows = 'all';
  let served = false;
  for (const one of keys) {
    const found = keyRows(one, segment, values, alone);
    if (found === undefined) continue;
    served = true;
    rows = intersect(rows, found);
    if (rows === 'none') return { rows, exact: true };
  }
  return served ? { rows, exact: alone } : undefined;
}

/** Whether no event of a segment has a value of a key. */
function isMissing(key: ListKey, segment: SegmentInfo): boolean {
  return 'column' in key && !segment.columns.has(key.column) && !isShared(key, segment);
}

/** Whether a segment may have the name of a key's column as an attribute as well. */
function isShared(key: ListKey, { columns }: SegmentInfo): boolean {
  return (
    key.key === 'text' && key.attribute !== undefined && mayHaveAttribute(columns, key.attribute)
  );
}

function keyRows(
  given: KeyValues,
  segment: SegmentInfo,
  index: ValueView,
  alone: boolean,
): Rows | undefined {
  const { key } = given;
  const { rows: total } = segment;
  if (isShared(key, segment)) return undefined;
  if (key.key === 'address4') {
    const ranges = given.asRanges();
    const most = index.mostOfIp4List(key.column, ranges);
    if (most === undefined || (!alone && most > total * MOST_LOOKED_UP)) return undefined;
    const found = index.rowsOfIp4List(key.column, ranges);
    return found && rowsOf(found);
  }
  if (key.key === 'text' && (key.column === 'host' || key.column === 'program')) {
    const found = index.rowsOfText(key.column, (text) => given.hasText(text));
    return found && rowsOf(found);
  }
  return undefined;
}

export const listOperator: FilterOperator<ListFilter> = {
  describe: ({ list }) => `a line of the list of ${list.lines.length}`,
  sql: listSql,
  clickhouse: ({ list }, scope) =>
    eitherSql(list.columnGroups.map((group) => listGroupClickHouse(group, scope))),
  sqlCost: 'high',
  rows: (filter, segment, { indexes }: SegmentView) => listRows(filter, segment, indexes.values),
  lookUpCost: () => 30,
  record: ({ list }) => listedAddresses(list),
};
