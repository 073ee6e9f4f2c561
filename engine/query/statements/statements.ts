/**
 * Compiles plans to statements: SQL, the values to bind, and the meaning of the result columns.
 *
 * Result values are only numbers, bigints, texts, truth values or NULL: times are epoch microseconds, IPv6
 * addresses UUID text.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { compareNaturally } from '../../contract/words/natural-order.ts';
import type { Name } from '../syntax/ast.ts';
import {
  type BoundValue,
  copyInParts,
  micros,
  Params,
  partFiles,
  quoteIdentifier,
} from '../dialect/duckdb.ts';
import { attributesOf } from '../names/attribute-names.ts';
import { type Field, chosenName, expandedNames, knownField } from '../names/fields.ts';
import { allColumns } from './events.ts';
import { ALL } from '../filters/filter.ts';
import type { Found } from '../plan/known-rows/found.ts';
import { type Division, GroupParts } from './group-parts.ts';
import { type MessageParts, messageParts } from './message-parts.ts';
import { type OutputColumn, Outputs, readable } from './outputs.ts';
import { defaultColumns, isOther, otherNames } from '../names/default-columns.ts';
import { type Plan, timelineOf } from '../plan/plan.ts';
import { buildTable, eventContext, gridOf, inputOf, relationOf } from '../plan/plan-tables.ts';
import { inputColumns, orderBy, sortKey, type Table, type TableColumn } from './relation.ts';
import type { MatchedRange, Grid } from '../time/grid.ts';
import type { Rows } from '../plan/known-rows/rows.ts';
import { OVERFLOW_COLUMN, type Scope, type SegmentInfo } from '../plan/scope.ts';
import { timelineRange, timelineParts } from '../stages/timeline.ts';
import { TOP_TOTALS } from '../stages/top.ts';
import { shapeOf, variantsOf } from '../values/values.ts';

export interface Statement {
  readonly sql: string;
  readonly params: readonly BoundValue[];
  readonly columns: readonly OutputColumn[];
  /** If messages of its rows are in parts. */
  readonly messages?: MessageParts | undefined;
}

/** Indexes of a row's identity in its result. */
export const ROW_IDENTITY = { segment: 0, rowId: 1, sourceId: 2, seq: 3 } as const;

export interface RowsOptions {
  /** The segments of one day; all that the plan uses, if omitted. */
  readonly segments?: readonly SegmentInfo[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Only rows in this half-open span of time; an end may be open. */
  readonly within?:
    { readonly from: EpochMicros | undefined; readonly to: EpochMicros | undefined } | undefined;
  /** Messages in parts: of a plan whose rows are known. */
  readonly inParts?: boolean | undefined;
  /** In no order. */
  readonly unordered?: boolean | undefined;
}

/**
 * Events, in order. For a `streaming` plan, call it for one day's segments after the other, from the first day to
 * `undated`, until there are enough rows; otherwise once for all.
 */
export function compileRows(plan: Plan, options: RowsOptions = {}): Statement {
  const params = new Params();
  const segments = (options.segments ?? plan.segmentsUsed).filter((one) =>
    plan.segmentsUsed.some(({ id }) => id === one.id),
  );
  const context = eventContext(plan, segments, params);
  const needed = new Set<string>();
  const relation = relationOf(plan.events, context, needed);
  const { scope } = relation;
  const outputs = new Outputs();
  outputs.hidden('"segment"', '"row_id"', '"source_id"', '"seq"');
  if (plan.projection === undefined) defaultOutputs(outputs, scope, plan, segments);
  else {
    for (const name of plan.projection) projected(outputs, scope, plan, segments, name);
  }
  const messages = options.inParts === true ? messageParts(outputs, needed, segments) : undefined;
  const within = withinTime(scope, options.within, params);
  const order = options.unordered === true ? '' : ` ORDER BY ${orderBy(relation.order)}`;
  const limit = options.limit === undefined ? '' : ` LIMIT ${params.bind(options.limit, 'BIGINT')}`;
  const offset =
    options.offset === undefined || options.offset === 0
      ? ''
      : ` OFFSET ${params.bind(options.offset, 'BIGINT')}`;
  const select = outputs.sql.map((sql, i) => `${sql} AS o${i}`).join(', ');
  const sql = `SELECT ${select} FROM (${relation.sql()}) AS r${within}${order}${limit}${offset}`;
  return { ...params.finish(sql), columns: outputs.columns, messages };
}

/** Makes a table of the rows of `compileRows`: `k`, whose order of bytes is their order, `segment` and `row_id`. */
export function compileOrderTable(plan: Plan, options: RowsOptions, table: string): Statement {
  const params = new Params();
  const segments = options.segments ?? plan.segmentsUsed;
  const relation = relationOf(plan.events, eventContext(plan, segments, params), new Set());
  const within = withinTime(relation.scope, options.within, params);
  const limit =
    options.limit === undefined ? '' : ` ORDER BY k LIMIT ${params.bind(options.limit, 'BIGINT')}`;
  const key = sortKey(relation.order);
  const sql = `CREATE TABLE ${table} AS SELECT ${key} AS k, "segment", "row_id" FROM (${relation.sql()}) AS r${within}${limit}`;
  return { ...params.finish(sql), columns: [] };
}

/** Keys in the order of such a table, sorted: the `hex` of those of one of `every` rows, chosen by a hash. */
export function compileOrderPlaces(table: string, every: number): Statement {
  const params = new Params();
  const sampled = `hash(k) % ${params.bind(every, 'UBIGINT')} = 0`;
  const sql = `SELECT hex(k) FROM ${table} WHERE ${sampled} ORDER BY k`;
  return { ...params.finish(sql), columns: [] };
}

/** Number of rows in such a table. */
export function compileOrderSize(table: string): Statement {
  return { sql: `SELECT count(*) FROM ${table}`, params: [], columns: [] };
}

function sliceTests({ from, to }: KeySlice, params: Params): string[] {
  return [
    ...(from === undefined ? [] : [`k >= unhex(${params.bind(from, 'VARCHAR')})`]),
    ...(to === undefined ? [] : [`k < unhex(${params.bind(to, 'VARCHAR')})`]),
  ];
}

/** Segments and numbers of the rows in a slice of such a table, in order. */
export function compileOrderSlice(table: string, { from, to }: KeySlice): Statement {
  const params = new Params();
  const tests = sliceTests({ from, to }, params);
  const where = tests.length === 0 ? '' : ` WHERE ${tests.join(' AND ')}`;
  const sql = `SELECT "segment", "row_id" FROM ${table}${where} ORDER BY k`;
  return { ...params.finish(sql), columns: [] };
}

/**
 * The rows with these numbers in their segments in the form of `compileRows`, in no order.
 * @param segments whose columns the result has; those of `sets` if omitted
 */
export function compileKnownRows(
  plan: Plan,
  sets: ReadonlyMap<SegmentInfo, Rows>,
  segments: readonly SegmentInfo[] = [...sets.keys()],
): Statement {
  const found: Found = new Map(
    segments.map((segment) => [
      segment.id,
      { rows: sets.get(segment) ?? 'none', exact: true, rest: ALL, by: 'index' },
    ]),
  );
  return compileRows(
    { ...plan, events: { node: 'base', filter: ALL, found } },
    { segments, unordered: true },
  );
}

/**
 * Segments and numbers of those rows of some segments that are in the table of an order, in no order.
 * @param range of the numbers, half-open
 */
export function compileOrderedOf(
  table: string,
  segments: readonly SegmentInfo[],
  range?: { readonly from: number; readonly to: number },
): Statement {
  const params = new Params();
  const ids = segments.map(({ id }) => params.bind(id, 'INTEGER')).join(', ');
  const at = (row: number): string => params.bind(row, 'BIGINT');
  const rows =
    range === undefined ? '' : ` AND "row_id" >= ${at(range.from)} AND "row_id" < ${at(range.to)}`;
  const sql = `SELECT "segment", "row_id" FROM ${table} WHERE "segment" IN (${ids})${rows}`;
  return { ...params.finish(sql), columns: [] };
}

/** Names of the columns that the order adds to each spilled row. */
const KEY = 'k';
const PART = 'part';

/**
 * Makes the table `copy` of the rows of `known`, each with its position in the order and the number of its part.
 */
export function compilePlacedRows(
  known: Statement,
  order: string,
  places: readonly string[],
  copy: string,
): Statement {
  const [segment, row] = [ROW_IDENTITY.segment, ROW_IDENTITY.rowId];
  const part = places.map((place) => `CAST(o.k >= ${keyOf(place)} AS INTEGER)`).join(' + ');
  const join = `r.o${segment} = o."segment" AND r.o${row} = o."row_id"`;
  return {
    sql: `CREATE TABLE ${copy} AS SELECT r.*, o.k AS ${KEY}, ${part === '' ? '0' : part} AS ${PART} FROM (${known.sql}) AS r JOIN ${order} AS o ON ${join}`,
    params: known.params,
    columns: [],
  };
}

/** Writes such a table to files below `folder`, with a folder for each part. */
export function compileSpill(copy: string, folder: string, name: string): Statement {
  return { sql: copyInParts(copy, folder, PART, name), params: [], columns: [] };
}

/** The rows of a part between two places, in order, with the columns of `known`. */
export function compileSpilled(
  known: Statement,
  folder: string,
  part: number,
  slice: KeySlice,
): Statement {
  const params = new Params();
  const columns = Array.from({ length: widthOf(known) }, (_, i) => `o${i}`).join(', ');
  const tests = sliceTests(slice, params);
  const where = tests.length === 0 ? '' : ` WHERE ${tests.join(' AND ')}`;
  const sql = `SELECT ${columns} FROM ${partFiles(folder, PART, part)}${where} ORDER BY ${KEY}`;
  return { ...params.finish(sql), columns: known.columns };
}

/** Values of a row of a statement of rows. */
function widthOf({ columns }: Statement): number {
  let width = Object.keys(ROW_IDENTITY).length;
  for (const { parts } of columns) for (const { at } of parts) width = Math.max(width, at + 1);
  return width;
}

function keyOf(hex: string): string {
  return `unhex('${hex}')`;
}

/** Restricts rows to a slice of time; undated ones are in none. */
function withinTime(scope: Scope, within: RowsOptions['within'], params: Params): string {
  if (within === undefined) return '';
  const ts = scope.column('ts');
  if (ts === undefined) return '';
  const { from, to } = within;
  const tests = [
    ...(from === undefined ? [] : [`${ts} >= ${params.time(from)}`]),
    ...(to === undefined ? [] : [`${ts} < ${params.time(to)}`]),
  ];
  return tests.length === 0 ? '' : ` WHERE ${tests.join(' AND ')}`;
}

export function fieldOutput(
  outputs: Outputs,
  scope: Scope,
  plan: Plan,
  field: Field,
  name: string,
): void {
  const { extent } = plan;
  const shape = shapeOf(field, 0, extent);
  outputs.value(shape, variantsOf(field, shape, scope, extent)[0]!.parts, name);
}

export function instant(outputs: Outputs, scope: Scope, name: string): void {
  const zero = 'CAST(0 AS USMALLINT)';
  const nanos = scope.column('ts_ns');
  outputs.add(name, 'instant', [
    { role: 'value', sql: micros(scope.column('ts') ?? 'CAST(NULL AS TIMESTAMP)') },
    // The same whether or not another segment has such a column.
    { role: 'nanos', sql: nanos === undefined ? zero : `coalesce(${nanos}, ${zero})` },
    { role: 'digits', sql: scope.column('ts_digits') ?? 'CAST(NULL AS UTINYINT)' },
  ]);
}

function attributes(
  outputs: Outputs,
  scope: Scope,
  segments: readonly SegmentInfo[],
  others: ReadonlySet<string>,
): void {
  const named = [...attributesOf(allColumns(segments)).values()]
    .flat()
    .filter(({ name }) => !isOther(others, name));
  // Asking the scope for all of them has them selected below.
  const overflow = scope.attributes().some(({ json }) => json);
  for (const { column, name } of named.sort((a, b) => compareNaturally(a.name, b.name)))
    outputs.add(name, 'attribute', [{ role: 'value', sql: quoteIdentifier(column) }]);
  if (overflow) {
    outputs.add(OVERFLOW_COLUMN, 'overflow', [
      { role: 'value', sql: quoteIdentifier(OVERFLOW_COLUMN) },
    ]);
  }
}

function defaultOutputs(
  outputs: Outputs,
  scope: Scope,
  plan: Plan,
  segments: readonly SegmentInfo[],
): void {
  for (const name of defaultColumns(plan))
    if (name === 'ts') instant(outputs, scope, name);
    else fieldOutput(outputs, scope, plan, knownField(name)!, name);
  for (const name of plan.computed) projected(outputs, scope, plan, segments, name);
  attributes(outputs, scope, segments, otherNames(plan));
}

export function projected(
  outputs: Outputs,
  scope: Scope,
  plan: Plan,
  segments: readonly SegmentInfo[],
  name: Name,
): void {
  const found = plan.resolve(name);
  const others = expandedNames(found);
  if (found.name === 'attributes' && found.type === 'virtual') {
    attributes(outputs, scope, segments, plan.hidden);
  } else if (found.name === 'tag' && found.type === 'virtual') {
    outputs.add('tag', 'tags', [
      {
        role: 'value',
        sql: "(SELECT string_agg(CAST(m.tag AS VARCHAR), ',' ORDER BY m.tag) FROM marks.tagged AS m WHERE m.segment = r.segment AND m.row = r.row_id)",
      },
    ]);
  } else if (others !== undefined) {
    for (const other of others) projected(outputs, scope, plan, segments, { ...name, name: other });
  } else if (found.type === 'time' && found.name === 'ts') instant(outputs, scope, 'ts');
  else fieldOutput(outputs, scope, plan, found, chosenName(found));
}

// -- answers ---------------------------------------------------------------------------------------

/** First and last time of the events that a timeline counts: columns `low` and `high`, epoch microseconds. */
export function compileRange(plan: Plan): Statement {
  const timeline = timelineOf(plan);
  if (timeline === undefined) throw new TypeError('the plan is no timeline');
  const params = new Params();
  const input = inputOf(plan.events, eventContext(plan, plan.segmentsUsed, params));
  return { ...params.finish(timelineRange(timeline, input)), columns: [] };
}

export interface AnswerStatement extends Statement {
  /** Of a timeline. */
  readonly grid: Grid | undefined;
  /** To be run before it, in this order: groups in parts. */
  readonly before?: readonly Statement[];
  /** Tables that `before` makes; drop them after reading the rows. */
  readonly tables?: readonly string[];
}

/** Rows of a table between two positions of its order; each is the `hex` of a key of `compileKeys`. */
interface KeySlice {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** How the table of an answer is computed if memory is short. */
export interface AnswerOptions {
  readonly parts?: Division | undefined;
  readonly slice?: KeySlice | undefined;
}

/**
 * The statement of every shape but `rows`. `matched` is the result of `compileRange`, if the plan `needsRange`.
 * `limit` truncates tables (except `top` and `timeline`, which have limits of their own).
 */
export function compileAnswer(
  plan: Plan,
  matched?: MatchedRange,
  limit?: number,
  { parts: division, slice }: AnswerOptions = {},
): AnswerStatement {
  const params = new Params();
  const grid = gridOf(plan, matched);
  const timeline = timelineOf(plan);
  if (timeline !== undefined && plan.shape === 'timeline') {
    const input = inputOf(plan.events, eventContext(plan, plan.segmentsUsed, params));
    const parts = timelineParts(timeline, input, grid);
    const columns = outputsOf(parts.columns, 1);
    const select = ['CAST(i AS BIGINT)', ...columns.sql].map((sql, i) => `${sql} AS o${i}`);
    const order = parts.columns
      .filter(({ name }) => name !== 'count')
      .flatMap(({ aliases }) => aliases.map((alias) => `"${alias}" ASC NULLS LAST`));
    const sql = `SELECT ${select.join(', ')} FROM (${parts.sql}) AS t ORDER BY ${['i', ...order].join(', ')}`;
    return {
      ...params.finish(sql),
      columns: columns.outputs,
      grid,
    };
  }
  const parts = division && new GroupParts(division);
  const table = buildTable(plan, params, grid, parts);
  const { sql, outputs } = outputsOf(table.columns, 0);
  const totals = plan.shape === 'top' ? Object.values(TOP_TOTALS) : [];
  const select = [...sql, ...totals].map((one, i) => `${one} AS o${i}`).join(', ');
  const cut =
    limit === undefined || plan.shape === 'top' ? '' : ` LIMIT ${params.bind(limit, 'BIGINT')}`;
  const within = slice === undefined ? '' : ` WHERE ${inSlice(table, slice, params)}`;
  const whole = `SELECT ${select} FROM (${table.sql}) AS t${within} ORDER BY ${orderBy(table.order)}${cut}`;
  return {
    ...params.finish(whole),
    columns: outputs,
    grid,
    ...(parts === undefined
      ? {}
      : {
          before: parts.fills.map((fill) => ({ ...params.finish(fill), columns: [] })),
          tables: parts.tables,
        }),
  };
}

function inSlice(table: Table, { from, to }: KeySlice, params: Params): string {
  const key = sortKey(table.order);
  const at = (hex: string): string => `unhex(${params.text(hex)})`;
  const tests = [
    ...(from === undefined ? [] : [`${key} >= ${at(from)}`]),
    ...(to === undefined ? [] : [`${key} < ${at(to)}`]),
  ];
  return tests.length === 0 ? 'TRUE' : tests.join(' AND ');
}

/** Number of rows in an answer's table. */
export function compileTableSize(
  plan: Plan,
  matched: MatchedRange | undefined,
  parts: Division,
): Statement {
  const params = new Params();
  const table = buildTable(plan, params, gridOf(plan, matched), new GroupParts(parts));
  return { ...params.finish(`SELECT count(*) FROM (${table.sql}) AS t`), columns: [] };
}

/** Places in the order of an answer's table, in that order: those of one of `every` rows, chosen by a hash. */
export function compileKeys(
  plan: Plan,
  matched: MatchedRange | undefined,
  parts: Division,
  every: number,
): Statement {
  const params = new Params();
  const table = buildTable(plan, params, gridOf(plan, matched), new GroupParts(parts));
  const keys = `SELECT ${sortKey(table.order)} AS k FROM (${table.sql}) AS t`;
  const sampled = `hash(k) % ${params.bind(every, 'UBIGINT')} = 0`;
  return {
    ...params.finish(`SELECT hex(k) FROM (${keys}) AS s WHERE ${sampled} ORDER BY k`),
    columns: [],
  };
}

/**
 * One row: approximate number of groups of the first grouping stage, and number of their rows. Undefined: none
 * groups.
 */
export function compileGroupEstimate(plan: Plan, matched?: MatchedRange): Statement | undefined {
  const params = new Params();
  const parts = new GroupParts({ name: 'estimate', count: 1 });
  buildTable(plan, params, gridOf(plan, matched), parts);
  return parts.estimate === undefined
    ? undefined
    : { ...params.finish(parts.estimate), columns: [] };
}

/** SQL of the parts of columns as they leave the database, and their indexes from `from` on. */
export function outputsOf(
  columns: readonly TableColumn[],
  from: number,
): { sql: string[]; outputs: OutputColumn[] } {
  let at = from;
  const sql = inputColumns(columns).map(({ alias, sqlType }) =>
    readable(quoteIdentifier(alias), sqlType),
  );
  const outputs = columns.map(({ name, shape }): OutputColumn => ({
    name,
    type: shape.type,
    parts: shape.parts.map(({ role }) => ({ role, at: at++ })),
  }));
  return { sql, outputs };
}
