/**
 * What a report says, read from the case. Everything is bounded; what is left out is counted, so that
 * the report can say so.
 */
import { counted, nounOf } from '../../contract/counted.ts';
import { userInfo } from 'node:os';
import { LEFT_OUT } from '../../catalog/tables/marks.ts';
import type { ImportRow } from '../../catalog/tables/imports.ts';
import type { ManifestRow } from '../../catalog/tables/manifests.ts';
import type { LedgerRow } from '../../catalog/tables/ledger.ts';
import type { NoteRow } from '../../catalog/tables/notes.ts';
import type { SearchRow } from '../../catalog/tables/searches.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import type { TagColor } from '../../contract/findings.ts';
import { parseView, type View } from '../../contract/view-string.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { isAggregating, parseQuery, type Ast, type ShownValue } from '../../query/index.ts';
import { countOf, namesOf, recordsOf } from '../query/answer-records.ts';
import { caseInfo, type CaseInfo } from '../case/case-info.ts';
import {
  askQuery,
  type CaseSession,
  eventIdOf,
  eventKey,
  shownRows,
  startQuery,
  type RunningQuery,
  type ShownRecord,
} from '../../search/index.ts';
import { fieldName, quoted } from '../event/event-query.ts';
import { listFindings, type Finding } from '../marks/findings.ts';
import { notSearched, notSearchedText } from '../query/not-searched.ts';
import { QuarantineReader } from '../evidence/quarantine.ts';
import { rowFieldNames } from '../../query/shown-events.ts';
import { cell, valueOf } from '../output/shown-cells.ts';
import type { Bucket } from './timeline-chart.ts';
import { append } from '../../util/append.ts';

export interface ReportRequest {
  title?: string | undefined;
  author?: string | undefined;
  note?: string | undefined;
  /** Who may read it, such as `TLP:AMBER`: at the top and the bottom of each page. One line, as `classificationOf` gives it. */
  classification?: string | undefined;
  /** Times are shown in it. */
  zone: string;
  /** Of Daybook. */
  version: string;
  /** RFC 3339; the one thing in which two reports on the same case differ. */
  generatedAt: string;
}

/** How much a report holds at most. */
export const LIMITS = {
  sources: 5000,
  ledger: 500,
  manifests: 500,
  quarantineRead: 200_000,
  quarantineReasons: 200,
  searches: 100,
  viewRows: 25,
  viewColumns: 12,
  taggedPerTag: 40,
  /** Of one tag, to find those that are not printed above. */
  taggedRead: 200,
  tags: 100,
  notes: 1000,
  audit: 1000,
} as const;

export interface Limited<T> {
  shown: readonly T[];
  /** How many there are beyond those. */
  left: number;
}

export interface QuarantineReason {
  source: string;
  reason: string;
  count: number;
  /** Of the first such record in the source's content. */
  offset: number;
  line: number | undefined;
}

export interface ViewFacts {
  search: SearchRow;
  view: View;
  /** Events that it finds; undefined where the query cannot be run. */
  events: number | undefined;
  timeline: readonly Bucket[];
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** TS_BASIS bits of each row, where the view has times of events. */
  basis: readonly number[];
  /** Rows beyond those. */
  left: number;
  /** Columns beyond those. */
  columnsLeft: number;
  notes: readonly string[];
  /** Why it cannot be run. */
  error: string | undefined;
}

export interface EventLine {
  event: string;
  time: string;
  /** TS_BASIS bits: what of the time the record does not state. */
  basis: number;
  kind: string;
  source: string;
  sourceId: number;
  tags: readonly string[];
  /** Host, or the two ends. */
  where: string;
  what: string;
  note: NoteRow | undefined;
}

export interface TagFacts {
  name: string;
  color: TagColor;
  count: number;
  /** As they are shown; empty where no event has a time. */
  first: string;
  last: string;
  /** The first in time that are not printed with a note or an earlier tag. */
  events: Limited<EventLine>;
  /** Events that are: printed once, and referred to here. */
  elsewhere: readonly string[];
}

/** A tag with its events, or an event with a note. */
export type FindingFacts = Pick<Finding, 'place' | 'severity'> &
  (
    | { tag: TagFacts }
    /** `line` is undefined where the event is in the case no longer. */
    | { note: NoteRow; line: EventLine | undefined }
  );

export interface AuditEntry {
  id: number;
  at: string;
  user: string;
  operation: string;
  detail: unknown;
  intact: boolean;
}

export interface ReportFacts {
  request: ReportRequest;
  /** The account under which the report was written. */
  account: string;
  info: CaseInfo;
  deleted: number;
  undated: number;
  timeline: readonly Bucket[];
  totals: SourceTotals;
  sources: Limited<SourceRow>;
  /** Lines that two sources have. */
  overlaps: readonly OverlapFacts[];
  imports: ImportRow[];
  /** Hash manifests that imports met. */
  manifests: Limited<ManifestRow>;
  /** What imports met that is no complete source: failed, ignored, known already. */
  ledger: Limited<LedgerRow>;
  quarantine: { reasons: Limited<QuarantineReason>; records: number; read: number };
  views: Limited<ViewFacts>;
  /** In the analyst's order. */
  findings: { shown: readonly FindingFacts[]; notesLeft: number; tagsLeft: number };
  audit: Limited<AuditEntry> & { total: number; intact: boolean };
  deletions: readonly AuditEntry[];
}

/** What a source has of another one, all runs of lines together. */
export interface OverlapFacts {
  readonly sourceId: number;
  readonly other: { readonly id: number; readonly name: string };
  readonly records: number;
  /** Its events are hidden, so that each line counts once. */
  readonly leftOut: boolean;
}

export interface SourceTotals {
  sources: number;
  bytes: number;
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
}

/** @throws DaybookError cancelled, case-damaged */
export async function reportFacts(
  session: CaseSession,
  request: ReportRequest,
  signal: AbortSignal | undefined,
  tell: (what: string) => Promise<void>,
): Promise<ReportFacts> {
  const { catalog } = session;
  const { zone } = request;
  const { sources } = session.snapshot();
  const info = caseInfo(session);
  const marks = catalog.marks.summary();
  await tell('case');
  const timeline = await buckets(session, { query: '*', zone }, signal);
  const undated = await countOfQuery(session, { query: 'kind:* day:undated', zone }, signal);
  await tell('quarantine');
  const quarantine = await quarantineFacts(session, signal);
  const searches = catalog.searches.all();
  const views: ViewFacts[] = [];
  for (const search of searches.slice(0, LIMITS.searches)) {
    await tell(search.name);
    views.push(await viewFacts(session, search, signal));
  }
  await tell('tags');
  const findings = await findingFacts(session, zone, signal);
  const audit = catalog.audit.entries();
  const ledger = catalog.ledger.of().filter(({ status }) => status !== 'complete');
  return {
    ...{ request, info, undated, timeline, quarantine, findings },
    account: accountName(),
    deleted: marks.reduce(
      (sum, { tagId, count }) => sum + (tagId === 0 ? count : tagId === LEFT_OUT ? -count : 0),
      0,
    ),
    totals: totalsOf(sources),
    sources: limited(sources, LIMITS.sources),
    overlaps: overlapFacts(session, sources),
    imports: catalog.imports.all(),
    manifests: limited(catalog.manifests.all(), LIMITS.manifests),
    ledger: limited(ledger, LIMITS.ledger),
    views: { shown: views, left: searches.length - views.length },
    audit: {
      ...{ total: audit.length, intact: audit.every(({ intact }) => intact) },
      shown: audit.slice(-LIMITS.audit),
      left: Math.max(0, audit.length - LIMITS.audit),
    },
    deletions: audit.filter(({ operation }) => operation === 'delete'),
  };
}

function overlapFacts(
  { catalog }: CaseSession,
  sources: readonly SourceRow[],
): ReportFacts['overlaps'] {
  const names = new Map(sources.map(({ id, name }) => [id, name]));
  const groups = Map.groupBy(catalog.overlaps.all(), ({ sourceId, otherId, leftOut }) =>
    JSON.stringify([sourceId, otherId, leftOut]),
  );
  return [...groups.values()].map((runs) => {
    const { sourceId, otherId, leftOut } = runs[0]!;
    const records = runs.reduce((sum, run) => sum + run.records, 0);
    return { sourceId, other: { id: otherId, name: names.get(otherId) ?? '' }, records, leftOut };
  });
}

function limited<T>(all: readonly T[], most: number): Limited<T> {
  return { shown: all.slice(0, most), left: Math.max(0, all.length - most) };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

function totalsOf(sources: readonly SourceRow[]): SourceTotals {
  const sum = (of: (source: SourceRow) => number): number =>
    sources.reduce((total, source) => total + of(source), 0);
  return {
    sources: sources.length,
    bytes: sum((source) => source.rawSize ?? 0),
    read: sum((source) => source.read),
    stored: sum((source) => source.stored),
    duplicate: sum((source) => source.duplicate),
    quarantined: sum((source) => source.quarantined),
    skipped: sum((source) => source.skipped),
  };
}

type Asked = Pick<View, 'query' | 'from' | 'to' | 'zone'>;

async function buckets(
  session: CaseSession,
  { query, from, to, zone }: Asked,
  signal: AbortSignal | undefined,
): Promise<Bucket[]> {
  const asked = await askQuery(session, {
    text: `${query} | timeline`,
    ...{ from, to, zone, signal, operation: 'report.timeline' },
  });
  const answer = await asked.answer();
  if (answer.shape !== 'timeline') return [];
  const all = answer.buckets.map(({ start, count }) => ({
    start: typeof start === 'string' ? start : '',
    count: Number(count ?? 0),
  }));
  // Nothing is drawn of nothing.
  return all.some(({ count }) => count > 0) ? all : [];
}

async function countOfQuery(
  session: CaseSession,
  { query, from, to, zone }: Asked,
  signal: AbortSignal | undefined,
): Promise<number> {
  const asked = await askQuery(session, {
    text: `${query} | count`,
    ...{ from, to, zone, signal, operation: 'report.count' },
  });
  const answer = await asked.answer();
  return answer.shape === 'count' ? Number(answer.count) : 0;
}

// -- saved views ---------------------------------------------------------------------------------

/** Fields that a view's rows have when neither it nor its query chose any, as far as there are values. */
const VIEW_FIELDS = [
  ...[
    'ts',
    'kind',
    'host',
    'program',
    'src_ip',
    'src_port',
    'dst_ip',
    'dst_port',
    'proto',
    'bytes',
  ],
  ...['severity', 'message', 'event_id'],
];

/** How an event came by its time: read with the columns, shown as a mark at the time. */
const BASIS = 'ts_basis';

/** The part of a query that finds events. */
function eventsPart(query: string, ast: Ast): string {
  const first = ast.stages.find(isAggregating);
  return first === undefined ? query : query.slice(0, first.start).replace(/\|\s*$/, '');
}

async function viewFacts(
  session: CaseSession,
  search: SearchRow,
  signal: AbortSignal | undefined,
): Promise<ViewFacts> {
  const view = parseView(search.view);
  const none = { search, view, events: undefined, timeline: [], columns: [], rows: [], basis: [] };
  try {
    const found = await foundByView(session, view, signal);
    return { ...none, ...found, error: undefined };
  } catch (error) {
    // A view of another case, say: the report goes on and says why.
    if (!(error instanceof DaybookError) || error.code === 'cancelled') throw error;
    return { ...none, left: 0, columnsLeft: 0, notes: [], error: error.message };
  }
}

/** The view's rows in its order with the columns it chose; what it does not choose is not read. */
async function startView(
  session: CaseSession,
  { query, from, to, zone, sort, columns }: View,
  signal: AbortSignal | undefined,
): Promise<RunningQuery> {
  const start = (text: string): Promise<RunningQuery> =>
    askQuery(session, {
      ...{ text, from, to, zone, limit: LIMITS.viewRows, signal },
      operation: 'report.view',
    });
  const asked = await start(query);
  if (asked.plan.shape !== 'rows') return asked;
  const order =
    sort === undefined
      ? ''
      : ` | sort ${fieldName(sort.field)} ${sort.descending ? 'desc' : 'asc'}`;
  if (asked.plan.projection !== undefined) return order === '' ? asked : start(query + order);
  const fields = (names: readonly string[]): string =>
    `${order} | fields ${[...names.filter((name) => name !== BASIS), BASIS].map(fieldName).join(', ')}`;
  if (columns === undefined) return start(query + fields(VIEW_FIELDS));
  try {
    return await start(query + fields(columns));
  } catch (error) {
    // Columns that were chosen when the case had others.
    if (!(error instanceof DaybookError) || error.code !== 'unknown-field') throw error;
    return start(query + fields(VIEW_FIELDS));
  }
}

async function foundByView(
  session: CaseSession,
  view: View,
  signal: AbortSignal | undefined,
): Promise<Omit<ViewFacts, 'search' | 'view' | 'error'>> {
  const { query, from, to, zone } = view;
  const asked = { from, to, zone };
  const events = { query: eventsPart(query, parseQuery(query)), ...asked };
  const running = await startView(session, view, signal);
  const beneath = running.plan.packetsBeneath;
  const notes =
    beneath === undefined || beneath.packets === 0
      ? []
      : [
          `${beneath.exact ? '' : 'Up to '}${counted(beneath.packets, 'packet')} beneath flows ${nounOf(beneath.packets, 'is', 'are')} not counted: see “How to read this report”.`,
        ];
  const left = await notSearched(session, running.plan, signal);
  // Packets beneath flows are said above.
  notes.push(...notSearchedText(left, { packets: false }).map((text) => `${text}.`));
  const records: ShownRecord[] = [];
  let names: readonly string[];
  let rowsThere: number;
  const count = await countOfQuery(session, events, signal);
  if (running.plan.shape === 'rows') {
    for await (const some of shownRows(running, zone)) append(records, some);
    const present = new Set(records.flatMap((record) => Object.keys(record)));
    names = rowFieldNames(running.plan).filter((name) => present.has(name) && name !== BASIS);
    if (parseQuery(query).stages.some(({ stage }) => stage === 'fields') && names.includes('ts'))
      notes.push('The query chose its own fields: its times have no marks of what was decided.');
    rowsThere = Math.min(count, running.plan.limit ?? count);
  } else {
    const answer = countOf(running, await running.answer());
    const all = recordsOf(answer);
    // `top` and `timeline` have a size of their own.
    append(records, all.slice(0, answer.shape === 'timeline' ? 0 : LIMITS.viewRows));
    names = 'columns' in answer ? answer.columns : namesOf(records);
    rowsThere = answer.shape === 'timeline' ? 0 : all.length;
    if ('columns' in answer && all.length === LIMITS.viewRows)
      notes.push(`The table is cut after ${counted(LIMITS.viewRows, 'row')}.`);
    if (answer.shape === 'top') {
      const { count: events, groups } = answer.rest;
      notes.push(`${counted(Number(groups), 'more group')}, ${counted(Number(events), 'event')}.`);
    }
  }
  const shown = names.slice(0, LIMITS.viewColumns);
  return {
    events: count,
    timeline: await buckets(session, events, signal),
    columns: shown,
    basis: records.map((record) => Number(record[BASIS] ?? 0)),
    rows: records.map((record) => shown.map((name) => String(cell(valueOf(record, name)) ?? ''))),
    left: Math.max(0, rowsThere - records.length),
    columnsLeft: names.length - shown.length,
    notes,
  };
}

// -- events, one by one --------------------------------------------------------------------------

const LINE_FIELDS =
  'ts, ts_basis, tag, kind, event_id, source, host, program, src_ip, src_port, dst_ip, dst_port, proto, event_type, bytes, message';

async function findingFacts(
  session: CaseSession,
  zone: string,
  signal: AbortSignal | undefined,
): Promise<ReportFacts['findings']> {
  const all = await listFindings(session, signal);
  const notes = new Map(session.catalog.notes.all().map((note) => [eventIdOf(note), note]));
  const noted = all.filter((one) => one.kind === 'note');
  const tags = all.filter((one) => one.kind === 'tag');
  const shown = new Set<Finding>([...noted.slice(0, LIMITS.notes), ...tags.slice(0, LIMITS.tags)]);
  const withNote = noted.slice(0, LIMITS.notes).map(({ event }) => event);
  const lines = await linesOfEvents(session, withNote, zone, notes, signal);
  const printed = new Set(lines.keys());
  const facts: FindingFacts[] = [];
  for (const one of all.filter((finding) => shown.has(finding))) {
    const { place, severity } = one;
    if (one.kind === 'tag')
      facts.push({
        place,
        severity,
        tag: await tagFacts(session, one, zone, notes, printed, signal),
      });
    else {
      const note = notes.get(one.event);
      // One that was taken away meanwhile is no finding any more.
      if (note !== undefined) facts.push({ place, severity, note, line: lines.get(one.event) });
    }
  }
  return {
    shown: facts,
    notesLeft: noted.length - withNote.length,
    tagsLeft: Math.max(0, tags.length - LIMITS.tags),
  };
}

/** @param printed events that are printed elsewhere; those that this tag prints are added */
async function tagFacts(
  session: CaseSession,
  { tag: name, color }: Extract<Finding, { kind: 'tag' }>,
  zone: string,
  notes: ReadonlyMap<string, NoteRow>,
  printed: Set<string>,
  signal: AbortSignal | undefined,
): Promise<TagFacts> {
  const query = `kind:* tag:${quoted(name)}`;
  const answer = await startQuery(session, {
    text: `${query} | stats count, min(ts), max(ts)`,
    ...{ zone, signal, operation: 'report.tag' },
  }).answer();
  const [sums] = recordsOf(answer);
  const sum = (of: string): string => String(cell(sums?.[of]) ?? '');
  // As times of events are shown: a whole second has no fraction.
  const time = (of: string): string => sum(of).replace(/\.0+(?=Z|[+-])/, '');
  const count = Number(sum('count'));
  const read = await eventLines(session, query, zone, LIMITS.taggedRead, notes, signal);
  const elsewhere = read.filter(({ event }) => printed.has(event)).map(({ event }) => event);
  const shown = read.filter(({ event }) => !printed.has(event)).slice(0, LIMITS.taggedPerTag);
  for (const { event } of shown) printed.add(event);
  return {
    ...{ name, color, count, elsewhere, first: time('min(ts)'), last: time('max(ts)') },
    events: { shown, left: count - shown.length - elsewhere.length },
  };
}

async function eventLines(
  session: CaseSession,
  query: string,
  zone: string,
  limit: number,
  notes: ReadonlyMap<string, NoteRow>,
  signal: AbortSignal | undefined,
): Promise<EventLine[]> {
  const running = startQuery(session, {
    text: `${query} | fields ${LINE_FIELDS}`,
    ...{ zone, limit, signal, operation: 'report.events' },
  });
  const out: EventLine[] = [];
  for await (const records of shownRows(running, zone))
    for (const record of records) out.push(lineOf(record, notes));
  return out;
}

/** Events that one statement asks for by their ids. */
const IDS_AT_ONCE = 100;

async function linesOfEvents(
  session: CaseSession,
  events: readonly string[],
  zone: string,
  notes: ReadonlyMap<string, NoteRow>,
  signal: AbortSignal | undefined,
): Promise<Map<string, EventLine>> {
  const out = new Map<string, EventLine>();
  for (let at = 0; at < events.length; at += IDS_AT_ONCE) {
    const some = events.slice(at, at + IDS_AT_ONCE).map((event) => `event_id:${event}`);
    const query = `kind:* (${some.join(' OR ')})`;
    for (const line of await eventLines(session, query, zone, IDS_AT_ONCE, notes, signal))
      out.set(line.event, line);
  }
  return out;
}

function lineOf(record: ShownRecord, notes: ReadonlyMap<string, NoteRow>): EventLine {
  const text = (name: string): string => String(cell(record[name]) ?? '');
  const end = (side: string): string =>
    text(`${side}_port`) === ''
      ? text(`${side}_ip`)
      : `${text(`${side}_ip`)} port ${text(`${side}_port`)}`;
  const ends = [end('src'), end('dst')].filter((one) => one !== '').join(' → ');
  // Many messages begin with their program.
  const program = text('message').startsWith(text('program')) ? '' : text('program');
  const event = text('event_id');
  return {
    event,
    time: text('ts'),
    basis: Number(record[BASIS] ?? 0),
    kind: text('kind'),
    source: text('source'),
    sourceId: eventKey(event).sourceId,
    tags: tagsOf(record['tag']),
    where: [text('host'), ends].filter((one) => one !== '').join('; '),
    what: [
      [program, text('event_type')].filter((one) => one !== '').join(' '),
      text('message'),
      record['message'] === undefined ? [text('proto'), bytesText(record)].join(' ').trim() : '',
    ]
      .filter((one) => one !== '')
      .join(': '),
    note: notes.get(event),
  };
}

function tagsOf(value: ShownValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function bytesText(record: ShownRecord): string {
  const { bytes } = record;
  return typeof bytes === 'number' ? `${bytes.toLocaleString('en-US')} bytes` : '';
}

// -- quarantine ----------------------------------------------------------------------------------

async function quarantineFacts(
  session: CaseSession,
  signal: AbortSignal | undefined,
): Promise<ReportFacts['quarantine']> {
  const reader = new QuarantineReader(session.folder);
  const runs = session.catalog.imports.all();
  const reasons = new Map<string, QuarantineReason>();
  const page = 1000;
  let offset = 0;
  let total = 0;
  do {
    if (signal?.aborted === true) throw new CancelledError();
    const found = await reader.list(
      runs,
      { offset, limit: page },
      signal ?? new AbortController().signal,
    );
    total = found.total;
    if (found.records.length === 0) break;
    offset += found.records.length;
    for (const { source, reason, offset: at, line } of found.records) {
      const key = JSON.stringify([source, reason]);
      const known = reasons.get(key);
      if (known === undefined) reasons.set(key, { source, reason, count: 1, offset: at, line });
      else known.count += 1;
    }
  } while (offset < Math.min(total, LIMITS.quarantineRead));
  const sorted = [...reasons.values()].sort(
    (a, b) => b.count - a.count || (a.source < b.source ? -1 : a.source > b.source ? 1 : 0),
  );
  return { reasons: limited(sorted, LIMITS.quarantineReasons), records: total, read: offset };
}
