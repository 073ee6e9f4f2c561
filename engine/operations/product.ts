/** Facts about the application, for the operations about the engine itself. */
export interface Product {
  /** Daybook's version. */
  readonly version: string;
  /** Makes the sample evidence unless it exists; returns its paths. */
  readonly sample: () => Promise<readonly string[]>;
}
