/**
 * The largest groups of sets whose groups are too many to be merged: their number, and the first of
 * them in the order of the stage `top`.
 */
import type { Section } from '../../side-file.ts';
import type { DimensionName, DistinctValues } from '../../values/dimensions.ts';
import { mergeTop, type TopGroup } from '../merge.ts';
import type { RollupGroups } from '../rollup-groups.ts';
import { SETS } from '../sets.ts';
import { type Table, tablesSection } from './tables-section.ts';

/** Groups of a set that are kept. */
export const LARGEST = 256;

/** Its name. */
export function largestSection(which: number): string {
  return `rollup.largest.${which}`;
}

/** What all groups of a set are, where only the largest are kept. */
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
  const placed = dims.map((_, i) => placesOf(top.map(({ values }) => values[i] ?? null)));
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

interface Placed {
  readonly values: DistinctValues;
  readonly size: number;
  /** Of each group the place of its value, after the last for none. */
  readonly places: readonly number[];
}

function placesOf(keys: readonly TopGroup['values'][number][]): Placed {
  const textOf = (key: (typeof keys)[number]): string =>
    key instanceof Uint8Array ? Buffer.from(key).toString('latin1') : String(key);
  const distinct = new Map<string, number | Uint8Array | string>();
  for (const key of keys) if (key !== null) distinct.set(`${typeof key}${textOf(key)}`, key);
  const sorted = [...distinct].sort(([, a], [, b]) => compare(a, b));
  const places = new Map(sorted.map(([name], place) => [name, place]));
  const ip6 = sorted.map(([, key]) => key).filter((key) => key instanceof Uint8Array);
  return {
    values: {
      numbers: Uint32Array.from(
        sorted.map(([, key]) => key).filter((key) => typeof key === 'number'),
      ),
      ip6: Buffer.concat(ip6),
      texts: sorted
        .map(([, key]) => key)
        .filter((key) => typeof key === 'string')
        .map((text) => Buffer.from(text)),
    },
    size: sorted.length,
    places: keys.map((key) =>
      key === null ? sorted.length : places.get(`${typeof key}${textOf(key)}`)!,
    ),
  };
}

/** Numbers first; addresses and texts, of which a dimension has one, by their bytes. */
function compare(a: number | Uint8Array | string, b: number | Uint8Array | string): number {
  if (typeof a === 'number' || typeof b === 'number')
    return typeof a === 'number' && typeof b === 'number' ? a - b : typeof a === 'number' ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
