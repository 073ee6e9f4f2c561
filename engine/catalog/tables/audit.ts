/** Table `audit`: every change of a case; each entry's hash includes that of the previous one. */
import { createHash } from 'node:crypto';
import { type CatalogDatabase, json, now, userName } from '../catalog-database.ts';

interface AuditEntry {
  id: number;
  at: string;
  user: string;
  operation: string;
  detail: unknown;
  intact: boolean;
}

export interface StoredAuditEntry extends Omit<AuditEntry, 'detail' | 'intact'> {
  /** JSON. */
  detail: string;
  /** Absent if an earlier version wrote it. */
  state?: string | undefined;
  /** Covers all of these and the hash of the previous entry. */
  hash: string;
}

/** Whether an entry is intact, given the hash of the `previous` one. */
export function follows(previous: string, entry: StoredAuditEntry): boolean {
  const { at, user, operation, detail, state, hash } = entry;
  return (
    auditHash(previous, at, user, operation, detail, ...(state === undefined ? [] : [state])) ===
    hash
  );
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

  /** Number of entries, and the hash of the last; '' if there is none. */
  head(): { entries: number; hash: string } {
    const last = this.db.get('SELECT hash FROM audit ORDER BY id DESC LIMIT 1');
    const entries = Number(this.db.get('SELECT count(*) AS n FROM audit')?.['n']);
    return { entries, hash: String(last?.['hash'] ?? '') };
  }

  /** Entries in the form that is hashed, in order. */
  *stored(): Generator<StoredAuditEntry> {
    for (let last = 0; ;) {
      const rows = this.db.all('SELECT * FROM audit WHERE id > ? ORDER BY id LIMIT 1000', last);
      for (const row of rows) {
        last = Number(row.id);
        yield {
          ...{ id: last, at: String(row.at), user: String(row.user) },
          ...{ operation: String(row.operation), detail: String(row.detail) },
          ...(row.state === null ? {} : { state: String(row.state) }),
          hash: String(row.hash),
        };
      }
      if (rows.length === 0) return;
    }
  }

  entries(): AuditEntry[] {
    let previous = '';
    return [...this.stored()].map((entry) => {
      const intact = follows(previous, entry);
      previous = entry.hash;
      const { id, at, user, operation, detail } = entry;
      return {
        ...{ id, at, user, operation, intact },
        detail: intact ? json(detail) : { text: detail },
      };
    });
  }

  problems(): string[] {
    const entries = this.entries();
    const problems = entries
      .filter(({ intact }) => !intact)
      .map(
        ({ id, operation, at }) =>
          `audit entry ${id} (${operation}, ${at}) does not match its hash`,
      );
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
