/** The instance of DuckDB that reads one case's segments, with the tables that statements join with. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

export interface StoreOptions {
  /** Bytes that the process may take for queries. */
  memoryLimit: number;
  threads: number;
}

/** Connections that statements of queries do not use. */
export interface Started {
  readonly instance: DuckDBInstance;
  readonly admin: DuckDBConnection;
  readonly marker: DuckDBConnection;
  readonly lister: DuckDBConnection;
}

/** Memory of a process beside DuckDB's own limit: V8, indexes, and DuckDB's uncounted allocations. */
const BESIDE = 384e6;

/** Of the bytes that a process may take for queries, those that DuckDB may. */
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
  // At once: between statements the thread may be busy with indexes.
  await admin.run(
    [
      `ATTACH ':memory:' AS lists`,
      `ATTACH ':memory:' AS marks`,
      // What answers put aside that memory does not hold at once.
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
