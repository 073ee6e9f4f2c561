/** The DuckDB instance that reads one case's segments, with the tables that statements join with. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

export interface StoreOptions {
  /** Bytes that the process may use for queries. */
  memoryLimit: number;
  threads: number;
}

/** Connections that are not used by statements of queries. */
export interface Started {
  readonly instance: DuckDBInstance;
  readonly admin: DuckDBConnection;
  readonly marker: DuckDBConnection;
  readonly lister: DuckDBConnection;
}

/** Memory of a process besides DuckDB's own limit: V8, indexes, and DuckDB's uncounted allocations. */
const BESIDE = 384e6;

/** The part of a process's bytes for queries that DuckDB may use. */
export function statementBytes(memoryLimit: number): number {
  return Math.max(memoryLimit / 2, memoryLimit - BESIDE);
}

/** It is not yet confined to the folder of a case. */
export async function startInstance({ threads, memoryLimit }: StoreOptions): Promise<Started> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${Math.round(statementBytes(memoryLimit) / 1e6)}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    preserve_insertion_order: 'true',
  });
  const [admin, marker, lister] = await Promise.all([
    instance.connect(),
    instance.connect(),
    instance.connect(),
  ]);
  // In one call: between statements the thread may be busy with indexes.
  await admin.run(
    [
      `ATTACH ':memory:' AS lists`,
      `ATTACH ':memory:' AS marks`,
      // For answers that do not fit in memory at once.
      `ATTACH ':memory:' AS work`,
      'CREATE TABLE marks.deleted (segment INTEGER, row BIGINT)',
      'CREATE TABLE marks.tagged (segment INTEGER, tag INTEGER, row BIGINT)',
    ].join(';'),
  );
  return { instance, admin, marker, lister };
}

export function endInstance({ instance, admin, marker, lister }: Started): void {
  lister.closeSync();
  marker.closeSync();
  admin.closeSync();
  instance.closeSync();
}
