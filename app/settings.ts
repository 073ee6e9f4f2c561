/** What the engine may use of this machine. */
import { availableParallelism, totalmem } from 'node:os';

export interface Settings {
  /** Bytes DuckDB may use for queries. */
  queryMemory: number;
  /** Bytes DuckDB may use while it builds segments. */
  importMemory: number;
  threads: number;
  /** Import workers, if the command does not say. */
  jobs: number;
  /** Rows after which an import commits; undefined for the engine's own choice. */
  chunkRows: number | undefined;
}

/**
 * Settings for this machine; `DAYBOOK_MEMORY` (bytes), `DAYBOOK_THREADS` and `DAYBOOK_CHUNK_ROWS`
 * override them.
 */
export function settings(environment: NodeJS.ProcessEnv): Settings {
  const cores = whole(environment['DAYBOOK_THREADS']) ?? availableParallelism();
  const memory = whole(environment['DAYBOOK_MEMORY']) ?? Math.min(totalmem() / 4, 4e9);
  return {
    queryMemory: memory,
    importMemory: Math.min(memory, 5e8),
    threads: cores,
    jobs: cores,
    chunkRows: whole(environment['DAYBOOK_CHUNK_ROWS']),
  };
}

function whole(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
