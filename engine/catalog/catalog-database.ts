/**
 * The connection to a catalog that the modules of its tables share: statements, transactions, and the hashes of
 * rows (row-hashes.ts), which it keeps up to date.
 */
import { userInfo } from 'node:os';
import type Database from 'better-sqlite3';
import { DaybookError, messageOfError } from '../contract/errors.ts';
import { diskError } from '../util/files/files.ts';
import { RowHashes } from './row-hashes.ts';

/** A row as SQLite returns it. */
export type Raw = Record<string, string | number | null | Uint8Array>;

export const optional = <T>(value: unknown): T | undefined =>
  value === null || value === undefined ? undefined : (value as T);
export const json = <T>(value: unknown): T => JSON.parse(String(value)) as T;

export class CatalogDatabase {
  readonly folder: string;
  readonly readOnly: boolean;
  readonly hashes: RowHashes;
  readonly sqlite: Database.Database;
  private readonly statements = new Map<string, Database.Statement>();

  constructor(folder: string, sqlite: Database.Database, readOnly: boolean) {
    this.folder = folder;
    this.sqlite = sqlite;
    this.readOnly = readOnly;
    this.hashes = new RowHashes(sqlite);
  }

  /** Runs `work`, which only reads, on a consistent snapshot of the catalog. */
  consistently<T>(work: () => T): T {
    return this.attempt(() => this.sqlite.transaction(work).deferred());
  }

  /** Runs `work` in one transaction; it is rolled back when `work` throws. */
  transaction<T>(work: () => T): T {
    try {
      return this.sqlite.transaction(work).immediate();
    } catch (error) {
      throw diskError(error) ?? error;
    }
  }

  /**
   * Runs `work`, whose commits do not wait for the disk: they survive the end of this process, but if the system
   * crashes before the next commit that waits, they may be lost, the latest first. Not within a transaction.
   */
  unhurried<T>(work: () => T): T {
    this.statement('PRAGMA synchronous = NORMAL').run();
    try {
      return work();
    } finally {
      this.statement('PRAGMA synchronous = FULL').run();
    }
  }

  /** Runs `work`; translates SQLite's errors about a damaged catalog. */
  attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (/^SQLITE_(CORRUPT|NOTADB|ERROR|IOERR)/.test(code))
        throw damagedCatalog(this.folder, error);
      throw diskError(error) ?? error;
    }
  }
  private statement(sql: string): Database.Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.sqlite.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
  all(sql: string, ...values: unknown[]): Raw[] {
    return this.attempt(() => this.statement(sql).all(...values) as Raw[]);
  }
  get(sql: string, ...values: unknown[]): Raw | undefined {
    return this.attempt(() => this.statement(sql).get(...values) as Raw | undefined);
  }
  run(sql: string, ...values: unknown[]): Database.RunResult {
    return this.attempt(() => this.statement(sql).run(...values));
  }

  /** Runs a statement that changes the rows of `table` for which `where` holds: afterwards there is at most one. */
  change(
    table: string,
    where: string,
    key: readonly unknown[],
    sql: string,
    ...values: unknown[]
  ): void {
    this.within(() => this.hashes.change(table, where, key, () => this.run(sql, ...values)));
  }
  /** Inserts a row that is numbered by the database; returns its number. */
  insert(table: string, sql: string, ...values: unknown[]): number {
    return this.within(() =>
      Number(this.hashes.insert(table, 'id', () => this.run(sql, ...values)).lastInsertRowid),
    );
  }
  /** Within the open transaction, or in a new one. */
  within<T>(work: () => T): T {
    return this.attempt(() => (this.sqlite.inTransaction ? work() : this.transaction(work)));
  }

  /** Changes whenever another connection commits. */
  dataVersion(): number {
    return Number(this.get('PRAGMA data_version')?.['data_version']);
  }
  removeUpTo(table: 'changes' | 'operations', id: number): void {
    this.change(table, 'id <= ?', [id], `DELETE FROM ${table} WHERE id <= ?`, id);
  }
}

export function now(): string {
  return new Date().toISOString();
}

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

export function damagedCatalog(folder: string, error: unknown): DaybookError {
  const full = diskError(error);
  if (full !== undefined) return full;
  return new DaybookError(
    'case-damaged',
    `the catalog of ${folder} cannot be read: ${messageOfError(error)}`,
    'restore the folder from a copy; segments and evidence are not affected',
    error,
  );
}
