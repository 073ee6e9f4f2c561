/** The query for events that were tagged or noted. */
import type { Result } from '../../../engine/contract/operations.ts';

type Note = Result<'note.list'>['notes'][number];

/** Maximum number of IDs in one query: each is a term of its filter. */
const MOST_NOTES = 500;

interface FindingsQuery {
  /** Undefined where nothing was tagged or noted. */
  readonly query: string | undefined;
  /** Note on findings that it leaves out. */
  readonly leftOut: string | undefined;
}

/**
 * @param isTagged whether some event has a tag
 * @param notes newest first; those without a text are events that were tagged by hand
 */
export function findingsQuery(isTagged: boolean, notes: readonly Note[]): FindingsQuery {
  const written = notes.filter(({ text }) => text !== '');
  const noted = written.slice(0, MOST_NOTES).map(({ event }) => event);
  const terms = [
    ...(isTagged ? ['tag:*'] : []),
    ...(noted.length > 0 ? [`event_id:(${noted.join(' OR ')})`] : []),
  ];
  return {
    query: terms.length === 0 ? undefined : `kind:* (${terms.join(' OR ')})`,
    leftOut:
      written.length > noted.length
        ? `▾ marks the newest ${noted.length} of ${written.length.toLocaleString('en-US')} notes`
        : undefined,
  };
}
