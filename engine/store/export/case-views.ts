/**
 * SQL that makes a case's segments available in another DuckDB: attached read-only, as views without deleted rows.
 *
 * Invariant: texts of people and of evidence are SQL literals.
 */
import { isNotAmong } from '../segment-sql.ts';
import { EVENTS, identifier, literal } from '../table-layout.ts';
import { EVENT_ID, TYPED_COLUMNS, type TypedSegment, typedSelect } from './typed-events.ts';

export interface ViewedSegment extends TypedSegment {
  readonly id: number;
  /** Whether some of its rows are deleted: `markRows` lists them. */
  readonly hasDeleted: boolean;
}

interface ViewColumn {
  readonly name: string;
  readonly type: string;
}

export type ViewValue = string | number | undefined;

function databaseOf({ id }: { readonly id: number }): string {
  return identifier(`seg_${id}`);
}

export function attachSegment(segment: { readonly id: number }, path: string): string {
  return `ATTACH IF NOT EXISTS ${literal(path)} AS ${databaseOf(segment)} (READ_ONLY)`;
}

/** Creates the tables of deleted and tagged rows, by segment and row number. */
export function markTables(): string[] {
  return [
    'CREATE OR REPLACE TABLE daybook_deleted ("segment" INTEGER, "row" BIGINT)',
    'CREATE OR REPLACE TABLE daybook_tagged ("segment" INTEGER, "tag" VARCHAR, "row" BIGINT)',
  ];
}

/** Adds rows of a segment to the tables of `markTables`. @param tag undefined: the rows are deleted */
export function markRows(segment: number, tag: string | undefined, rows: Uint32Array): string {
  const numbers = rowsSql(rows);
  return tag === undefined
    ? `INSERT INTO daybook_deleted SELECT ${segment}, ${numbers}`
    : `INSERT INTO daybook_tagged SELECT ${segment}, ${textSql(tag)}, ${numbers}`;
}

/** Ascending row numbers as runs: deleted and tagged rows are often adjacent. */
function rowsSql(rows: Uint32Array): string {
  const first: number[] = [];
  const last: number[] = [];
  for (const row of rows) {
    if (last.at(-1) === row - 1) last[last.length - 1] = row;
    else {
      first.push(row);
      last.push(row);
    }
  }
  const runs = `SELECT unnest([${first.join(', ')}]) AS a, unnest([${last.join(', ')}]) AS b`;
  return `unnest(range(a, b + 1)) FROM (${runs}) AS runs`;
}

/** Condition: the row is not deleted; undefined: none is. */
function isShown({ id, hasDeleted }: ViewedSegment, table: string): string | undefined {
  if (!hasDeleted) return undefined;
  return isNotAmong(`SELECT "row" FROM daybook_deleted WHERE "segment" = ${id}`, table);
}

export function eventsView(segments: readonly ViewedSegment[]): string {
  return viewSql(
    'events',
    [{ name: 'kind', type: 'VARCHAR' }, { name: 'day', type: 'VARCHAR' }, ...TYPED_COLUMNS],
    segments.map((one) => {
      const shown = isShown(one, EVENTS);
      const where = shown === undefined ? '' : ` WHERE ${shown}`;
      return `${typedSelect(databaseOf(one), one)}${where}`;
    }),
  );
}

/** @param segments with tagged rows */
export function tagsView(segments: readonly ViewedSegment[]): string {
  return viewSql(
    'tags',
    [
      { name: 'event_id', type: 'VARCHAR' },
      { name: 'tag', type: 'VARCHAR' },
    ],
    segments.map((one) => {
      const shown = isShown(one, 'e');
      const visible = shown === undefined ? '' : ` AND ${shown}`;
      return `SELECT ${EVENT_ID} AS event_id, m."tag" AS tag FROM ${databaseOf(one)}.${EVENTS} AS e JOIN daybook_tagged AS m ON m."row" = e.rowid WHERE m."segment" = ${one.id}${visible}`;
    }),
  );
}

/** A view of literal values. Times are microseconds since 1970. */
export function valuesView(
  name: string,
  columns: readonly ViewColumn[],
  rows: readonly (readonly ViewValue[])[],
): string {
  return viewSql(
    name,
    columns,
    rows.map((row) => {
      const cells = columns.map(
        (one, i) => `${valueSql(row[i], one.type)} AS ${identifier(one.name)}`,
      );
      return `SELECT ${cells.join(', ')}`;
    }),
  );
}

function valueSql(value: ViewValue, type: string): string {
  if (value === undefined) return `CAST(NULL AS ${type})`;
  if (type === 'TIMESTAMP') return `make_timestamp(${value})`;
  return `CAST(${typeof value === 'number' ? value : textSql(value)} AS ${type})`;
}

/** DuckDB ends a statement at a zero byte. */
function textSql(text: string): string {
  return text.split('\0').map(literal).join(' || chr(0) || ');
}

/** A view of the rows of all selects, which have these columns; an empty one without selects. */
function viewSql(name: string, columns: readonly ViewColumn[], selects: readonly string[]): string {
  const none = columns.map((one) => `CAST(NULL AS ${one.type}) AS ${identifier(one.name)}`);
  const rows =
    selects.length === 0 ? `SELECT ${none.join(', ')} WHERE false` : selects.join('\nUNION ALL ');
  return `CREATE OR REPLACE VIEW ${identifier(name)} AS ${rows}`;
}
