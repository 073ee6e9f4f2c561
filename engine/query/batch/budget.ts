/** What a scan may keep: groups, texts, values. More than that is an error, never a swapping machine. */
import { DaybookError } from '../../contract/errors.ts';
import type { DictionaryLimits } from '../../util/byte-dictionary.ts';

/** Bytes of all tables of one scan. */
const SCAN_BYTES = 768 * 1024 * 1024;

/** What a row of a result takes, roughly, until it is printed. */
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
      'narrow the query or group by fewer fields; or import the evidence, and a query of any size runs',
    );
  }

  give(bytes: number): void {
    this.left += bytes;
  }
}

/** What a dictionary takes, it takes of `budget`. */
export function growingWithin(budget: Budget): DictionaryLimits {
  return { onGrow: (bytes) => budget.take(bytes) };
}
