/**
 * Events in the form in which others read them, in their DuckDB and in handed-over files: one relation with the
 * same columns for every segment, addresses as text and attributes as a map.
 *
 * Invariant: `TYPED_COLUMNS` is the schema of everything that leaves a case (`SCHEMA_VERSION`); a segment without a
 * column has nulls. Rows are in the order of the segment, which is that of time.
 */
import { COLUMNS, PROTOCOL_SEQ, type ColumnName } from '../../contract/event.ts';
import { evidenceNames } from '../../util/attribute-columns.ts';
import { daysOf, isUsual, type OfDays } from '../../util/segment-days.ts';
import { OVERFLOW_COLUMN, SQL_TYPES } from '../parts/column-types.ts';
import { EVENTS, identifier, literal } from '../table-layout.ts';

/** Incremented when a column is renamed, retyped or removed. */
export const SCHEMA_VERSION = 1;

interface TypedColumn {
  readonly name: string;
  /** SQL type. */
  readonly type: string;
}

const ADDRESSES: Readonly<Record<string, readonly [ColumnName, ColumnName]>> = {
  src_ip: ['src_ip4', 'src_ip6'],
  dst_ip: ['dst_ip4', 'dst_ip6'],
};
const ATTRIBUTES: TypedColumn = { name: 'attributes', type: 'MAP(VARCHAR, VARCHAR)' };

/** The columns of an event besides its kind and its day, in order. */
export const TYPED_COLUMNS: readonly TypedColumn[] = [
  { name: 'event_id', type: 'VARCHAR' },
  ...(Object.keys(COLUMNS) as ColumnName[]).flatMap((name) => {
    if (name.endsWith('_ip6')) return [];
    if (name.endsWith('_ip4')) return [{ name: name.slice(0, -1), type: 'VARCHAR' }];
    return [{ name, type: SQL_TYPES[COLUMNS[name]] }];
  }),
  ATTRIBUTES,
];

export interface TypedSegment extends OfDays {
  readonly kind: string;
  readonly columns: readonly string[];
}

const IP4 = 'daybook_ip4';
const IP6 = 'daybook_ip6';

/** Functions that the selects below use: `CREATE MACRO` creates them in the current database. */
export function typedMacros(): string[] {
  const octet = (shift: number): string => `((a >> ${shift}) & 255)::VARCHAR`;
  const dotted = [24, 16, 8, 0].map(octet).join(` || '.' || `);
  const groups = Array.from({ length: 8 }, (_, i) => {
    const digits = `ltrim(substr(h, ${1 + 4 * i}, 4), '0')`;
    return `CASE WHEN ${digits} = '' THEN '0' ELSE ${digits} END`;
  });
  // The longest run of zeros becomes `::`, the first of equally long ones (RFC 5952); the numbers of groups before
  // and after it.
  const runs = [8, 7, 6, 5, 4, 3, 2].map((n) => {
    const run = `':${'0:'.repeat(n)}'`;
    const at = `strpos(':' || g || ':', ${run})`;
    return `WHEN contains(':' || g || ':', ${run}) THEN left(g, greatest(${at} - 2, 0)) || '::' || substr(g, ${at} + ${2 * n})`;
  });
  const byte = (at: number): string =>
    `CAST(CAST('0x' || substr(h, ${at}, 2) AS UTINYINT) AS VARCHAR)`;
  const mapped = `'::ffff:' || ${[25, 27, 29, 31].map(byte).join(` || '.' || `)}`;
  const shortened = `list_transform([${groups.join(` || ':' || `)}], lambda g: CASE ${runs.join(' ')} ELSE g END)[1]`;
  const text = `CASE WHEN starts_with(h, '00000000000000000000ffff') THEN ${mapped} ELSE ${shortened} END`;
  // Lambdas, so that each computed value appears once in the expression.
  return [
    `CREATE OR REPLACE MACRO ${IP4}(a) AS ${dotted}`,
    `CREATE OR REPLACE MACRO ${IP6}(u) AS CASE WHEN u IS NOT NULL THEN list_transform([replace(CAST(u AS VARCHAR), '-', '')], lambda h: ${text})[1] END`,
  ];
}

/** An event's id as text: `12:345`, `12:f3` for a flow, `12:p7` for a protocol event. */
export const EVENT_ID = `source_id || CASE WHEN seq >= 0 THEN ':' || seq WHEN seq < ${-PROTOCOL_SEQ} THEN ':p' || (-seq - ${PROTOCOL_SEQ}) ELSE ':f' || -seq END`;

/**
 * The columns of a select over a segment's events: `SQL AS "name"`, in the order of `TYPED_COLUMNS`; or some of
 * them.
 */
export function typedColumns(
  { columns }: Pick<TypedSegment, 'columns'>,
  names?: readonly string[],
): string[] {
  const there = new Set(columns);
  const chosen = TYPED_COLUMNS.filter(({ name }) => names?.includes(name) !== false);
  return chosen.map(({ name, type }) => `${valueOf(name, type, there)} AS ${identifier(name)}`);
}

function valueOf(name: string, type: string, there: ReadonlySet<string>): string {
  if (name === 'event_id') return EVENT_ID;
  if (name === ATTRIBUTES.name) return attributesSql(there);
  const address = ADDRESSES[name];
  if (address === undefined) return there.has(name) ? identifier(name) : `CAST(NULL AS ${type})`;
  const [v4, v6] = address;
  const texts = [
    ...(there.has(v4) ? [`${IP4}(${v4})`] : []),
    ...(there.has(v6) ? [`${IP6}(${v6})`] : []),
  ];
  return texts.length === 0 ? `CAST(NULL AS ${type})` : `coalesce(${texts.join(', ')})`;
}

/** An event's attributes, by their names in the evidence. */
function attributesSql(columns: ReadonlySet<string>): string {
  const entries: string[] = [];
  const used = new Set<string>();
  for (const [column, name] of evidenceNames(columns)) {
    // Earlier versions could make two columns of one name and numbered the second.
    const key = used.has(name) ? column.replace(/^a\d*:/, '') : name;
    if (used.has(key)) continue;
    used.add(key);
    entries.push(`{'k': ${literal(key)}, 'v': ${identifier(column)}}`);
  }
  const none = 'CAST([] AS STRUCT(k VARCHAR, v VARCHAR)[])';
  const attributes =
    entries.length === 0 ? none : `list_filter([${entries.join(', ')}], lambda e: e.v IS NOT NULL)`;
  if (!columns.has(OVERFLOW_COLUMN)) return `map_from_entries(${attributes})`;
  const rest = `map_entries(from_json(coalesce(${identifier(OVERFLOW_COLUMN)}, '{}'), '"MAP(VARCHAR, VARCHAR)"'))`;
  const others = `list_filter(list_transform(${rest}, lambda e: {'k': e.key, 'v': e.value}), lambda e: e.v IS NOT NULL AND NOT list_contains(list_transform(${attributes}, lambda o: o.k), e.k))`;
  return `map_from_entries(list_concat(${attributes}, ${others}))`;
}

/** The day of each row, in the usual form. */
function dayColumn(segment: TypedSegment): string {
  const days = daysOf(segment);
  const day =
    days.length === 1 || !days.every(({ day: one }) => isUsual(one))
      ? literal(segment.day)
      : `strftime(ts, '%Y-%m-%d')`;
  return `${day} AS day`;
}

/** All events of an attached segment. */
export function typedSelect(database: string, segment: TypedSegment): string {
  return `SELECT ${literal(segment.kind)} AS kind, ${dayColumn(segment)}, ${typedColumns(segment).join(', ')} FROM ${database}.${EVENTS}`;
}
