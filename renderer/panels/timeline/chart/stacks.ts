/** Counts by series as stacked heights. */

export interface Series {
  readonly value: string | number | null;
  /** Everything without a series of its own. */
  readonly rest: boolean;
  readonly counts: Float64Array;
  readonly total: number;
}

/** A series by its name in this chart. */
export function seriesKey({ value, rest }: Pick<Series, 'value' | 'rest'>): string {
  return rest ? 'rest' : value === null ? 'none' : `=${value}`;
}

export interface Stack {
  readonly key: string;
  readonly color: string;
  /** The end of each bucket's bar of this series; it begins where the previous one ends. */
  readonly tops: Float64Array;
}

/** Stacks of the series that are shown, the first at the bottom. */
export function stacked(
  series: readonly Series[],
  buckets: number,
  hidden: ReadonlySet<string>,
  color: (series: Series, index: number) => string,
): { stacks: Stack[]; sums: Float64Array } {
  let sums = new Float64Array(buckets);
  const stacks: Stack[] = [];
  series.forEach((one, index) => {
    const key = seriesKey(one);
    if (hidden.has(key)) return;
    const tops = Float64Array.from(sums, (below, at) => below + (one.counts[at] ?? 0));
    stacks.push({ key, color: color(one, index), tops });
    sums = tops;
  });
  return { stacks, sums };
}

/** The bucket with the most events; undefined when there are none. */
export function peakOf(sums: Float64Array): number | undefined {
  let peak: number | undefined;
  sums.forEach((n, at) => {
    if (n > 0 && (peak === undefined || n > (sums[peak] ?? 0))) peak = at;
  });
  return peak;
}

/** The field of a `| timeline … by FIELD` stage. */
export function stageStack(stages: readonly { name: string; text: string }[]): string | undefined {
  const stage = stages.find(({ name }) => name === 'timeline');
  if (stage === undefined) return undefined;
  const by = /\sby\s+("(?:[^"\\]|\\.)*"|\S+)\s*$/i.exec(stage.text)?.[1];
  return by?.startsWith('"') === true ? by.slice(1, -1).replace(/\\(.)/g, '$1') : by;
}
