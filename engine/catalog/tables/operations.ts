/**
 * Table `operations`: the log of measured operations, bounded.
 */
import { type CatalogDatabase, json, optional } from '../catalog-database.ts';

const MAX_OPERATIONS = 10_000;

export interface OperationRow {
  at: string;
  operation: string;
  text: string | undefined;
  status: string;
  totalMs: number;
  spans: Record<string, number>;
  path: string | undefined;
  days: number | undefined;
  segments: number | undefined;
  rowsExamined: number | undefined;
  rowsReturned: number | undefined;
}

export class OperationsTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  /** In one transaction that does not wait for the disk: measurements are not evidence. */
  add(rows: readonly OperationRow[]): void {
    if (this.db.readOnly || rows.length === 0) return;
    this.db.unhurried(() => this.db.transaction(() => this.put(rows)));
  }

  private put(rows: readonly OperationRow[]): void {
    let last = 0;
    for (const row of rows) {
      last = this.db.insert(
        'operations',
        `INSERT INTO operations(at, operation, text, status, total_ms, spans, path, days, segments, rows_examined,
         rows_returned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        row.at,
        row.operation,
        row.text ?? null,
        row.status,
        row.totalMs,
        JSON.stringify(row.spans),
        row.path ?? null,
        row.days ?? null,
        row.segments ?? null,
        row.rowsExamined ?? null,
        row.rowsReturned ?? null,
      );
    }
    this.db.removeUpTo('operations', last - MAX_OPERATIONS);
  }

  all(): OperationRow[] {
    return this.db.all('SELECT * FROM operations ORDER BY id').map((row) => ({
      at: String(row.at),
      operation: String(row.operation),
      text: optional<string>(row.text),
      status: String(row.status),
      totalMs: Number(row.total_ms),
      spans: json(row.spans),
      path: optional<string>(row.path),
      days: optional<number>(row.days),
      segments: optional<number>(row.segments),
      rowsExamined: optional<number>(row.rows_examined),
      rowsReturned: optional<number>(row.rows_returned),
    }));
  }

  /** Texts of operations with these names, each once, most recent first: without those that failed. */
  texts(names: readonly string[], limit: number): { text: string; at: string; count: number }[] {
    return this.db
      .all(
        `SELECT text, max(at) AS at, count(*) AS count FROM operations
       WHERE text <> '' AND status <> 'failed' AND operation IN (SELECT value FROM json_each(?))
       GROUP BY text ORDER BY max(id) DESC LIMIT ?`,
        JSON.stringify(names),
        limit,
      )
      .map((row) => ({ text: String(row.text), at: String(row.at), count: Number(row.count) }));
  }
}
