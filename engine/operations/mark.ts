/** Tags and deletions: mark the events that a query finds, or that are named, in one transaction. */
import type { Catalog, EventKey } from '../catalog/catalog.ts';
import { DaybookError } from '../contract/errors.ts';
import { CaseWriter } from '../ingest/case-writer.ts';
import { Stopwatch } from '../measure/operation-log.ts';
import { parseQuery, ROW_IDENTITY } from '../query/index.ts';
import type { BuilderOptions } from '../store/segment-builder.ts';
import type { StoreOptions } from '../store/segment-store.ts';
import { CaseSession } from './case-session.ts';
import { eventIdOf, locateEvents } from './event-rows.ts';
import { startQuery } from './query.ts';

/** What is marked: all that a query finds, or events by their ids. */
export type MarkTarget =
  | {
      text: string;
      from?: number | undefined;
      to?: number | undefined;
      /** For times in the query that state none. */
      zone: string;
    }
  | { events: readonly string[] };

export type MarkParameters = MarkTarget & {
  folder: string;
  builder: BuilderOptions;
  store: StoreOptions;
  /** The case as this process has it open already; it stays open. */
  session?: CaseSession | undefined;
  signal?: AbortSignal | undefined;
};

export interface MarkReport {
  /** Events that the query found, or that the ids name. */
  matched: number;
  /** Of these, those that were not marked so before. */
  changed: number;
  /** Packets beneath flows that the query left out: they keep what marks they have. */
  packetsBeneath?: { packets: number; exact: boolean };
}

/** What an operation does with the events it finds. */
interface Marking {
  operation: 'tag' | 'untag' | 'delete';
  /** Asked for in the transaction; 0 marks as deleted. */
  tagOf(catalog: Catalog): number;
  detail: Record<string, unknown>;
}

/** Tags every event of the target, or takes the tag away. */
export function tagEvents(
  parameters: MarkParameters & { name: string; remove: boolean },
): Promise<MarkReport> {
  const name = parameters.name.trim();
  if (name === '' || /[\u0000-\u001f]/.test(name) || name.length > 100) {
    throw new DaybookError('usage', 'a tag has a name of 1 to 100 characters');
  }
  return mark(parameters, {
    operation: parameters.remove ? 'untag' : 'tag',
    tagOf: (catalog) => catalog.tagId(name),
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
      'give one with --reason TEXT: it stays in the audit log',
    );
  return mark(parameters, { operation: 'delete', tagOf: () => 0, detail: { reason } });
}

async function mark(parameters: MarkParameters, marking: Marking): Promise<MarkReport> {
  const { operation } = marking;
  const watch = new Stopwatch(`events.${operation}`);
  const writer = await CaseWriter.open(parameters.folder, operation, parameters.builder);
  const session = parameters.session ?? CaseSession.open(parameters.folder, parameters.store);
  try {
    const found =
      'events' in parameters
        ? await watch.spanAsync('execute', () => foundById(session, parameters))
        : await foundByQuery(session, parameters, operation, watch);
    const changed =
      found.matched === 0
        ? 0
        : watch.span('commit', () => commit(writer.catalog, parameters, marking, found));
    watch.rowsReturned = found.matched;
    session.record(watch, 'done', 'events' in parameters ? undefined : parameters.text);
    const { matched, beneath } = found;
    return {
      matched,
      changed,
      ...(beneath === undefined || beneath.packets === 0 ? {} : { packetsBeneath: beneath }),
    };
  } finally {
    if (parameters.session === undefined) await session.close();
    writer.close();
  }
}

interface Found {
  matched: number;
  /** Row numbers by segment, in no order. */
  bySegment: ReadonlyMap<number, number[]>;
  /** Of what was found, the events that have a tag set by hand, or now get one. */
  byHand: readonly EventKey[];
  /** What the audit log says of the target. */
  target: Record<string, unknown>;
  beneath?: MarkReport['packetsBeneath'];
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
    bySegment,
    byHand: rows,
    target: { events: rows.map(eventIdOf) },
  };
}

async function foundByQuery(
  session: CaseSession,
  parameters: Exclude<MarkTarget, { events: readonly string[] }> & {
    signal?: AbortSignal | undefined;
  },
  operation: Marking['operation'],
  watch: Stopwatch,
): Promise<Found> {
  const { text, from, to, zone, signal } = parameters;
  const start = (query: string) =>
    startQuery(session, {
      ...{ text: query, from, to, zone, signal },
      operation: `events.${operation}.find`,
    });
  const asked = start(text);
  if (asked.plan.shape !== 'rows') {
    throw new DaybookError(
      'usage',
      `${operation} needs a query that finds events, not a table`,
      'leave out the stages that count or group',
    );
  }
  // Which events they are is enough: their other columns are not read.
  const chooses = parseQuery(text).stages.some(({ stage }) => stage === 'fields');
  const running = chooses ? asked : start(`${text} | fields event_id`);
  // Few: people set them one by one.
  const handTagged = new Map(session.catalog.handTags(0).map((key) => [eventIdOf(key), key]));
  const bySegment = new Map<number, number[]>();
  const byHand: EventKey[] = [];
  let matched = 0;
  for await (const batch of running.rows()) {
    for (const row of batch.rows) {
      add(bySegment, Number(row[ROW_IDENTITY.segment]), Number(row[ROW_IDENTITY.rowId]));
      matched += 1;
      if (handTagged.size === 0) continue;
      const key = {
        sourceId: Number(row[ROW_IDENTITY.sourceId]),
        seq: Number(row[ROW_IDENTITY.seq]),
      };
      if (handTagged.has(eventIdOf(key))) byHand.push(key);
    }
  }
  const { spans, path, days, segments, rowsExamined } = running.timings();
  for (const [name, ms] of Object.entries(spans)) watch.add(name, ms);
  Object.assign(watch, { path, days, segments, rowsExamined });
  return {
    ...{ matched, bySegment, byHand },
    target: { query: text, from, to },
    beneath: asked.plan.packetsBeneath,
  };
}

function add(bySegment: Map<number, number[]>, segment: number, row: number): void {
  const list = bySegment.get(segment);
  if (list === undefined) bySegment.set(segment, [row]);
  else list.push(row);
}

/** Writes marks, audit and change in one transaction; returns how many marks are new or gone. */
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
      const before = catalog.marks(segment, tag);
      const after = operation === 'untag' ? difference(before, rows) : union(before, rows);
      changed += Math.abs(after.length - before.length);
      catalog.setMarks(segment, tag, after);
    }
    for (const key of byHand) {
      if (operation !== 'tag') catalog.removeHandTag(tag, key);
      else if ('events' in parameters) catalog.addHandTag(tag, key);
    }
    catalog.addAudit(operation, { ...target, ...detail, matched, changed });
    catalog.addChange(operation, {
      ...detail,
      rows: changed,
      segments: [...bySegment.keys()],
    });
    return changed;
  });
}

/** Both, ascending, each number once. */
function union(sorted: Uint32Array, more: readonly number[]): Uint32Array {
  const all = new Uint32Array(sorted.length + more.length);
  all.set(sorted);
  all.set(more, sorted.length);
  all.sort();
  let to = 0;
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) all[to++] = all[i]!;
  return all.slice(0, to);
}

function difference(sorted: Uint32Array, less: readonly number[]): Uint32Array {
  const gone = new Set(less);
  return sorted.filter((row) => !gone.has(row));
}
