/**
 * The rows of a statement as they come.
 *
 * DuckDB's binding ends a result in the same way after its last row and where DuckDB stopped with an error:
 * rows would be missing without a word. So each statement runs in a transaction of its own, which an error
 * aborts, and after the last chunk another statement in that transaction shows whether there was one.
 */
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBResult,
  DuckDBValue,
} from '@duckdb/node-api';
import { CancelledError, DaybookError } from '../contract/errors.ts';

export interface ResultChunk {
  readonly names: readonly string[];
  readonly chunk: DuckDBDataChunk;
}

interface ChunksOptions {
  readonly connection: DuckDBConnection;
  readonly sql: string;
  readonly values?: DuckDBValue[];
  readonly signal?: AbortSignal | undefined;
  /** Where the statement has been prepared: runs it. */
  readonly start?: () => Promise<DuckDBResult>;
}

/**
 * Nothing else runs on the connection until the last chunk.
 * @throws what DuckDB says, at whichever row; DaybookError cancelled
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
    // A connection that cannot roll back says why when it is used again.
    if (!isDone) await connection.run('ROLLBACK').catch(() => undefined);
  }
}

/** Whether the transaction had no error; it is committed then. */
async function committed(connection: DuckDBConnection): Promise<boolean> {
  try {
    await connection.run('SELECT 1; COMMIT');
    return true;
  } catch (error) {
    if (error instanceof Error && /transaction is aborted/.test(error.message)) return false;
    throw error;
  }
}

/** DuckDB's error when the statement runs again, without its rows. */
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
