/** Numbers of a list of measurements. */

export interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
  readonly n: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { median: at(0.5), p95: at(0.95), worst: sorted.at(-1) ?? NaN, n: sorted.length };
}

/** Frames of an act as intervals: how many a second there were, and the long ones. */
export function frameRate(intervals: readonly number[]): Spread & { readonly fps: number } {
  const all = intervals.reduce((sum, one) => sum + one, 0);
  return { ...spread(intervals), fps: (1000 * intervals.length) / all };
}
