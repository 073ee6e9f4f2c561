/** Table `ledger`: the outcome of each source of each import. */
import { isHashList } from '../../contract/left-out.ts';
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

/** A file or archive member that became no source: it could not be read, or no importer recognises it. */
export interface UnreadFile {
  readonly name: string;
  readonly status: 'failed' | 'ignored';
  readonly reason: string;
  /** The last import that found it so. */
  readonly importId: number;
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

  /** Files that became no source, each with each reason once; without those that a later import read. */
  unread(): UnreadFile[] {
    const rows = this.of();
    const lastRead = new Map<string, number>();
    for (const { name, sourceId, importId } of rows)
      if (sourceId !== undefined) lastRead.set(name, importId);
    const found = new Map<string, UnreadFile>();
    for (const { name, sourceId, status, message: reason = '', importId } of rows) {
      if (sourceId !== undefined || (status !== 'failed' && status !== 'ignored')) continue;
      if ((lastRead.get(name) ?? 0) > importId) continue;
      found.set(JSON.stringify([name, reason]), { name, status, reason, importId });
    }
    return [...found.values()];
  }

  /** Those that are missing from the case: a list of hashes was compared and has no events, so it is not one. */
  notImported(): UnreadFile[] {
    return this.unread().filter(({ reason }) => !isHashList(reason));
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
