/** Table `notes`: people's notes on events. */
import { SEVERITIES, type Severity } from '../../contract/findings.ts';
import { type CatalogDatabase, now, type Raw, userName } from '../catalog-database.ts';

/** An event by its source and its record number there. */
export interface EventKey {
  sourceId: number;
  /** Negative for derived events. */
  seq: number;
}

/** The analyst's rating of a finding. */
export interface Rating {
  /** Undefined: unrated. */
  severity: Severity | undefined;
  /** Position in the report, from 1; undefined: after the findings with one. */
  place: number | undefined;
}

export interface NoteRow extends EventKey, Rating {
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

  /** Replaces the note of an event and keeps its rating; an empty text removes both. */
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
      `INSERT INTO notes(source_id, seq, text, at, user) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (source_id, seq) DO UPDATE SET text = excluded.text, at = excluded.at, user = excluded.user`,
      sourceId,
      seq,
      text,
      now(),
      userName(),
    );
  }

  /** Stores the rating of a note; its time and author stay. */
  rate({ sourceId, seq, severity, place }: EventKey & Rating): void {
    const where = 'source_id = ? AND seq = ?';
    this.db.change(
      'notes',
      where,
      [sourceId, seq],
      `UPDATE notes SET severity = ?, place = ? WHERE ${where}`,
      ...[severity ?? null, place ?? null, sourceId, seq],
    );
  }
}

export function ratingOf(row: Raw): Rating {
  return {
    severity: SEVERITIES.find((severity) => severity === row.severity),
    place: row.place === null ? undefined : Number(row.place),
  };
}

export function keyOf(row: Raw): EventKey {
  return { sourceId: Number(row.source_id), seq: Number(row.seq) };
}

function noteOf(row: Raw): NoteRow {
  return {
    ...{ ...keyOf(row), ...ratingOf(row) },
    ...{ text: String(row.text), at: String(row.at), user: String(row.user) },
  };
}
