/**
 * A SQL script that shows a case to any DuckDB: views `events`, `sources`, `tags`, `notes` and `findings` over the
 * segments in place. Deleted and left-out events are hidden, as in Daybook itself.
 *
 * Invariant: the case is not written: segments are attached read-only. Texts of evidence are SQL literals.
 */
import type { SegmentRow } from '../../catalog/index.ts';
import {
  identifier,
  literal,
  segmentPath,
  EVENT_ID,
  TYPED_COLUMNS,
  typedMacros,
  typedSelect,
} from '../../store/index.ts';
import { type CaseSession, eventIdOf, statusOf } from '../../search/index.ts';
import { findingLines } from '../marks/findings.ts';

/** The statements, in order, without their semicolons. */
export function* openScript(session: CaseSession): Generator<string> {
  const { segments, tags, marks } = session.snapshot();
  for (const segment of segments)
    yield `ATTACH IF NOT EXISTS ${literal(segmentPath(session.folder, segment.file, segment))} AS ${databaseOf(segment)} (READ_ONLY)`;
  yield* typedMacros();
  yield 'CREATE OR REPLACE TABLE daybook_deleted ("segment" INTEGER, "row" BIGINT)';
  yield 'CREATE OR REPLACE TABLE daybook_tagged ("segment" INTEGER, "tag" VARCHAR, "row" BIGINT)';
  const names = new Map(tags.map(({ id, name }) => [id, name]));
  for (const { id } of segments)
    for (const tag of marks.get(id) ?? []) {
      const name = names.get(tag);
      // Left-out events are marked as deleted, too.
      if (tag !== 0 && name === undefined) continue;
      const rows = rowsSql(session.catalog.marks.of(id, tag));
      yield name === undefined
        ? `INSERT INTO daybook_deleted SELECT ${id}, ${rows}`
        : `INSERT INTO daybook_tagged SELECT ${id}, ${textSql(name)}, ${rows}`;
    }
  const shown = (segment: SegmentRow): string =>
    marks.get(segment.id)?.has(0) === true
      ? ` WHERE rowid NOT IN (SELECT "row" FROM daybook_deleted WHERE "segment" = ${segment.id})`
      : '';
  yield viewSql(
    'events',
    [{ name: 'kind', type: 'VARCHAR' }, { name: 'day', type: 'VARCHAR' }, ...TYPED_COLUMNS],
    segments.map((one) => `${typedSelect(databaseOf(one), one)}${shown(one)}`),
  );
  yield viewSql(
    'tags',
    [
      { name: 'event_id', type: 'VARCHAR' },
      { name: 'tag', type: 'VARCHAR' },
    ],
    segments
      .filter(({ id }) => [...(marks.get(id) ?? [])].some((tag) => names.has(tag)))
      .map((one) => {
        const visible = shown(one).replace(' WHERE ', ' AND ').replace('rowid', 'e.rowid');
        return `SELECT ${EVENT_ID} AS event_id, m."tag" AS tag FROM ${databaseOf(one)}.events AS e JOIN daybook_tagged AS m ON m."row" = e.rowid WHERE m."segment" = ${one.id}${visible}`;
      }),
  );
  yield sourcesView(session);
  yield notesView(session);
  yield findingsView(session);
}

/** The whole script, in parts: a header, and each statement with its semicolon. */
export function* scriptText(session: CaseSession, version: string): Generator<string> {
  yield `-- The case ${oneLine(session.folder)}, as Daybook ${version} shows it to DuckDB 1.5 or newer:\n`;
  yield '-- views events, sources, tags, notes and findings. It reads the files of the case and changes none.\n';
  yield '-- Run it again after an import, a deletion or a merge: it names the files of now.\n';
  for (const statement of openScript(session)) yield `${statement};\n`;
}

function databaseOf({ id }: Pick<SegmentRow, 'id'>): string {
  return identifier(`seg_${id}`);
}

/** A text of a person or of evidence: SQL ends at a zero byte. */
function textSql(text: string): string {
  return text.split('\0').map(literal).join(' || chr(0) || ');
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
}

/** Ascending row numbers as runs: those of a deletion or a tag are often consecutive. */
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

interface Column {
  readonly name: string;
  readonly type: string;
}

/** A view of all rows of some selects with these columns; empty if there are none. */
function viewSql(name: string, columns: readonly Column[], selects: readonly string[]): string {
  const none = columns.map((one) => `CAST(NULL AS ${one.type}) AS ${identifier(one.name)}`);
  const rows =
    selects.length === 0 ? `SELECT ${none.join(', ')} WHERE false` : selects.join('\nUNION ALL ');
  return `CREATE OR REPLACE VIEW ${identifier(name)} AS ${rows}`;
}

type Value = string | number | undefined;

function valuesView(
  name: string,
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
): string {
  const cast = (value: Value, type: string): string => {
    if (value === undefined) return `CAST(NULL AS ${type})`;
    if (type === 'TIMESTAMP') return `make_timestamp(${value})`;
    return `CAST(${typeof value === 'number' ? value : textSql(value)} AS ${type})`;
  };
  return viewSql(
    name,
    columns,
    rows.map((row) => {
      const cells = columns.map((one, i) => `${cast(row[i], one.type)} AS ${identifier(one.name)}`);
      return `SELECT ${cells.join(', ')}`;
    }),
  );
}

function sourcesView(session: CaseSession): string {
  const columns = [
    { name: 'source_id', type: 'UINTEGER' },
    { name: 'name', type: 'VARCHAR' },
    { name: 'path', type: 'VARCHAR' },
    { name: 'format', type: 'VARCHAR' },
    { name: 'status', type: 'VARCHAR' },
    { name: 'sha256', type: 'VARCHAR' },
    { name: 'bytes', type: 'BIGINT' },
    ...(['read', 'stored', 'duplicate', 'quarantined', 'skipped'] as const).map((name) => ({
      name,
      type: 'BIGINT',
    })),
    { name: 'first_ts', type: 'TIMESTAMP' },
    { name: 'last_ts', type: 'TIMESTAMP' },
  ];
  const rows = session
    .snapshot()
    .sources.map((source) => [
      ...[source.id, source.name, source.path, source.format, statusOf(source)],
      ...[source.rawSha256 ?? source.contentSha256, source.rawSize ?? source.contentSize],
      ...[source.read, source.stored, source.duplicate, source.quarantined, source.skipped],
      ...[source.firstTs, source.lastTs],
    ]);
  return valuesView('sources', columns, rows);
}

function notesView({ catalog }: CaseSession): string {
  const columns = ['event_id', 'text', 'at', 'user'].map((name) => ({ name, type: 'VARCHAR' }));
  const rows = catalog.notes.all().map((note) => [eventIdOf(note), note.text, note.at, note.user]);
  return valuesView('notes', columns, rows);
}

function findingsView({ catalog }: CaseSession): string {
  const columns = [
    ...['tag', 'event_id', 'severity', 'color'].map((name) => ({ name, type: 'VARCHAR' })),
    { name: 'place', type: 'INTEGER' },
  ];
  const rows = findingLines(catalog).map((one) =>
    [one.tag, one.event_id, one.severity, one.color, one.place].map((value) => value ?? undefined),
  );
  return valuesView('findings', columns, rows);
}
