/**
 * Findings (tags with their events, and events with a note): severity, place in the report, and colour of a tag. The report,
 * the command line and the window have the same order.
 */
import type { Catalog, NoteRow, Rating } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import {
  tagColor,
  type FindingName,
  type Severity,
  type TagColor,
} from '../../contract/findings.ts';
import type { Result } from '../../contract/operations.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { formatter, formatTime, quoted } from '../../query/index.ts';
import { type CaseSession, eventIdOf, startQuery } from '../../search/index.ts';
import { instantOf, type Instant } from '../event/event.ts';
import { queriesOfEvents } from '../event/events-by-id.ts';
import { cell } from '../output/shown-cells.ts';
import { recordsOf } from '../query/answer-records.ts';
import { changed, inOrder, movedTo, named, type Times } from './finding-order.ts';
import { writable } from './notes.ts';

export type Finding = Result<'finding.list'>['findings'][number];

/** Changes to a finding: null removes a value, undefined leaves it. */
export interface FindingChange {
  readonly severity?: Severity | null | undefined;
  /** For tags only. */
  readonly color?: TagColor | null | undefined;
  /** From 1, or computed from the current place; beyond the last means the last. */
  readonly place?: number | ((now: number) => number) | null | undefined;
}

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

/** Findings in report order. @throws DaybookError cancelled */
export async function listFindings(session: CaseSession, signal?: AbortSignal): Promise<Finding[]> {
  const times = await timesOfNoted(session, signal);
  const found = inOrder(findingsIn(session.catalog), times);
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
  const all = inOrder(findingsIn(session.catalog), times);
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
    const all = inOrder(findingsIn(catalog), times);
    return all.indexOf(named(all, name)) + 1;
  };
  catalog.transaction(() => {
    const before = named(findingsIn(catalog), name);
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
    const after = named(findingsIn(catalog), name);
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
 * Removes the place of every finding, so that they are ordered by severity again.
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

function findingsIn(catalog: Catalog): StoredFinding[] {
  return storedFindings(catalog).filter(isFinding);
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

function put(catalog: Catalog, times: Times, name: FindingName, place: number | null): void {
  const order = inOrder(findingsIn(catalog), times);
  for (const { one, place: next } of movedTo(order, named(order, name), place))
    one.store({ ...one.rating, place: next });
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

async function timesOfNoted(session: CaseSession, signal: AbortSignal | undefined): Promise<Times> {
  const events = session.catalog.notes.all().map(eventIdOf);
  const times = new Map<string, Instant>();
  const how = { zone: 'UTC', operation: 'finding.times', signal };
  for (const running of queriesOfEvents(session, events, 'ts, event_id', how)) {
    const { value } = formatter(running.snapshot);
    for await (const { columns, rows } of running.rows()) {
      const id = columns.find(({ name }) => name === 'event_id')!;
      for (const row of rows) times.set(String(cell(value(id, row))), instantOf(columns, row));
    }
  }
  return times;
}

/** @param found restricts the tags with visible events that are looked up */
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

/** A time without trailing zeros in its fraction. */
export function shortTime(text: string): string {
  return text.replace(/\.0+(?=Z|[+-])|(?<=\.\d+)0+(?=Z|[+-])/, '');
}
