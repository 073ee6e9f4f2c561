/**
 * One writer per case. The lock is a transaction held on a small SQLite file: the system releases it
 * when the process ends, however it ends, so a crash never leaves a case locked.
 */
import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { casePath } from '../util/files/case-files.ts';
import { diskError } from '../util/files/files.ts';
import { DaybookError, messageOfError } from '../contract/errors.ts';

/** Maintenance holds the lock briefly: other writers wait instead of failing. */
export const MAINTENANCE = 'maintenance';
/** Recovery of a case whose last writer was killed: other writers wait for it as well. */
export const RECOVERY = 'recover';
const MOST_RECOVERY_MS = 60_000;
const RECOVERY_POLL_MS = 50;
/** Time that is enough even if the disk is slow. */
const MOST_WAIT_MS = 5_000;
const LOOK_MS = 10;
const MOST_LOOKING_MS = 1_000;

interface Holder {
  pid: number;
  host: string;
  since: string;
  what: string;
}

export class WriterLock {
  private readonly db: Database.Database;
  private constructor(db: Database.Database) {
    this.db = db;
  }

  /**
   * Takes the lock for `what` (such as `import`).
   * @throws DaybookError case-locked, naming the process that holds it and since when
   */
  static take(folder: string, operation: string): WriterLock {
    for (const name of ['writer.lock', 'writer.lock-journal']) casePath(folder, name);
    const until = performance.now() + MOST_WAIT_MS;
    for (;;) {
      const taken = WriterLock.tryTake(folder, operation);
      if (taken instanceof WriterLock) return taken;
      const { holder } = taken;
      // A holder whose name is unknown yet may be one of those.
      const isPatient = holder === undefined || holder.what === MAINTENANCE;
      if (!isPatient || operation === MAINTENANCE || performance.now() > until)
        throw locked(holder);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    }
  }

  /** Waits for a running recovery of the case, at most MOST_RECOVERY_MS; after that `take` refuses. */
  static async whenRecovered(folder: string): Promise<void> {
    const until = performance.now() + MOST_RECOVERY_MS;
    while (WriterLock.holder(folder)?.what === RECOVERY && performance.now() < until)
      await setTimeout(RECOVERY_POLL_MS);
  }

  /** The lock, or its holder; undefined: the holder is not known yet. */
  private static tryTake(
    folder: string,
    operation: string,
  ): WriterLock | { readonly holder: Holder | undefined } {
    const since = new Date().toISOString();
    let db: Database.Database;
    try {
      db = new Database(join(folder, 'writer.lock'), { timeout: 0 });
    } catch (error) {
      throw diskError(error) ?? lockProblem(folder, error);
    }
    try {
      db.pragma('journal_mode = DELETE');
      // After a system crash the holder's name is irrelevant, so it is not synced. Only the file's layout is made
      // durable, with the first name.
      const made = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'holder'`).get();
      if (made !== undefined) db.pragma('synchronous = OFF');
      db.exec('BEGIN IMMEDIATE');
      db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT, since TEXT, what TEXT)');
      db.exec('DELETE FROM holder');
      db.prepare('INSERT INTO holder VALUES (?, ?, ?, ?)').run(
        process.pid,
        hostname(),
        since,
        operation,
      );
      db.exec('COMMIT');
      db.exec('BEGIN IMMEDIATE');
      return new WriterLock(db);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'SQLITE_BUSY') {
        db.close();
        throw diskError(error) ?? lockProblem(folder, error);
      }
      let holder: Holder | undefined;
      try {
        holder = db.prepare('SELECT * FROM holder').get() as Holder | undefined;
      } catch {
        // The holder is between its two transactions: it exists, but cannot be named yet.
      }
      db.close();
      // Another process has looked, or begun, between this one's two transactions.
      const isOwn =
        holder?.pid === process.pid && holder.since === since && holder.what === operation;
      return { holder: isOwn ? undefined : holder };
    }
  }

  /** When the lock of a case was last taken or released, in nanoseconds; undefined: never. Reads nothing else. */
  static lastChange(folder: string): bigint | undefined {
    return statSync(casePath(folder, 'writer.lock'), { bigint: true, throwIfNoEntry: false })
      ?.mtimeNs;
  }

  /**
   * The holder of a case's lock; undefined if there is none. Never blocks a writer: the lock is tried only if a
   * name was written and not removed.
   */
  static holder(folder: string): Holder | undefined {
    const file = casePath(folder, 'writer.lock');
    if (!existsSync(file)) return undefined;
    let db: Database.Database | undefined;
    try {
      db = new Database(file, { timeout: 0, fileMustExist: true });
      const holder = db.prepare('SELECT * FROM holder').get() as Holder | undefined;
      if (holder === undefined) return undefined;
      try {
        db.exec('BEGIN IMMEDIATE; DELETE FROM holder; COMMIT');
        return undefined; // It was killed: its name is taken away.
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        return code === 'SQLITE_BUSY' ? holder : undefined;
      }
    } catch {
      // It is just being made, or there is no lock file: a writer reports that itself.
      return undefined;
    } finally {
      db?.close();
    }
  }

  release(): void {
    if (!this.db.open) return;
    try {
      // Waits for readers of the name: one that stays would be taken for that of the next writer.
      this.db.pragma(`busy_timeout = ${MOST_LOOKING_MS}`);
      this.db.exec('DELETE FROM holder; COMMIT');
    } catch {
      // On a full disk the name stays, the lock does not.
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
    }
    this.db.close();
  }
}

function locked(holder: Holder | undefined): DaybookError {
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} on ${holder.host} (${holder.what}, since ${holder.since})`;
  return new DaybookError(
    'case-locked',
    `the case is being written by ${who}`,
    'wait until it has finished, or stop it; queries go on meanwhile',
  );
}

/** Error for a lock file that can be neither taken nor waited for: read-only, or not what it should be. */
function lockProblem(folder: string, error: unknown): DaybookError {
  const file = join(folder, 'writer.lock');
  const why = messageOfError(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const foreign = /^SQLITE_(NOTADB|CORRUPT)/.test(code);
  return new DaybookError(
    foreign ? 'case-damaged' : 'unreadable',
    `the case cannot be written: ${file}: ${why}`,
    foreign
      ? 'if no other process is writing to the case, remove this file: it holds nothing else'
      : 'check who may write to the case folder; queries need no permission to write',
    error,
  );
}
