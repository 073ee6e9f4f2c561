/**
 * Rows in ClickHouse: the events that a query found, or a table that a stage made, with filters and orders, until a
 * statement is made of it; and fields as values of such rows.
 */
import type { Name } from '../syntax/ast.ts';
import { type Resolve, checkNoTags } from '../names/fields.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import type { OrderKey, TableColumn } from '../statements/relation.ts';
import { TRUE_SQL, both, untranslated } from './clickhouse.ts';
import type { ClickHouseScope } from './clickhouse-scope.ts';
import {
  type ClickHouseValue,
  presentValues,
  simpleShape,
  tagsOf,
  valuesOf,
} from './clickhouse-values.ts';

export interface ClickHouseRows {
  /** What follows FROM. */
  readonly from: string;
  readonly where: string;
  readonly scope: ClickHouseScope;
  readonly resolve: Resolve;
  /** Undefined: rows are events. */
  readonly columns: readonly TableColumn[] | undefined;
  /** Total, as a relation's. */
  readonly order: readonly OrderKey[];
  readonly around: Surroundings;
  /** The time range of query and request; either end may be open. */
  readonly range: TimeEnds;
  /** Whether Daybook shows the answer: tables then have totals in addition to their rows. */
  readonly isShown: boolean;
  /** Names of a table's additional columns, which are in each row. */
  readonly totals: readonly string[];
}

interface TimeEnds {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** A table that a stage makes; the caller adds names and conditions of its columns. */
export interface ClickHouseTable {
  readonly columns: readonly TableColumn[];
  readonly order: readonly OrderKey[];
  readonly sql: string;
  /** Names of its additional columns. */
  readonly totals?: readonly string[];
}

/** A SELECT of rows; `rest` follows WHERE. */
export function selectOf(
  list: string,
  { from, where }: Pick<ClickHouseRows, 'from' | 'where'>,
  rest = '',
): string {
  return [
    `SELECT ${list}`,
    `FROM ${from}`,
    ...(where === TRUE_SQL ? [] : [`WHERE ${unbracketed(where)}`]),
    ...(rest === '' ? [] : [rest]),
  ].join('\n');
}

/** A whole condition needs no brackets around it. */
function unbracketed(condition: string): string {
  if (!condition.startsWith('(')) return condition;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < condition.length; at++) {
    const char = condition[at]!;
    if (inText) {
      if (char === '\\') at += 1;
      else if (char === "'") inText = false;
    } else if (char === "'") inText = true;
    else if (char === '`') return condition;
    else if (char === '(') depth += 1;
    else if (char === ')' && --depth === 0)
      return at === condition.length - 1 ? condition.slice(1, -1) : condition;
  }
  return condition;
}

export function subquery(sql: string): string {
  return `(\n${sql.replaceAll(/^/gm, '  ')}\n)`;
}

/** ORDER BY with missing values last in either direction; empty if there is no order. */
export function ordered(order: readonly OrderKey[], reversed = false): string {
  if (order.length === 0) return '';
  const keys = order.map(({ sql, descending }) => {
    if (reversed) return `${sql}${descending ? '' : ' DESC'} NULLS FIRST`;
    return descending ? `${sql} DESC` : sql;
  });
  return `ORDER BY ${keys.join(', ')}`;
}

/** The first rows in an order, or the last. */
export function firstRows(order: readonly OrderKey[], limit: number, reversed = false): string {
  return [ordered(order, reversed), `LIMIT ${limit}`].filter((part) => part !== '').join('\n');
}

/** The same rows, filtered: no more conditions are added to them. */
export function chosen(rows: ClickHouseRows, rest: string): ClickHouseRows {
  return { ...rows, from: subquery(selectOf('*', rows, rest)), where: TRUE_SQL };
}

/** Events that have a time. */
export function datedEvents(rows: ClickHouseRows): ClickHouseRows {
  return { ...rows, where: both([rows.where, 'ts IS NOT NULL']) };
}

// -- values ----------------------------------------------------------------------------------------

/** The value by which rows are grouped. A row with several is there once for each of them. */
export function keyOf(name: Name, rows: ClickHouseRows): ClickHouseValue {
  const field = rows.resolve(name);
  if (field.type === 'virtual' && field.name === 'tag' && field.ref === undefined)
    return { shape: simpleShape('tag', 'tag'), sql: `arrayJoin(${tagsOf(rows.scope)})` };
  const several = valuesOf(field, name.start, rows.scope);
  const [first, ...more] = several.sql;
  if (first === undefined) throw untranslated(`the field ${field.name}`);
  if (more.length === 0) return { shape: several.shape, sql: first };
  const there = presentValues(several.sql);
  return { shape: several.shape, sql: `arrayJoin(if(empty(${there}), [NULL], ${there}))` };
}

/**
 * The first value of a field, which rows show and are ordered by.
 * @throws QueryError for tags, which have no order; DaybookError usage
 */
export function firstValue(name: Name, rows: ClickHouseRows): ClickHouseValue {
  const field = rows.resolve(name);
  checkNoTags(field, name);
  const { shape, sql } = valuesOf(field, name.start, rows.scope);
  if (sql[0] === undefined) throw untranslated(`the field ${field.name}`);
  return { shape, sql: sql[0] };
}
