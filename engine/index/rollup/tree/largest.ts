/**
 * The largest groups of sets whose groups are too many to be merged: their number, and the first of
 * them in the order of the stage `top`.
 */
import type { Section } from '../../side-file.ts';
import type { DimensionName } from '../../values/dimensions.ts';
import { mergeTop } from '../merge.ts';
import { placedValues } from '../placed-values.ts';
import type { RollupGroups } from '../rollup-groups.ts';
import { SETS } from '../sets.ts';
import { type Table, tablesSection } from './tables-section.ts';

/** Groups of a set that are kept. */
export const LARGEST = 256;

/** Its name. */
export function largestSection(which: number): string {
  return `rollup.largest.${which}`;
}

/** Totals over all groups of a set of which only the largest are stored. */
export interface SetTotal {
  /** Of `SETS`. */
  readonly which: number;
  readonly groups: number;
  readonly count: number;
}

/** One set of two dimensions, which is all that such a section has. */
export function largestOf(
  which: number,
  sources: readonly RollupGroups[],
  rows: number,
): { section: Section; total: SetTotal } {
  const dims = SETS[which] ?? [];
  const { top, groups, count } = mergeTop(sources, { dims, limit: LARGEST, by: 'count' });
  const placed = dims.map((_, i) => placedValues(top.map(({ values }) => values[i] ?? null)));
  const [first, second] = placed;
  if (first === undefined || second === undefined) throw new TypeError('a set of two dimensions');
  const order = [...top.keys()].sort(
    (a, b) => first.places[a]! - first.places[b]! || second.places[a]! - second.places[b]!,
  );
  const lengths = new Uint32Array(first.size + 1);
  for (const place of first.places) lengths[place]! += 1;
  const table: Table = {
    which,
    pairs: { lengths, seconds: Uint32Array.from(order, (group) => second.places[group]!) },
    counts: Float64Array.from(order, (group) => top[group]!.count),
    sums: new Map(),
  };
  const present = dims.map((name: DimensionName, i) => ({ name, values: placed[i]!.values }));
  const section = tablesSection(largestSection(which), {
    ...{ rows, absent: new Set(), list: [table] },
    dimensions: { present: present.filter((_, i) => placed[i]!.size > 0), leftOut: [] },
  });
  return { section, total: { which, groups, count } };
}
