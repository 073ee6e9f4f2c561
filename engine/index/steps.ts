/**
 * Loops over the rows of a segment, divided into calls. A function that is called once per segment and then runs
 * long is never compiled as a whole: V8 compiles its running loop, and does so again for each segment.
 */

/** Rows of a call. */
const STEP = 8192;

/** Calls `each` for rows from 0 to `n`, in steps. */
export function inSteps(n: number, each: (from: number, to: number) => void): void {
  for (let from = 0; from < n; from += STEP) each(from, Math.min(n, from + STEP));
}
