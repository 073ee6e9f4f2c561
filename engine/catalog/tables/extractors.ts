/** Table `extractors`: those that people added to the case. The audit log has replaced and removed ones. */
import { type CatalogDatabase, now, userName } from '../catalog-database.ts';

interface ExtractorRow {
  readonly name: string;
  readonly version: number;
  /** The file as given. */
  readonly document: string;
  /** SHA-256 of the file. */
  readonly sha256: string;
}

export class ExtractorsTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  all(): ExtractorRow[] {
    return this.db.all('SELECT * FROM extractors ORDER BY name').map((row) => ({
      name: String(row.name),
      version: Number(row.version),
      document: String(row.document),
      sha256: String(row.sha256),
    }));
  }

  /** Adds an extractor, or replaces the one with its name. */
  put({
    name,
    version,
    document,
    sha256,
  }: Pick<ExtractorRow, 'name' | 'version' | 'document' | 'sha256'>): void {
    this.db.change(
      'extractors',
      'name = ?',
      [name],
      `INSERT OR REPLACE INTO extractors(name, version, document, sha256, added_at, user)
       VALUES (?, ?, ?, ?, ?, ?)`,
      name,
      version,
      document,
      sha256,
      now(),
      userName(),
    );
  }

  remove(name: string): void {
    this.db.change('extractors', 'name = ?', [name], 'DELETE FROM extractors WHERE name = ?', name);
  }
}
