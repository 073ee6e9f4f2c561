/**
 * Findings (tags with their events, and events with a note): severity, place in the report, and colour of a tag. The report,
 * the command line and the window have the same order.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { NoteRow, Rating } from '../../catalog/tables/notes.ts';
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
import { formatter, formatTime } from '../../query/index.ts';
import { type CaseSession, eventIdOf, startQuery } from '../../search/index.ts';
import { instantOf, type Instant } from '../event/event.ts';
import { quoted } from '../event/event-query.ts';
import { queriesOfEvents } from '../event/events-by-id.ts';
import { cell } from '../output/shown-cells.ts';
import { recordsOf } from '../query/answer-records.ts';
import { writable } from './notes.ts';

export type Finding = Result<'finding.list'>['findings'][number];

/** Changes to a finding: null removes a value, undefined leaves it. */
interface FindingChange {
  readonly severity?: Severity | null | undefined;
  /** For tags only. */
  readonly color?: TagColor | null | undefined;
  /** From 1, or computed from the current place; beyond the last means the last. */
  readonly place?: number | ((now: number) => number) | null | undefined;
}

/** Times of visible events by event id; an event that was deleted or left out is absent. */
type Times = ReadonlyMap<string, Instant>;

/** When the visible events of each tag happened, by its name; a tag without dated ones is absent. */
type Spans = ReadonlyMap<string, { readonly first: string; readonly last: string }>;

/** A finding as the catalog stores it. */
type StoredFinding = {
  readonly rating: Rating & { readonly color: TagColor | undefined };
  readonly store: (rating: StoredFinding['rating']) => void;
} & (
  | {
      readonly kind: 'tag';
      readonly tag: string;
      readonly id: number;
      readonly marked: number;
      readonly visible: number;
    }
  | { readonly kind: 'note'; readonly event: string; readonly note: NoteRow }
);

/**
 * Findings in report order: those with a place, then the others, the most severe first; equally severe ones in
 * `defaultOrder`.
 * @throws DaybookError cancelled
 */
export async function listFindings(session: CaseSession, signal?: AbortSignal): Promise<Finding[]> {
  const times = await timesOfNoted(session, signal);
  const found = inOrder(session.catalog, times);
  const spans = await spansOfTags(session, found, signal);
  return found.map((one, i) => findingOf(one, i + 1, times, spans));
}

/** @throws DaybookError not-found, cancelled */
export async function getFinding(
  session: CaseSession,
  name: FindingName,
  signal?: AbortSignal,
): Promise<Finding> {
  const times = await timesOfNoted(session, signal);
  const all = inOrder(session.catalog, times);
  const one = named(all, name);
  const spans = await spansOfTags(session, [one], signal);
  return findingOf(one, all.indexOf(one) + 1, times, spans);
}

/**
 * Changes the severity, colour or place of a finding.
 * @throws DaybookError usage, not-found, unreadable, cancelled
 */
export async function setFinding(
  session: CaseSession,
  name: FindingName,
  { severity, color, place }: FindingChange,
  signal?: AbortSignal,
): Promise<void> {
  const watch = new Stopwatch('finding.set');
  const { catalog } = session;
  writable(catalog);
  // Only the order depends on times.
  const times = place === undefined ? undefined : await timesOfNoted(session, signal);
  const placeNow = (): number | undefined => {
    if (times === undefined) return undefined;
    const all = inOrder(catalog, times);
    return all.indexOf(named(all, name)) + 1;
  };
  catalog.transaction(() => {
    const before = named(storedFindings(catalog), name);
    if (color !== undefined && before.kind === 'note')
      throw new DaybookError('usage', 'a note has no colour', 'tag its event, and colour the tag');
    const placeBefore = placeNow();
    before.store({
      severity: changed(before.rating.severity, severity),
      color: changed(before.rating.color, color),
      place: before.rating.place,
    });
    if (times !== undefined && placeBefore !== undefined && place !== undefined)
      put(catalog, times, name, typeof place === 'function' ? place(placeBefore) : place);
    const after = named(storedFindings(catalog), name);
    const placeAfter = placeNow();
    if (
      placeAfter === placeBefore &&
      JSON.stringify(after.rating) === JSON.stringify(before.rating)
    )
      return;
    const which = after.kind === 'tag' ? { tag: after.tag } : { event: after.event };
    catalog.audit.add('finding', {
      ...which,
      before: ratingForAudit(before, placeBefore),
      after: ratingForAudit(after, placeAfter),
    });
    catalog.changes.add('finding', which);
  });
  session.record(watch, 'done');
}

/**
 * Removes the place of every finding: the most severe come first again.
 * @throws DaybookError unreadable
 */
export function resetOrder(session: CaseSession): void {
  const watch = new Stopwatch('finding.reset-order');
  const { catalog } = session;
  writable(catalog);
  catalog.transaction(() => {
    // Includes tags without events, which are not findings now.
    const placed = storedFindings(catalog).filter(({ rating }) => rating.place !== undefined);
    if (placed.length === 0) return;
    for (const { rating, store } of placed) store({ ...rating, place: undefined });
    catalog.audit.add('finding-order', { order: 'by severity' });
    catalog.changes.add('finding', {});
  });
  session.record(watch, 'done');
}

/** Ratings of findings, for reading the case without Daybook: tags, then notes, in the catalog's order. */
export function findingLines(catalog: Catalog): {
  tag: string | null;
  event_id: string | null;
  severity: Severity | null;
  place: number | null;
  color: TagColor | null;
}[] {
  return storedFindings(catalog).map((one) => ({
    tag: one.kind === 'tag' ? one.tag : null,
    event_id: one.kind === 'note' ? one.event : null,
    severity: one.rating.severity ?? null,
    place: one.rating.place ?? null,
    color: one.kind === 'tag' ? tagColor(one.id, one.rating.color) : null,
  }));
}

/** Every tag, with events or without, then every note. */
function storedFindings({ marks, notes }: Catalog): StoredFinding[] {
  return [
    ...marks
      .countedTags()
      .map(({ id, name, marked, visible, color, severity, place }): StoredFinding => ({
        ...{ kind: 'tag', tag: name, id, marked, visible },
        rating: { color, severity, place },
        store: (rating) => marks.rate({ id, ...rating }),
      })),
    ...notes.all().map((note): StoredFinding => ({
      ...{ kind: 'note', event: eventIdOf(note), note },
      rating: { color: undefined, severity: note.severity, place: note.place },
      store: ({ severity, place }) => notes.rate({ ...note, severity, place }),
    })),
  ];
}

/** Every note is one; a tag is one while any event has it, even a hidden event. */
function isFinding(one: StoredFinding): boolean {
  return one.kind === 'note' || one.marked > 0;
}

/** Findings in report order. */
function inOrder(catalog: Catalog, times: Times): StoredFinding[] {
  return storedFindings(catalog)
    .filter(isFinding)
    .sort(
      (a, b) =>
        (a.rating.place ?? Infinity) - (b.rating.place ?? Infinity) ||
        severityRank(b.rating.severity) - severityRank(a.rating.severity) ||
        defaultOrder(a, b, times),
    );
}

/** Notes by the time of their event, last those without a time or with a hidden event; then tags by name. */
function defaultOrder(a: StoredFinding, b: StoredFinding, times: Times): number {
  if (a.kind === 'tag' || b.kind === 'tag') {
    if (a.kind !== b.kind) return a.kind === 'tag' ? 1 : -1;
    return a.kind === 'tag' && b.kind === 'tag' ? compare(a.tag, b.tag) : 0;
  }
  const [one, other] = [times.get(a.event), times.get(b.event)];
  return (
    compare(one?.ts ?? Infinity, other?.ts ?? Infinity) ||
    compare(one?.tsNs ?? 0, other?.tsNs ?? 0) ||
    a.note.sourceId - b.note.sourceId ||
    a.note.seq - b.note.seq
  );
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function findingOf(one: StoredFinding, place: number, times: Times, spans: Spans): Finding {
  const { severity, color } = one.rating;
  const rating = { place, ...(severity === undefined ? {} : { severity }) };
  if (one.kind === 'tag') {
    const { id, tag, visible } = one;
    return {
      ...{ kind: 'tag', tag, count: visible, color: tagColor(id, color), ...rating },
      ...spans.get(tag),
    };
  }
  const { event, note } = one;
  const { text, at, user } = note;
  const time = times.get(event);
  return {
    ...{ kind: 'note', event, text, at, user, ...rating, hidden: time === undefined },
    ...(time?.ts === undefined ? {} : { time: formatTime(time.ts, time.tsNs, time.tsDigits) }),
  };
}

/** @throws DaybookError not-found */
function named(all: readonly StoredFinding[], name: FindingName): StoredFinding {
  const found = all
    .filter(isFinding)
    .find((one) =>
      'tag' in name
        ? one.kind === 'tag' && isSameTag(one.tag, name.tag)
        : one.kind === 'note' && one.event === name.event,
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

/** Compares tag names as SQLite does. */
function isSameTag(a: string, b: string): boolean {
  const folded = (text: string): string => text.replace(/[A-Z]/g, (one) => one.toLowerCase());
  return folded(a) === folded(b);
}

/**
 * Moves a finding to a place, or removes its place. All findings before the last one with a place get one, too: later
 * findings do not come between them.
 */
function put(catalog: Catalog, times: Times, name: FindingName, place: number | null): void {
  const all = inOrder(catalog, times);
  const moved = named(all, name);
  if (place === null) {
    moved.store({ ...moved.rating, place: undefined });
    return;
  }
  const order = all.filter((one) => one !== moved);
  order.splice(place - 1, 0, moved);
  const last = order.findLastIndex((one) => one === moved || one.rating.place !== undefined);
  order.slice(0, last + 1).forEach(({ rating, store }, i) => {
    if (rating.place !== i + 1) store({ ...rating, place: i + 1 });
  });
}

/** @param place in the report, if it was computed */
function ratingForAudit({ rating }: StoredFinding, place: number | undefined): object {
  const { severity, color } = rating;
  return {
    ...(severity === undefined ? {} : { severity }),
    ...(color === undefined ? {} : { color }),
    ...(place === undefined ? {} : { place }),
  };
}

/** @param next null removes the value, undefined leaves it */
function changed<T>(now: T | undefined, next: T | null | undefined): T | undefined {
  return next === undefined ? now : (next ?? undefined);
}

async function timesOfNoted(session: CaseSession, signal: AbortSignal | undefined): Promise<Times> {
  const events = session.catalog.notes.all().map(eventIdOf);
  const times = new Map<string, Instant>();
  const how = { zone: 'UTC', operation: 'finding.times', signal };
  for (const running of queriesOfEvents(session, events, 'ts, event_id', how)) {
    const { value } = formatter({ sources: running.sources, tags: running.tags });
    for await (const { columns, rows } of running.rows()) {
      const id = columns.find(({ name }) => name === 'event_id')!;
      for (const row of rows) times.set(String(cell(value(id, row))), instantOf(columns, row));
    }
  }
  return times;
}

/** @param found of which tags with visible events are looked up */
async function spansOfTags(
  session: CaseSession,
  found: readonly StoredFinding[],
  signal: AbortSignal | undefined,
): Promise<Spans> {
  const tags = found.flatMap((one) => (one.kind === 'tag' && one.visible > 0 ? [one.tag] : []));
  const spans = new Map<string, { first: string; last: string }>();
  if (tags.length === 0) return spans;
  const which = tags.length === 1 ? quoted(tags[0] ?? '') : '*';
  const answer = await startQuery(session, {
    text: `kind:* tag:${which} | stats min(ts), max(ts) by tag`,
    ...{ zone: 'UTC', signal, operation: 'finding.spans' },
  }).answer();
  for (const record of recordsOf(answer)) {
    const text = (name: string): string => String(cell(record[name]) ?? '');
    const [first, last] = [shortTime(text('min(ts)')), shortTime(text('max(ts)'))];
    if (first !== '') spans.set(text('tag'), { first, last });
  }
  return spans;
}

/** A time without zeros at the end of its fraction. */
export function shortTime(text: string): string {
  return text.replace(/\.0+(?=Z|[+-])|(?<=\.\d+)0+(?=Z|[+-])/, '');
}
