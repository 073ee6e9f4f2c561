/**
 * Where a filter or a value is compiled: one segment, a derived relation of events, or a table that an earlier
 * stage computed. A scope knows its columns and their names in SQL.
 *
 * Invariant: a missing column is undefined, never a name that SQL would reject.
 */
import type { DayCount } from '../../util/segment-days.ts';
import { type ColumnName, type Kind, SEARCHED_TEXTS } from '../../contract/event.ts';
import { attributesNamed, attributesOf } from '../names/attribute-names.ts';
import {
  dayOfTime,
  firstOf,
  jsonValuesNamed,
  matches,
  constantText,
  type Params,
  quoteIdentifier,
  rowTagged,
  textWithout,
} from '../dialect/duckdb.ts';

export { ATTRIBUTE_PREFIX } from '../names/attribute-names.ts';
export const OVERFLOW_COLUMN = 'attrs';

/** One segment, as the catalog knows it. */
export interface SegmentInfo {
  readonly id: number;
  readonly kind: Kind;
  /** `2026-11-21` or `undated`; the first, if it has several. */
  readonly day: string;
  /** Undefined: all rows are of `day`. */
  readonly days?: readonly DayCount[] | undefined;
  readonly rows: number;
  /** Epoch microseconds of the first and the last event; undefined when undated. */
  readonly minTs: number | undefined;
  readonly maxTs: number | undefined;
  /** Physical column names, `a:…` and `attrs` among them. */
  readonly columns: ReadonlySet<string>;
  readonly hasDeletes: boolean;
  readonly tags: ReadonlySet<number>;
  /** Packet segments: rows that belong to no flow. */
  readonly unflowedPackets: number;
  readonly sources: ReadonlySet<number>;
  /** Whether messages are stored as shapes and variables. */
  readonly cut?: boolean | undefined;
  /** Layout of their numbers: bytes in one list (if omitted), or a list for each width. */
  readonly numberForm?: 'bytes' | 'widths' | undefined;
}

/** Most segments of a case have one set of columns. */
export function columnSets(segments: readonly SegmentInfo[]): ReadonlySet<string>[] {
  return [...new Set(segments.map(({ columns }) => columns))];
}

export type PruneReason = 'time' | 'kind' | 'source' | 'column' | 'tag' | 'filter';

/** A condition: decided by the scope, or SQL that may also be NULL instead of false. */
export type Predicate =
  { readonly value: boolean; readonly reason: PruneReason } | { readonly sql: string };

export const TRUE: Predicate = { value: true, reason: 'filter' };
export const FALSE: Predicate = { value: false, reason: 'filter' };
export const NO_COLUMN: Predicate = { value: false, reason: 'column' };

/** Text that a word is searched in; `json`: all values of a JSON object of strings. */
export interface Searchable {
  readonly sql: string;
  readonly json: boolean;
}

/** Texts of an event under one name: one, or a list of them. */
export interface NamedText {
  readonly sql: string;
  readonly isList: boolean;
}

export interface Scope {
  readonly params: Params;
  /** The segment, if the scope is exactly one. */
  readonly segment: SegmentInfo | undefined;
  column(name: ColumnName): string | undefined;
  /** The attribute of this name; of several spellings that an event has, the first. */
  attribute(name: string): string | undefined;
  /** Every spelling of the attribute of this name. */
  attributesNamed(name: string): readonly NamedText[];
  /** Every text attribute. */
  attributes(): readonly Searchable[];
  /** Texts that a word without a field is searched in. */
  texts(): readonly Searchable[];
  /** SQL of the event's kind or day, if it is not constant. */
  kind(): string;
  day(): string;
  /** Whether the event carries one of these tags. */
  tagged(ids: readonly number[]): Predicate;
  /** SQL for whether a text of this scope matches an RE2 pattern, if there is a better way than matching. */
  matching?(sql: string, pattern: string, ignoreCase: boolean): string | undefined;
}

/** Whether a text of a scope has a match of an RE2 pattern. */
export function hasMatch(scope: Scope, sql: string, pattern: string, ignoreCase: boolean): string {
  const known = scope.matching?.(sql, pattern, ignoreCase);
  return known ?? matches(sql, scope.params.text(pattern), ignoreCase);
}

/** Whether one of these columns is an attribute of this name, or may have it in the overflow. */
export function mayHaveAttribute(columns: ReadonlySet<string>, name: string): boolean {
  return columns.has(OVERFLOW_COLUMN) || attributesNamed(columns, name).length > 0;
}

function namedTexts(params: Params, columns: ReadonlySet<string>, name: string): NamedText[] {
  const named = attributesNamed(columns, name)
    // A set of columns may record which are requested.
    .filter(({ column }) => columns.has(column))
    .map(({ column }) => ({ sql: quoteIdentifier(column), isList: false }));
  if (!columns.has(OVERFLOW_COLUMN) || name.includes('\0')) return named;
  const rest = jsonValuesNamed(quoteIdentifier(OVERFLOW_COLUMN), params.text(name.toLowerCase()));
  return [...named, { sql: rest, isList: true }];
}

/** The first of several texts that there is. */
function firstText(texts: readonly NamedText[]): string | undefined {
  const each = texts.map(({ sql, isList }) => (isList ? firstOf(sql) : sql));
  return each.length > 1 ? `coalesce(${each.join(', ')})` : each[0];
}

function attributeTexts(columns: ReadonlySet<string>): Searchable[] {
  const out: Searchable[] = [];
  for (const stored of attributesOf(columns).values())
    for (const { column } of stored)
      if (columns.has(column)) out.push({ sql: quoteIdentifier(column), json: false });
  if (columns.has(OVERFLOW_COLUMN)) out.push({ sql: quoteIdentifier(OVERFLOW_COLUMN), json: true });
  return out;
}

/** @param use SQL of a column, which is needed */
function searchedTexts(columns: ReadonlySet<string>, use: (name: string) => string): Searchable[] {
  return SEARCHED_TEXTS.filter((name) => columns.has(name)).map((name) => ({
    sql:
      name === 'action' && columns.has('extractor')
        ? textWithout(use(name), use('extractor'))
        : use(name),
    json: false,
  }));
}

export function segmentScope(segment: SegmentInfo, params: Params): Scope {
  const { columns } = segment;
  const column = (name: ColumnName) => (columns.has(name) ? quoteIdentifier(name) : undefined);
  return {
    params,
    segment,
    column,
    attribute: (name) => firstText(namedTexts(params, columns, name)),
    attributesNamed: (name) => namedTexts(params, columns, name),
    attributes: () => attributeTexts(columns),
    texts: () => [...searchedTexts(columns, quoteIdentifier), ...attributeTexts(columns)],
    kind: () => constantText(segment.kind),
    day: () =>
      segment.days === undefined ? constantText(segment.day) : dayOfTime(quoteIdentifier('ts')),
    tagged: (ids) => {
      const here = ids.filter((id) => segment.tags.has(id));
      if (here.length === 0) return { value: false, reason: 'tag' };
      const list = here.map((id) => params.bind(id, 'INTEGER')).join(', ');
      const segmentParam = params.bind(segment.id, 'INTEGER');
      return {
        sql: rowTagged(segmentParam, list),
      };
    },
  };
}

/**
 * The same, to find out whether a filter is decided for all of the segment: its SQL is not executed, so that
 * patterns need not be in it once for each of many segments.
 */
export function judgingScope(segment: SegmentInfo, params: Params): Scope {
  return { ...segmentScope(segment, params), matching: () => 'TRUE' };
}

/**
 * A relation of events that an earlier stage left. `columns` are those of all its segments; requested ones are
 * recorded in `needed`, so that the relation below selects no others.
 */
export function eventsScope(
  columns: ReadonlySet<string>,
  needed: Set<string>,
  params: Params,
): Scope {
  const use = (name: string): string => {
    needed.add(name);
    return quoteIdentifier(name);
  };
  const attributes = (): Searchable[] => {
    for (const stored of attributesOf(columns).values())
      for (const { column } of stored) needed.add(column);
    if (columns.has(OVERFLOW_COLUMN)) needed.add(OVERFLOW_COLUMN);
    return attributeTexts(columns);
  };
  const named = (name: string): NamedText[] => {
    for (const { column } of attributesNamed(columns, name)) needed.add(column);
    if (columns.has(OVERFLOW_COLUMN)) needed.add(OVERFLOW_COLUMN);
    return namedTexts(params, columns, name);
  };
  return {
    params,
    segment: undefined,
    column: (name) => (columns.has(name) ? use(name) : undefined),
    attribute: (name) => firstText(named(name)),
    attributesNamed: named,
    attributes,
    texts: () => [...searchedTexts(columns, use), ...attributes()],
    kind: () => use('kind'),
    day: () => use('day'),
    tagged: (ids) => {
      if (ids.length === 0) return { value: false, reason: 'tag' };
      const list = ids.map((id) => params.bind(id, 'INTEGER')).join(', ');
      return {
        sql: `(${use('segment')}, ${use('row_id')}) IN (SELECT (segment, row) FROM marks.tagged WHERE tag IN (${list}))`,
      };
    },
  };
}

/** A table: its columns are accessed by their own references (see fields.ts). */
export function tableScope(texts: readonly string[], params: Params): Scope {
  return {
    params,
    segment: undefined,
    column: () => undefined,
    attribute: () => undefined,
    attributesNamed: () => [],
    attributes: () => [],
    texts: () => texts.map((alias) => ({ sql: quoteIdentifier(alias), json: false })),
    kind: () => "''",
    day: () => "''",
    tagged: () => ({ value: false, reason: 'tag' }),
  };
}
