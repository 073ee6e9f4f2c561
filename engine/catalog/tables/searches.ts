/**
 * Table `searches`: views that were saved under a name.
 */
import { type CatalogDatabase, now, type Raw } from '../catalog-database.ts';

export interface SearchRow {
  id: number;
  name: string;
  /** A view as its shareable string. */
  view: string;
  note: string;
  createdAt: string;
}

export class SearchesTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  all(): SearchRow[] {
    return this.db.all('SELECT * FROM searches ORDER BY name COLLATE NOCASE, id').map(searchOf);
  }

  get(id: number): SearchRow | undefined {
    const row = this.db.get('SELECT * FROM searches WHERE id = ?', id);
    return row === undefined ? undefined : searchOf(row);
  }

  add(search: Pick<SearchRow, 'name' | 'view' | 'note'>): number {
    return this.db.insert(
      'searches',
      'INSERT INTO searches(name, view, note, created_at) VALUES (?, ?, ?, ?)',
      search.name,
      search.view,
      search.note,
      now(),
    );
  }

  update(search: Pick<SearchRow, 'id' | 'name' | 'view' | 'note'>): void {
    this.db.change(
      'searches',
      'id = ?',
      [search.id],
      'UPDATE searches SET name = ?, view = ?, note = ? WHERE id = ?',
      search.name,
      search.view,
      search.note,
      search.id,
    );
  }

  remove(id: number): void {
    this.db.change('searches', 'id = ?', [id], 'DELETE FROM searches WHERE id = ?', id);
  }
}

function searchOf(row: Raw): SearchRow {
  return {
    id: Number(row.id),
    name: String(row.name),
    view: String(row.view),
    note: String(row.note),
    createdAt: String(row.created_at),
  };
}
