/** Table `manifests`: hash manifests that imports found, and the results of comparing them. */
import type { ManifestReport } from '../../contract/hash-manifest.ts';
import { type CatalogDatabase, json } from '../catalog-database.ts';

export interface ManifestRow {
  readonly importId: number;
  readonly report: ManifestReport;
}

export class ManifestsTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  add(importId: number, report: ManifestReport): void {
    this.db.insert(
      'manifests',
      'INSERT INTO manifests(import_id, report) VALUES (?, ?)',
      importId,
      JSON.stringify(report),
    );
  }

  all(): ManifestRow[] {
    return this.db.all('SELECT * FROM manifests ORDER BY id').map((row) => ({
      importId: Number(row.import_id),
      report: json(row.report),
    }));
  }
}
