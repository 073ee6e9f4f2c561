/**
 * What happened around an event: its neighbours in order of time on the same host, in the same source,
 * or anywhere.
 *
 * The order is that of every list of events (time, nanoseconds, source, record), so that events of one
 * instant are on the side where a list has them. Time is searched outwards in growing steps: a case
 * of many days is not read for five neighbours.
 */
import type { ColumnBatch } from '../contract/column-batch.ts';
import type { EpochMicros } from '../contract/event.ts';
import type { CaseSession } from './case-session.ts';
import { equals } from './event-query.ts';
import { batchFields, batchRows, toBatch, type BatchRow } from './event-batch.ts';
import { eventKey } from './event-rows.ts';
import { wholeEvent, type WholeEvent } from './event.ts';
import { startQuery } from './query.ts';

export type ContextOf = 'host' | 'source' | 'all';

export interface ContextParameters {
  event: string;
  of: ContextOf;
  before: number;
  after: number;
  fields?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

export interface EventContext {
  batch: ColumnBatch;
  /** Of the event itself in the batch. */
  index: number;
  /** What it was found by: an event that names no host has its source's. */
  of: ContextOf;
  /** The events among which these are neighbours. */
  query: string;
}

const DEFAULT_FIELDS = [
  ...['host', 'program', 'src_ip', 'src_port', 'dst_ip', 'dst_port', 'proto', 'bytes'],
  ...['severity', 'event_type', 'message'],
];

const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
/** How far away neighbours are looked for before it is tried farther; at last, anywhere. */
const STEPS = [60 * SECOND, 3600 * SECOND, DAY, 30 * DAY, undefined];

/** @throws DaybookError usage, not-found, unknown-field, cancelled */
export async function eventContext(
  session: CaseSession,
  parameters: ContextParameters,
): Promise<EventContext> {
  const { signal, before, after } = parameters;
  const fields = parameters.fields ?? DEFAULT_FIELDS;
  const event = await wholeEvent(session, parameters.event, signal, 'event.context');
  const { of, query } = neighbourhood(event, parameters.of);
  const find = (text: string, range: Range, limit?: number): Promise<BatchRow[]> =>
    batchRows(
      startQuery(session, {
        text: `${text}${batchFields(fields)}`,
        ...{ ...range, zone: 'UTC', limit, signal, operation: 'event.context' },
      }),
      fields,
    );
  const side = async (which: 'before' | 'after', count: number): Promise<BatchRow[]> => {
    if (count === 0) return [];
    const earlier = which === 'before';
    const cut = (text: string): string => (earlier ? `${text} | tail ${count}` : text);
    const { ts } = event;
    const ties = cut(`${query} ${tied(event, earlier)}`);
    if (ts === undefined)
      return find(cut(`${query} day:undated ${tied(event, earlier)}`), {}, count);
    const near = await find(ties, { from: ts, to: ts + 1 }, count);
    if (near.length >= count) return near;
    const left = count - near.length;
    for (const step of STEPS) {
      const far = await find(
        earlier ? `${query} | tail ${left}` : query,
        earlier
          ? { from: step === undefined ? undefined : ts - step, to: ts }
          : { from: ts + 1, to: step === undefined ? undefined : ts + step },
        left,
      );
      if (far.length >= left || step === undefined)
        return earlier ? [...far, ...near] : [...near, ...far];
    }
    return near;
  };
  const earlier = await side('before', before);
  const later = await side('after', after);
  const self = await find(`kind:* event_id:${event.event}`, {}, 1);
  return {
    batch: toBatch([...earlier, ...self, ...later], fields),
    index: earlier.length,
    ...{ of, query },
  };
}

interface Range {
  from?: EpochMicros | undefined;
  to?: EpochMicros | undefined;
}

/** Packets beneath flows are left out, unless the event itself is a packet. */
function neighbourhood(event: WholeEvent, asked: ContextOf): { of: ContextOf; query: string } {
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
    if (test !== undefined) return { of: 'host', query: `${kinds}${test}` };
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
