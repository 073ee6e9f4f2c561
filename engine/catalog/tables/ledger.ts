/**
 * Table `ledger`: what became of each source of each import.
 */
import { type CatalogDatabase, optional } from '../catalog-database.ts';
import { type Counts, countsOf } from './sources.ts';

export interface LedgerRow extends Counts {
  importId: number;
  ordinal: number;
  name: string;
  sourceId: number | undefined;
  status: string;
  message: string | undefined;
}

export class LedgerTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  add(row: LedgerRow): void {
    this.db.change(
      'ledger',
      'import_id = ? AND ordinal = ?',
      [row.importId, row.ordinal],
      `INSERT OR REPLACE INTO ledger(import_id, ordinal, name, source_id, status, message, read, stored, duplicate,
         quarantined, skipped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.importId,
      row.ordinal,
      row.name,
      row.sourceId ?? null,
      row.status,
      row.message ?? null,
      row.read,
      row.stored,
      row.duplicate,
      row.quarantined,
      row.skipped,
    );
  }

  of(importId?: number): LedgerRow[] {
    return this.db
      .all(
        'SELECT * FROM ledger WHERE import_id = coalesce(?, import_id) ORDER BY import_id, ordinal',
        importId ?? null,
      )
      .map((row) => ({
        importId: Number(row.import_id),
        ordinal: Number(row.ordinal),
        name: String(row.name),
        sourceId: optional<number>(row.source_id),
        status: String(row.status),
        message: optional<string>(row.message),
        ...countsOf(row),
      }));
  }
}
