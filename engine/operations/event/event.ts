/** One event with everything that the case knows about it. */
import { shownDigits } from '../../contract/time/time-text.ts';
import { existsSync } from 'node:fs';
import type { SourceRow } from '../../catalog/index.ts';
import { clockErrorOf } from '../../contract/time/clock.ts';
import { ORDER_NAMES } from '../../contract/time/decisions.ts';
import {
  COLUMNS,
  CUT_TEXTS,
  TS_BASIS,
  KINDS,
  type EpochMicros,
  type Kind,
} from '../../contract/event.ts';
import { EventBatch } from '../../columns/event-batch.ts';
import { CUT_COLUMNS } from '../../fields/cutting/cutter.ts';
import { shippedCutter } from '../../fields/cutting/extractors.ts';
import {
  type Names,
  formatter,
  type OutputColumn,
  type RawValue,
  type ShownRecord,
  type ShownValue,
} from '../../query/index.ts';
import {
  type CaseSession,
  eventIdOf,
  eventKey,
  noSuchEvent,
  startQuery,
} from '../../search/index.ts';
import { fiveTupleQuery, packetsQuery } from './event-query.ts';
import { addCommunityId } from '../../query/statements/shown-events.ts';

interface EventField {
  name: string;
  value: string | number | null;
  /** Named by the source rather than by Daybook. */
  attribute: boolean;
}

/** Fields that an extractor cut out of the message. */
interface CutFields {
  extractor: string;
  version: string;
  fields: string[];
}

/** The time of an event: nanoseconds beyond its microseconds, and the number of fractional digits to show. */
export interface Instant {
  ts: EpochMicros | undefined;
  tsNs: number;
  tsDigits: number;
}

export interface WholeEvent<S = SourceRow> extends Instant {
  event: string;
  kind: Kind;
  /** How the event got its time, in words. */
  timeNotes: string[];
  /** In their usual order, without the values that have a property here. */
  fields: EventField[];
  cut: CutFields | undefined;
  tags: string[];
  note: string | undefined;
  source: S;
  /** Position of the record in the source's content; derived events have no record. */
  offset: number | undefined;
  length: number | undefined;
  /** The flow that a packet or a protocol event belongs to. */
  flow: string | undefined;
  fiveTuple: string | undefined;
  /** A query for the packets, if the case has them, of a flow or of the flow of a protocol event. */
  packets: string | undefined;
}

/** Columns of the result that are shown next to the fields, or are parts of them. */
const BESIDE: ReadonlySet<string> = new Set([
  ...['ts', 'ts_ns', 'ts_digits', 'ts_basis', 'tz_offset', 'kind', 'event_id', 'source', 'tag'],
  ...['seq', 'source_id', 'flow_id', 'offset', 'length', 'record_key'],
]);

const CUT: ReadonlySet<string> = new Set(CUT_TEXTS);

/**
 * `fields` for everything known about an event; a column that extractors fill is omitted if the case has none of
 * it.
 */
export function everything(stored: ReadonlySet<string>): string[] {
  const names = new Set(['kind', 'source', 'tag', 'ts_basis', 'tz_offset']);
  for (const column of Object.keys(COLUMNS))
    if (!CUT.has(column) || stored.has(column)) names.add(column.replace(/_ip[46]$/, '_ip'));
  return [...names, 'attributes'];
}

/**
 * Everything about the event with this id.
 * @throws DaybookError usage, not-found, cancelled
 */
export async function wholeEvent(
  session: CaseSession,
  id: string,
  signal?: AbortSignal,
  operation = 'event.get',
): Promise<WholeEvent> {
  const key = eventKey(id);
  const event = eventIdOf(key);
  const stored = new Set(session.snapshot().segments.flatMap(({ columns }) => [...columns]));
  const running = startQuery(session, {
    text: `kind:* event_id:${event} | fields ${everything(stored).join(', ')}`,
    zone: 'UTC',
    limit: 1,
    ...{ signal, operation },
  });
  for await (const { columns, rows } of running.rows()) {
    const [row] = rows;
    if (row === undefined) continue;
    const source = running.snapshot.sources().find((one) => one.id === key.sourceId);
    if (source === undefined) break;
    return eventOf(key, { columns, row }, running.snapshot, {
      ...{ source, note: session.catalog.notes.of(key)?.text },
      hasPackets: hasPackets(session, key.sourceId),
    });
  }
  throw noSuchEvent(event);
}

/** What a row of an event does not contain. */
interface AboutEvent<S> {
  readonly source: S;
  readonly note: string | undefined;
  /** Whether the source's packets are in the case. */
  readonly hasPackets: boolean;
}

/** @param row its values of the fields that `everything` names */
export function eventOf<S extends Pick<SourceRow, 'decisions'>>(
  key: ReturnType<typeof eventKey>,
  {
    columns,
    row,
  }: { readonly columns: readonly OutputColumn[]; readonly row: readonly RawValue[] },
  names: Names,
  { source, note, hasPackets: packets }: AboutEvent<S>,
): WholeEvent<S> {
  const event = eventIdOf(key);
  const { value } = formatter(names);
  const record: ShownRecord = {};
  const fields: EventField[] = [];
  for (const column of columns) {
    if (column.type === 'overflow') continue;
    const shown = value(column, row);
    if (shown === null) continue;
    const attribute = column.type === 'attribute';
    if (!attribute) record[column.name] = shown;
    if (attribute || !BESIDE.has(column.name))
      fields.push({ name: column.name, value: plain(shown), attribute });
  }
  fields.push(...overflow(columns, row));
  const kind = kindOf(record['kind']);
  addCommunityId(record);
  if (record['community_id'] !== undefined)
    fields.splice(fields.findIndex(({ attribute }) => attribute) >>> 0, 0, {
      name: 'community_id',
      value: plain(record['community_id']),
      attribute: false,
    });
  const raw = (name: string): number | undefined => numberIn(columns, row, name);
  const inFlow = raw('flow_id');
  const flow = kind === 'flow' && key.seq < 0 ? -key.seq : kind === 'packet' ? undefined : inFlow;
  const instant = instantOf(columns, row);
  return {
    ...{ event, kind, fields, source, ...instant },
    cut: kind === 'log' ? cutFields(fields) : undefined,
    timeNotes: timeNotes(instant.ts, raw('ts_basis') ?? 0, raw('tz_offset'), source),
    tags: namesOf(record['tag']),
    note,
    offset: raw('offset'),
    length: raw('length'),
    flow: inFlow === undefined ? undefined : eventIdOf({ ...key, seq: -inFlow }),
    fiveTuple: fiveTupleQuery(record),
    packets: flow !== undefined && packets ? packetsQuery(key.sourceId, flow) : undefined,
  };
}

/**
 * Events whose sources state an address, port or number are not cut: if one has an extractor, its values are cut
 * ones. The host may be that of the header, or the message's name for the device.
 */
function cutFields(fields: readonly EventField[]): CutFields | undefined {
  const stored = fields.filter(({ attribute }) => !attribute);
  const text = (name: string): string =>
    String(stored.find((one) => one.name === name)?.value ?? '');
  const by = text('extractor');
  if (by === '') return undefined;
  const [extractor = by, version = ''] = by.split('/');
  const isCut = (name: string): boolean =>
    name === 'host' || name === 'pid'
      ? gives(name, text('program'), text('message'), text(name))
      : name !== 'header_host' &&
        (CUT_COLUMNS.has(name) || CUT_COLUMNS.has(name.replace(/_ip$/, '_ip4')));
  return { extractor, version, fields: stored.map(({ name }) => name).filter(isCut) };
}

/** Whether extractors cut this host or process out of a message. */
function gives(name: 'host' | 'pid', program: string, message: string, value: string): boolean {
  if (value === '' || !message.includes(value)) return false;
  const batch = new EventBatch('log', () => undefined, 2);
  if (program !== '') batch.program.setString(0, program);
  batch.message.setString(0, message);
  batch.endRow();
  shippedCutter().cut(batch);
  return batch[name].present[0] === 1;
}

/** Whether the evidence of a source is still at its path. */
export function sourceExists({ path }: Pick<SourceRow, 'path'>): boolean {
  return existsSync(path);
}

function timeNotes(
  ts: EpochMicros | undefined,
  tsBasis: number,
  tzOffset: number | undefined,
  source: Pick<SourceRow, 'decisions'>,
): string[] {
  if (ts === undefined) return ['The record has no time that could be read.'];
  const notes: string[] = [];
  const { tz, year, dateOrder, clock } = source.decisions;
  const clockError = clockErrorOf(clock);
  if ((tsBasis & TS_BASIS.zoneDecided) !== 0) {
    const zone = tz === undefined ? '' : ` ${tz}`;
    notes.push(
      `The record states no zone; it was read as${zone === '' ? ' local time' : zone} (UTC${offsetText(tzOffset ?? 0)}), as decided for this source.`,
    );
  } else if (tzOffset !== undefined && tzOffset !== 0) {
    notes.push(`The record states its time with the offset ${offsetText(tzOffset)}.`);
  }
  if ((tsBasis & TS_BASIS.yearDecided) !== 0) {
    notes.push(
      `The record states no year; it was inferred, assumed or set by the user${year === undefined ? '' : ` (the source's last record without one is of ${year})`}.`,
    );
  }
  if ((tsBasis & (TS_BASIS.dayFirst | TS_BASIS.monthFirst)) !== 0) {
    const order = dateOrder === undefined ? 'one order' : ORDER_NAMES[dateOrder];
    notes.push(
      `The record's date is three numbers that can be read in more than one order; it was read as ${order}, as decided for this source.`,
    );
  }
  if (clockError !== 0) {
    const stated = new Date(Math.floor((ts + clockError) / 1000)).toISOString().replace('T', ' ');
    notes.push(
      `The clock of this source was ${clock}, as decided for it; uncorrected, the time is ${stated}.`,
    );
  }
  if ((tsBasis & TS_BASIS.inherited) !== 0)
    notes.push('The record has no time of its own; it was given that of the preceding record.');
  return notes;
}

/** `+01:00`; with seconds where an old zone has them. */
function offsetText(seconds: number): string {
  const all = Math.abs(seconds);
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  const rest = all % 60 === 0 ? '' : `:${two(all % 60)}`;
  return `${seconds < 0 ? '-' : '+'}${two(all / 3600)}:${two((all % 3600) / 60)}${rest}`;
}

function hasPackets(session: CaseSession, sourceId: number): boolean {
  return session
    .snapshot()
    .segments.some(({ kind, sources }) => kind === 'packet' && sources.includes(sourceId));
}

/** The time of a row. */
export function instantOf(columns: readonly OutputColumn[], row: readonly RawValue[]): Instant {
  const instant = columns.find(({ type }) => type === 'instant');
  const part = (role: string): RawValue => {
    const found = instant?.parts.find((one) => one.role === role);
    return found === undefined ? null : row[found.at];
  };
  const ts = part('value');
  return {
    ts: ts === null || ts === undefined ? undefined : Number(ts),
    tsNs: Number(part('nanos') ?? 0),
    tsDigits: shownDigits(Number(ts ?? 0), Number(part('digits') ?? 0)),
  };
}

function numberIn(
  columns: readonly OutputColumn[],
  row: readonly RawValue[],
  name: string,
): number | undefined {
  const part = columns.find((column) => column.name === name && column.type !== 'attribute')
    ?.parts[0];
  const value = part === undefined ? null : row[part.at];
  return value === null || value === undefined ? undefined : Number(value);
}

/** Attributes without a column of their own. */
function overflow(columns: readonly OutputColumn[], row: readonly RawValue[]): EventField[] {
  const column = columns.find(({ type }) => type === 'overflow');
  if (column === undefined) return [];
  const { event } = formatter({ sources: () => [], tags: [] });
  const { attrs } = event([column], row);
  return typeof attrs === 'object' && attrs !== null && !isList(attrs)
    ? Object.entries(attrs).map(([name, value]) => ({ name, value: plain(value), attribute: true }))
    : [];
}

function isList(value: ShownValue): value is readonly string[] {
  return Array.isArray(value);
}

function plain(value: ShownValue): string | number | null {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function namesOf(value: ShownValue | undefined): string[] {
  return value !== undefined && isList(value) ? [...value] : [];
}

function kindOf(value: ShownValue | undefined): Kind {
  return KINDS.find((kind) => kind === value) ?? 'other';
}
