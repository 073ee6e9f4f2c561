/**
 * Streams the rows of a statement.
 *
 * DuckDB's binding ends a result after its last row in the same way as after an error: rows would be missing
 * silently. Each statement therefore runs in a transaction of its own, which an error aborts, and after the last
 * chunk another statement in that transaction reveals whether there was one.
 */
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBResult,
  DuckDBValue,
} from '@duckdb/node-api';
import { CancelledError, DaybookError } from '../../contract/errors.ts';

export interface ResultChunk {
  readonly names: readonly string[];
  readonly chunk: DuckDBDataChunk;
}

interface ChunksOptions {
  readonly connection: DuckDBConnection;
  readonly sql: string;
  readonly values?: DuckDBValue[];
  readonly signal?: AbortSignal | undefined;
  /** Runs the statement if it has been prepared. */
  readonly start?: () => Promise<DuckDBResult>;
}

/**
 * Nothing else may run on the connection until the last chunk.
 * @throws DuckDB's errors, at any row; DaybookError cancelled
 */
export async function* resultChunks(options: ChunksOptions): AsyncGenerator<ResultChunk> {
  const { connection, sql, values, signal } = options;
  await connection.run('BEGIN');
  let isDone = false;
  try {
    const result = await (options.start?.() ?? connection.stream(sql, values));
    const names = result.deduplicatedColumnNames();
    for (;;) {
      const chunk = await result.fetchChunk();
      if (signal?.aborted === true) throw new CancelledError();
      if (chunk === null || chunk.rowCount === 0) break;
      yield { names, chunk };
    }
    if (!(await committed(connection))) throw await errorOf(options);
    isDone = true;
  } finally {
    // A connection that cannot roll back reports the reason when it is used again.
    if (!isDone) await connection.run('ROLLBACK').catch(() => undefined);
  }
}

/** Whether the transaction had no error and could be committed. */
async function committed(connection: DuckDBConnection): Promise<boolean> {
  try {
    await connection.run('SELECT 1; COMMIT');
    return true;
  } catch (error) {
    if (error instanceof Error && /transaction is aborted/.test(error.message)) return false;
    throw error;
  }
}

/** DuckDB's error, obtained by running the statement again without its rows. */
async function errorOf({ connection, sql, values }: ChunksOptions): Promise<unknown> {
  await connection.run('ROLLBACK');
  try {
    if (READS.test(sql)) await connection.run(`EXPLAIN ANALYZE ${sql}`, values);
  } catch (error) {
    return error;
  }
  return new DaybookError(
    'limit-exceeded',
    'DuckDB stopped before the last row; run again, the statement did not fail',
    'run it again; if this repeats, raise the limit with DAYBOOK_MEMORY (such as 4GB)',
  );
}

const READS = /^[\s(]*(?:SELECT|WITH|FROM|VALUES)\b/i;
