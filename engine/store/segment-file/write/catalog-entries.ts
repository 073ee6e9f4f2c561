/**
 * The catalog of a segment's file: one schema, one table, and a view of it where messages are cut.
 * https://github.com/duckdb/duckdb, src/storage/checkpoint_manager.cpp and src/storage/serialization
 */
import { type Expression, cast, isOperator } from '../../expression.ts';
import { shapesText } from '../../messages/message-columns.ts';
import { EVENTS, STORED, type ViewColumn, viewColumns, viewSql } from '../../table-layout.ts';
import {
  type DraftColumn,
  type SegmentDraft,
  elementType,
  eventColumns,
  isList,
  isStored,
  tableOf,
  valueOf,
} from './draft.ts';
import type { MetadataPlace } from './metadata-blocks.ts';
import { Serializer } from './serializer.ts';

const Entry = { table: 1, schema: 2, view: 3 } as const;
/** Of each kind of expression DuckDB's class and type. */
const KINDS: Readonly<Record<Expression['kind'], readonly [number, number]>> = {
  ...{ case: [2, 150], cast: [3, 12], column: [4, 203], less: [5, 27] },
  ...{ text: [7, 75], number: [7, 75], nothing: [7, 75] },
  ...{ call: [9, 140], isNothing: [10, 14], element: [10, 153] },
};
/** Of the type of what a function's arguments are ordered by; empty. */
const ORDER_MODIFIER = 2;
const SELECT_NODE = 1;
const BASE_TABLE = 1;
const LIST_INFO = 4;
/** What DuckDB calls the file's own database while it builds a segment. */
const CATALOG = 'seg';

const TYPES: Readonly<Record<string, number>> = {
  ...{ NULL: 1, INTEGER: 13, BIGINT: 14, TIMESTAMP: 19, DOUBLE: 23, VARCHAR: 25 },
  ...{ UTINYINT: 28, USMALLINT: 29, UINTEGER: 30, UUID: 54 },
};
const LIST = 101;

/** @param table where the rows' metadata begins */
export function catalogBytes(draft: SegmentDraft, table: MetadataPlace, rows: number): Uint8Array {
  const { columns, shapes } = draft;
  const out = new Serializer();
  out.field(100).unsigned(shapes === undefined ? 2 : 3);
  beginEntry(out, Entry.schema);
  out.end().end();
  beginEntry(out, Entry.table, shapes && shapesText(shapes));
  out.field(200).text(tableOf(draft));
  out.field(201).field(100).unsigned(columns.length);
  for (const one of columns) putColumn(out, one);
  out.end().end();
  putPlace(out.field(101), table);
  out.field(102).unsigned(rows);
  // No indexes.
  out.field(103).unsigned(0).field(104).unsigned(0);
  out.end();
  if (shapes !== undefined) {
    const events = eventColumns(draft);
    const names = events.map(({ name }) => name);
    const types = ['BIGINT', ...events.map(({ type }) => type)];
    putView(out, viewColumns(names, shapes), types);
  }
  return out.end().take();
}

function beginEntry(out: Serializer, kind: number, comment?: string): void {
  out.field(99).unsigned(kind);
  out.field(100).bool(true);
  out.field(100).unsigned(kind);
  // DuckDB 2.0 looks a table up in the catalog it names; without a name it finds none.
  if (kind === Entry.table) out.field(101).text(CATALOG);
  out.field(102).text('main').field(105).unsigned(0);
  if (comment !== undefined) putConstant(out.field(107), 'VARCHAR', comment);
}

export function putPlace(out: Serializer, { pointer, offset }: MetadataPlace): void {
  out.field(100).unsigned(pointer).field(101).unsigned(offset).end();
}

function putColumn(out: Serializer, one: DraftColumn): void {
  out.field(100).text(one.name);
  putType(out.field(101), one.type);
  const isGenerated = !isStored(one);
  if (isGenerated) {
    out.field(102).bool(true);
    putExpression(out, cast(valueOf(one), one.type));
  }
  out.field(103).unsigned(isGenerated ? 1 : 0);
  out.field(104).unsigned(0);
  out.end();
}

function putType(out: Serializer, type: string): void {
  if (!isList(type)) {
    out.field(100).unsigned(TYPES[type]!).end();
    return;
  }
  out.field(100).unsigned(LIST);
  out.field(101).bool(true);
  out.field(100).unsigned(LIST_INFO);
  putType(out.field(200), elementType(type));
  out.end().end();
}

function putView(out: Serializer, columns: readonly ViewColumn[], types: readonly string[]): void {
  beginEntry(out, Entry.view);
  out.field(106).text(viewSql(columns));
  out.field(200).text(EVENTS);
  out.field(202).unsigned(types.length);
  for (const type of types) putType(out, type);
  out.field(203).bool(true);
  out.field(100).bool(true);
  out.field(100).unsigned(SELECT_NODE);
  // No common table expressions.
  out.field(102).end();
  out.field(200).unsigned(columns.length);
  for (const { name, value } of columns) {
    out.bool(true);
    putExpression(out, value, name);
  }
  out.field(201).bool(true);
  out.field(100).unsigned(BASE_TABLE).field(201).text(STORED).end();
  // What grouping is done for: nothing.
  out.field(205).unsigned(0);
  out.end().end();
  out.field(204).unsigned(columns.length);
  for (const { name } of columns) out.text(name);
  out.end().end();
}

/** @param alias the name that a column of a view has */
function putExpression(out: Serializer, one: Expression, alias?: string): void {
  const [ownClass, ownType] = KINDS[one.kind];
  out.field(100).unsigned(ownClass).field(101).unsigned(ownType);
  if (alias !== undefined) out.field(102).text(alias);
  switch (one.kind) {
    case 'column':
      out.field(200).unsigned(1).text(one.name);
      break;
    case 'text':
      putConstant(out.field(200), 'VARCHAR', one.text);
      break;
    case 'number':
      putConstant(out.field(200), 'INTEGER', one.value);
      break;
    case 'nothing':
      putConstant(out.field(200), 'NULL', undefined);
      break;
    case 'call':
      out.field(200).text(one.name);
      putAll(out.field(202), one.values);
      out.field(204).bool(true).field(100).unsigned(ORDER_MODIFIER).end();
      if (isOperator(one.name)) out.field(206).bool(true);
      break;
    case 'element':
      putAll(out.field(200), [one.list, one.place]);
      break;
    case 'isNothing':
      putAll(out.field(200), [one.value]);
      break;
    case 'less':
      putExpression(out.field(200).bool(true), one.left);
      putExpression(out.field(201).bool(true), one.right);
      break;
    case 'case':
      out.field(200).unsigned(1);
      putExpression(out.field(100).bool(true), one.when);
      putExpression(out.field(101).bool(true), one.then);
      out.end();
      putExpression(out.field(201).bool(true), one.otherwise);
      break;
    case 'cast':
      putExpression(out.field(200).bool(true), one.value);
      putType(out.field(201), one.type);
  }
  out.end();
}

function putAll(out: Serializer, all: readonly Expression[]): void {
  out.unsigned(all.length);
  for (const one of all) putExpression(out.bool(true), one);
}

function putConstant(out: Serializer, type: string, value: number | string | undefined): void {
  putType(out.field(100), type);
  out.field(101).bool(value === undefined);
  if (value !== undefined) out.field(102);
  if (typeof value === 'string') out.text(value);
  else if (value !== undefined) out.signed(value);
  out.end();
}
