/**
 * Selects events from segments: one SELECT per segment that may have some, all with the same columns.
 *
 * Invariants: deleted rows are never visible; a segment whose condition is decided by the catalog is skipped or
 * read without that condition.
 */
import { COLUMNS, isColumn } from '../../contract/event.ts';
import { attributeAliases, columnOfAlias, isAttributeColumn } from '../names/attribute-names.ts';
import {
  notDeleted,
  nullOf,
  type Params,
  quoteIdentifier,
  ROW_NUMBER,
  rowBetween,
  rowIn,
  rowIs,
  segmentTable,
  SQL_TYPES,
} from '../dialect/duckdb.ts';
import type { Resolve } from '../names/fields.ts';
import { type Filter, compileFilter } from '../filters/filter.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import { both } from '../filters/logic.ts';
import { hasPart, isInParts, partType } from './message-parts.ts';
import type { Found } from '../plan/known-rows/found.ts';
import { rowsPredicate } from '../plan/known-rows/row-predicate.ts';
import { type Input, type OrderKey, type Relation, selectBranch, unionAll } from './relation.ts';
import {
  type Predicate,
  type Scope,
  type SegmentInfo,
  FALSE,
  TRUE,
  columnSets,
  eventsScope,
  judgingScope,
  segmentScope,
} from '../plan/scope.ts';
import type { Extent } from '../values/values.ts';

/** Where events come from. */
export interface EventContext {
  /** For filters of stages. */
  readonly around: Surroundings;
  readonly segments: readonly SegmentInfo[];
  readonly params: Params;
  readonly resolve: Resolve;
  readonly extent: Extent;
  /** Only the rows with these numbers of each segment; all if omitted. */
  readonly chosen?: (segment: SegmentInfo) => readonly number[];
}

/** Time, then source, then record. Undated events are last. */
export const TIME_ORDER: readonly OrderKey[] = [
  { sql: '"ts"', descending: false },
  { sql: 'coalesce("ts_ns", 0)', descending: false },
  { sql: '"source_id"', descending: false },
  { sql: '"seq"', descending: false },
];
const ORDER_COLUMNS = ['ts', 'ts_ns', 'source_id', 'seq'] as const;
/** Columns of a relation of events that no segment stores. */
const DERIVED: Readonly<Record<string, string>> = {
  segment: 'INTEGER',
  row_id: 'BIGINT',
  kind: 'VARCHAR',
  day: 'VARCHAR',
};

/** Columns of a relation of the events of several segments, with each spelling of an attribute separate. */
export function allColumns(segments: readonly SegmentInfo[]): Set<string> {
  const out = new Set<string>();
  const sets = columnSets(segments);
  for (const columns of sets)
    for (const column of columns) if (!isAttributeColumn(column)) out.add(column);
  for (const alias of attributeAliases(sets)) out.add(alias);
  return out;
}

/** The condition under which a segment's rows are there at all. */
function visible(segment: SegmentInfo, params: Params): Predicate {
  if (!segment.hasDeletes) return TRUE;
  const id = params.bind(segment.id, 'INTEGER');
  return { sql: notDeleted(id) };
}

function numbered(segment: SegmentInfo, { chosen }: EventContext): Predicate {
  if (chosen === undefined) return TRUE;
  const rows = chosen(segment).filter((row) => Number.isSafeInteger(row));
  const [first] = rows;
  if (first === undefined) return FALSE;
  if (rows.length === 1) return { sql: rowIs(first) };
  const low = rows.reduce((a, b) => Math.min(a, b));
  const high = rows.reduce((a, b) => Math.max(a, b));
  // The range lets the rest of the segment be skipped.
  return { sql: `${rowBetween(low, high)} AND ${rowIn(rows)}` };
}

/** The conditions on a segment's rows: those of the filter, as far as nothing is known of them. */
function conditions(
  filter: Filter,
  segment: SegmentInfo,
  scope: Scope,
  found: Found | undefined,
): Predicate[] {
  const { params } = scope;
  const known = found?.get(segment.id);
  if (known === undefined || known.asFilter === true)
    return [compileFilter(filter, scope), visible(segment, params)];
  const rows = rowsPredicate(known.rows, params);
  return 'value' in rows && !rows.value ? [rows] : [rows, compileFilter(known.rest, scope)];
}

export function filterInput(filter: Filter, context: EventContext, found?: Found): Input {
  const { segments, params, resolve, extent } = context;
  const templates = segments.flatMap((segment) => {
    const known = found?.get(segment.id)?.templates;
    return known === undefined ? [] : [{ segment, templates: known }];
  });
  return {
    resolve,
    extent,
    params,
    events: true,
    templates,
    rows: (columns, make) =>
      unionAll(
        segments.flatMap((segment) => {
          const scope = segmentScope(segment, params);
          const where = conditions(filter, segment, scope, found);
          const decided = both(where);
          if (!('sql' in decided) && !decided.value) return [];
          const from = (columns: string): string => segmentTable(segment, columns);
          return make(scope).flatMap((branch) => selectBranch(columns, branch, from, where) ?? []);
        }),
        columns,
      ),
  };
}

/** The same events as one subquery with the columns that were requested from its scope. */
export function filterRelation(
  filter: Filter,
  context: EventContext,
  needed: Set<string> = new Set(),
  found?: Found,
): Relation {
  const columns = allColumns(context.segments);
  for (const name of ORDER_COLUMNS) needed.add(name);
  needed.add('segment').add('row_id');
  const { params, segments } = context;
  return {
    resolve: context.resolve,
    extent: context.extent,
    scope: eventsScope(columns, needed, params),
    order: TIME_ORDER,
    sql: () => {
      const list = [...needed].sort();
      const selected = list.map((alias) => ({ alias, sqlType: typeOf(alias) }));
      const parts = segments.flatMap((segment) => {
        const scope = segmentScope(segment, params);
        const matched = conditions(filter, segment, scope, found);
        const value = (name: string): string => {
          if (name === 'segment') return params.bind(segment.id, 'INTEGER');
          if (name === 'row_id') return ROW_NUMBER;
          if (name === 'kind') return scope.kind();
          if (name === 'day') return scope.day();
          if (partType(name) !== undefined)
            return hasPart(segment, name) ? quoteIdentifier(name) : nullOf(typeOf(name));
          const column = physicalName(segment, name);
          return column === undefined ? nullOf(typeOf(name)) : quoteIdentifier(column);
        };
        const branch = { select: list.map(value), also: TRUE };
        const where = [...matched, numbered(segment, context)];
        // Stored parts of messages are read unassembled.
        const from = (columns: string): string =>
          segmentTable(segment, isInParts(needed) ? '' : columns);
        return selectBranch(selected, branch, from, where) ?? [];
      });
      return unionAll(parts, selected);
    },
  };
}

/** The segment's name of a column of a relation of events. */
function physicalName({ columns }: SegmentInfo, name: string): string | undefined {
  if (isAttributeColumn(name)) return columnOfAlias(columns, name);
  return columns.has(name) ? name : undefined;
}

function typeOf(name: string): string {
  const derived = Object.hasOwn(DERIVED, name) ? DERIVED[name] : undefined;
  if (derived !== undefined) return derived;
  const part = partType(name);
  if (part !== undefined) return part;
  return isColumn(name) ? SQL_TYPES[COLUMNS[name]] : 'VARCHAR';
}

/** How a filter applies to a segment: not at all, completely, or row by row. */
export function judge(filter: Filter, segment: SegmentInfo, params: Params): Predicate {
  return both([compileFilter(filter, judgingScope(segment, params))]);
}
