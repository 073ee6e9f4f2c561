/** Tags and deletions: mark the events that a query finds, or that are named, in one transaction. */
import { resolve } from 'node:path';
import { accessError, diskError } from '../../util/files/files.ts';
import { Catalog, type EventKey, WriterLock } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import { RowSet } from '../../util/row-set.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { eventsAst, parseQuery, ROW_IDENTITY } from '../../query/index.ts';
import type { GivenFile } from '../../query/lookups/lookup-file.ts';
import {
  askView,
  type AskedView,
  type GivenList,
  type CaseSession,
  eventIdOf,
  locateEvents,
  SearchCost,
  askQuery,
} from '../../search/index.ts';

/** Events to mark: the results of a query, or ids. */
export type MarkTarget =
  | {
      text: string;
      from?: number | undefined;
      to?: number | undefined;
      /** Events must also match one of its rows. */
      list?: GivenList | undefined;
      /** Events must match none of its rows. */
      exclude?: GivenList | undefined;
      /** The files of `lookup` in queries within it. */
      lookups?: ReadonlyMap<string, GivenFile> | undefined;
      /** For times in the query that state no zone. */
      zone: string;
    }
  | { events: readonly string[] };

type MarkParameters = MarkTarget & {
  /** It stays open. */
  session: CaseSession;
  signal?: AbortSignal | undefined;
};

interface MarkReport {
  /** Events that the query found, or that the ids name. */
  matched: number;
  /** Those among them whose marks changed. */
  changed: number;
  /** Packets beneath flows that the query omitted: their marks stay. */
  packetsBeneath?: { packets: number; exact: boolean };
  /** Notes on the query's answer, such as how a list was read. */
  notes?: readonly string[];
}

/** One kind of marking: how it changes the events it finds. */
interface Marking {
  operation: 'tag' | 'untag' | 'delete';
  /** Looked up in the transaction; 0 marks as deleted. */
  tagOf(catalog: Catalog): number;
  detail: Record<string, unknown>;
}

/**
 * A tag name in stored form.
 * @throws DaybookError usage
 */
export function tagName(text: string): string {
  const name = text.trim();
  if (name !== '' && !/[\u0000-\u001f]/.test(name) && name.length <= 100) return name;
  throw new DaybookError('usage', 'the name of a tag has 1 to 100 characters');
}

/** Tags every event of the target, or takes the tag away. */
export function tagEvents(
  parameters: MarkParameters & { name: string; remove: boolean },
): Promise<MarkReport> {
  const name = tagName(parameters.name);
  return mark(parameters, {
    operation: parameters.remove ? 'untag' : 'tag',
    tagOf: (catalog) => catalog.marks.tagId(name),
    detail: { name },
  });
}

/** Deletes every event of the target. `daybook compact` removes them from the files. */
export function deleteEvents(parameters: MarkParameters & { reason: string }): Promise<MarkReport> {
  const reason = parameters.reason.trim();
  if (reason === '')
    throw new DaybookError(
      'usage',
      'a deletion needs a reason',
      'give one with --reason TEXT; the audit log keeps it',
    );
  return mark(parameters, { operation: 'delete', tagOf: () => 0, detail: { reason } });
}

async function mark(parameters: MarkParameters, marking: Marking): Promise<MarkReport> {
  const { operation } = marking;
  const watch = new Stopwatch(`events.${operation}`);
  const { session } = parameters;
  const lock = takeLock(session.folder, operation);
  let catalog: Catalog | undefined;
  try {
    // A separate catalog: the session then sees its commits as those of another process.
    catalog = Catalog.open(session.folder);
    const writing = catalog;
    const found =
      'events' in parameters
        ? await watch.spanAsync('execute', () => foundById(session, parameters))
        : await foundByQuery(session, parameters, operation, watch);
    const changed =
      found.matched === 0
        ? 0
        : watch.span('commit', () => commit(writing, parameters, marking, found));
    watch.rowsReturned = found.matched;
    session.record(watch, 'done', 'events' in parameters ? undefined : parameters.text);
    const { matched, beneath, notes = [] } = found;
    return {
      matched,
      changed,
      ...(notes.length === 0 ? {} : { notes }),
      ...(beneath === undefined || beneath.packets === 0 ? {} : { packetsBeneath: beneath }),
    };
  } finally {
    catalog?.close();
    lock.release();
  }
}

interface Found {
  matched: number;
  /** By segment. */
  bySegment: ReadonlyMap<number, RowSet>;
  /** Among the events found, those that have a tag set by hand, or get one now. */
  byHand: readonly EventKey[];
  /** The target, as the audit log records it. */
  target: Record<string, unknown>;
  beneath?: MarkReport['packetsBeneath'];
  notes?: readonly string[];
}

async function foundById(
  session: CaseSession,
  { events, signal }: { events: readonly string[]; signal?: AbortSignal | undefined },
): Promise<Found> {
  const rows = await locateEvents(session, events, signal);
  const bySegment = new Map<number, number[]>();
  for (const { segment, rowId } of rows) add(bySegment, segment, rowId);
  return {
    matched: rows.length,
    bySegment: asSets(session, bySegment),
    byHand: rows,
    target: { events: rows.map(eventIdOf) },
  };
}

type ByQuery = Exclude<MarkTarget, { events: readonly string[] }> & {
  signal?: AbortSignal | undefined;
};

/** @throws DaybookError usage if a query makes a table; query-syntax */
export function checkFindsEvents(text: string, operation: Marking['operation']): void {
  const ast = parseQuery(text);
  if (eventsAst(ast).stages.length < ast.stages.length)
    throw new DaybookError(
      'usage',
      `${operation} needs a query that finds events, not a table`,
      'leave out the stages that count or group',
    );
}

async function foundByQuery(
  session: CaseSession,
  parameters: ByQuery,
  operation: Marking['operation'],
  watch: Stopwatch,
): Promise<Found> {
  const { text, from, to, list, exclude, lookups } = parameters;
  checkFindsEvents(text, operation);
  const { found, timings, packetsBeneath, notes } = await askView(
    session,
    `events.${operation}.find`,
    { ...parameters, query: text },
    parameters.signal,
    async (asked) => ({
      found: (await rowSets(asked)) ?? (await rowsOneByOne(session, parameters, operation)),
    }),
    [],
    false,
  );
  const { spans, path, days, segments, rowsExamined } = timings;
  for (const [name, ms] of Object.entries(spans)) watch.add(name, ms);
  Object.assign(watch, { path, days, segments, rowsExamined });
  let matched = 0;
  for (const { count } of found.values()) matched += count;
  return {
    ...{ matched, bySegment: found, notes },
    // Few, since people set them one by one. Tagging by a query leaves them as they are.
    byHand: operation === 'tag' ? [] : await handTagged(session, found, parameters.signal),
    target: {
      ...{ query: text, from, to },
      ...(list === undefined ? {} : { list: session.lists.describe(list) }),
      ...(exclude === undefined ? {} : { exclude: session.lists.describe(exclude) }),
      ...(lookups === undefined
        ? {}
        : { lookups: [...lookups.values()].map((file) => session.lists.describe(file)) }),
    },
    ...(packetsBeneath === undefined ? {} : { beneath: packetsBeneath }),
  };
}

/** The rows of a query that chooses by its filter alone; undefined: which they are depends on others. */
async function rowSets({
  plan,
  finder,
  watch,
}: AskedView): Promise<ReadonlyMap<number, RowSet> | undefined> {
  const { events, segmentsUsed } = plan;
  if (finder === undefined || events.node !== 'base' || plan.limit !== undefined) return undefined;
  const { filter } = events;
  const before = await watch.spanAsync('index', () => finder.findAll(filter, segmentsUsed));
  const cost = new SearchCost('index');
  for (const segment of segmentsUsed) cost.add(segment, before.get(segment.id));
  cost.tell(watch);
  const exact = await finder.exact(filter, segmentsUsed);
  const out = new Map<number, RowSet>();
  for (const { id, rows: total } of segmentsUsed) {
    const rows = exact.get(id)?.rows ?? 'none';
    if (rows !== 'none') out.set(id, rows === 'all' ? RowSet.all(total) : rows);
  }
  return out;
}

async function rowsOneByOne(
  session: CaseSession,
  parameters: ByQuery,
  operation: Marking['operation'],
): Promise<ReadonlyMap<number, RowSet>> {
  const { text, from, to, list, exclude, lookups, zone, signal } = parameters;
  // Only the identity of events is needed: their other columns are not read.
  const chooses = parseQuery(text).stages.some(({ stage }) => stage === 'fields');
  const running = await askQuery(session, {
    ...{ text: chooses ? text : `${text} | fields event_id`, from, to, zone, signal },
    ...{ list, exclude, lookups },
    operation: `events.${operation}.find`,
  });
  const bySegment = new Map<number, number[]>();
  for await (const batch of running.rows())
    for (const row of batch.rows)
      add(bySegment, Number(row[ROW_IDENTITY.segment]), Number(row[ROW_IDENTITY.rowId]));
  return asSets(session, bySegment);
}

async function handTagged(
  session: CaseSession,
  found: ReadonlyMap<number, RowSet>,
  signal: AbortSignal | undefined,
): Promise<EventKey[]> {
  const keys = session.catalog.marks.handTags(0);
  if (keys.length === 0 || found.size === 0) return [];
  const rows = await locateEvents(session, [...new Set(keys.map(eventIdOf))], signal);
  return rows.filter(({ segment, rowId }) => found.get(segment)?.has(rowId) === true);
}

function add(bySegment: Map<number, number[]>, segment: number, row: number): void {
  const list = bySegment.get(segment);
  if (list === undefined) bySegment.set(segment, [row]);
  else list.push(row);
}

function asSets(
  session: CaseSession,
  bySegment: ReadonlyMap<number, readonly number[]>,
): ReadonlyMap<number, RowSet> {
  const totals = new Map(session.snapshot().segments.map(({ id, rows }) => [id, rows]));
  return new Map(
    [...bySegment].map(([segment, rows]) => {
      const sorted = Uint32Array.from(new Set(rows)).sort();
      return [segment, RowSet.ofSorted(sorted, totals.get(segment) ?? 0)];
    }),
  );
}

/** Writes marks, audit and change in one transaction; returns how many marks were added or removed. */
function commit(
  catalog: Catalog,
  parameters: MarkParameters,
  { operation, tagOf, detail }: Marking,
  { matched, bySegment, byHand, target }: Found,
): number {
  return catalog.transaction(() => {
    const tag = tagOf(catalog);
    let changed = 0;
    for (const [segment, rows] of bySegment) {
      const before = RowSet.ofSorted(catalog.marks.of(segment, tag), rows.total);
      const after = operation === 'untag' ? before.and(rows.not()) : before.or(rows);
      changed += Math.abs(after.count - before.count);
      catalog.marks.set(segment, tag, after.slice(0, after.count));
    }
    for (const key of byHand) {
      if (operation !== 'tag') catalog.marks.removeHandTag(tag, key);
      else if ('events' in parameters) catalog.marks.addHandTag(tag, key);
    }
    catalog.audit.add(operation, { ...target, ...detail, matched, changed });
    catalog.changes.add(operation, {
      ...detail,
      rows: changed,
      segments: [...bySegment.keys()],
    });
    return changed;
  });
}

/** @throws DaybookError case-locked, unreadable */
function takeLock(folder: string, operation: string): WriterLock {
  try {
    return WriterLock.take(resolve(folder), operation);
  } catch (error) {
    throw diskError(error) ?? accessError(error) ?? error;
  }
}
