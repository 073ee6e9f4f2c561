/**
 * Statements for a list of events of which any part can be shown: their number, their order, and rows by number.
 *
 * Invariants: every order is total; conditions in addition to the filter are bound like any value.
 */
import type { Name } from '../syntax/ast.ts';
import { micros, nullOf, Params } from '../dialect/duckdb.ts';
import { type EventContext, filterRelation, judge } from './events.ts';
import { expandedNames, knownField } from '../names/fields.ts';
import { ALL, type Filter } from '../filters/filter.ts';
import { messageParts } from './message-parts.ts';
import type { Found } from '../plan/known-rows/found.ts';
import type { Rows } from '../plan/known-rows/rows.ts';
import { Outputs } from './outputs.ts';
import type { Plan } from '../plan/plan.ts';
import { eventContext, inputOf, relationOf } from '../plan/plan-tables.ts';
import { QueryError } from '../syntax/query-error.ts';
import { type Relation, orderBy } from './relation.ts';
import { type SegmentInfo, TRUE } from '../plan/scope.ts';
import { sortRelation } from '../stages/sort.ts';
import { sortKeysOf } from '../stages/stages.ts';
import { type Statement, fieldOutput, instant, projected } from './statements.ts';

/** Texts of a list are cut there, in characters. */
export const MAX_CELL = 4096;

/** The filter of a plan that consists of a filter only; undefined otherwise. */
function plainFilter(plan: Plan): Filter | undefined {
  return plan.events.node === 'base' ? plan.events.filter : undefined;
}

/** Whether every event of every segment that is read is one of the plan's. */
export function takesAll(plan: Plan): boolean {
  const filter = plainFilter(plan);
  if (filter === undefined) return false;
  const params = new Params();
  return plan.segmentsUsed.every(
    (segment) => !segment.hasDeletes && !('sql' in judge(filter, segment, params)),
  );
}

/** For all events of a plan: their number, the number without a time, the first and the last time. */
export function compileExtent(plan: Plan): Statement {
  const params = new Params();
  const input = inputOf(plan.events, eventContext(plan, plan.segmentsUsed, params));
  const rows = input.rows([{ alias: 't', sqlType: 'TIMESTAMP' }], (scope) => [
    { select: [scope.column('ts') ?? nullOf('TIMESTAMP')], also: TRUE },
  ]);
  const sql = `SELECT count(*), count(*) FILTER (WHERE t IS NULL), ${micros('min(t)')}, ${micros('max(t)')} FROM (${rows}) AS r`;
  return { ...params.finish(sql), columns: [] };
}

interface ListOptions {
  readonly segments: readonly SegmentInfo[];
  /** Fields of each row, by any name of the language; unknown ones are omitted. */
  readonly fields: readonly string[];
}

/**
 * Rows by their numbers in their segments, in no order; includes deleted ones. Numbers come from the store, so they
 * are inlined.
 */
export function compileByNumber(
  plan: Plan,
  fields: readonly string[],
  rows: ReadonlyMap<SegmentInfo, readonly number[]>,
): Statement {
  const params = new Params();
  const numbers = new Map<SegmentInfo, readonly number[]>();
  for (const [segment, list] of rows) numbers.set({ ...segment, hasDeletes: false }, list);
  const segments = [...numbers.keys()];
  const context: EventContext = {
    ...eventContext(plan, segments, params),
    chosen: (segment) => numbers.get(segment) ?? [],
  };
  const needed = new Set<string>();
  const relation = filterRelation(ALL, context, needed);
  return listed(plan, { segments, fields, needed }, relation, params, (sql) => sql, undefined);
}

/** Rows `offset` to `offset + limit`, by time, of those with these numbers in their segments. */
export function compileNumbered(
  plan: Plan,
  fields: readonly string[],
  sets: ReadonlyMap<SegmentInfo, Rows>,
  offset: number,
  limit: number,
): Statement {
  const params = new Params();
  const segments = [...sets.keys()];
  const found: Found = new Map(
    [...sets].map(([{ id }, rows]) => [id, { rows, exact: true, rest: ALL, by: 'index' }]),
  );
  const needed = new Set<string>();
  const relation = filterRelation(ALL, eventContext(plan, segments, params), needed, found);
  const order = orderBy(relation.order);
  const [most, skipped] = [params.bind(limit, 'BIGINT'), params.bind(offset, 'BIGINT')];
  return listed(
    plan,
    { segments, fields, needed },
    relation,
    params,
    (sql) => `SELECT * FROM (${sql}) AS r ORDER BY ${order} LIMIT ${most} OFFSET ${skipped}`,
    order,
  );
}

/** Segment, number and time of all events in order, or of the first `limit`. */
export function compileOrder(
  plan: Plan,
  sort: { readonly field: string; readonly descending: boolean } | undefined,
  limit?: number,
): Statement {
  const params = new Params();
  const context = eventContext(plan, plan.segmentsUsed, params);
  const found = relationOf(plan.events, context, new Set());
  const relation =
    sort === undefined
      ? found
      : sortRelation(found, [{ by: nameOf(sort.field), descending: sort.descending }]);
  const most = limit === undefined ? '' : ` LIMIT ${params.bind(limit, 'BIGINT')}`;
  // Sort columns must be requested from the scope before the SQL is assembled.
  const order = orderBy(relation.order);
  const sql = `SELECT "segment", "row_id", ${micros('"ts"')} FROM (${relation.sql()}) AS r ORDER BY ${order}${most}`;
  return { ...params.finish(sql), columns: [] };
}

function nameOf(name: string): Name {
  return { name, start: 0, end: 0 };
}

/** Removes orders after which no stage selects rows: another order replaces them. */
export function withoutLastSort(plan: Plan): Plan {
  let { events } = plan;
  while (events.node === 'stage' && sortKeysOf(events.stage) !== undefined) events = events.of;
  return events === plan.events ? plan : { ...plan, events };
}

function listed(
  plan: Plan,
  { segments, fields, needed }: ListOptions & { readonly needed?: Set<string> },
  relation: Relation,
  params: Params,
  chosen: (sql: string) => string,
  order: string | undefined,
): Statement {
  const outputs = new Outputs(MAX_CELL);
  outputs.hidden('"segment"', '"row_id"', '"source_id"', '"seq"');
  instant(outputs, relation.scope, 'ts');
  const shown: Plan = { ...plan, resolve: plan.resolveShown };
  for (const name of fields) {
    try {
      const found = shown.resolve(nameOf(name));
      if (found.type === 'attribute') {
        fieldOutput(outputs, relation.scope, shown, found, `attrs.${found.name}`);
      } else projected(outputs, relation.scope, shown, segments, nameOf(name));
    } catch (error) {
      // A list's columns may be chosen before its events: a column that none of them has is empty.
      if (!(error instanceof QueryError)) throw error;
    }
  }
  // If `needed` is given, the rows are known.
  const messages = needed && messageParts(outputs, needed, segments);
  const select = outputs.sql.map((sql, i) => `${sql} AS o${i}`).join(', ');
  const by = order === undefined ? '' : ` ORDER BY ${order}`;
  const sql = `SELECT ${select} FROM (${chosen(relation.sql())}) AS r${by}`;
  return { ...params.finish(sql), columns: outputs.columns, messages };
}

/** The columns of a list that carry what was requested as `name`. */
export function columnNames(plan: Plan, name: string): readonly string[] {
  try {
    const field = plan.resolveShown(nameOf(name));
    if (field.type === 'attribute') return [`attrs.${field.name}`];
    return expandedNames(field) ?? [field.name];
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return [];
  }
}

/** Whether events can have more than one value of a field. */
export function hasSeveralValues(plan: Plan, name: string): boolean {
  const field = plan.resolve(nameOf(name));
  if (field.type === 'number') return field.refs.length > 1;
  if (field.type === 'address') return field.sides.length > 1;
  return field.type === 'virtual' && field.name === 'tag';
}

/** Whether every event has this field, or the field alone selects events. */
export function isAlwaysThere(name: string): boolean {
  const field = knownField(name);
  return field?.type === 'virtual' && ALWAYS_THERE.has(field.name);
}
const ALWAYS_THERE: ReadonlySet<string> = new Set(['kind', 'source', 'day', 'event_id']);
