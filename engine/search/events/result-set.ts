/**
 * A list of events of which any rows can be shown, in order of time or of a field, without reading
 * the others. It shows what was there when it was opened.
 *
 * By time, the list knows the numbers of its rows (number-order.ts) or, where segments have no index of
 * their times, how many events are in which span of time (event-order.ts), and reads the rows that are
 * looked at. A short list, one in another order and one that stages chose
 * is kept event by event: segment and number, at most MOST_KEPT of them.
 */
import { dayEnd, dayStart, daysOfAll, disjointGroups } from '../../util/segment-days.ts';
import type { ColumnBatch } from '../../contract/column-batch.ts';
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
  compileHistogram,
  compileIdentities,
  compileNumbered,
  compileOrder,
  compilePart,
  takesAll,
  withoutLastSort,
} from '../../query/index.ts';
import { type TimedRows, eventsIn } from '../access-paths/timed-rows.ts';
import { AskedView } from '../asked-view.ts';
import { priorityOf } from '../asker.ts';
import type { CaseSession } from '../session/case-session.ts';
import type { Snapshot } from '../session/snapshot.ts';
import { RowOrder, type Slice, TimeOrder } from './event-order.ts';
import { withinTime } from './day-runs.ts';
import { fieldsToRead, listBatch, listed } from './list-batch.ts';
import { NumberOrder } from './number-order.ts';
import { SearchCost } from '../search-cost.ts';
import { append } from '../../util/append.ts';

export interface Sort {
  readonly field: string;
  readonly descending: boolean;
}

/** Events that a list in another order than by time has at most. */
export const MOST_KEPT = 100_000;
/** Lists by time that are expected to be shorter are kept event by event, too. */
const SHORT = 50_000;
/** Spans that the first look at a filtered list makes. */
const MOST_SPANS = 100_000;
const DAY = 86_400e6;

type Order =
  | { readonly by: 'number'; readonly numbers: NumberOrder }
  | { readonly by: 'time'; readonly times: TimeOrder }
  | { readonly by: 'row'; readonly rows: RowOrder };

export interface ResultSet {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  readonly order: Order;
  readonly byTime: boolean;
  /** By time: the newest first. */
  readonly descending: boolean;
  /** Events the query finds; and how many of them the list has. */
  readonly total: number;
  readonly length: number;
  readonly undated: number;
}

interface Row {
  readonly columns: readonly OutputColumn[];
  readonly values: readonly RawValue[];
}

/** Rows by their place in the list, as a batch. */
export type SendFirst = (batch: ColumnBatch) => Promise<void>;

/** A list by time, when nothing chooses among the events but a filter and a first `head`. */
export function isByTime(plan: Plan, sort: Sort | undefined): boolean {
  return plan.streaming && (sort === undefined || isTime(plan, sort));
}

function isTime(plan: Plan, { field }: Sort): boolean {
  const found = plan.resolve({ name: field, start: 0, end: 0 });
  return found.type === 'time' && found.name === 'ts';
}

/**
 * Makes the list and tells its first rows as soon as they are known.
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
  // Its first rows were right, although where all of them stand could not be known.
  return openByTime(here, descending, first, reported ? async () => undefined : send);
}

/** The list by time where the times of some segment are not known. */
async function openByTime(
  here: AskedView,
  descending: boolean,
  first: { count: number; fields: readonly string[] },
  send: SendFirst,
): Promise<ResultSet> {
  const { plan } = here;
  const sendFirst = async (result: ResultSet): Promise<void> => {
    await send(await readRows(here.atOnce(), result, 0, first.count, first.fields));
  };
  if (takesAll(plan)) {
    const result = timed(here, byCatalog(here), descending);
    await sendFirst(result);
    return result;
  }
  const held = await here.pruned();
  const early = await earlyRows(held.atOnce(), descending, first);
  if (early.batch !== undefined) await send(early.batch);
  const order = await filtered(held, early.expected);
  const result = timed(held, order, descending);
  if (early.batch === undefined) await sendFirst(result);
  return result;
}

/** Another order replaces the one that the query ends with. */
export function replanned(plan: Plan): Plan {
  const changed = withoutLastSort(plan);
  return changed === plan ? plan : { ...changed, streaming: changed.events.node === 'base' };
}

function timed({ plan, snapshot }: AskedView, order: Order, descending: boolean): ResultSet {
  const undatedOf = (rows: RowOrder) => rows.times.filter((time) => Number.isNaN(time)).length;
  const counts =
    order.by === 'number' ? order.numbers : order.by === 'time' ? order.times : undefined;
  const found =
    order.by === 'row'
      ? { total: order.rows.length, undated: undatedOf(order.rows) }
      : { total: (counts?.dated ?? 0) + (counts?.undated ?? 0), undated: counts?.undated ?? 0 };
  const length = Math.min(found.total, plan.limit ?? Infinity);
  const undated = Math.max(0, length - (found.total - found.undated));
  return { plan, snapshot, order, byTime: true, descending, total: length, length, undated };
}

// -- by time ---------------------------------------------------------------------------------------

/** Days that follow each other and share no segment with others. */
interface DaySpan {
  readonly from: EpochMicros;
  readonly to: EpochMicros;
  readonly segments: SegmentInfo[];
}

/** Days in order, those together that segments hold together; `undated` apart. */
function days(plan: Plan): DaySpan[] {
  const dated = plan.segmentsUsed.filter(({ day }) => day !== 'undated');
  return disjointGroups(dated).map((segments) => {
    const all = daysOfAll(segments);
    return { from: dayStart(all[0]!), to: dayEnd(all.at(-1)!), segments };
  });
}

function undatedSegments(plan: Plan): SegmentInfo[] {
  return plan.segmentsUsed.filter(({ day }) => day === 'undated');
}

function rowsOf(segments: readonly SegmentInfo[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

/** Days whose rows are found together, at most. */
const MOST_DAYS = 32;

/**
 * The list by the numbers of its rows. Days are looked into in the list's order, and its first rows are
 * told once there are enough. Undefined where a segment's times are not known.
 */
async function byNumber(
  asked: AskedView,
  descending: boolean,
  first: { count: number; fields: readonly string[] },
  send: SendFirst,
): Promise<ResultSet | undefined> {
  const { plan, finder, watch } = asked;
  const filter = plan.events.node === 'base' ? plan.events.filter : undefined;
  if (finder === undefined || filter === undefined || !finder.hasTimes(plan.segmentsUsed))
    return undefined;
  const inOrder = days(plan).map(({ segments }) => segments);
  if (descending) inOrder.reverse();
  inOrder.push(undatedSegments(plan));
  const list: TimedRows[] = [];
  const listed = () => timed(asked, { by: 'number', numbers: new NumberOrder(list) }, descending);
  // What is first of the newest depends on how many `head` leaves.
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

/** Every event of every segment: the catalog knows how many there are on which day. */
function byCatalog({ plan, watch }: AskedView): Order {
  watch.path = 'catalog';
  watch.rowsExamined = 0;
  const slices = days(plan).map((span): Slice => ({
    ...span,
    count: rowsOf(span.segments),
    start: 0,
  }));
  const undated = undatedSegments(plan);
  const times = new TimeOrder(slices, { count: rowsOf(undated), segments: undated }, true);
  return { by: 'time', times };
}

/** Divides slices of a list with what asks now. */
function divider(asked: AskedView) {
  return async (slice: Slice, width: number): Promise<Slice[]> => {
    const { plan } = asked;
    const some = withinTime(slice.segments, slice);
    const rows = await asked.rows(compileHistogram(plan, some, width, slice), some);
    return rows.map(([i, n]) => {
      const start = Number(i) * width;
      return {
        from: Math.max(start, slice.from),
        to: Math.min(start + width, slice.to),
        segments: slice.segments,
        count: Number(n),
        start: 0,
      };
    });
  };
}

/** Events of a filter: one by one when they are expected to be few, else in spans of time. */
async function filtered(asked: AskedView, expected: number): Promise<Order> {
  const { plan } = asked;
  if (expected <= SHORT) {
    const rows = await identities(asked);
    if (rows !== undefined) return { by: 'row', rows };
  }
  const dayList = days(plan);
  const allDays = dayList.reduce((sum, { from, to }) => sum + (to - from) / DAY, 0);
  const perDay = MOST_SPANS / Math.max(allDays, 1);
  const rowsADay = dayList.map(({ from, to, segments }) => rowsOf(segments) / ((to - from) / DAY));
  const wanted = Math.max(...rowsADay, 1) / 4096;
  // Powers of two divide a day of microseconds: no span is in two days.
  const power = Math.floor(Math.log2(Math.max(1, Math.min(perDay, wanted, 8192))));
  const width = DAY / 2 ** power;
  const rows = await asked.rows(compileHistogram(plan, plan.segmentsUsed, width));
  const slices: Slice[] = [];
  let undated = 0;
  let span = 0;
  for (const [i, n] of rows) {
    if (typeof i !== 'number') {
      undated += Number(n);
      continue;
    }
    const from = i * width;
    while (span < dayList.length - 1 && dayList[span]!.to <= from) span += 1;
    const segments = dayList[span]?.segments ?? [];
    slices.push({ from, to: from + width, segments, count: Number(n), start: 0 });
  }
  const times = new TimeOrder(slices, { count: undated, segments: undatedSegments(plan) }, false);
  return { by: 'time', times };
}

/** Every event by segment and number, in order of time; undefined when they are too many. */
async function identities(asked: AskedView): Promise<RowOrder | undefined> {
  const found: { segment: number; row: number; ts: number | undefined; tie: number[] }[] = [];
  const { sql, params } = compileIdentities(asked.plan);
  for await (const batch of asked.stream({ sql, params })) {
    for (const [segment, row, ts, ns, source, seq] of batch) {
      found.push({
        segment: Number(segment),
        row: Number(row),
        ts: typeof ts === 'number' ? ts : undefined,
        tie: [Number(ns), Number(source), Number(seq)],
      });
    }
    if (found.length > MOST_KEPT) return undefined;
  }
  found.sort((a, b) => {
    const time =
      (a.ts ?? Infinity) === (b.ts ?? Infinity) ? 0 : (a.ts ?? Infinity) - (b.ts ?? Infinity);
    return time || a.tie[0]! - b.tie[0]! || a.tie[1]! - b.tie[1]! || a.tie[2]! - b.tie[2]!;
  });
  return new RowOrder(found);
}

/** Rows that a first look examines at most, of the beginning of a filtered list. */
const FIRST_LOOK = 2_000_000;
/** How long it takes at most: one statement over everything is quicker than many over parts. */
const FIRST_LOOK_MS = 80;

/**
 * The first rows of a filtered list if they are soon found, and how many events there may be: the
 * beginning is looked at in growing spans.
 */
async function earlyRows(
  asked: AskedView,
  descending: boolean,
  first: { count: number; fields: readonly string[] },
): Promise<{ batch: ColumnBatch | undefined; expected: number }> {
  const { plan } = asked;
  const all = rowsOf(plan.segmentsUsed);
  const wanted = Math.min(first.count, plan.limit ?? Infinity);
  // What is first of the newest depends on how many `head` leaves.
  if (wanted === 0 || (descending && plan.limit !== undefined))
    return { batch: undefined, expected: all };
  const inOrder = descending ? days(plan).toReversed() : days(plan);
  let seen = 0;
  const started = performance.now();
  const early: Row[] = [];
  const fields = fieldsToRead(plan, first.fields);
  let columns: readonly OutputColumn[] = [];
  for (const { from, to, segments } of inOrder) {
    const times = segments.flatMap(({ minTs, maxTs }) => [minTs ?? [], maxTs ?? []].flat());
    const start = Math.max(from, Math.min(...times), plan.range.from ?? -Infinity);
    const end = Math.min(to, Math.max(...times) + 1, plan.range.to ?? Infinity);
    const rows = rowsOf(segments);
    let share = Math.min(1, 20_000 / Math.max(rows, 1));
    for (let done = 0; done < 1;) {
      const until = done + share > 0.7 ? 1 : done + share;
      const at = (part: number) => Math.round(start + (end - start) * part);
      const part = descending
        ? { from: at(1 - until), to: done === 0 ? end : at(1 - done) }
        : { from: at(done), to: until === 1 ? end : at(until) };
      const limit = wanted - early.length;
      const some = withinTime(segments, part);
      const statement = compilePart(plan, {
        ...{ segments: some, fields, part, limit, offset: 0, backwards: descending },
      });
      const found = await asked.rows(statement, some);
      columns = statement.columns;
      append(
        early,
        found.map((values) => ({ columns, values })),
      );
      if (early.length >= wanted) {
        // What was read goes only as far as the last row that was found.
        const { columns: last, values } = early.at(-1)!;
        const time = Number(values[last[0]!.parts[0]!.at]);
        const span = Math.abs(time - (descending ? part.to : part.from));
        seen += rows * (until - done) * (span / Math.max(part.to - part.from, 1));
        const expected = (early.length / Math.max(seen, 1)) * all;
        return { batch: await batchOf(asked, early, first.fields), expected };
      }
      seen += rows * (until - done);
      const late = performance.now() - started > FIRST_LOOK_MS;
      if (late || seen >= Math.min(FIRST_LOOK, all / 4))
        return { batch: undefined, expected: (early.length / seen) * all };
      done = until;
      share *= 4;
    }
  }
  return { batch: undefined, expected: 0 };
}

// -- in another order ------------------------------------------------------------------------------

/** Events in the order of a field, or as stages chose and ordered them. */
async function kept(asked: AskedView, sort: Sort | undefined): Promise<ResultSet> {
  const { plan, snapshot } = asked;
  const limited: Plan = plan.limit === undefined ? plan : withHead(plan, plan.limit);
  const found = await asked.rows(compileOrder(limited, sort, MOST_KEPT));
  const rows = new RowOrder(
    found.map(([segment, row, ts]) => ({
      segment: Number(segment),
      row: Number(row),
      ts: typeof ts === 'number' ? ts : undefined,
    })),
  );
  let total = rows.length;
  let undated = rows.times.filter((time) => Number.isNaN(time)).length;
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

/** `head` of a plan that keeps it apart, put back among its events. */
function withHead(plan: Plan, limit: number): Plan {
  const stage = { stage: 'head', limit, start: 0, end: 0 } as const;
  const { events, resolve } = plan;
  return { ...plan, events: { node: 'stage', of: events, stage, resolve }, limit: undefined };
}

// -- rows ------------------------------------------------------------------------------------------

/** @throws DaybookError not-found when segments are gone, cancelled */
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

/** Places in a list to numbers in order of time: the newest first, but undated events last. */
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
    case 'time':
      return timeRows(asked, order.times, from, to, fields);
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

async function timeRows(
  asked: AskedView,
  times: TimeOrder,
  from: number,
  to: number,
  fields: readonly string[],
): Promise<Row[]> {
  const { plan } = asked;
  const wanted = fieldsToRead(plan, fields);
  const out: Row[] = [];
  for (const piece of await times.pieces(from, to, divider(asked))) {
    const { part, edge, offset, count, backwards } = piece;
    const isPart = part !== undefined && part !== 'undated';
    const segments = isPart ? withinTime(piece.segments, part) : piece.segments;
    const statement = compilePart(plan, {
      ...{ segments, fields: wanted, part, edge, limit: count, offset, backwards },
    });
    const { columns } = statement;
    const found = await asked.rows(statement, segments);
    for (const values of backwards ? found.toReversed() : found) out.push({ columns, values });
  }
  return out;
}

/** Segments whose places one statement reads. */
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
  // Statements for the same fields on the same plan have the same columns.
  const columns = rows[0]?.columns ?? [];
  // Tags are shown as they are now: a list is where events are tagged.
  return listBatch(
    listed(session, session.snapshot(), plan),
    columns,
    rows.map(({ values }) => values),
    fields,
  );
}

/** @throws DaybookError not-found when segments are gone, cancelled */
export async function locate(
  asked: AskedView,
  result: ResultSet,
  ts: EpochMicros,
): Promise<number> {
  const { order, descending, length, undated } = result;
  if (order.by === 'row' && !result.byTime) return order.rows.firstAt(ts) ?? length;
  const dated = length - undated;
  const before =
    order.by === 'number'
      ? order.numbers.before(ts)
      : order.by === 'row'
        ? order.rows.times.filter((time) => time < ts).length
        : await order.times.before(ts, divider(asked), async (slice) => {
            const part = { from: slice.from, to: ts };
            const [[n] = []] = await asked.rows(
              compileExtent({ ...asked.plan, segmentsUsed: slice.segments }, part),
              slice.segments,
            );
            return Number(n ?? 0);
          });
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
