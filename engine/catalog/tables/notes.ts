/**
 * Table `notes`: what a person wrote about an event.
 */
import { type CatalogDatabase, now, type Raw, userName } from '../catalog-database.ts';

/** An event by its source and its record number there. */
export interface EventKey {
  sourceId: number;
  /** Negative for derived events. */
  seq: number;
}

export interface NoteRow extends EventKey {
  text: string;
  /** When it was last changed, and by whom. */
  at: string;
  user: string;
}

export class NotesTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  all(): NoteRow[] {
    return this.db.all('SELECT * FROM notes ORDER BY at DESC, source_id, seq').map(noteOf);
  }

  of({ sourceId, seq }: EventKey): NoteRow | undefined {
    const row = this.db.get('SELECT * FROM notes WHERE source_id = ? AND seq = ?', sourceId, seq);
    return row === undefined ? undefined : noteOf(row);
  }

  /** Replaces the note of an event; an empty text takes it away. */
  set({ sourceId, seq }: EventKey, text: string): void {
    const where = 'source_id = ? AND seq = ?';
    const key = [sourceId, seq];
    if (text === '') {
      this.db.change('notes', where, key, `DELETE FROM notes WHERE ${where}`, ...key);
      return;
    }
    this.db.change(
      'notes',
      where,
      key,
      'INSERT OR REPLACE INTO notes(source_id, seq, text, at, user) VALUES (?, ?, ?, ?, ?)',
      sourceId,
      seq,
      text,
      now(),
      userName(),
    );
  }
}

export function keyOf(row: Raw): EventKey {
  return { sourceId: Number(row.source_id), seq: Number(row.seq) };
}

function noteOf(row: Raw): NoteRow {
  return { ...keyOf(row), text: String(row.text), at: String(row.at), user: String(row.user) };
}
