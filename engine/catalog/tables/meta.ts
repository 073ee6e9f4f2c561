/**
 * Table `meta`: single values of a case.
 */
import { type CatalogDatabase, optional } from '../catalog-database.ts';

export class MetaTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  get(key: string): string | undefined {
    return optional<string>(this.db.get('SELECT value FROM meta WHERE key = ?', key)?.value);
  }

  set(key: string, value: string): void {
    this.db.change(
      'meta',
      'key = ?',
      [key],
      'INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)',
      key,
      value,
    );
  }
}
