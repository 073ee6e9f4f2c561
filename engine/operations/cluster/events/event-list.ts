/**
 * `result.*` for the case on a cluster: lists of events of which any rows can be shown. A list by time knows the
 * number of events in spans of time, and reads only the requested rows; a list in another order is read from its
 * beginning, up to its limit.
 */
import type { ColumnBatch } from '../../../contract/wire/column-batch.ts';
import type { EpochMicros } from '../../../contract/event.ts';
import { Stopwatch, type Timings } from '../../../measure/operation-log.ts';
import {
  clickhouseExtent,
  clickhouseHistogram,
  clickhouseList,
  clickhousePlace,
  DAY,
  evenGrid,
  type ListPart,
  type Plan,
} from '../../../query/index.ts';
import {
  coveredSpan,
  fieldsToRead,
  goneResult,
  isByTime,
  MOST_KEPT,
  ranges,
  replanned,
  rowFieldNames,
  type SendFirst,
  type Sort,
  type View,
  type ViewScope,
} from '../../../search/index.ts';
import type { Client } from '../../handler.ts';
import { OpenLists, openListsOf } from '../../open-lists.ts';
import { eventBatch } from './event-batch.ts';
import { type ClusterSession, statusOfError } from '../session.ts';
import { TimeOrder } from './time-order.ts';
import { askOnCluster, ClusterView } from '../view.ts';

interface OpenParameters extends View {
  sort?: Sort | undefined;
  fields?: readonly string[] | undefined;
  first: number;
}

/** Maximum number of spans of time made when a list is opened. */
const MOST_SPANS = 2000;

/** A list of events, for as long as its window shows it. */
class EventList {
  readonly plan: Plan;
  readonly view: View;
  /** The state that its events depend on: another state gives another list. */
  readonly madeOf: string;
  readonly sort: Sort | undefined;
  /** Undefined: its order is not that of time. */
  readonly times: TimeOrder | undefined;
  readonly total: number;
  readonly length: number;
  readonly undated: number;
  readonly fields: readonly string[];

  constructor(
    { plan, view, session }: ClusterView,
    { sort, fields }: Pick<OpenParameters, 'sort' | 'fields'>,
    counts: Pick<EventList, 'times' | 'total' | 'length' | 'undated'>,
  ) {
    this.plan = plan;
    this.view = view;
    this.madeOf = madeOf(view, session);
    this.sort = sort;
    this.fields = fields ?? rowFieldNames(plan);
    this.times = counts.times;
    this.total = counts.total;
    this.length = counts.length;
    this.undated = counts.undated;
  }

  dispose(): void {
    // The cluster holds no resources for it.
  }

  /** By time: newest first. */
  get descending(): boolean {
    return this.times !== undefined && this.sort?.descending === true;
  }
}

/** A query that names tags, even just in a word, may find other events after tagging. */
function madeOf({ query }: View, { attached: { handOver, tags } }: ClusterSession): string {
  return /tag/i.test(query) ? `${handOver} ${tags}` : handOver;
}

class OpenOnCluster extends OpenLists<EventList> {}

const openOf = (client: Client): OpenOnCluster =>
  openListsOf(client, 'cluster-results', OpenOnCluster);

/** @throws DaybookError query-syntax, unknown-field, usage, cancelled */
export async function openListOn(
  session: ClusterSession,
  parameters: OpenParameters,
  client: Client,
  send: SendFirst,
): Promise<
  {
    result: number;
    total: number;
    capped?: number;
    undated: number;
    fields: string[];
  } & ViewScope
> {
  const { sort, first } = parameters;
  const { list, fields, ...scope } = await askOnCluster(
    session,
    'result.open',
    parameters,
    async (asked) => {
      const plan = sort === undefined ? asked.plan : replanned(asked.plan);
      const here = asked.on(plan);
      const counts = isByTime(plan, sort) ? await byTime(here) : await byOrder(here, asked.notes);
      const opened = new EventList(here, parameters, counts);
      await send(await rowsOf(here, opened, 0, first, opened.fields));
      return { list: opened, fields: rowFieldNames(asked.plan) };
    },
  );
  const { total, length, undated } = list;
  return {
    ...{ result: openOf(client).open(list), total, undated, fields },
    ...(length < total ? { capped: length } : {}),
    ...scope,
  };
}

/** @throws DaybookError not-found, unreadable, cancelled */
export async function listRowsOn(
  session: ClusterSession,
  number: number,
  range: { offset: number; limit: number; fields?: readonly string[] | undefined },
  client: Client,
): Promise<{ offset: number; batch: ColumnBatch; timings: Timings }> {
  const { offset, limit } = range;
  const list = openOf(client).find(number);
  const { value, timings } = await onList(session, 'result.rows', list, (asked) =>
    rowsOf(asked, list, offset, limit, range.fields ?? list.fields),
  );
  return { offset, batch: value, timings };
}

/** @throws DaybookError not-found, unreadable, cancelled */
export async function listPlaceOn(
  session: ClusterSession,
  number: number,
  ts: EpochMicros,
  client: Client,
): Promise<{ offset: number }> {
  const list = openOf(client).find(number);
  const { value } = await onList(session, 'result.locate', list, async (asked) => {
    const { times, length, undated } = list;
    if (times === undefined) {
      const part = { limit: length, sort: list.sort };
      const [[place] = []] = await asked.rows(clickhousePlace(list.plan, ts, part, asked.options));
      return place === undefined ? length : Number(place);
    }
    const dated = length - undated;
    const before = await times.before(ts, dividerOf(asked), async ({ from }) => {
      const part = { from, to: ts };
      const rows = await asked.rows(clickhouseHistogram(asked.plan, DAY, part, asked.options));
      return rows.reduce((sum, [, n]) => sum + Number(n), 0);
    });
    const at = Math.min(before, dated);
    return list.descending ? Math.max(0, dated - 1 - at) : at;
  });
  return { offset: value };
}

/** Closing a missing list does nothing. */
export function closeListOn(client: Client, number: number): void {
  openOf(client).close(number);
}

async function onList<T>(
  session: ClusterSession,
  operation: string,
  list: EventList,
  work: (asked: ClusterView) => Promise<T>,
): Promise<{ value: T; timings: Timings }> {
  if (madeOf(list.view, session) !== list.madeOf) throw goneResult();
  const watch = new Stopwatch(operation);
  watch.path = 'cluster';
  const { query } = list.view;
  try {
    const value = await work(new ClusterView(session, list.plan, list.view, watch));
    session.record(watch, 'done', query);
    return { value, timings: watch.timings() };
  } catch (error) {
    session.record(watch, statusOfError(error), query);
    throw error;
  }
}

/** The plan whose first events a `head` leaves, without it: the list ends there. */
function unlimited(plan: Plan): Plan {
  return { ...plan, limit: undefined };
}

/** Where in time the events are. */
async function byTime(asked: ClusterView) {
  const { plan, options } = asked;
  const all = unlimited(plan);
  const span = coveredSpan(plan);
  const width = span === undefined ? DAY : evenGrid(span.from, span.to, MOST_SPANS).width;
  const rows = await asked.rows(clickhouseHistogram(all, width, undefined, options));
  const dated = rows.filter(([i]) => i !== null);
  const undatedEvents = Number(rows.find(([i]) => i === null)?.[1] ?? 0);
  const spans = dated.map(([i, n]) => {
    const from = Number(i) * width;
    return { from, to: from + width, count: Number(n) };
  });
  const times = new TimeOrder(spans, undatedEvents);
  const total = times.dated + times.undated;
  const length = Math.min(total, plan.limit ?? Infinity);
  return { times, total: length, length, undated: Math.max(0, length - times.dated) };
}

async function byOrder(asked: ClusterView, notes: string[]) {
  const [[count, without] = []] = await asked.rows(clickhouseExtent(asked.plan, asked.options));
  const total = Number(count ?? 0);
  const length = Math.min(total, MOST_KEPT);
  if (total > length)
    notes.push(
      `this order lists the first ${length} of ${total} events; narrow the query, or sort by time, to see the others`,
    );
  return { times: undefined, total, length, undated: Math.min(Number(without ?? 0), length) };
}

/** Divides spans of a list that have many events. */
function dividerOf(asked: ClusterView): Parameters<TimeOrder['pieces']>[2] {
  return async (span, width) => {
    const { plan, options } = asked;
    const rows = await asked.rows(clickhouseHistogram(unlimited(plan), width, span, options));
    return rows.map(([i, n]) => {
      const start = Number(i) * width;
      const [from, to] = [Math.max(start, span.from), Math.min(start + width, span.to)];
      return { from, to, count: Number(n) };
    });
  };
}

async function rowsOf(
  asked: ClusterView,
  list: EventList,
  offset: number,
  limit: number,
  fields: readonly string[],
): Promise<ColumnBatch> {
  const to = Math.min(offset + limit, list.length);
  const { plan, options } = asked;
  const wanted = fieldsToRead(plan, fields);
  const parts: (ListPart & { turned: boolean })[] = [];
  if (list.times === undefined && offset < to)
    parts.push({ fields: wanted, sort: list.sort, limit: to - offset, offset, turned: false });
  if (list.times !== undefined && offset < to)
    for (const { from, to: end, backwards } of ranges(list, offset, to)) {
      const pieces = await list.times.pieces(from, end, dividerOf(asked));
      const requests = pieces.map(({ part, offset: skip, count }) => ({
        ...{ fields: wanted, part, limit: count, offset: skip, turned: backwards },
      }));
      parts.push(...(backwards ? requests.toReversed() : requests));
    }
  const all = list.times === undefined ? plan : unlimited(plan);
  const statements = parts.map((part) => clickhouseList(all, part, options));
  return eventBatch(asked, statements, fields, (at) => parts[at]!.turned);
}
