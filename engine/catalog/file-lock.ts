/** A lock on a small SQLite file: the system lets go of it when the process ends, however it ends. */
import Database from 'better-sqlite3';

/** Undefined where another has it, or has removed it; closing it lets go. */
export function takeLock(file: string): { close(): void } | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const isGone = code === 'SQLITE_CANTOPEN' || error instanceof TypeError;
    if (code === 'SQLITE_BUSY' || isGone) return undefined;
    throw error;
  }
}
