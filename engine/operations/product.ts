/** Facts about the application, for the operations about the engine itself. */
export interface Product {
  /** Of Daybook. */
  readonly version: string;
  /** Makes the sample evidence if it is not there yet, and says where it lies. */
  readonly sample: () => Promise<readonly string[]>;
}
