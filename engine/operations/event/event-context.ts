/**
 * The context of an event: its neighbours in order of time on the same host, in the same source, or anywhere.
 *
 * The order is that of every list of events (time, nanoseconds, source, record), so that events at one instant are
 * on the same side as in a list. The search widens in time step by step: a case of many days is not read for five
 * neighbours.
 */
import { disjointGroups } from '../../util/segment-days.ts';
import type { ColumnBatch } from '../../contract/wire/column-batch.ts';
import type { SegmentRow } from '../../catalog/index.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { type CaseSession, eventKey } from '../../search/index.ts';
import { equals } from './event-query.ts';
import { foundEvents, joined } from './event-batch.ts';
import { wholeEvent, type WholeEvent } from './event.ts';

export type ContextOf = 'host' | 'source' | 'all';

interface ContextParameters {
  event: string;
  of: ContextOf;
  before: number;
  after: number;
  fields?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

export interface EventContext {
  batch: ColumnBatch;
  /** Index of the event itself in the batch. */
  index: number;
  /** The host or source that neighbours share; an event without a host has its source's. */
  of: ContextOf;
  /** The events among which these are neighbours. */
  query: string;
}

export const DEFAULT_FIELDS = ['host', 'program', 'src_ip', 'dst_ip', 'summary'];

const SECOND = 1_000_000;
/** Distances within which neighbours are searched before whole days are. */
export const NEAR = [60 * SECOND, 3600 * SECOND];
/** Number of restarts after segments were merged meanwhile. */
const MAX_TRIES = 3;

/** @throws DaybookError usage, not-found, unknown-field, cancelled */
export async function eventContext(
  session: CaseSession,
  parameters: ContextParameters,
): Promise<EventContext> {
  for (let left = MAX_TRIES; ; left--) {
    const { segments } = session.snapshot();
    const context = await contextOnce(session, parameters, segments);
    if (left === 1 || session.snapshot().segments === segments) return context;
  }
}

async function contextOnce(
  session: CaseSession,
  parameters: ContextParameters,
  segments: readonly SegmentRow[],
): Promise<EventContext> {
  const { signal, before, after } = parameters;
  const fields = parameters.fields ?? DEFAULT_FIELDS;
  const event = await wholeEvent(session, parameters.event, signal, 'event.context');
  const { of, query, column } = neighbourhood(event, parameters.of);
  const candidates = segments.filter(
    (segment) =>
      (of !== 'source' || segment.sources.includes(event.source.id)) &&
      (column === undefined || segment.columns.some((name) => name.startsWith(column))),
  );
  const find = (
    text: string,
    among: readonly SegmentRow[],
    range: Range,
    limit?: number,
  ): Promise<ColumnBatch> =>
    foundEvents(
      session,
      {
        ...{ text, limit, signal, ...range },
        ...{ only: new Set(among.map(({ id }) => id)), zone: 'UTC', operation: 'event.context' },
      },
      fields,
    );

  const side = async (earlier: boolean, count: number): Promise<ColumnBatch> => {
    if (count === 0) return joined([]);
    const { ts } = event;
    const last = (text: string, most: number): string =>
      earlier ? `${text} | tail ${most}` : text;
    const ties = `${query} ${tied(event, earlier)}`;
    if (ts === undefined) return find(last(`${ties} day:undated`, count), candidates, {}, count);
    let found = await find(last(ties, count), candidates, { from: ts, to: ts + 1 }, count);
    if (found.rows >= count) return found;
    const more = async (among: readonly SegmentRow[], range: Range): Promise<ColumnBatch> => {
      const left = count - found.rows;
      return find(last(query, left), among, range, left);
    };
    const together = (far: ColumnBatch): ColumnBatch =>
      joined(earlier ? [far, found] : [found, far]);
    for (const step of NEAR) {
      const range = earlier ? { from: ts - step, to: ts } : { from: ts + 1, to: ts + step };
      const far = await more(candidates, range);
      if (found.rows + far.rows >= count) return together(far);
    }
    const range = earlier ? { to: ts } : { from: ts + 1 };
    for (const days of outwards(candidates, ts, earlier)) {
      found = together(await more(days, range));
      if (found.rows >= count) break;
    }
    return found;
  };
  const earlier = await side(true, before);
  const later = await side(false, after);
  const self = await find(`kind:* event_id:${event.event}`, segments, {}, 1);
  return {
    batch: joined([earlier, self, later]),
    index: earlier.rows,
    ...{ of, query },
  };
}

/** Segments on one side of a time, in groups of a growing number of days, nearest first. */
function* outwards(
  segments: readonly SegmentRow[],
  ts: EpochMicros,
  earlier: boolean,
): Generator<SegmentRow[]> {
  const there = segments.filter(({ minTs, maxTs }) =>
    earlier ? minTs !== undefined && minTs < ts : maxTs !== undefined && maxTs > ts,
  );
  const days = disjointGroups(there);
  if (earlier) days.reverse();
  for (let at = 0, many = 1; at < days.length; at += many, many *= 4)
    yield days.slice(at, at + many).flat();
}

interface Range {
  from?: EpochMicros | undefined;
  to?: EpochMicros | undefined;
}

/** Packets beneath flows are omitted, unless the event itself is a packet. */
export function neighbourhood(
  event: Pick<WholeEvent, 'kind' | 'fields'> & { readonly source: { readonly id: number } },
  asked: ContextOf,
): {
  of: ContextOf;
  query: string;
  /** Prefix of a column that only segments with such events have. */
  column?: string;
} {
  const kinds = event.kind === 'packet' ? 'kind:* ' : '';
  const source = `source_id:${event.source.id}`;
  if (asked === 'host') {
    const value = (name: string): string | undefined => {
      const found = event.fields.find((field) => !field.attribute && field.name === name)?.value;
      return typeof found === 'string' && found !== '' ? found : undefined;
    };
    const host = value('host');
    const address = value('src_ip');
    const test =
      host !== undefined
        ? equals('host', host)
        : address === undefined
          ? undefined
          : `ip:${address}`;
    if (test !== undefined)
      return {
        of: 'host',
        query: `${kinds}${test}`,
        ...(host === undefined ? {} : { column: 'host' }),
      };
  }
  if (asked === 'all') return { of: 'all', query: kinds === '' ? '*' : kinds.trim() };
  return { of: 'source', query: `${kinds}${source}` };
}

/** Events at the same microsecond (or without a time) that are before, or after, this one. */
function tied({ event, tsNs }: WholeEvent, earlier: boolean): string {
  const { sourceId, seq } = eventKey(event);
  const sign = earlier ? '<' : '>';
  const sameNs = tsNs === 0 ? '(ts_ns:0 OR NOT ts_ns:*)' : `ts_ns:${tsNs}`;
  const otherNs = earlier
    ? tsNs === 0
      ? ''
      : `ts_ns:<${tsNs} OR NOT ts_ns:* OR `
    : `ts_ns:>${tsNs} OR `;
  return `(${otherNs}(${sameNs} (source_id:${sign}${sourceId} OR (source_id:${sourceId} seq:${sign}${seq}))))`;
}
