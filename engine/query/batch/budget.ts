/** Memory limit of a scan's state: groups, texts, values. Beyond it the scan fails; the machine never swaps. */
import { DaybookError } from '../../contract/errors.ts';
import type { DictionaryLimits } from '../../util/hash-table/byte-dictionary.ts';

/** Bytes of all tables of one scan. */
const SCAN_BYTES = 768 * 1024 * 1024;

/** Bytes of a row of a result until it is printed, roughly. */
export const ROW_BYTES = 250;

export class Budget {
  private left: number;
  constructor(bytes: number = SCAN_BYTES) {
    this.left = bytes;
  }

  /** @throws DaybookError limit-exceeded */
  take(bytes: number): void {
    this.left -= bytes;
    if (this.left >= 0) return;
    throw new DaybookError(
      'limit-exceeded',
      'there are more different values than a scan keeps in memory',
      'narrow the query or group by fewer fields; or import the evidence into a case, which has no such limit',
    );
  }

  give(bytes: number): void {
    this.left += bytes;
  }
}

/** Limits of a dictionary that reserves its memory from `budget`. */
export function growingWithin(budget: Budget): DictionaryLimits {
  return { onGrow: (bytes) => budget.take(bytes) };
}
