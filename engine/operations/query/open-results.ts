/** `result.*`: a window's open lists. They are closed with it. */
import type { ColumnBatch } from '../../contract/wire/column-batch.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { hasCode } from '../../contract/errors.ts';
import { IndexDamaged } from '../../index/index.ts';
import { Stopwatch, type Timings } from '../../measure/operation-log.ts';
import {
  askView,
  type View,
  type ViewScope,
  type CaseSession,
  isGone,
  askResult,
  goneResult,
  locate,
  openResult,
  readRows,
  type ResultSet,
  type SendFirst,
  type Sort,
} from '../../search/index.ts';
import type { Client } from '../handler.ts';
import { OpenLists, openListsOf } from '../open-lists.ts';
import { rowFieldNames } from '../../query/statements/shown-events.ts';

interface OpenParameters extends View {
  sort?: Sort | undefined;
  fields?: readonly string[] | undefined;
  first: number;
}

interface OpenedResult extends ViewScope {
  result: number;
  total: number;
  capped?: number;
  undated: number;
  fields: string[];
}

/** Segments of a list that are attached before they are needed, at most. */
const MOST_ATTACHED = 1000;

/** A list, and how to make it again when its segments went away. */
class OpenResult {
  readonly folder: string;
  readonly parameters: OpenParameters;
  result: ResultSet;
  /** The last change of the case before the list was made. */
  change: number;
  readonly fields: readonly string[];
  private pinned: { session: CaseSession; release: () => void } | undefined;

  constructor(
    folder: string,
    parameters: OpenParameters,
    result: ResultSet,
    change: number,
    fields: readonly string[],
  ) {
    this.folder = folder;
    this.parameters = parameters;
    this.result = result;
    this.change = change;
    this.fields = fields;
  }

  /** Keeps its segments readable through `session`, although the case may have others instead. */
  pin(session: CaseSession): void {
    if (this.pinned?.session === session) return;
    this.pinned?.release();
    const ids = this.result.plan.segmentsUsed.map(({ id }) => id);
    this.pinned = { session, release: session.store.pin(ids) };
  }

  /** Whether the folder has another case since: its segments are others with the same numbers. */
  isOfAnother(session: CaseSession): boolean {
    if (this.pinned?.session === session) return false;
    const { plan, snapshot } = this.result;
    const used = new Set(plan.segmentsUsed.map(({ id }) => id));
    const made = new Map(snapshot.segments.map(({ id, sha256 }) => [id, sha256]));
    return session
      .snapshot()
      .segments.some(({ id, sha256 }) => used.has(id) && made.get(id) !== sha256);
  }

  replace(session: CaseSession, result: ResultSet, change: number): void {
    this.pinned?.release();
    this.pinned = undefined;
    this.result = result;
    this.change = change;
    this.pin(session);
  }

  dispose(): void {
    this.pinned?.release();
    this.pinned = undefined;
  }
}

class OpenResults extends OpenLists<OpenResult> {}

const openOf = (client: Client): OpenResults => openListsOf(client, 'results', OpenResults);

/** @throws DaybookError query-syntax, unknown-field, cancelled */
export async function openList(
  session: CaseSession,
  folder: string,
  parameters: OpenParameters,
  client: Client,
  signal: AbortSignal,
  send: SendFirst,
): Promise<OpenedResult> {
  session.store.prepare();
  const change = session.catalog.changes.last();
  let names: string[] = [];
  const { result, ...scope } = await askView(
    session,
    'result.open',
    parameters,
    signal,
    async (asked) => {
      names = rowFieldNames(asked.plan);
      const { sort, first } = parameters;
      const fields = parameters.fields ?? names;
      return { result: await openResult(asked, sort, { count: first, fields }, send) };
    },
    [],
    false,
  );
  const opened = new OpenResult(folder, parameters, result, change, parameters.fields ?? names);
  opened.pin(session);
  // Attached segments stay readable when a compaction removes their files.
  const used = new Set(result.plan.segmentsUsed.map(({ id }) => id));
  const files = result.snapshot.segments.filter(({ id }) => used.has(id));
  if (files.length <= MOST_ATTACHED) session.store.attachSoon(files);
  const { total, length, undated } = result;
  return {
    result: openOf(client).open(opened),
    total,
    ...(length < total ? { capped: length } : {}),
    undated: Math.min(undated, length),
    fields: names,
    ...scope,
  };
}

/** @throws DaybookError not-found, cancelled */
export async function listRows(
  session: CaseSession,
  number: number,
  range: { offset: number; limit: number; fields?: readonly string[] | undefined },
  client: Client,
  signal: AbortSignal,
): Promise<{ offset: number; batch: ColumnBatch; timings: Timings }> {
  const { value, timings } = await onList(
    'result.rows',
    session,
    openOf(client).find(number),
    signal,
    (asked, opened) =>
      readRows(asked, opened.result, range.offset, range.limit, range.fields ?? opened.fields),
  );
  return { offset: range.offset, batch: value, timings };
}

/** @throws DaybookError not-found, cancelled */
export async function listPlace(
  session: CaseSession,
  number: number,
  ts: EpochMicros,
  client: Client,
  signal: AbortSignal,
): Promise<{ offset: number }> {
  const opened = openOf(client).find(number);
  const { value } = await onList('result.locate', session, opened, signal, async () =>
    locate(opened.result, ts),
  );
  return { offset: value };
}

/** Closing a missing list does nothing. */
export function closeList(client: Client, number: number): void {
  openOf(client).close(number);
}

/** Works on a list; if a compaction removed its segments, on the same events in their new segments. */
async function onList<T>(
  operation: string,
  session: CaseSession,
  opened: OpenResult,
  signal: AbortSignal,
  work: (asked: ReturnType<typeof askResult>, opened: OpenResult) => Promise<T>,
): Promise<{ value: T; timings: Timings }> {
  const watch = new Stopwatch(operation);
  if (opened.isOfAnother(session)) throw goneResult();
  const release = session.store.hold();
  opened.pin(session);
  try {
    let value: T;
    try {
      value = await work(askResult(session, opened.result, watch, signal), opened);
    } catch (error) {
      if (!isGone(error) && !(error instanceof IndexDamaged)) throw error;
      await reopen(session, opened, signal);
      value = await work(askResult(session, opened.result, watch, signal), opened);
    }
    session.record(watch, 'done', opened.parameters.query);
    return { value, timings: watch.timings() };
  } catch (error) {
    const cancelled = hasCode(error, 'cancelled');
    session.record(watch, cancelled ? 'cancelled' : 'failed', opened.parameters.query);
    throw isGone(error) ? goneResult() : error;
  } finally {
    release();
  }
}

/** Makes the list again: the same events if the case has no others since, or if it has as many of all that match. */
async function reopen(
  session: CaseSession,
  opened: OpenResult,
  signal: AbortSignal,
): Promise<void> {
  const { parameters, result } = opened;
  const change = session.catalog.changes.last();
  const again = await askView(
    session,
    'result.reopen',
    parameters,
    signal,
    async (asked) => ({
      result: await openResult(
        asked,
        parameters.sort,
        { count: 0, fields: [] },
        async () => undefined,
      ),
    }),
    [],
    false,
  );
  const isAsLong = again.result.total === result.total && again.result.undated === result.undated;
  const isSame = session.catalog.changes.last() === opened.change || hasAll(result);
  if (!isAsLong || !isSame) throw goneResult();
  opened.replace(session, again.result, change);
}

/** Whether it has all events that match: with others it would be longer. */
function hasAll({ plan, total }: ResultSet): boolean {
  return plan.events.node === 'base' && total < (plan.limit ?? Infinity);
}
