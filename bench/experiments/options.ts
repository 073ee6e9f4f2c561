/** Options of every experiment. */
export interface ExperimentOptions {
  /**
   * Size of the input: number of events, messages or flows; bytes of captures; the experiment's default when
   * undefined.
   */
  readonly size: number | undefined;
  /** Number of warm runs whose median counts. */
  readonly runs: number;
  /** Whether Daybook is also measured without its indexes, rollups and catalog. */
  readonly scan: boolean;
  /** Folder in which large inputs are kept for the next run; undefined: they are removed after this one. */
  readonly inputs: string | undefined;
  /** Whether to measure a peer. */
  wanted(peer: string): boolean;
}
