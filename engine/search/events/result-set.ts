/**
 * A list of events, in order of time or of a field, of which any rows can be shown without reading the others. It
 * shows the case as it was when the list was opened.
 *
 * A list by time knows its row numbers and reads the rows that are requested (number-order.ts). A list in another
 * order, or one that stages selected, stores each event's segment and number, for at most MOST_KEPT events
 * (row-order.ts). So does, for all events, a list by time that must not use an index, or with an older segment
 * whose rows are not in order.
 */
import { disjointGroups } from '../../util/segment-days.ts';
import type { ColumnBatch } from '../../contract/wire/column-batch.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { Stopwatch } from '../../measure/operation-log.ts';
import {
  type OutputColumn,
  type Plan,
  type RawValue,
  type SegmentInfo,
  ROW_IDENTITY,
  compileByNumber,
  compileExtent,
  compileNumbered,
  compileOrder,
  withoutLastSort,
} from '../../query/index.ts';
import { type TimedRows, eventsIn } from '../access-paths/timed-rows.ts';
import { AskedView } from '../asked-view.ts';
import { priorityOf } from '../asker.ts';
import type { CaseSession } from '../session/case-session.ts';
import type { Snapshot } from '../session/snapshot.ts';
import { fieldsToRead, listBatch, listed } from './list-batch.ts';
import { NumberOrder } from './number-order.ts';
import { RowOrder } from './row-order.ts';
import { SearchCost } from '../search-cost.ts';
import { append } from '../../util/append.ts';

export interface Sort {
  readonly field: string;
  readonly descending: boolean;
}

/** Maximum length of a list in another order than by time. */
export const MOST_KEPT = 100_000;

type Order =
  | { readonly by: 'number'; readonly numbers: NumberOrder }
  | { readonly by: 'row'; readonly rows: RowOrder };

export interface ResultSet {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  readonly order: Order;
  readonly byTime: boolean;
  /** By time: newest first. */
  readonly descending: boolean;
  /** Number of events that match the query, and of events in the list. */
  readonly total: number;
  readonly length: number;
  readonly undated: number;
}

interface Row {
  readonly columns: readonly OutputColumn[];
  readonly values: readonly RawValue[];
}

/** Rows by their positions in the list, as a batch. */
export type SendFirst = (batch: ColumnBatch) => Promise<void>;

/** Whether this is a list by time in which only a filter and an initial `head` select events. */
export function isByTime(plan: Plan, sort: Sort | undefined): boolean {
  return plan.streaming && (sort === undefined || isTime(plan, sort));
}

function isTime(plan: Plan, { field }: Sort): boolean {
  const found = plan.resolve({ name: field, start: 0, end: 0 });
  return found.type === 'time' && found.name === 'ts';
}

/**
 * Makes the list and sends its first rows as soon as they are known.
 * @throws DaybookError unknown-field, cancelled
 */
export async function openResult(
  asked: AskedView,
  sort: Sort | undefined,
  first: { count: number; fields: readonly string[] },
  send: SendFirst,
): Promise<ResultSet> {
  const plan = sort === undefined ? asked.plan : replanned(asked.plan);
  const here = plan === asked.plan ? asked : asked.on(plan);
  const sendFirst = async (result: ResultSet): Promise<void> => {
    const rows = await readRows(here.atOnce(), result, 0, first.count, first.fields);
    await send(rows);
  };
  if (!isByTime(plan, sort)) {
    const result = await kept(await here.pruned(), sort);
    await sendFirst(result);
    return result;
  }
  const descending = sort?.descending ?? false;
  let reported = false;
  const known = await byNumber(here, descending, first, async (batch) => {
    reported = true;
    await send(batch);
  });
  if (known !== undefined) return known;
  const held = await here.pruned();
  const result = timed(held, { by: 'row', rows: await rowByRow(held) }, descending);
  // The first rows were right, although the positions of all rows could not be determined.
  if (!reported) await sendFirst(result);
  return result;
}

/** Removes the order with which the query ends: another one replaces it. */
export function replanned(plan: Plan): Plan {
  const changed = withoutLastSort(plan);
  return changed === plan ? plan : { ...changed, streaming: changed.events.node === 'base' };
}

function timed({ plan, snapshot }: AskedView, order: Order, descending: boolean): ResultSet {
  const found =
    order.by === 'number'
      ? { total: order.numbers.dated + order.numbers.undated, undated: order.numbers.undated }
      : { total: order.rows.length, undated: order.rows.undated };
  const length = Math.min(found.total, plan.limit ?? Infinity);
  const undated = Math.max(0, length - (found.total - found.undated));
  return { plan, snapshot, order, byTime: true, descending, total: length, length, undated };
}

// -- by time ---------------------------------------------------------------------------------------

/** Segments of days in order; segments that share days are in one group. */
function days(plan: Plan): SegmentInfo[][] {
  return disjointGroups(plan.segmentsUsed.filter(({ day }) => day !== 'undated'));
}

function undatedSegments(plan: Plan): SegmentInfo[] {
  return plan.segmentsUsed.filter(({ day }) => day === 'undated');
}

/** At most this many days are searched at once. */
const MOST_DAYS = 32;

/**
 * The list by its row numbers. Days are searched in the list's order, and the first rows are sent once there are
 * enough. Undefined if no index may be used, or if rows of a segment are not in order of time.
 */
async function byNumber(
  asked: AskedView,
  descending: boolean,
  first: { count: number; fields: readonly string[] },
  send: SendFirst,
): Promise<ResultSet | undefined> {
  const { plan, finder, watch } = asked;
  const filter = plan.events.node === 'base' ? plan.events.filter : undefined;
  if (finder === undefined || filter === undefined) return undefined;
  const inOrder = days(plan);
  if (descending) inOrder.reverse();
  inOrder.push(undatedSegments(plan));
  const list: TimedRows[] = [];
  const listed = () => timed(asked, { by: 'number', numbers: new NumberOrder(list) }, descending);
  // With newest first, the first rows depend on how many `head` keeps.
  const early = !(descending && plan.limit !== undefined);
  const cost = new SearchCost();
  let sent = false;
  let together = 1;
  for (let at = 0; at < inOrder.length; together = Math.min(together * 2, MOST_DAYS)) {
    const segments = inOrder.slice(at, at + together).flat();
    at += together;
    const before = await watch.spanAsync('index', () => finder.findAll(filter, segments));
    for (const segment of segments) cost.add(segment, before.get(segment.id));
    const timedRows = await finder.timed(filter, segments, { urgent: !sent && early });
    if (timedRows === undefined) return undefined;
    append(list, timedRows);
    if (sent || !early || eventsIn(list) < first.count) continue;
    await send(await readRows(asked.atOnce(), listed(), 0, first.count, first.fields));
    sent = true;
  }
  cost.tell(watch);
  const result = listed();
  if (!sent) await send(await readRows(asked.atOnce(), result, 0, first.count, first.fields));
  return result;
}

/** The segment and number of every event, in order of time. */
async function rowByRow(asked: AskedView): Promise<RowOrder> {
  const rows = new RowOrder();
  for await (const batch of asked.stream(compileOrder(asked.plan, undefined))) rows.add(batch);
  return rows;
}

// -- in another order ------------------------------------------------------------------------------

/** Events in the order of a field, or as selected and ordered by stages. */
async function kept(asked: AskedView, sort: Sort | undefined): Promise<ResultSet> {
  const { plan, snapshot } = asked;
  const limited: Plan = plan.limit === undefined ? plan : withHead(plan, plan.limit);
  const found = await asked.rows(compileOrder(limited, sort, MOST_KEPT));
  const rows = new RowOrder();
  rows.add(found);
  let { length: total, undated } = rows;
  if (rows.length === MOST_KEPT) {
    const [[all, without] = []] = await asked.rows(compileExtent(limited));
    total = Number(all ?? 0);
    undated = Number(without ?? 0);
  }
  if (total > rows.length)
    asked.notes.push(
      `this order lists the first ${rows.length} of ${total} events; narrow the query, or sort by time, to see the others`,
    );
  return {
    ...{ plan, snapshot, order: { by: 'row', rows }, byTime: false, descending: false },
    ...{ total, length: rows.length, undated },
  };
}

/** Reapplies the plan's separate `head` to its events. */
function withHead(plan: Plan, limit: number): Plan {
  const stage = { stage: 'head', limit, start: 0, end: 0 } as const;
  const { events, resolve } = plan;
  return { ...plan, events: { node: 'stage', of: events, stage, resolve }, limit: undefined };
}

// -- rows ------------------------------------------------------------------------------------------

/** @throws DaybookError not-found if segments were removed, cancelled */
export async function readRows(
  asked: AskedView,
  result: ResultSet,
  offset: number,
  limit: number,
  fields: readonly string[],
): Promise<ColumnBatch> {
  const to = Math.min(offset + limit, result.length);
  if (offset >= to) return batchOf(asked, [], fields);
  const rows: Row[] = [];
  for (const { from, to: end, backwards } of ranges(result, offset, to)) {
    const found = await orderedRows(asked, result.order, from, end, fields);
    append(rows, backwards ? found.toReversed() : found);
  }
  return batchOf(asked, rows, fields);
}

/** Converts positions in a list to positions in order of time: newest first, but undated events last. */
export function ranges(
  { descending, length, undated }: Pick<ResultSet, 'descending' | 'length' | 'undated'>,
  from: number,
  to: number,
): { from: number; to: number; backwards: boolean }[] {
  if (!descending) return [{ from, to, backwards: false }];
  const dated = length - undated;
  const out = [];
  if (from < dated) {
    const end = Math.min(to, dated);
    out.push({ from: dated - end, to: dated - from, backwards: true });
  }
  if (to > dated) out.push({ from: Math.max(from, dated), to, backwards: false });
  return out;
}

function orderedRows(
  asked: AskedView,
  order: Order,
  from: number,
  to: number,
  fields: readonly string[],
): Promise<Row[]> {
  switch (order.by) {
    case 'number':
      return countedRows(asked, order.numbers, from, to, fields);
    case 'row':
      return numberedRows(asked, order.rows, from, to, fields);
  }
}

async function countedRows(
  asked: AskedView,
  numbers: NumberOrder,
  from: number,
  to: number,
  fields: readonly string[],
): Promise<Row[]> {
  const wanted = fieldsToRead(asked.plan, fields);
  const out: Row[] = [];
  for (const { sets, offset, count } of numbers.pieces(from, to)) {
    const statement = compileNumbered(asked.plan, wanted, sets, offset, count);
    const { columns } = statement;
    for (const values of await asked.rows(statement, [...sets.keys()]))
      out.push({ columns, values });
  }
  return out;
}

/** Segments whose positions one statement reads. */
const AT_ONCE = 500;

async function numberedRows(
  asked: AskedView,
  rows: RowOrder,
  from: number,
  to: number,
  fields: readonly string[],
): Promise<Row[]> {
  const { plan } = asked;
  const wanted = fieldsToRead(plan, fields);
  const byId = new Map(plan.segmentsUsed.map((segment) => [segment.id, segment]));
  const out: Row[] = [];
  for (let start = from; start < to; start += AT_ONCE) {
    const end = Math.min(start + AT_ONCE, to);
    const places = new Map<string, number>();
    const numbers = new Map<SegmentInfo, number[]>();
    for (let at = start; at < end; at++) {
      const segment = byId.get(rows.segments[at]!);
      if (segment === undefined) continue;
      places.set(`${segment.id}/${rows.rows[at]}`, at);
      const list = numbers.get(segment) ?? [];
      numbers.set(segment, list);
      list.push(rows.rows[at]!);
    }
    const statement = compileByNumber(plan, wanted, numbers);
    const { columns } = statement;
    const found = await asked.rows(statement, [...numbers.keys()]);
    const placed = found.map((values) => {
      const key = `${Number(values[ROW_IDENTITY.segment])}/${Number(values[ROW_IDENTITY.rowId])}`;
      return { at: places.get(key) ?? 0, row: { columns, values } };
    });
    placed.sort((a, b) => a.at - b.at);
    append(
      out,
      placed.map(({ row }) => row),
    );
  }
  return out;
}

async function batchOf(
  { session, plan }: AskedView,
  rows: readonly Row[],
  fields: readonly string[],
): Promise<ColumnBatch> {
  // Statements for the same fields of the same plan have the same columns.
  const columns = rows[0]?.columns ?? [];
  // Tags are shown as they are now: events are tagged in lists.
  return listBatch(
    listed(session, session.snapshot(), plan),
    columns,
    rows.map(({ values }) => values),
    fields,
  );
}

/**
 * The position of the first event at or after a time; in a list that is not by time, of the earliest such event.
 */
export function locate(
  { order, byTime, descending, length, undated }: ResultSet,
  ts: EpochMicros,
): number {
  if (order.by === 'row' && !byTime) return order.rows.firstAt(ts) ?? length;
  const dated = length - undated;
  const before = order.by === 'number' ? order.numbers.before(ts) : order.rows.before(ts);
  const at = Math.min(before, dated);
  return descending ? Math.max(0, dated - 1 - at) : at;
}

/** Parameters for a list that was opened earlier. */
export function askResult(
  session: CaseSession,
  { plan, snapshot }: ResultSet,
  watch: Stopwatch,
  signal: AbortSignal,
): AskedView {
  watch.path = plan.path;
  const priority = priorityOf(watch.operation);
  return AskedView.on({ session, snapshot, watch, signal, priority, notes: [] }, plan);
}

export function goneResult(): DaybookError {
  return new DaybookError(
    'not-found',
    'the list is no longer there: the case has changed since it was made',
    'run the query again',
  );
}
