/**
 * A list that narrows a query: events that match every value of any of its rows. In SQL its groups are tables,
 * which whoever runs a statement must have created.
 */
import { either as eitherSql } from '../dialect/clickhouse.ts';
import {
  allJsonText,
  blockOfIp4,
  blockOfIp6,
  combinations,
  eachJoined,
  eachMade,
  eachOf,
  foldedText,
  isAmong,
  isSomeAmong,
  isSomeListed,
  joinedLists,
  joinedTexts,
  listTable,
  quoteIdentifier,
  tuple,
  whenAll,
  writtenIp4,
} from '../dialect/duckdb.ts';
import { knownField } from '../names/fields.ts';
import type { CandidateRows, SegmentView, ValueView } from '../plan/known-rows/index-view.ts';
import type { KeyValues, ListGroup, ListKey, MatchList } from '../lists/match-list.ts';
import { type Rows, countOf, intersect, rowsOf, unite } from '../plan/known-rows/rows.ts';
import {
  FALSE,
  type NamedText,
  NO_COLUMN,
  type Predicate,
  type Scope,
  type Searchable,
  type SegmentInfo,
  mayHaveAttribute,
} from '../plan/scope.ts';
import { communitySql } from './community-id.ts';
import { sidePresent } from './flow.ts';
import { listedAddresses } from './listed-addresses.ts';
import { listGroupClickHouse } from './listed-clickhouse.ts';
import { both, either } from './logic.ts';
import { memberValues } from './members.ts';
import type { FilterOperator } from './operator.ts';

export interface ListFilter {
  readonly filter: 'list';
  readonly list: MatchList;
}

function listSql({ list }: ListFilter, scope: Scope): Predicate {
  return either(list.columnGroups.map((group) => groupSql(group, scope)));
}

/** The names of a group's table for the values of its keys, and the lines of its rows. */
export const keyColumn = (at: number): string => `k${at}`;
export const LINE_COLUMN = 'at_line';

export function groupSql(group: ListGroup, scope: Scope): Predicate {
  const [only] = group.keys;
  if (only?.key.key === 'written4') return writtenIn(group, only.key.prefix, scope);
  if (group.keys.some(({ key }) => key.key === 'text' || key.key === 'attribute'))
    return amongRows(group, scope);
  const condition = groupCondition(group, scope);
  if (!('sql' in condition) || group.keys.every(({ key }) => key.key === 'present'))
    return condition;
  return {
    sql: `EXISTS (SELECT 1 FROM ${listTable(group.table)} AS l WHERE ${condition.sql})`,
  };
}

/**
 * Whether an event's values are among the rows of a group's table. Columns of events are outside the subquery:
 * inside one, DuckDB takes "user" for its function of that name, which returns the user of the database.
 */
function amongRows({ keys, table }: ListGroup, scope: Scope): Predicate {
  const conditions: Predicate[] = [];
  const columns: string[] = [];
  let choices: NamedText[][] = [[]];
  for (const [at, { key }] of keys.entries()) {
    if (key.key === 'present') {
      conditions.push(sideIsThere(key.side, scope));
      continue;
    }
    columns.push(listValue(key, at));
    const texts = keyTexts(key, scope);
    choices = choices.flatMap((before) => texts.map((text) => [...before, text]));
  }
  if (choices.length === 0) return NO_COLUMN;
  const among = choices.map((texts) => ({ sql: isChoiceAmong(texts, columns, listTable(table)) }));
  return both([...conditions, either(among)]);
}

/** Whether texts of an event, one of each that are several, are those of a row of a list's table. */
function isChoiceAmong(
  texts: readonly NamedText[],
  columns: readonly string[],
  table: string,
): string {
  const rowsOf = (parts: readonly string[]): string =>
    `(SELECT ${tuple(parts)} FROM ${table} AS l)`;
  const partsOf = (takes: (text: NamedText) => boolean) => ({
    sql: texts.filter(takes).map(({ sql }) => sql),
    own: columns.filter((_, at) => takes(texts[at]!)),
  });
  const single = partsOf(({ isList }) => !isList);
  const listed = partsOf(({ isList }) => isList);
  const each = listed.sql.map((list, i) => isSomeAmong(list, rowsOf([listed.own[i]!])));
  if (single.sql.length > 0) each.unshift(isAmong(tuple(single.sql), rowsOf(single.own)));
  if (texts.length === 1 || listed.sql.length === 0) return each[0]!;
  // Comparing each value separately is fast, and leaves few events whose values must all be those of one row.
  const members = combinations(listed.sql, (ms) => {
    const next = ms.values();
    return tuple(texts.map(({ sql, isList }) => (isList ? next.next().value! : sql)));
  });
  return whenAll(each, isSomeListed(members, tuple(columns), `${table} AS l`));
}

/** A key's value in row `l` of its group's table, in the form that events are compared with. */
function listValue({ key }: ListKey, at: number): string {
  const listed = `l.${quoteIdentifier(keyColumn(at))}`;
  return key === 'text' || key === 'attribute' ? foldedText(listed) : listed;
}

/** Whether an address that is written in the text of an event is in a group's table. */
function writtenIn({ table }: ListGroup, prefix: number, scope: Scope): Predicate {
  const texts = scope.texts();
  if (texts.length === 0) return NO_COLUMN;
  const listed = `l.${quoteIdentifier(keyColumn(0))}`;
  return {
    sql: `EXISTS (SELECT 1 FROM (SELECT ${eachOf(writtenNumbers(texts))} AS a) AS w JOIN ${listTable(table)} AS l ON ${listed} = ${blockOfIp4('w.a', prefix)})`,
  };
}

/** More texts than these take DuckDB longer to plan one by one than it takes to join them: it plans hundreds for seconds. */
const MOST_APART = 16;

/** The addresses that are written in the texts of an event: a list of numbers. */
export function writtenNumbers(texts: readonly Searchable[]): string {
  const each = texts.map(({ sql, json }) => (json ? allJsonText(sql) : sql));
  const read = each.length > MOST_APART ? [joinedTexts(each)] : each;
  return joinedLists(read.map((text) => writtenIp4(text)));
}

/** The condition that an event of a scope matches row `l` of a group's table, if it has one text for each key. */
function groupCondition({ keys }: ListGroup, scope: Scope): Predicate {
  return both(
    keys.map(({ key }, at): Predicate => {
      if (key.key === 'present') return sideIsThere(key.side, scope);
      const texts = keyTexts(key, scope);
      return texts.length === 0
        ? NO_COLUMN
        : either(texts.map(({ sql }) => ({ sql: `${listValue(key, at)} = ${sql}` })));
    }),
  );
}

/** The comparison with a group's table if each event becomes a row for each text that it has for a key. */
interface EachText {
  readonly condition: Predicate;
  /** Columns that the condition needs in addition to those of events: a row for each member of these lists. */
  readonly lists: readonly { readonly alias: string; readonly sql: string }[];
}

export function eachText({ keys }: ListGroup, scope: Scope): EachText {
  const lists: { alias: string; sql: string }[] = [];
  const conditions = keys.map(({ key }, at): Predicate => {
    if (key.key === 'present') return sideIsThere(key.side, scope);
    const texts = keyTexts(key, scope);
    if (texts.length === 0) return NO_COLUMN;
    const value = listValue(key, at);
    if (texts.length === 1 && !texts[0]!.isList) return { sql: `${value} = ${texts[0]!.sql}` };
    const alias = quoteIdentifier(`each${at}`);
    lists.push({
      alias,
      sql: joinedLists(texts.map(({ sql, isList }) => (isList ? sql : `[${sql}]`))),
    });
    return { sql: `${value} = ${alias}` };
  });
  return { condition: both(conditions), lists };
}

function sideIsThere(side: 'src' | 'dst', scope: Scope): Predicate {
  const field = knownField(`${side}_ip`);
  if (field?.type !== 'address') return FALSE;
  return either(field.sides.map((one) => sidePresent(one, scope)));
}

/** An event's texts for a key; none if no event of the scope has any. */
function keyTexts(key: Exclude<ListKey, { key: 'present' }>, scope: Scope): NamedText[] {
  const one = (sql: string | undefined, make = (column: string) => column): NamedText[] =>
    sql === undefined ? [] : [{ sql: make(sql), isList: false }];
  switch (key.key) {
    case 'address4':
      return one(scope.column(key.column), (sql) => blockOfIp4(sql, key.prefix));
    case 'address6':
      return one(scope.column(key.column), (sql) => blockOfIp6(sql, key.prefix));
    case 'number':
      return one(scope.column(key.column));
    case 'text':
      return [
        ...one(scope.column(key.column), foldedText),
        ...(key.attribute === undefined ? [] : attributeTexts(key.attribute, scope)),
      ];
    case 'attribute':
      return attributeTexts(key.name, scope);
    case 'written4':
      throw new TypeError('addresses in text are compared as a group');
    case 'community-id':
      return one(communitySql(scope));
  }
}

/** Each text of an attribute, and the members of those that are lists, as `field:"text"` finds them. */
function attributeTexts(name: string, scope: Scope): NamedText[] {
  return scope.attributesNamed(name).flatMap(({ sql, isList }) => {
    const members = isList ? membersOfEach(sql) : memberValues(sql);
    return [
      { sql: isList ? eachFolded(sql) : foldedText(sql), isList },
      { sql: eachFolded(members), isList: true },
    ];
  });
}

function membersOfEach(list: string): string {
  return eachJoined(list, memberValues);
}

function eachFolded(list: string): string {
  return eachMade(list, foldedText);
}

// -- rows by index ---------------------------------------------------------------------------------

/** Above this share of the rows, joining all rows with the list beats looking candidates up. */
const MOST_CANDIDATES = 1 / 32;
/** A list with more than one line for this many rows is joined with them. */
const ROWS_A_LINE = 2000;
/** Reading more than this part of a column's index pages is no shortcut to candidates. */
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
