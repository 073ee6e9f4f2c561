/**
 * Findings, which are tags with their events and events with a note: how bad each is, its place in the report, and the
 * colour of a tag. One order holds for the report, the command line and the window.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Rating } from '../../catalog/tables/notes.ts';
import { DaybookError } from '../../contract/errors.ts';
import {
  severityRank,
  tagColor,
  type FindingName,
  type Severity,
  type TagColor,
} from '../../contract/findings.ts';
import type { Result } from '../../contract/operations.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { type CaseSession, eventIdOf, shownRows, startQuery } from '../../search/index.ts';
import { cell } from '../output/shown-cells.ts';
import { writable } from './notes.ts';

export type Finding = Result<'finding.list'>['findings'][number];

/** What is said of a finding; null takes it away, what is left out stays. */
interface FindingChange {
  readonly severity?: Severity | null | undefined;
  /** Of a tag only. */
  readonly color?: TagColor | null | undefined;
  /** Puts it there, from 1; beyond the last is the last. */
  readonly place?: number | null | undefined;
}

/** By event: its time as RFC 3339 in UTC, empty where it has none. Of a deleted event there is nothing. */
type Times = ReadonlyMap<string, string>;

/** Events that one statement asks for by their ids. */
const IDS_AT_ONCE = 100;

/**
 * Findings in the order of the report: those that were given a place, then the others, the worst first, among those alike
 * notes by the time of their event, then tags by name.
 * @throws DaybookError cancelled
 */
export async function listFindings(session: CaseSession, signal?: AbortSignal): Promise<Finding[]> {
  const times = await timesOfNoted(session, signal);
  return inOrder(session.catalog, times).map(({ finding }) => finding);
}

/**
 * Keeps what an analyst says of a finding, and gives it as it is then; where nothing is said, as it is.
 * @throws DaybookError usage, not-found, unreadable, cancelled
 */
export async function setFinding(
  session: CaseSession,
  name: FindingName,
  change: FindingChange,
  signal?: AbortSignal,
): Promise<Finding> {
  const watch = new Stopwatch('finding.set');
  const { catalog } = session;
  const times = await timesOfNoted(session, signal);
  if (Object.values(change).every((value) => value === undefined))
    return named(inOrder(catalog, times), name).finding;
  writable(catalog);
  const now = catalog.transaction(() => {
    const before = named(inOrder(catalog, times), name);
    const { severity, color } = { ...before.said, ...withoutAbsent(change) };
    if (change.color !== undefined && before.finding.kind === 'note')
      throw new DaybookError('usage', 'a note has no colour', 'tag its event, and colour the tag');
    before.keep({ ...before.said, severity: severity ?? undefined, color: color ?? undefined });
    if (change.place !== undefined) put(catalog, times, name, change.place);
    const after = named(inOrder(catalog, times), name);
    const said = JSON.stringify(after.said) !== JSON.stringify(before.said);
    if (said || after.finding.place !== before.finding.place) {
      const { finding } = after;
      const which = finding.kind === 'tag' ? { tag: finding.tag } : { event: finding.event };
      catalog.audit.add('finding', { ...which, before: saidOf(before), after: saidOf(after) });
      catalog.changes.add('finding', which);
    }
    return after.finding;
  });
  session.record(watch, 'done');
  return now;
}

/**
 * Takes the place of every finding away: the worst come first again.
 * @throws DaybookError unreadable
 */
export function resetOrder(session: CaseSession): void {
  const watch = new Stopwatch('finding.reset-order');
  const { catalog } = session;
  writable(catalog);
  catalog.transaction(() => {
    // Those of tags without events, too, which are no findings now.
    const placed = kept(catalog, new Map()).filter(({ said }) => said.place !== undefined);
    if (placed.length === 0) return;
    for (const { said, keep } of placed) keep({ ...said, place: undefined });
    catalog.audit.add('finding-order', { order: 'by severity' });
    catalog.changes.add('finding', {});
  });
  session.record(watch, 'done');
}

/** What was said of each finding, for those who read the case without Daybook: tags, then notes, in the catalog's order. */
export function findingLines(catalog: Catalog): {
  tag: string | null;
  event_id: string | null;
  severity: Severity | null;
  place: number | null;
  color: TagColor | null;
}[] {
  return kept(catalog, new Map()).map(({ finding, said }) => ({
    tag: finding.kind === 'tag' ? finding.tag : null,
    event_id: finding.kind === 'note' ? finding.event : null,
    severity: said.severity ?? null,
    place: said.place ?? null,
    color: finding.kind === 'tag' ? finding.color : null,
  }));
}

/** A finding with what the catalog keeps of it. */
interface Kept {
  readonly finding: Finding;
  readonly said: Rating & { color: TagColor | undefined };
  readonly keep: (said: Kept['said']) => void;
}

/** Every tag, then every note. */
function kept({ marks, notes }: Catalog, times: Times): Kept[] {
  return [
    ...marks.tags().map(({ id, name, count, color, severity, place }): Kept => ({
      finding: {
        ...{ kind: 'tag', tag: name, count, color: tagColor(id, color), place: 0 },
        ...(severity === undefined ? {} : { severity }),
      },
      said: { color, severity, place },
      keep: (said) => marks.rate({ id, ...said }),
    })),
    ...notes.all().map(({ text, at, user, severity, place, ...key }): Kept => {
      const event = eventIdOf(key);
      const time = times.get(event);
      return {
        finding: {
          ...{ kind: 'note', event, text, at, user, place: 0, deleted: time === undefined },
          ...(time === undefined || time === '' ? {} : { time }),
          ...(severity === undefined ? {} : { severity }),
        },
        said: { color: undefined, severity, place },
        keep: ({ severity, place }) => notes.rate({ ...key, severity, place }),
      };
    }),
  ];
}

/** Findings that a report has, in its order. */
function inOrder(catalog: Catalog, times: Times): Kept[] {
  return kept(catalog, times)
    .filter(({ finding }) => finding.kind === 'note' || finding.count > 0)
    .sort(
      (a, b) =>
        (a.said.place ?? Infinity) - (b.said.place ?? Infinity) ||
        severityRank(b.said.severity) - severityRank(a.said.severity) ||
        asUsual(a.finding, b.finding),
    )
    .map((one, i) => ({ ...one, finding: { ...one.finding, place: i + 1 } }));
}

/** Notes by the time of their event, those of deleted events last; then tags by name. */
function asUsual(a: Finding, b: Finding): number {
  if (a.kind === 'tag' || b.kind === 'tag') {
    if (a.kind !== b.kind) return a.kind === 'tag' ? 1 : -1;
    return a.kind === 'tag' && b.kind === 'tag' ? compare(a.tag, b.tag) : 0;
  }
  if (a.time === undefined || b.time === undefined)
    return Number(a.time === undefined) - Number(b.time === undefined) || compare(a.event, b.event);
  return (
    Date.parse(a.time) - Date.parse(b.time) || compare(a.time, b.time) || compare(a.event, b.event)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @throws DaybookError not-found */
function named(all: readonly Kept[], name: FindingName): Kept {
  const found = all.find(({ finding }) =>
    'tag' in name
      ? finding.kind === 'tag' && isSameTag(finding.tag, name.tag)
      : finding.kind === 'note' && finding.event === name.event,
  );
  if (found !== undefined) return found;
  throw new DaybookError(
    'not-found',
    'tag' in name
      ? `no event has the tag ${JSON.stringify(name.tag)}`
      : `there is no note on event ${name.event}`,
    'daybook findings CASE lists tags and notes',
  );
}

/** As SQLite compares names of tags. */
function isSameTag(a: string, b: string): boolean {
  const folded = (text: string): string => text.replace(/[A-Z]/g, (one) => one.toLowerCase());
  return folded(a) === folded(b);
}

/**
 * Puts a finding at a place, or takes its place away. Those before the last that has a place get one, too: what comes later
 * does not come between.
 */
function put(catalog: Catalog, times: Times, name: FindingName, place: number | null): void {
  const all = inOrder(catalog, times);
  const moved = named(all, name);
  if (place === null) {
    moved.keep({ ...moved.said, place: undefined });
    return;
  }
  const order = all.filter((one) => one !== moved);
  order.splice(place - 1, 0, moved);
  const last = order.findLastIndex((one) => one === moved || one.said.place !== undefined);
  order.slice(0, last + 1).forEach(({ said, keep }, i) => {
    if (said.place !== i + 1) keep({ ...said, place: i + 1 });
  });
}

/** For the audit log. */
function saidOf({ finding, said }: Kept): object {
  return {
    ...(said.severity === undefined ? {} : { severity: said.severity }),
    ...(said.color === undefined ? {} : { color: said.color }),
    place: finding.place,
  };
}

function withoutAbsent(change: FindingChange): Omit<FindingChange, 'place'> {
  const { severity, color } = change;
  return {
    ...(severity === undefined ? {} : { severity }),
    ...(color === undefined ? {} : { color }),
  };
}

async function timesOfNoted(session: CaseSession, signal: AbortSignal | undefined): Promise<Times> {
  const events = session.catalog.notes.all().map(eventIdOf);
  const times = new Map<string, string>();
  for (let at = 0; at < events.length; at += IDS_AT_ONCE) {
    const some = events.slice(at, at + IDS_AT_ONCE).join(' OR ');
    const running = startQuery(session, {
      text: `kind:* event_id:(${some}) | fields ts, event_id`,
      ...{ zone: 'UTC', signal, operation: 'finding.times' },
    });
    for await (const records of shownRows(running, 'UTC'))
      for (const { ts, event_id: event } of records)
        times.set(String(cell(event)), String(cell(ts) ?? ''));
  }
  return times;
}
