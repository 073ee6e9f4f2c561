/** Findings in a report: notes and tags in the analyst's order, each event once. */
import type { NoteRow } from '../../catalog/index.ts';
import type { Severity, TagColor } from '../../contract/findings.ts';
import { quoted, type ShownValue } from '../../query/index.ts';
import {
  type CaseSession,
  eventIdOf,
  eventKey,
  type RunningQuery,
  type ShownRecord,
  shownRows,
  startQuery,
} from '../../search/index.ts';
import { queriesOfEvents } from '../event/events-by-id.ts';
import { listFindings, shortTime, type Finding } from '../marks/findings.ts';
import { cell } from '../output/shown-cells.ts';
import { recordsOf } from '../query/answer-records.ts';
import { BASIS, LIMITS, type Limited } from './limits.ts';

export interface EventLine {
  event: string;
  time: string;
  /** TS_BASIS bits: parts of the time that the record does not state. */
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
  /** As shown; empty if no event has a time. */
  first: string;
  last: string;
  /** The earliest events that are not printed with a note or an earlier tag. */
  events: Limited<EventLine>;
  /** Events that are printed there, and only referred to here. */
  elsewhere: readonly string[];
}

/** A tag with its events, or an event with a note. */
export type FindingFacts = Pick<Finding, 'place' | 'severity'> &
  (
    | { tag: TagFacts }
    /** `line` is undefined if the event is hidden. */
    | { note: NoteRow; line: EventLine | undefined }
  );

/** In the analyst's order. */
export interface FindingsFacts {
  shown: readonly FindingFacts[];
  /** Of every finding, shown or not; undefined: unrated. */
  severities: readonly (Severity | undefined)[];
  notesLeft: number;
  tagsLeft: number;
}

const LINE_FIELDS =
  'ts, ts_basis, tag, kind, event_id, source, host, program, src_ip, src_port, dst_ip, dst_port, proto, event_type, bytes, message';

export async function findingFacts(
  session: CaseSession,
  zone: string,
  signal: AbortSignal | undefined,
): Promise<FindingsFacts> {
  const all = await listFindings(session, signal);
  const notes = new Map(session.catalog.notes.all().map((note) => [eventIdOf(note), note]));
  const noted = all.filter((one) => one.kind === 'note');
  const tags = all.filter((one) => one.kind === 'tag');
  const shown = new Set<Finding>([...noted.slice(0, LIMITS.notes), ...tags.slice(0, LIMITS.tags)]);
  const withNote = noted.slice(0, LIMITS.notes).map(({ event }) => event);
  const lines = await linesOfEvents(session, withNote, zone, notes, signal);
  const printed = new Map(lines);
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
      // The note may have been deleted meanwhile.
      if (note !== undefined) facts.push({ place, severity, note, line: lines.get(one.event) });
    }
  }
  return {
    shown: facts,
    severities: all.map(({ severity }) => severity),
    notesLeft: noted.length - withNote.length,
    tagsLeft: Math.max(0, tags.length - LIMITS.tags),
  };
}

/** @param printed lines that are printed elsewhere, by their event; those that this tag prints are added */
async function tagFacts(
  session: CaseSession,
  { tag: name, color }: Extract<Finding, { kind: 'tag' }>,
  zone: string,
  notes: ReadonlyMap<string, NoteRow>,
  printed: Map<string, EventLine>,
  signal: AbortSignal | undefined,
): Promise<TagFacts> {
  const query = `kind:* tag:${quoted(name)}`;
  const answer = await startQuery(session, {
    text: `${query} | stats count, min(ts), max(ts)`,
    ...{ zone, signal, operation: 'report.tag' },
  }).answer();
  const [sums] = recordsOf(answer);
  const sum = (of: string): string => String(cell(sums?.[of]) ?? '');
  const time = (of: string): string => shortTime(sum(of));
  const count = Number(sum('count'));
  const elsewhere = [...printed.values()]
    .filter(({ tags }) => tags.includes(name))
    .map(({ event }) => event);
  const running = startQuery(session, {
    text: `${query} | fields ${LINE_FIELDS}`,
    ...{ zone, limit: LIMITS.taggedPerTag + elsewhere.length, signal },
    operation: 'report.events',
  });
  const read = await eventLines(running, zone, notes);
  const shown = read.filter(({ event }) => !printed.has(event)).slice(0, LIMITS.taggedPerTag);
  for (const line of shown) printed.set(line.event, line);
  return {
    ...{ name, color, count, elsewhere, first: time('min(ts)'), last: time('max(ts)') },
    events: { shown, left: count - shown.length - elsewhere.length },
  };
}

async function eventLines(
  running: RunningQuery,
  zone: string,
  notes: ReadonlyMap<string, NoteRow>,
): Promise<EventLine[]> {
  const out: EventLine[] = [];
  for await (const records of shownRows(running, zone))
    for (const record of records) out.push(lineOf(record, notes));
  return out;
}

async function linesOfEvents(
  session: CaseSession,
  events: readonly string[],
  zone: string,
  notes: ReadonlyMap<string, NoteRow>,
  signal: AbortSignal | undefined,
): Promise<Map<string, EventLine>> {
  const out = new Map<string, EventLine>();
  const how = { zone, operation: 'report.events', signal };
  for (const running of queriesOfEvents(session, events, LINE_FIELDS, how))
    for (const line of await eventLines(running, zone, notes)) out.set(line.event, line);
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
