/** What the engine may use of the machine, and how it may be changed while it runs. */
export interface EngineLimits {
  /** Bytes DuckDB may use for queries. */
  memory: number;
  /** Bytes DuckDB may use while it builds segments. */
  importMemory: number;
  threads: number;
  /** Workers of an import. */
  jobs: number;
  /** Rows after which an import commits; undefined for the engine's own choice. */
  chunkRows: number | undefined;
}

export interface EngineSettings {
  readonly limits: EngineLimits;
  /** Where new cases are put if nobody says otherwise. */
  readonly casesFolder: string;
  /** Where settings and recent cases are kept. */
  readonly stateFolder: string;
}
