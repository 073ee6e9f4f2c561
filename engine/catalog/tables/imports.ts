/** Table `imports`: runs that read sources, and the committed lengths of their quarantine files. */
import { type CatalogDatabase, json, now, optional } from '../catalog-database.ts';

export type ImportStatus = 'running' | 'complete' | 'cancelled' | 'failed' | 'interrupted';

export interface ImportRow {
  id: number;
  startedAt: string;
  finishedAt: string | undefined;
  status: ImportStatus;
  arguments: unknown;
  quarantineBytes: number;
  /** Hash of these bytes; undefined if an earlier version wrote them. */
  quarantineSha256: string | undefined;
}

export class ImportsTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  begin(args: unknown): number {
    return this.db.insert(
      'imports',
      `INSERT INTO imports(started_at, status, arguments) VALUES (?, 'running', ?)`,
      now(),
      JSON.stringify(args),
    );
  }

  finish(id: number, status: ImportStatus): void {
    this.update(id, 'status = ?, finished_at = ?', status, now());
  }

  /** @param sha256 of these bytes */
  setQuarantine(importId: number, bytes: number, sha256: string): void {
    this.update(importId, 'quarantine_bytes = ?, quarantine_sha256 = ?', bytes, sha256);
  }

  private update(id: number, set: string, ...values: unknown[]): void {
    this.db.change(
      'imports',
      'id = ?',
      [id],
      `UPDATE imports SET ${set} WHERE id = ?`,
      ...values,
      id,
    );
  }

  running(): number[] {
    return this.db
      .all(`SELECT id FROM imports WHERE status = 'running' ORDER BY id`)
      .map(({ id }) => Number(id));
  }

  /** Number of committed bytes of an import's quarantine file; undefined if there is no such import. */
  quarantineBytes(importId: number): number | undefined {
    return optional<number>(
      this.db.get('SELECT quarantine_bytes FROM imports WHERE id = ?', importId)?.[
        'quarantine_bytes'
      ],
    );
  }

  all(): ImportRow[] {
    return this.db.all('SELECT * FROM imports ORDER BY id').map((row) => ({
      id: Number(row.id),
      startedAt: String(row.started_at),
      finishedAt: optional<string>(row.finished_at),
      status: row.status as ImportStatus,
      arguments: json(row.arguments),
      quarantineBytes: Number(row.quarantine_bytes),
      quarantineSha256: optional<string>(row.quarantine_sha256),
    }));
  }
}
