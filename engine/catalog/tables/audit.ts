/**
 * Table `audit`: every change of a case, each entry hashed with the one before it.
 */
import { createHash } from 'node:crypto';
import { type CatalogDatabase, json, now, userName } from '../catalog-database.ts';

export interface AuditEntry {
  id: number;
  at: string;
  user: string;
  operation: string;
  detail: unknown;
  intact: boolean;
}

export class AuditTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  add(operation: string, detail: Record<string, unknown>): void {
    this.db.within(() => {
      const previous = String(
        this.db.get('SELECT hash FROM audit ORDER BY id DESC LIMIT 1')?.hash ?? '',
      );
      const at = now();
      const user = userName();
      const text = JSON.stringify(detail);
      const state = this.db.hashes.auditedState();
      const hash = auditHash(previous, at, user, operation, text, state);
      const { lastInsertRowid } = this.db.run(
        'INSERT INTO audit(at, user, operation, detail, state, hash) VALUES (?, ?, ?, ?, ?, ?)',
        at,
        user,
        operation,
        text,
        state,
        hash,
      );
      this.auditedTo(Number(lastInsertRowid), hash);
    });
  }

  private auditedTo(id: number, hash: string): void {
    const entries = Number(this.db.get('SELECT count(*) AS n FROM audit')?.['n']);
    this.db.hashes.auditedTo(entries, hash, id);
  }

  entries(): AuditEntry[] {
    let previous = '';
    return this.db.all('SELECT * FROM audit ORDER BY id').map((row) => {
      const expected = auditHash(
        previous,
        String(row.at),
        String(row.user),
        String(row.operation),
        String(row.detail),
        ...(row.state === null ? [] : [String(row.state)]),
      );
      previous = String(row.hash);
      return {
        id: Number(row.id),
        at: String(row.at),
        user: String(row.user),
        operation: String(row.operation),
        detail: expected === row.hash ? json(row.detail) : { text: String(row.detail) },
        intact: expected === row.hash,
      };
    });
  }

  problems(): string[] {
    const entries = this.entries();
    const problems = entries
      .filter(({ intact }) => !intact)
      .map(({ id, operation, at }) => `audit entry ${id} (${operation}, ${at}) was changed`);
    const last = this.db.get('SELECT id, hash, state FROM audit ORDER BY id DESC LIMIT 1');
    if (!this.db.hashes.auditEndsAt(entries.length, String(last?.['hash'] ?? '')))
      problems.push('the audit log does not end where it did: entries are missing or were added');
    if (last !== undefined && last['state'] !== null && entries.at(-1)?.intact === true)
      for (const name of this.db.hashes.differingFromAudit(
        String(last['state']),
        Number(last['id']),
      ))
        problems.push(`table ${name} is not what the last audit entry vouches for`);
    return problems;
  }
}

function auditHash(previous: string, ...parts: string[]): string {
  return createHash('sha256')
    .update([previous, ...parts].join('\n'))
    .digest('hex');
}
