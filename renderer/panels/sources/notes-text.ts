/** Notes on a change to many sources, short enough for a notice. */
import { formatCount } from '../../panel-api.ts';

const MOST_NOTES = 3;

/** The first notes, and how many more there are. */
export function notesText(notes: readonly string[]): string {
  const more = notes.length - MOST_NOTES;
  const shown = notes.slice(0, MOST_NOTES).join('; ');
  return more > 0 ? `${shown}; and ${formatCount(more)} more` : shown;
}
