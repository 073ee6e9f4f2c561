/** Options of every experiment. */
export interface ExperimentOptions {
  /** How much of the input: events, messages or flows, of captures bytes; the experiment's own when undefined. */
  readonly size: number | undefined;
  /** Warm runs of which the median counts. */
  readonly runs: number;
  /** Whether Daybook is also measured without its indexes, rollups and catalog. */
  readonly scan: boolean;
  /** Folder in which large inputs are kept for the next run; undefined: they go with this one. */
  readonly inputs: string | undefined;
  /** Whether a peer is to be asked. */
  wanted(peer: string): boolean;
}
