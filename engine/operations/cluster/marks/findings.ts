/**
 * Findings of the case on a cluster: its tags, and notes on its events, in the order of a report. Severities,
 * places and colours are shared: the last choice by anybody is valid, and without one that of the hand-over.
 */
import { DaybookError } from '../../../contract/errors.ts';
import {
  type FindingName,
  SEVERITIES,
  TAG_COLORS,
  type TagColor,
  tagColor,
} from '../../../contract/findings.ts';
import { shownDigits } from '../../../contract/time/time-text.ts';
import { text } from '../../../query/dialect/clickhouse.ts';
import { formatTime } from '../../../query/index.ts';
import type { Instant } from '../../event/event.ts';
import {
  changed,
  inOrder,
  movedTo,
  named,
  type Rated,
  type Times,
} from '../../marks/finding-order.ts';
import { type Finding, type FindingChange, shortTime } from '../../marks/findings.ts';
import { cellText, type Cluster } from '../cluster.ts';
import { authorOf, type Note, notesOn, tableOf } from './marks.ts';
import type { ClusterSession } from '../session.ts';

interface Rating {
  readonly severity: (typeof SEVERITIES)[number] | undefined;
  readonly place: number | undefined;
  readonly color: TagColor | undefined;
}

const UNRATED: Rating = { severity: undefined, place: undefined, color: undefined };

type Named = { readonly rating: Rating } & Rated;
type Listed = Named &
  (
    | { readonly kind: 'tag'; readonly id: number; readonly span: Span }
    | { readonly kind: 'note'; readonly notes: readonly Note[] }
  );

interface Span {
  readonly count: number;
  readonly first?: string;
  readonly last?: string;
}

/** In the order of a report. Several people's notes on one event share a place, newest first. */
export async function findingsOn(session: ClusterSession): Promise<Finding[]> {
  const { all, times } = await listed(session);
  return all.flatMap((one, i) => findingsOf(one, i + 1, times));
}

/** One finding, or each person's note on an event. @throws DaybookError not-found, unreadable, cancelled */
export async function findingOn(session: ClusterSession, name: FindingName): Promise<Finding[]> {
  const { all, times } = await listed(session);
  const one = named(all, name);
  return findingsOf(one, all.indexOf(one) + 1, times);
}

/** Changes the severity, colour or place of a finding, for all. @throws DaybookError usage, not-found, unreadable, cancelled */
export async function setFindingOn(
  session: ClusterSession,
  name: FindingName,
  { severity, color, place }: FindingChange,
): Promise<void> {
  const { all, times } = await listed(session);
  const one = named(all, name);
  if (color !== undefined && one.kind === 'note')
    throw new DaybookError('usage', 'a note has no colour', 'tag its event, and colour the tag');
  const next = new Map<Named, Rating>();
  const rate = (which: Named, more: Partial<Rating>) =>
    next.set(which, { ...which.rating, ...next.get(which), ...more });
  rate(one, {
    severity: changed(one.rating.severity, severity),
    color: changed(one.rating.color, color),
  });
  if (place !== undefined) {
    const to = typeof place === 'function' ? place(all.indexOf(one) + 1) : place;
    // A new severity is part of the order that the place is in.
    const rated = all.map((each) => ({ ...each, rating: next.get(each) ?? each.rating, each }));
    const moved = rated.find(({ each }) => each === one)!;
    const order = inOrder(rated, times);
    for (const { one: which, place: at } of movedTo(order, moved, to))
      rate(which.each, { place: at });
  }
  await store(session.cluster, next);
}

/**
 * Removes the place of every finding, so that they are ordered by severity again. @throws DaybookError unreadable,
 * cancelled
 */
export async function resetOrderOn({ cluster }: ClusterSession): Promise<void> {
  const ratings = await ratingsOn(cluster);
  const placed = [...ratings].filter(([, { place }]) => place !== undefined);
  const next = placed.map(([key, rating]): [Named, Rating] => [
    { ...nameOf(key), rating },
    { ...rating, place: undefined },
  ]);
  await store(cluster, new Map(next));
}

/** The colours of tags that were chosen, by name. */
export async function tagColorsOn(cluster: Cluster): Promise<Map<string, TagColor>> {
  return new Map(
    [...(await ratingsOn(cluster))].flatMap(([key, { color }]) => {
      const name = nameOf(key);
      return name.kind === 'tag' && color !== undefined ? [[name.tag, color] as const] : [];
    }),
  );
}

async function listed(session: ClusterSession): Promise<{ all: Listed[]; times: Times }> {
  const { cluster, context } = session;
  const [ratings, spans] = [await ratingsOn(cluster), await spansOn(cluster)];
  const notes = Map.groupBy(await notesOn(cluster), ({ event }) => event);
  const times = notes.size === 0 ? new Map<string, Instant>() : await timesOn(cluster);
  const found: Listed[] = [
    ...context.tags.flatMap(({ id, name }): Listed[] => {
      const span = spans.get(name);
      if (span === undefined) return [];
      const rating = ratings.get(keyOf({ kind: 'tag', tag: name })) ?? UNRATED;
      return [{ kind: 'tag', tag: name, id, span, rating }];
    }),
    ...[...notes].map(([event, notesOfEvent]): Listed => {
      const rating = ratings.get(keyOf({ kind: 'note', event })) ?? UNRATED;
      return { kind: 'note', event, notes: notesOfEvent, rating };
    }),
  ];
  return { all: inOrder(found, times), times };
}

function findingsOf(one: Listed, place: number, times: Times): Finding[] {
  const { severity, color } = one.rating;
  const rating = { place, ...(severity === undefined ? {} : { severity }) };
  if (one.kind === 'tag') {
    const { tag, id, span } = one;
    return [{ kind: 'tag', tag, color: tagColor(id, color), ...rating, ...span }];
  }
  const time = times.get(one.event);
  const at = time?.ts === undefined ? {} : { time: formatTime(time.ts, time.tsNs, time.tsDigits) };
  return one.notes.map((note) => ({
    ...{ kind: 'note' as const, ...note, ...rating, hidden: time === undefined, ...at },
  }));
}

/** Ratings, by `keyOf`. The last of each value is valid; a row has only what was changed. */
async function ratingsOn(cluster: Cluster): Promise<Map<string, Rating>> {
  const last = ['severity', 'place', 'color'].map((name) => `argMax(${name}, changed)`).join(', ');
  const changed = "(NOT handed_over, ifNull(at, toDateTime64(0, 6, 'UTC'))) AS changed";
  const rows = await cluster.rows(
    `SELECT tag, event_id, ${last} FROM (SELECT *, ${changed} FROM ${tableOf(cluster, 'findings')}) GROUP BY tag, event_id`,
  );
  return new Map(
    rows.map(([tag, event, severity, place, color]) => [
      keyOf(
        tag === '' ? { kind: 'note', event: cellText(event) } : { kind: 'tag', tag: cellText(tag) },
      ),
      {
        severity: SEVERITIES.find((known) => known === severity),
        place: Number(place ?? 0) || undefined,
        color: TAG_COLORS.find((known) => known === color),
      },
    ]),
  );
}

type Name = { kind: 'tag'; tag: string } | { kind: 'note'; event: string };

function keyOf(name: Name): string {
  return JSON.stringify(name.kind === 'tag' ? [name.tag, ''] : ['', name.event]);
}

function nameOf(key: string): Name {
  const [tag, event] = JSON.parse(key) as [string, string];
  return tag === '' ? { kind: 'note', event } : { kind: 'tag', tag };
}

async function store(cluster: Cluster, ratings: ReadonlyMap<Named, Rating>): Promise<void> {
  // Unchanged values are NULL, removed ones empty.
  const sql = <T extends string | number>(now: T | undefined, next: T | undefined, none: T) =>
    now === next
      ? 'NULL'
      : typeof none === 'number'
        ? String(next ?? none)
        : text(String(next ?? none));
  const author = text(authorOf(cluster));
  const rows = [...ratings].flatMap(([one, { severity, place, color }]) => {
    const { rating: now } = one;
    if (severity === now.severity && place === now.place && color === now.color) return [];
    const [tag, event] = one.kind === 'tag' ? [one.tag, ''] : ['', one.event];
    const values = [
      sql<string>(now.severity, severity, ''),
      sql(now.place, place, 0),
      sql<string>(now.color, color, ''),
    ];
    return [`(${[text(tag), text(event), ...values, author].join(', ')})`];
  });
  if (rows.length === 0) return;
  await cluster.run(
    `INSERT INTO ${tableOf(cluster, 'findings')} (tag, event_id, severity, place, color, user) VALUES ${rows.join(', ')}`,
  );
}

/** Number of events with each tag, and their time range. */
async function spansOn(cluster: Cluster): Promise<Map<string, Span>> {
  const [events, tags] = [tableOf(cluster, 'events'), tableOf(cluster, 'tags')];
  const rows = await cluster.rows(
    `SELECT tag, count(), toString(min(ts)), toString(max(ts)) FROM (SELECT DISTINCT tag, event_id FROM ${tags}) AS t INNER JOIN (SELECT event_id, ts FROM ${events} WHERE event_id IN (SELECT event_id FROM ${tags})) AS e USING (event_id) GROUP BY tag`,
  );
  const timeOf = (value: unknown) => shortTime(`${cellText(value).replace(' ', 'T')}Z`);
  return new Map(
    rows.map(([tag, count, first, last]) => [
      cellText(tag),
      {
        count: Number(count),
        ...(first === null ? {} : { first: timeOf(first), last: timeOf(last) }),
      },
    ]),
  );
}

/** When events with notes happened. */
async function timesOn(cluster: Cluster): Promise<Times> {
  const rows = await cluster.rows(
    `SELECT event_id, toUnixTimestamp64Micro(ts), ts_ns, ts_digits FROM ${tableOf(cluster, 'events')} WHERE event_id IN (SELECT event_id FROM ${tableOf(cluster, 'notes')})`,
  );
  const numberOf = (value: unknown) => (value === null ? undefined : Number(value));
  return new Map(
    rows.map(([event, ts, tsNs, tsDigits]) => [
      cellText(event),
      {
        ts: numberOf(ts),
        tsNs: Number(tsNs ?? 0),
        tsDigits: shownDigits(Number(ts ?? 0), Number(tsDigits ?? 0)),
      },
    ]),
  );
}
