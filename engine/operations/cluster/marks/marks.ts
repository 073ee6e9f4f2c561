/**
 * People's additions to the case on a cluster: tags and notes, each with its author and time. Rows of a hand-over
 * are kept separate, so that the next hand-over removes none of theirs.
 */
import { userName } from '../../../catalog/index.ts';
import type { Result } from '../../../contract/operations.ts';
import { clickhouseEventIds } from '../../../query/index.ts';
import { identifier, text } from '../../../query/dialect/clickhouse.ts';
import { eventIdOf, eventKey, noSuchEvent, type View } from '../../../search/index.ts';
import { checkFindsEvents, tagName } from '../../marks/mark.ts';
import type { SharedTable } from '../attach/tables.ts';
import { cellText, type Cluster } from '../cluster.ts';
import type { ClusterSession } from '../session.ts';
import { askOnCluster } from '../view.ts';

/** The author of marks: the user of the cluster or, if that is its default user, the user of this machine. */
export function authorOf({ address }: Cluster): string {
  return address.user === 'default' ? userName() : address.user;
}

export function tableOf({ address }: Cluster, name: SharedTable | 'events'): string {
  return `${identifier(address.database)}.${name}`;
}

type Target = { readonly events: readonly string[] } | { readonly view: View };
interface Marked {
  readonly matched: number;
  readonly changed: number;
}

/** Tags events, or takes a tag away from them. @throws DaybookError query-syntax, unknown-field, usage, unreadable, cancelled */
export async function tagOn(
  session: ClusterSession,
  { name: given, remove, target }: { name: string; remove: boolean; target: Target },
): Promise<Marked & { readonly notes: readonly string[] }> {
  const { cluster } = session;
  const name = tagName(given);
  const tags = tableOf(cluster, 'tags');
  const mark = async (events: string): Promise<Marked> => {
    const having = `SELECT event_id FROM ${tags} WHERE tag = ${text(name)}`;
    const [[matched, there] = []] = await cluster.rows(
      `SELECT count(), countIf(event_id IN (${having})) FROM (${events})`,
    );
    if (remove) {
      const found = `SELECT event_id FROM (${events}) WHERE event_id IN (${having})`;
      await keepName(cluster, name);
      return { matched: Number(matched), changed: await untag(cluster, name, found) };
    }
    // An event that was handed over with the tag gets a row of this person as well: it stays when the next
    // hand-over lacks it. So does an event that is chosen and was tagged by a query: it becomes a bookmark.
    const isChosen = 'events' in target;
    await cluster.run(
      `INSERT INTO ${tags} (event_id, tag, user, by_hand) SELECT event_id, ${text(name)}, ${text(authorOf(cluster))}, ${isChosen} FROM (${events}) WHERE event_id NOT IN (${having} AND NOT handed_over${isChosen ? ' AND by_hand' : ''})`,
    );
    return { matched: Number(matched), changed: Number(matched) - Number(there) };
  };
  const ids = (list: readonly string[]): string =>
    `SELECT event_id FROM ${tableOf(cluster, 'events')} WHERE event_id IN (${list.map((id) => text(eventIdOf(eventKey(id)))).join(', ')})`;
  if ('events' in target) return { ...(await mark(ids(target.events))), notes: [] };
  const { view } = target;
  checkFindsEvents(view.query, remove ? 'untag' : 'tag');
  const { matched, changed, notes } = await askOnCluster(
    ...([session, 'tag.set', view] as const),
    async ({ plan, options }) => {
      const { before, sql } = clickhouseEventIds(plan, options);
      for (const one of before) await cluster.run(one);
      return mark(sql);
    },
  );
  return { matched, changed, notes };
}

/** A query for a tag that the last event has lost finds nothing: its name is known by the table of findings. */
async function keepName(cluster: Cluster, name: string): Promise<void> {
  const [tags, findings] = [tableOf(cluster, 'tags'), tableOf(cluster, 'findings')];
  await cluster.run(
    `INSERT INTO ${findings} (tag, event_id, user) SELECT DISTINCT tag, '', ${text(authorOf(cluster))} FROM ${tags} WHERE tag = ${text(name)} AND tag NOT IN (SELECT tag FROM ${findings})`,
  );
}

/** Events of one statement that takes a tag away: a server refuses one of 256 KiB. */
const UNTAGGED_AT_ONCE = 4000;

/**
 * Removes a tag from the events of a statement; returns how many had it. They are read first: a server deletes
 * later, part by part, without the tables and settings of this session, and a query's result may depend on the tags
 * being deleted.
 */
async function untag(cluster: Cluster, name: string, found: string): Promise<number> {
  const tags = tableOf(cluster, 'tags');
  let changed = 0;
  const ids = (await cluster.rows(found)).map(([id]) => text(cellText(id)));
  for (let at = 0; at < ids.length; at += UNTAGGED_AT_ONCE) {
    const portion = ids.slice(at, at + UNTAGGED_AT_ONCE);
    // Waits until it is done: the next query must not find them any more.
    await cluster.run(
      `DELETE FROM ${tags} WHERE tag = ${text(name)} AND event_id IN (${portion.join(', ')}) SETTINGS lightweight_deletes_sync = 2`,
    );
    changed += portion.length;
  }
  return changed;
}

export interface Note {
  readonly event: string;
  readonly user: string;
  readonly text: string;
  /** RFC 3339, UTC. */
  readonly at: string;
}

/** The last note of each person on each event, or on one; an empty text means it was removed. Newest first. */
export async function notesOn(cluster: Cluster, event?: string): Promise<Note[]> {
  const where = event === undefined ? '' : ` WHERE event_id = ${text(event)}`;
  const rows = await cluster.rows(
    `SELECT event_id, user, argMax(text, at) AS said, toString(max(at)) AS last FROM ${tableOf(cluster, 'notes')}${where} GROUP BY event_id, user HAVING said != '' ORDER BY last DESC, event_id, user`,
  );
  return rows.map(([id, user, said, at]) => ({
    ...{ event: cellText(id), user: cellText(user), text: cellText(said) },
    at: `${cellText(at).replace(' ', 'T')}Z`,
  }));
}

/** The notes on an event: the person's own, and those of others. */
export async function notesOfEvent(
  cluster: Cluster,
  event: string,
): Promise<{ note: string | undefined; otherNotes: { user: string; at: string; text: string }[] }> {
  const me = authorOf(cluster);
  const all = await notesOn(cluster, event);
  return {
    note: all.find(({ user }) => user === me)?.text,
    otherNotes: all
      .filter(({ user }) => user !== me)
      .map(({ user, at, text: said }) => ({ user, at, text: said })),
  };
}

/**
 * Sets the person's own note on an event; an empty text removes it. @throws DaybookError usage, not-found,
 * unreadable, cancelled
 */
export async function setNoteOn(cluster: Cluster, event: string, said: string): Promise<void> {
  const id = eventIdOf(eventKey(event));
  const note = said.trim();
  const [[there] = []] = await cluster.rows(
    `SELECT count() FROM ${tableOf(cluster, 'events')} WHERE event_id = ${text(id)}`,
  );
  if (note !== '' && Number(there) === 0) throw noSuchEvent(id);
  await cluster.run(
    `INSERT INTO ${tableOf(cluster, 'notes')} (event_id, text, user) VALUES (${text(id)}, ${text(note)}, ${text(authorOf(cluster))})`,
  );
}

/** Events with a note, or that a person chose and tagged there, newest first. */
export async function listNotesOn(cluster: Cluster): Promise<Result<'note.list'>> {
  const me = authorOf(cluster);
  const notes = new Map<string, Note[]>();
  for (const note of await notesOn(cluster))
    notes.set(note.event, [...(notes.get(note.event) ?? []), note]);
  const tagged = await cluster.rows(
    `SELECT event_id, toString(max(at)), count() OVER () FROM ${tableOf(cluster, 'tags')} WHERE by_hand GROUP BY event_id ORDER BY max(at) DESC LIMIT ${MOST_TAGGED}`,
  );
  const listed = [
    ...[...notes].map(([event, notesOfOne]) => ({
      event,
      text: notesOfOne
        .map(({ user, text: said }) => (user === me ? said : `${user}: ${said}`))
        .join('\n'),
      at: notesOfOne[0]!.at,
    })),
    ...tagged
      .filter(([event]) => !notes.has(cellText(event)))
      .map(([event, at]) => ({
        ...{ event: cellText(event), text: '', at: `${cellText(at).replace(' ', 'T')}Z` },
      })),
  ];
  const [[, , all] = []] = tagged;
  return {
    notes: listed.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
    more: Number(all ?? 0) - tagged.length,
  };
}

/** Events that were tagged there and are listed, at most. */
const MOST_TAGGED = 1000;
