/**
 * ClickHouse statements for what a window shows of a plan's events: their time range, any part of their list, and
 * series over time.
 *
 * Invariant: orders are total, and equal to those of a list on a case (event-list.ts).
 */
import type { EpochMicros } from '../../contract/event.ts';
import {
  type ClickHouseOptions,
  type ClickHouseStatement,
  type Shown,
  after,
  eventsClickHouse,
  shownEvents,
  shownFields,
  statementOf,
} from './statement.ts';
import {
  type ClickHouseRows,
  datedEvents,
  firstValue,
  ordered,
  selectOf,
  subquery,
} from '../dialect/clickhouse-rows.ts';
import { both, maybeMicrosOf, time } from '../dialect/clickhouse.ts';
import { byValues, orderOf } from '../dialect/clickhouse-values.ts';
import { MAX_CELL } from '../statements/event-list.ts';
import type { OutputColumn } from '../statements/outputs.ts';
import type { Plan } from '../plan/plan.ts';
import { QueryError } from '../syntax/query-error.ts';
import type { OrderKey, TableColumn } from '../statements/relation.ts';
import type { EvenGrid } from '../statements/stacked-timeline.ts';
import { keysClickHouse } from '../stages/group.ts';
import type { TopStage } from '../stages/top.ts';

/** A part of the events of a plan: a half-open span of time, or those without a time. */
type Part = { readonly from: EpochMicros; readonly to: EpochMicros } | 'undated';

export interface ListPart {
  /** Names that resolve to nothing are omitted. */
  readonly fields: readonly string[];
  /** All events if omitted. */
  readonly part?: Part | undefined;
  /** Only events before, or after, one in the order of time. */
  readonly beside?: { readonly than: EventPlace; readonly earlier: boolean } | undefined;
  /** Replaces the plan's order. */
  readonly sort?: { readonly field: string; readonly descending: boolean } | undefined;
  readonly backwards?: boolean;
  readonly limit: number;
  readonly offset?: number;
}

/** Position of an event in the order of time. */
interface EventPlace {
  readonly ts: EpochMicros | undefined;
  readonly tsNs: number;
  readonly sourceId: number;
  readonly seq: number;
}

/** `count`, `undated`, `first` and `last` of the events: one row. */
export function clickhouseExtent(plan: Plan, options: ClickHouseOptions): ClickHouseStatement {
  const { events, given } = eventsClickHouse(plan, options);
  const us = maybeMicrosOf('ts');
  const list = `count(), countIf(ts IS NULL), min(${us}), max(${us})`;
  return statementOf({ sql: selectOf(list, events), columns: undefined }, given);
}

/** The ids of the events: one column, `event_id`. */
export function clickhouseEventIds(plan: Plan, options: ClickHouseOptions): ClickHouseStatement {
  const { events, given } = eventsClickHouse(plan, options);
  return statementOf({ sql: selectOf('event_id', events), columns: undefined }, given);
}

/** Rows `i` (NULL: no time) and events, of spans of `width` microseconds that begin at its multiples. */
export function clickhouseHistogram(
  plan: Plan,
  width: number,
  part: Part | undefined,
  options: ClickHouseOptions,
): ClickHouseStatement {
  const { events, given } = eventsClickHouse(plan, options);
  const rows = part === undefined ? events : partOf(events, part);
  const sql = selectOf(
    `${bucketSql('ts', { from: 0, width })} AS i, count() AS n`,
    rows,
    'GROUP BY i ORDER BY i',
  );
  return statementOf({ sql, columns: undefined }, given);
}

/** Rows of a list: its fields as `attrs.NAME` or by their names. */
export function clickhouseList(
  plan: Plan,
  { fields, part, beside, sort, backwards = false, limit, offset = 0 }: ListPart,
  options: ClickHouseOptions,
): ClickHouseStatement {
  const { events, given } = eventsClickHouse(plan, { ...options, isShown: true });
  let rows = part === undefined ? events : partOf(events, part);
  if (beside !== undefined)
    rows = { ...rows, where: both([rows.where, besideSql(beside.than, beside.earlier)]) };
  if (sort !== undefined) rows = { ...rows, order: [...sortKeys(sort, rows), ...rows.order] };
  if (backwards)
    rows = { ...rows, order: rows.order.map((key) => ({ ...key, descending: !key.descending })) };
  const shown = ['ts', ...fields].flatMap((name) => listField(name, plan, rows));
  const made = shownEvents(rows, shown, given);
  return statementOf(made, given, `LIMIT ${limit}${offset === 0 ? '' : ` OFFSET ${offset}`}`);
}

/**
 * One row: the position of the earliest event at or after a time, among the first events of a list that is not in
 * order of time.
 */
export function clickhousePlace(
  plan: Plan,
  ts: EpochMicros,
  { sort, limit }: Pick<ListPart, 'sort' | 'limit'>,
  options: ClickHouseOptions,
): ClickHouseStatement {
  const { events, given } = eventsClickHouse(plan, options);
  const order = [...(sort === undefined ? [] : sortKeys(sort, events)), ...events.order];
  const placed = `SELECT ts, row_number() OVER (${ordered(order)}) - 1 AS place\nFROM ${subquery(selectOf('*', events))}`;
  const sql = `SELECT place\nFROM ${subquery(placed)}\nWHERE place < ${limit} AND ts >= ${time(ts)}\nORDER BY ts, place\nLIMIT 1`;
  return statementOf({ sql, columns: undefined }, given);
}

function sortKeys(
  { field, descending }: NonNullable<ListPart['sort']>,
  rows: ClickHouseRows,
): OrderKey[] {
  const { shape, sql } = firstValue({ name: field, start: 0, end: 0 }, rows);
  return orderOf(shape, sql, descending);
}

function listField(name: string, plan: Plan, rows: ClickHouseRows): Shown[] {
  const shown = { ...rows, resolve: plan.resolveShown };
  const at = { name, start: 0, end: 0 };
  try {
    const field = shown.resolve(at);
    const values = shownFields(at, shown);
    const named =
      field.type === 'attribute'
        ? values.map((value) => ({ ...value, name: `attrs.${field.name}` }))
        : values;
    return named.map(cut);
  } catch (error) {
    // A list's columns may be chosen before its events: a column that none of them has is empty.
    if (!(error instanceof QueryError)) throw error;
    return [];
  }
}

function cut(value: Shown): Shown {
  const isText = value.type === undefined && /^(?:text|attribute)$/.test(value.shape.type);
  return isText ? { ...value, sql: `leftUTF8(${value.sql}, ${MAX_CELL})` } : value;
}

function partOf(rows: ClickHouseRows, part: Part): ClickHouseRows {
  const where =
    part === 'undated' ? 'ts IS NULL' : `(ts >= ${time(part.from)} AND ts < ${time(part.to)})`;
  return { ...rows, where: both([rows.where, where]) };
}

function besideSql({ ts, tsNs, sourceId, seq }: EventPlace, earlier: boolean): string {
  const sign = earlier ? '<' : '>';
  const order = `(ifNull(ts_ns, 0), assumeNotNull(source_id), assumeNotNull(seq)) ${sign} (${tsNs}, ${sourceId}, ${seq})`;
  if (ts === undefined)
    return earlier ? `(ts IS NOT NULL OR ${order})` : `(ts IS NULL AND ${order})`;
  const at = time(ts);
  const others = `ts ${sign} ${at} OR (ts = ${at} AND ${order})`;
  return earlier ? `(${others})` : `(${others} OR ts IS NULL)`;
}

/** The number of an even bucket. Times before 1970 have one, too. */
function bucketSql(ts: string, { from, width }: Pick<EvenGrid, 'from' | 'width'>): string {
  const us = `${maybeMicrosOf(ts)} - (${from})`;
  return `intDiv(${us} - positiveModulo(${us}, toInt64(${width})), toInt64(${width}))`;
}

/** Columns of a statement's rows, and the index in a row at which the numbers after them begin. */
interface SeriesStatement extends ClickHouseStatement {
  readonly values: readonly OutputColumn[];
  readonly after: number;
}

/**
 * Rows as those of `compileStackedTimeline`: `i` (NULL: no time), the series' rank from 1 (0: the rest), the series' value,
 * the events, the first and the last time.
 */
export function clickhouseStackedTimeline(
  plan: Plan,
  grid: EvenGrid,
  by: string | undefined,
  most: number,
  options: ClickHouseOptions,
): SeriesStatement {
  const { events, given } = eventsClickHouse(plan, options);
  const us = maybeMicrosOf('ts');
  const counts = `count() AS n, min(${us}) AS lo, max(${us}) AS hi`;
  const bucket = `${bucketSql('ts', grid)} AS i`;
  if (by === undefined) {
    const sql = selectOf(`${bucket}, 1 AS rank, ${counts}`, events, 'GROUP BY i ORDER BY i');
    return { ...statementOf({ sql, columns: undefined }, given), values: [], after: 2 };
  }
  const keys = keysClickHouse([{ name: by, start: 0, end: 0 }], events);
  const aliases = keys.columns.flatMap((column) => column.aliases).join(', ');
  const groups = selectOf(
    [bucket, ...keys.list, counts].join(', '),
    events,
    `GROUP BY i, ${aliases}`,
  );
  const total = `sum(if(i IS NULL, 0, n)) OVER (PARTITION BY ${aliases}) AS total`;
  const order = ordered([{ sql: 'total', descending: true }, ...byValues(keys.columns)]);
  const ranked = `SELECT *, dense_rank() OVER (${order}) AS place\nFROM ${subquery(`SELECT *, ${total}\nFROM ${subquery(groups)}`)}`;
  const sql = [
    `SELECT i, if(place <= ${most}, place, 0) AS rank, if(place <= ${most}, ${aliases}, NULL) AS value, sum(n), min(lo), max(hi)`,
    `FROM ${subquery(ranked)}`,
    'GROUP BY i, rank, value ORDER BY i, rank',
  ].join('\n');
  return {
    ...statementOf({ sql, columns: undefined }, given),
    values: keys.columns.map((column) => outputOf(column, 2)),
    after: 3,
  };
}

/** Addresses and ids are texts there. */
function outputOf({ name, shape }: TableColumn, at: number): OutputColumn {
  const type = shape.type === 'address' || shape.type === 'event-id' ? 'text' : shape.type;
  return { name, type, parts: [{ role: 'value', at }] };
}

/** Rows `rank` (from 0), bucket, events: for the groups that a `top` of the events returns. */
export function clickhouseSparklines(
  plan: Plan,
  stage: TopStage,
  grid: EvenGrid,
  options: ClickHouseOptions,
): ClickHouseStatement {
  const { events, given } = eventsClickHouse(plan, options);
  const top = after(stage, events);
  const keys = keysClickHouse(stage.fields, events);
  const aliases = keys.columns.flatMap((column) => column.aliases).join(', ');
  const key = `toString(tuple(${aliases})) AS k`;
  const groups = `SELECT ${key}, row_number() OVER (${ordered(top.order)}) - 1 AS rank\nFROM ${top.from}`;
  const each = selectOf(
    [...keys.list, `${bucketSql('ts', grid)} AS i`].join(', '),
    datedEvents(events),
  );
  const counted = `SELECT ${key}, i, count() AS n\nFROM ${subquery(each)}\nGROUP BY k, i`;
  const sql = `SELECT rank, i, n\nFROM ${subquery(counted)} AS e\nINNER JOIN ${subquery(groups)} AS g USING (k)\nORDER BY rank, i`;
  return statementOf({ sql, columns: undefined }, given);
}
