/**
 * The catalog of a segment's file: one schema, one table.
 * https://github.com/duckdb/duckdb, src/storage/checkpoint_manager.cpp and src/storage/serialization
 */
import type { DraftColumn, GeneratedColumn } from './draft.ts';
import { isStored } from './draft.ts';
import type { MetadataPlace } from './metadata-blocks.ts';
import { Serializer } from './serializer.ts';

const Entry = { table: 1, schema: 2 } as const;
const Class = { cast: 3, column: 4, constant: 7, function: 9 } as const;
const Expression = { cast: 12, constant: 75, function: 140, column: 203 } as const;
/** Of the type of what a function's arguments are ordered by; empty. */
const ORDER_MODIFIER = 2;

const TYPES: Readonly<Record<string, number>> = {
  ...{ INTEGER: 13, BIGINT: 14, TIMESTAMP: 19, DOUBLE: 23, VARCHAR: 25 },
  ...{ UTINYINT: 28, USMALLINT: 29, UINTEGER: 30, UUID: 54 },
};

/** @param table where the rows' metadata begins */
export function catalogBytes(
  name: string,
  columns: readonly DraftColumn[],
  table: MetadataPlace,
  rows: number,
): Uint8Array {
  const out = new Serializer();
  out.field(100).unsigned(2);
  out.field(99).unsigned(Entry.schema);
  out.field(100).bool(true);
  out.field(100).unsigned(Entry.schema).field(102).text('main').field(105).unsigned(0);
  out.end().end();
  out.field(99).unsigned(Entry.table);
  out.field(100).bool(true);
  out.field(100).unsigned(Entry.table).field(102).text('main').field(105).unsigned(0);
  out.field(200).text(name);
  out.field(201).field(100).unsigned(columns.length);
  for (const column of columns) putColumn(out, column);
  out.end().end();
  putPlace(out.field(101), table);
  out.field(102).unsigned(rows);
  // No indexes.
  out.field(103).unsigned(0).field(104).unsigned(0);
  return out.end().end().take();
}

export function putPlace(out: Serializer, { pointer, offset }: MetadataPlace): void {
  out.field(100).unsigned(pointer).field(101).unsigned(offset).end();
}

function putColumn(out: Serializer, column: DraftColumn): void {
  out.field(100).text(column.name);
  putType(out.field(101), column.type);
  const isGenerated = !isStored(column);
  if (isGenerated) {
    out.field(102).bool(true);
    putValue(out, column);
  }
  out.field(103).unsigned(isGenerated ? 1 : 0);
  out.field(104).unsigned(0);
  out.end();
}

function putType(out: Serializer, type: string): void {
  out.field(100).unsigned(TYPES[type]!).end();
}

/** The expression of a generated column, of its type. */
function putValue(out: Serializer, { type, value }: GeneratedColumn): void {
  out.field(100).unsigned(Class.cast).field(101).unsigned(Expression.cast);
  out.field(200).bool(true);
  switch (value.kind) {
    case 'text':
      putConstant(out, 'VARCHAR', value.text);
      break;
    case 'less':
      putCall(out, '-', [value.column, { type, value: value.by }]);
      break;
    case 'time':
      if (value.unit === 1000) putCall(out, 'make_timestamp_ms', [value.column]);
      else
        putCall(out, 'make_timestamp', [
          () => putCall(out, '*', [value.column, { type: 'BIGINT', value: value.unit }]),
        ]);
  }
  putType(out.field(201), type);
  out.end();
}

function putConstant(out: Serializer, type: string, value: number | string): void {
  out.field(100).unsigned(Class.constant).field(101).unsigned(Expression.constant);
  out.field(200);
  putType(out.field(100), type);
  out.field(101).bool(false);
  out.field(102);
  if (typeof value === 'string') out.text(value);
  else if (type === 'BIGINT') out.signed(value);
  else out.unsigned(value);
  out.end().end();
}

function putCall(
  out: Serializer,
  name: string,
  values: readonly (string | { type: string; value: number } | (() => void))[],
): void {
  out.field(100).unsigned(Class.function).field(101).unsigned(Expression.function);
  out.field(200).text(name);
  out.field(202).unsigned(values.length);
  for (const value of values) {
    out.bool(true);
    if (typeof value === 'function') value();
    else if (typeof value === 'object') putConstant(out, value.type, value.value);
    else {
      out.field(100).unsigned(Class.column).field(101).unsigned(Expression.column);
      out.field(200).unsigned(1).text(value).end();
    }
  }
  out.field(204).bool(true).field(100).unsigned(ORDER_MODIFIER).end();
  if (/^\W$/.test(name)) out.field(206).bool(true);
  out.end();
}
