/**
 * The tables of a case in ClickHouse, which `attach` makes from a hand-over and queries read (docs/team.md). Each
 * is loaded as `NAME_next`, which then replaces `NAME`, or, for tables to which people add rows, its rows are
 * merged into `NAME`.
 */
import { KINDS } from '../../../contract/event.ts';
import { SUMMED, type HandedOverFile } from '../../../contract/hand-over.ts';
import { identifier, text } from '../../../query/dialect/clickhouse.ts';
import { ATTRIBUTE_PREFIX } from '../../../util/attribute-columns.ts';
import { TYPED_COLUMNS } from '../../../store/index.ts';

/** Tables that are replaced as a whole. */
export const REPLACED = ['events', 'sources', 'files', 'attached'] as const;
/** Tables to which people add rows: those of a hand-over are in the same tables, marked as `handed_over`. */
export const SHARED = ['tags', 'notes', 'searches', 'findings'] as const;
export const TABLES = [...REPLACED, ...SHARED] as const;
export type SharedTable = (typeof SHARED)[number];
export type TableName = (typeof TABLES)[number];

/** Types of a hand-over's columns, by those of the DuckDB that wrote them. */
const TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'Nullable(String)',
  UTINYINT: 'Nullable(UInt8)',
  USMALLINT: 'Nullable(UInt16)',
  UINTEGER: 'Nullable(UInt32)',
  INTEGER: 'Nullable(Int32)',
  BIGINT: 'Nullable(Int64)',
  DOUBLE: 'Nullable(Float64)',
  TIMESTAMP: "Nullable(DateTime64(6, 'UTC'))",
  'MAP(VARCHAR, VARCHAR)': 'Map(String, Nullable(String))',
};

function columnList(columns: readonly (readonly [name: string, type: string])[]): string {
  return columns.map(([name, type]) => `${identifier(name)} ${type}`).join(', ');
}

const EVENT_COLUMNS = TYPED_COLUMNS.map(({ name, type }) => {
  const known = TYPES[type];
  if (known === undefined) throw new TypeError(`${type} has no type in ClickHouse`);
  return [name, known] as const;
});
/** Columns of a source, from its description in a hand-over; `about` is all of that, as JSON. */
const SOURCE_COLUMNS = [
  ...([['source_id', 'UInt32']] as const),
  ...(['name', 'path', 'format', 'status'] as const).map((name) => [name, 'String'] as const),
  ['raw_sha256', 'Nullable(String)'] as const,
  ...(['read', 'stored', 'duplicate', 'quarantined', 'skipped'] as const).map(
    (name) => [name, 'UInt64'] as const,
  ),
  ...(['first_ts', 'last_ts'] as const).map((name) => [name, 'Nullable(Int64)'] as const),
];
const TAG_COLUMNS = [
  ['event_id', 'String'],
  ['tag', 'String'],
] as const;
const NOTE_COLUMNS = [
  ['event_id', 'String'],
  ...(['text', 'at', 'user'] as const).map((name) => [name, 'String'] as const),
] as const;
const SEARCH_COLUMNS = (['name', 'view', 'note', 'created_at'] as const).map(
  (name) => [name, 'String'] as const,
);
const FINDING_COLUMNS = [
  ...(['tag', 'event_id', 'severity', 'color'] as const).map(
    (name) => [name, 'Nullable(String)'] as const,
  ),
  ['place', 'Nullable(UInt32)'] as const,
];
/** Defaults of a row: its author and its time. Tags that are handed over have neither. */
const ADDED =
  "at Nullable(DateTime64(6, 'UTC')) DEFAULT now64(6), user String DEFAULT currentUser()";

/** Whether a person chose this single event: then it is a bookmark. */
const BY_HAND = 'by_hand Bool DEFAULT false';

/** The columns of a file in a hand-over, for the function that reads it. */
export interface FileForm {
  readonly format: 'Parquet' | 'JSONEachRow' | 'JSONAsString';
  readonly structure: string;
}
export const EVENTS_FORM: FileForm = { format: 'Parquet', structure: columnList(EVENT_COLUMNS) };
export const TAGS_FORM: FileForm = { format: 'Parquet', structure: columnList(TAG_COLUMNS) };
export const NOTES_FORM: FileForm = {
  format: 'JSONEachRow',
  structure: columnList(NOTE_COLUMNS),
};
export const SOURCES_FORM: FileForm = { format: 'JSONAsString', structure: 'about String' };
export const SEARCHES_FORM: FileForm = {
  format: 'JSONEachRow',
  structure: columnList(SEARCH_COLUMNS),
};
export const FINDINGS_FORM: FileForm = {
  format: 'JSONEachRow',
  structure: columnList(FINDING_COLUMNS),
};

/** The beginning of a statement that adds sources: their columns and their values in `about`. */
export function insertSources(at: string): string {
  const values = SOURCE_COLUMNS.map(
    ([name, type]) => `JSONExtract(about, ${text(name)}, ${text(type)})`,
  );
  const names = SOURCE_COLUMNS.map(([name]) => identifier(name));
  return `INSERT INTO ${at} (${names.join(', ')}, about) SELECT ${values.join(', ')}, about`;
}

/** The comment of each table that `attach` made. A table of the same name without it is foreign. */
const MADE_BY_US = 'made by daybook attach';

/** @param at the table's name with its database */
export function createTable(table: TableName, at: string): string {
  const plain = (columns: string, order: string): string =>
    `CREATE TABLE IF NOT EXISTS ${at} (${columns}) ENGINE = MergeTree ORDER BY ${order} COMMENT ${text(MADE_BY_US)}`;
  switch (table) {
    case 'events':
      return [
        `CREATE TABLE IF NOT EXISTS ${at} (kind LowCardinality(String), day String, ${EVENTS_FORM.structure}, file LowCardinality(String),`,
        `INDEX words lower(message) TYPE text(tokenizer = 'splitByNonAlpha'),`,
        'INDEX sources src_ip TYPE bloom_filter, INDEX targets dst_ip TYPE bloom_filter)',
        'ENGINE = MergeTree PARTITION BY day ORDER BY (kind, ts, source_id, seq)',
        `SETTINGS allow_nullable_key = 1, default_compression_codec = 'ZSTD(1)'`,
        `COMMENT ${text(MADE_BY_US)}`,
      ].join('\n');
    case 'tags':
      // A tag added there by a statement has the first two columns.
      return plain(
        `${TAGS_FORM.structure}, handed_over Bool DEFAULT false, ${ADDED}, ${BY_HAND}`,
        '(tag, event_id)',
      );
    case 'notes':
      // The last of each person holds; an empty one takes it away.
      return plain(
        `event_id String, text String, handed_over Bool DEFAULT false, ${ADDED}`,
        'event_id',
      );
    case 'searches':
      // The last row of a number is valid; those of people override a hand-over's.
      return plain(
        `id UInt64, name String, view String, note String, removed Bool DEFAULT false, handed_over Bool DEFAULT false, ${ADDED}`,
        'id',
      );
    case 'findings':
      // The same for each value of a tag, or of the notes on an event: NULL leaves it unchanged, an empty text or 0
      // removes it. A row without severity, place and colour only makes a tag known.
      return plain(
        `tag String, event_id String, severity Nullable(String), place Nullable(UInt32), color Nullable(String), handed_over Bool DEFAULT false, ${ADDED}`,
        '(tag, event_id)',
      );
    case 'sources':
      return plain(`${columnList(SOURCE_COLUMNS)}, about String`, 'source_id');
    case 'files':
      return plain(
        'path String, sha256 String, kind String, day String, rows UInt64, min_ts Nullable(Int64), max_ts Nullable(Int64), columns Array(String), attributes Array(String), source_ids Array(UInt32), unflowed UInt64',
        'path',
      );
    case 'attached':
      return plain(
        'case_id String, case_name String, written_at String, audit_head String',
        'case_id',
      );
  }
}

const NEWER_COLUMNS: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  sources: ['about String'],
  tags: ["at Nullable(DateTime64(6, 'UTC'))", 'user String', BY_HAND],
};

/** Adds columns that an earlier version did not make: existing rows have no values for them. */
export function addColumns(table: TableName, at: string): string | undefined {
  const columns = NEWER_COLUMNS[table];
  if (columns === undefined) return undefined;
  return `ALTER TABLE ${at} ${columns.map((one) => `ADD COLUMN IF NOT EXISTS ${one}`).join(', ')}`;
}

/** The beginning of a statement that adds tags of a hand-over. */
export function insertTags(at: string): string {
  return `INSERT INTO ${at} (event_id, tag, handed_over, at, user) SELECT event_id, tag, true, NULL, ''`;
}

/** The same for notes, with their authors and times. */
export function insertNotes(at: string): string {
  return `INSERT INTO ${at} (event_id, text, handed_over, at, user) SELECT event_id, text, true, parseDateTime64BestEffort(at, 6, 'UTC'), user`;
}

/** The same for saved searches. They are identified by numbers; that of a search depends only on its content. */
export function insertSearches(at: string): string {
  const id = 'bitShiftRight(cityHash64(created_at, name, view), 12)';
  return `INSERT INTO ${at} (id, name, view, note, handed_over, at, user) SELECT ${id}, name, view, note, true, parseDateTime64BestEffort(created_at, 6, 'UTC'), ''`;
}

/** The same for severities, places and colours. */
export function insertFindings(at: string): string {
  return `INSERT INTO ${at} (tag, event_id, severity, place, color, handed_over, at, user) SELECT ifNull(tag, ''), ifNull(event_id, ''), severity, place, color, true, NULL, ''`;
}

/** Tables of a database that have one of our names and were not made by `attach`. */
export function foreignTables(database: string): string {
  const names = TABLES.flatMap((table) => [table, `${table}_next`]).map(text);
  return `SELECT name FROM system.tables WHERE database = ${text(database)} AND name IN (${names.join(', ')}) AND comment != ${text(MADE_BY_US)} ORDER BY name`;
}

/** What identifies a row of a hand-over in tables that also have other rows. */
const ROW_OF: Readonly<Record<SharedTable, readonly string[]>> = {
  tags: ['event_id', 'tag'],
  notes: ['event_id', 'text', 'at', 'user'],
  searches: ['id', 'name', 'view', 'note', 'at'],
  findings: ['tag', 'event_id', 'severity', 'place', 'color'],
};

/**
 * Makes the hand-over's rows in a table equal to those of another, without touching rows that people added: queries
 * and `tag` commands always find the table, whenever they began.
 * @param rows those of the hand-over
 */
export function reconciled(
  table: SharedTable,
  at: string,
  rows: string,
): { readonly add: string; readonly gone: string; readonly remove: string } {
  const columns = [...new Set([...ROW_OF[table], 'handed_over', 'at', 'user'])].join(', ');
  // A value may be missing, and is compared as a text.
  const key = `(${ROW_OF[table].map((name) => `ifNull(toString(${name}), '')`).join(', ')})`;
  const others = `handed_over AND ${key} NOT IN (SELECT ${key} FROM ${rows})`;
  return {
    add: `INSERT INTO ${at} (${columns}) SELECT ${columns} FROM ${rows} WHERE ${key} NOT IN (SELECT ${key} FROM ${at} WHERE handed_over)`,
    gone: others,
    remove: `DELETE FROM ${at} WHERE ${others} SETTINGS lightweight_deletes_sync = 2`,
  };
}

/** Number of a file's attribute names that are listed: with more, no attribute is known to be missing. */
export const MOST_ATTRIBUTES = 4096;

const PATH = `concat('events/kind=', kind, '/day=', day, '/', file)`;

/** Rows and sums of each file of events that are in a table: path, day, rows, and the sums in the order of `SUMMED`. */
export function countFiles(at: string): string {
  const sums = SUMMED.map((name) => `toString(ifNull(sum(toInt128(${name})), 0))`);
  return `SELECT ${PATH} AS path, day, toString(count()), ${sums.join(', ')} FROM ${at} GROUP BY kind, day, file`;
}

/** Files that are described by one statement: servers refuse one of 256 KiB. */
export const FILES_AT_ONCE = 500;

/** Records hashes, times, columns and attributes of files of a day, which planning a query needs. */
export function describeFiles(
  day: string,
  files: readonly Pick<HandedOverFile, 'path' | 'sha256'>[],
  { events, notes }: { readonly events: string; readonly notes: string },
): string {
  const has = EVENT_COLUMNS.filter(([name]) => name !== 'attributes').map(
    ([name]) => `if(count(${identifier(name)}) > 0, ${text(name)}, '')`,
  );
  const hashes = files.map(({ path, sha256 }) => `${text(path)}, ${text(sha256)}`);
  return [
    `INSERT INTO ${notes} WITH map(${hashes.join(', ')}) AS hashes`,
    `SELECT ${PATH} AS path, hashes[path], kind, day, count(),`,
    'toUnixTimestamp64Micro(min(ts)), toUnixTimestamp64Micro(max(ts)),',
    `arrayFilter(x -> x != '', [${has.join(', ')}]),`,
    `groupUniqArrayArray(${MOST_ATTRIBUTES})(mapKeys(attributes)),`,
    'groupUniqArray(assumeNotNull(source_id)), countIf(flow_id IS NULL)',
    `FROM ${events} WHERE day = ${text(day)} AND mapContains(hashes, ${PATH}) GROUP BY kind, day, file`,
  ].join('\n');
}

/** Constant columns of a file of events. @throws RangeError for a path that is not one of events */
export function pathParts(path: string): { kind: string; day: string; file: string } {
  const [, kind, day, file] = /^events\/kind=([^/]+)\/day=([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (
    kind === undefined ||
    day === undefined ||
    file === undefined ||
    !KINDS.some((k) => k === kind)
  )
    throw new RangeError(`${path} is not a file of events`);
  return { kind, day, file };
}

/** Number of attributes with a column of their own, so that reading one does not read all of them. */
const MOST_MATERIALISED = 32;

/** Column of such an attribute. */
function materialisedColumn(attribute: string): string {
  return `${ATTRIBUTE_PREFIX}${attribute}`;
}

/** Events of each kind by which common attributes are chosen. */
const SAMPLED = 20_000;
const SAMPLE = 'daybook_sample';

/** Makes a table for a sample of events, of this session. */
export const SAMPLE_TABLE = `CREATE OR REPLACE TEMPORARY TABLE ${SAMPLE} (weight Float64, attributes Map(String, Nullable(String)))`;

/**
 * Inserts a sample: the first events of a file.
 * @param rows number of events that they represent
 */
export function sampleOf(
  file: HandedOverFile,
  rows: number,
): readonly [select: string, form: FileForm, file: HandedOverFile] {
  const weight = rows / Math.max(1, Math.min(SAMPLED, file.rows));
  const first = `arrayJoin(if(rowNumberInAllBlocks() < ${SAMPLED}, [attributes], []))`;
  return [
    `INSERT INTO ${SAMPLE} SELECT ${weight} AS weight, ${first} AS attributes`,
    EVENTS_FORM,
    file,
  ];
}

/**
 * The attributes that most events have, according to the sample; those with the same value everywhere are hardly
 * queried.
 */
export function commonAttributes(): string {
  const each = 'arrayJoin(mapFilter((k, v) -> v IS NOT NULL, attributes)) AS one';
  return [
    `SELECT one.1 FROM (SELECT weight, ${each} FROM ${SAMPLE}) GROUP BY one.1`,
    `ORDER BY uniqUpTo(1)(one.2) > 1 DESC, sum(weight) DESC, one.1 LIMIT ${MOST_MATERIALISED}`,
  ].join('\n');
}

/** Gives attributes columns of their own. */
export function materialise(events: string, attributes: readonly string[]): string {
  const parts = attributes.map(
    (name) =>
      `ADD COLUMN IF NOT EXISTS ${identifier(materialisedColumn(name))} Nullable(String) MATERIALIZED attributes[${text(name)}]`,
  );
  return `ALTER TABLE ${events} ${parts.join(', ')}`;
}

/** The columns of attributes in a database. */
export function materialisedColumns(
  database: string,
  table: 'events' | 'events_next' = 'events',
): string {
  return `SELECT name FROM system.columns WHERE database = ${text(database)} AND table = '${table}' AND default_kind = 'MATERIALIZED' AND startsWith(name, '${ATTRIBUTE_PREFIX}') ORDER BY name`;
}
