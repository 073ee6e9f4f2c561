/** A lock on a small SQLite file: the system releases it when the process ends, however it ends. */
import Database from 'better-sqlite3';

/** Locks that are held: without a reference, garbage collection would release them. */
const held = new Set<Database.Database>();

/** Undefined if another process holds it, or has removed it; closing it releases it. */
export function takeLock(file: string): { close(): void } | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
    const taken = db;
    held.add(taken);
    return {
      close: () => {
        held.delete(taken);
        taken.close();
      },
    };
  } catch (error) {
    db?.close();
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const isGone = code === 'SQLITE_CANTOPEN' || error instanceof TypeError;
    if (code === 'SQLITE_BUSY' || isGone) return undefined;
    throw error;
  }
}
