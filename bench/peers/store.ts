/** A store of rows that is asked in its own language: what the experiments need of each peer. */

export interface Answered {
  /** Milliseconds, as its user waits for them. */
  readonly ms: number;
  readonly rows: readonly (readonly unknown[])[];
}

export interface Store {
  readonly name: string;
  version(): Promise<string>;
  /** Runs one statement. */
  ask(statement: string): Promise<Answered>;
  /** Ends it, makes its files cold and starts it again. */
  cold(): Promise<void>;
  /** Bytes on disk. */
  bytes(): number;
  /** Processor time of these processes so far, in milliseconds. */
  cpuMs(): number;
  /** Most resident memory so far, of the processes that hold the store, in bytes. */
  peakMemory(): number;
}

/** A peer that is not here; the reason becomes a line of the report. */
export class Missing extends Error {}
