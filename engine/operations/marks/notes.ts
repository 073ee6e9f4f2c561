/**
 * Notes: people's remarks on single events. They belong to the event's id, so that they survive merging of
 * segments; an import or another writer does not block them.
 */
import type { Catalog } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import {
  type CaseSession,
  eventIdOf,
  eventKey,
  locateEvents,
  noSuchEvent,
} from '../../search/index.ts';

interface ListedNote {
  event: string;
  /** Empty for an event that only has a tag set by hand. */
  text: string;
  /** RFC 3339, UTC: when the note was last changed, or the tag set. */
  at: string;
}

/**
 * Sets the note of an event; an empty text takes it away, from events too that are there no longer.
 * @throws DaybookError usage, not-found, unreadable
 */
export async function setNote(
  session: CaseSession,
  event: string,
  text: string,
  signal?: AbortSignal,
): Promise<void> {
  const watch = new Stopwatch('note.set');
  const { catalog } = session;
  const key = eventKey(event);
  const note = text.trim();
  if (note !== '' && (await locateEvents(session, [event], signal)).length === 0)
    throw noSuchEvent(event);
  writable(catalog);
  catalog.transaction(() => {
    const before = catalog.notes.of(key)?.text ?? '';
    if (before === note) return;
    catalog.notes.set(key, note);
    const id = eventIdOf(key);
    catalog.audit.add('note', { event: id, text: note, before });
    catalog.changes.add('note', { event: id });
  });
  session.record(watch, 'done');
}

/** Events that have a note or a tag set by hand, newest first. */
export function listNotes({ catalog }: CaseSession): ListedNote[] {
  const notes = catalog.notes
    .all()
    .map((note) => ({ event: eventIdOf(note), text: note.text, at: note.at }));
  const noted = new Set(notes.map(({ event }) => event));
  const tagged = catalog.marks
    .handTagged()
    .map((tagged) => ({ event: eventIdOf(tagged), text: '', at: tagged.at }))
    .filter(({ event }) => !noted.has(event));
  return [...notes, ...tagged].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** @throws DaybookError unreadable if the case cannot be changed */
export function writable(catalog: Catalog): void {
  if (!catalog.readOnly) return;
  throw new DaybookError(
    'unreadable',
    `${catalog.folder} cannot be changed: it is read-only`,
    'copy the case folder to a place where you may write, and open it there',
  );
}
