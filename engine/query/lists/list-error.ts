/** An error in a list, with its line. */
import { DaybookError, type ErrorCode } from '../../contract/errors.ts';

/** The most that a list may hold. */
export const LIST_LIMITS = {
  /** Lines with values. */
  rows: 1_000_000,
  columns: 32,
  /** Characters of one value. */
  value: 2000,
  /** Different forms of rows: which values they have, and the lengths of blocks. */
  groups: 200,
  /** Values that are searched in all texts of an event: each needs its own look-up. */
  texts: 2000,
} as const;

export class ListError extends DaybookError {
  /** From 1; undefined if it is not about a single line. */
  readonly line: number | undefined;
  constructor(code: ErrorCode, line: number | undefined, problem: string, hint?: string) {
    super(
      code,
      line === undefined ? `the list: ${problem}` : `line ${line} of the list: ${problem}`,
      hint,
    );
    this.name = 'ListError';
    this.line = line;
  }
}
