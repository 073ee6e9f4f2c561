/** One event of the case on a cluster, and its neighbours. */
import { compareNaturally } from '../../../contract/words/natural-order.ts';
import { CancelledError } from '../../../contract/errors.ts';
import type { ColumnBatch } from '../../../contract/wire/column-batch.ts';
import type { EpochMicros } from '../../../contract/event.ts';
import type { HandedOverSource } from '../../../contract/hand-over.ts';
import type { Result } from '../../../contract/operations.ts';
import { clickhouseList, type RawValue } from '../../../query/index.ts';
import { eventIdOf, eventKey, fieldsToRead, noSuchEvent } from '../../../search/index.ts';
import { everything, eventOf, type WholeEvent } from '../../event/event.ts';
import { type ContextOf, DEFAULT_FIELDS, NEAR, neighbourhood } from '../../event/event-context.ts';
import { joined } from '../../event/event-batch.ts';
import { clusterSources } from '../cluster-case.ts';
import { askCluster } from '../cluster-query.ts';
import { eventBatch, tagsOfEvents } from './event-batch.ts';
import { notesOfEvent } from '../marks/marks.ts';
import type { ClusterSession } from '../session.ts';
import { askOnCluster } from '../view.ts';

/** @throws DaybookError usage, not-found, unreadable, cancelled */
export async function wholeEventOn(
  session: ClusterSession,
  id: string,
): Promise<
  WholeEvent<HandedOverSource> & { otherNotes?: NonNullable<Result<'event.get'>['otherNotes']> }
> {
  const { cluster, context } = session;
  const key = eventKey(id);
  const event = eventIdOf(key);
  const stored = new Set(context.segments.flatMap(({ columns }) => [...columns]));
  // Its tags are requested separately.
  const names = everything(stored).filter((name) => name !== 'tag');
  const text = `kind:* event_id:${event} | fields ts, ${names.join(', ')}`;
  const question = { text, zone: 'UTC', limit: 1, operation: 'event.get' };
  const query = await askCluster(cluster, question, context);
  const columns = query.columns();
  let found: readonly RawValue[] | undefined;
  for await (const [row] of query.rows(columns)) found ??= row;
  const [source] = await clusterSources(cluster, key.sourceId);
  if (found === undefined || source === undefined) throw noSuchEvent(event);
  const hasPackets = context.segments.some(
    ({ kind, sources }) => kind === 'packet' && sources.has(key.sourceId),
  );
  const { note, otherNotes } = await notesOfEvent(cluster, event);
  const about = { source, note, hasPackets };
  const tags = (await tagsOfEvents(session, [event])).get(event) ?? [];
  const one = eventOf(key, { columns, row: found }, context, about);
  // Entries of a map are in no order.
  const attributes = one.fields.filter(({ attribute }) => attribute);
  attributes.sort((a, b) => compareNaturally(a.name, b.name));
  return {
    ...one,
    fields: [...one.fields.filter(({ attribute }) => !attribute), ...attributes],
    tags,
    ...(otherNotes.length === 0 ? {} : { otherNotes }),
  };
}

/** @throws DaybookError usage, not-found, unreadable, cancelled */
export async function eventOn(session: ClusterSession, id: string): Promise<Result<'event.get'>> {
  const { source, ...event } = await wholeEventOn(session, id);
  const { source_id: sourceId, name, path } = source;
  return { ...event, source: { id: sourceId, name, path } };
}

/** Neighbours are searched within these spans, nearest first, before searching everywhere. */
const SPANS = [...NEAR, Infinity];

/** @throws DaybookError usage, not-found, unknown-field, unreadable, cancelled */
export async function eventContextOn(
  session: ClusterSession,
  asked: {
    readonly event: string;
    readonly of: ContextOf;
    readonly before: number;
    readonly after: number;
    readonly fields?: readonly string[] | undefined;
  },
  signal: AbortSignal,
): Promise<Result<'event.context'>> {
  const fields = asked.fields ?? DEFAULT_FIELDS;
  const event = await wholeEventOn(session, asked.event);
  const { sourceId, seq } = eventKey(event.event);
  const { of, query } = neighbourhood({ ...event, source: { id: sourceId } }, asked.of);
  const than = { ts: event.ts, tsNs: event.tsNs, sourceId, seq };

  const within = async (
    text: string,
    range: { from?: EpochMicros; to?: EpochMicros },
    part: { limit: number; beside?: { than: typeof than; earlier: boolean }; backwards?: boolean },
  ): Promise<ColumnBatch> => {
    if (signal.aborted) throw new CancelledError();
    const view = { query: text, zone: 'UTC', ...range };
    const { batch } = await askOnCluster(session, 'event.context', view, async (one) => {
      const read = fieldsToRead(one.plan, fields);
      const statement = clickhouseList(one.plan, { ...part, fields: read }, one.options);
      const isTurned = () => part.backwards === true;
      return { batch: await eventBatch(one, [statement], fields, isTurned) };
    });
    return batch;
  };
  const side = async (earlier: boolean, limit: number): Promise<ColumnBatch> => {
    if (limit === 0) return joined([]);
    const part = { limit, beside: { than, earlier }, backwards: earlier };
    const { ts } = event;
    let found = joined([]);
    for (const span of ts === undefined ? [Infinity] : SPANS) {
      const range =
        span === Infinity || ts === undefined
          ? {}
          : earlier
            ? { from: ts - span, to: ts + 1 }
            : { from: ts, to: ts + span };
      found = await within(query, range, part);
      if (found.rows >= limit) break;
    }
    return found;
  };
  const earlier = await side(true, asked.before);
  const later = await side(false, asked.after);
  const self = await within(`kind:* event_id:${event.event}`, {}, { limit: 1 });
  return { batch: joined([earlier, self, later]), index: earlier.rows, of, query };
}
