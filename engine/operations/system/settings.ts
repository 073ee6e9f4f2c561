/** Bytes that DuckDB may use while it builds segments, of those that the process may. */
export function importMemoryOf(memory: number): number {
  return Math.min(MOST_IMPORT_MEMORY, Math.max(LEAST_IMPORT_MEMORY, memory * IMPORT_SHARE));
}
/**
 * Bytes that DuckDB may use while it rewrites segments; the process needs little in addition. Rows of hundreds of
 * columns are in memory at once.
 */
export function rewriteMemoryOf(memory: number): number {
  return Math.max(importMemoryOf(memory), memory / 2);
}

/** With less memory DuckDB refuses to build segments with many columns. */
const LEAST_IMPORT_MEMORY = 96e6;
/** Building segments needs no more. */
const MOST_IMPORT_MEMORY = 500e6;
/** Beside it: batches that are read, indexes that are built. */
const IMPORT_SHARE = 1 / 4;

/** Limits of memory and threads, which may change while the engine runs. */
export interface EngineLimits {
  /** Bytes the process may use for queries; DuckDB gets a part of them. */
  memory: number;
  /** Bytes DuckDB may use while it builds segments. */
  importMemory: number;
  threads: number;
  /** Import workers. */
  jobs: number;
  /** Rows after which an import commits; undefined: the engine's choice. */
  chunkRows: number | undefined;
}

export interface EngineSettings {
  readonly limits: EngineLimits;
  /** The default folder of new cases. */
  readonly casesFolder: string;
  /** The folder for settings and recent cases. */
  readonly stateFolder: string;
}
