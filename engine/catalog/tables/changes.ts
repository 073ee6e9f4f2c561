/** Table `changes`: the latest changes of a case, of which open windows are notified. */
import { type CatalogDatabase, json, now } from '../catalog-database.ts';

const MAX_CHANGES = 10_000;

export interface ChangeRow {
  id: number;
  at: string;
  operation: string;
  detail: Record<string, unknown>;
}

export class ChangesTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  add(operation: string, detail: Record<string, unknown>): void {
    this.db.within(() => {
      const id = this.db.insert(
        'changes',
        'INSERT INTO changes(at, operation, detail) VALUES (?, ?, ?)',
        now(),
        operation,
        JSON.stringify(detail),
      );
      this.db.removeUpTo('changes', id - MAX_CHANGES);
    });
  }

  after(id: number): ChangeRow[] {
    return this.db.all('SELECT * FROM changes WHERE id > ? ORDER BY id', id).map((row) => ({
      id: Number(row.id),
      at: String(row.at),
      operation: String(row.operation),
      detail: json(row.detail),
    }));
  }

  last(): number {
    return Number(this.db.get('SELECT max(id) AS id FROM changes')?.id ?? 0);
  }
}
