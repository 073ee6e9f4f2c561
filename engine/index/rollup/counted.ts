/**
 * Entries in the order of time, to be counted and summed by the values of dimensions. An entry is one row, or
 * represents several equal rows (see `pre-aggregate.ts`).
 */
import type { Dimension, Dimensions } from '../values/dimensions.ts';
import type { Growing64 } from '../values/growing.ts';
import { type Grouped, groupByCode } from '../values/radix.ts';
import type { AlikeRows } from './pre-aggregate.ts';
import { type Measured, addedUp, measured, measuredSums, multiplied } from './measured.ts';

export interface Counted {
  /** Rows of all entries. */
  readonly rows: number;
  readonly entries: number;
  /** Rows of each entry; undefined: each is one. */
  readonly weights: Uint32Array | undefined;
  /** The entry of each row; undefined: its own. */
  readonly entryOf: (() => Uint32Array) | undefined;
  /** Codes are of entries. */
  readonly dimensions: Dimensions;
  /** The values of entries for each measure; undefined for a measure that no row has. */
  readonly measures: readonly (Measured | undefined)[];
  /** Entries by the codes of a dimension. */
  readonly groups: Groups;
}

/** Each row is an entry. */
export function countedRows(
  rows: number,
  parts: Pick<Counted, 'dimensions' | 'measures' | 'groups'>,
): Counted {
  return { ...parts, rows, entries: rows, weights: undefined, entryOf: undefined };
}

/**
 * Rows that are alike are an entry.
 * @param measures what every row has of each, as rows came
 * @param order as of `IndexBuilder.finish`
 */
export function countedAlike(
  { rows, dimensions }: Pick<Counted, 'rows' | 'dimensions'>,
  measures: readonly Growing64[],
  order: Uint32Array | undefined,
  { entryOf, firsts, weights }: AlikeRows,
): Counted {
  const entries = firsts.length;
  return {
    ...{ rows, entries, weights, entryOf: () => entryOf },
    dimensions: ofEntries(dimensions, firsts),
    measures: measures.map((one) => {
      if (!one.used) return undefined;
      return one.same === undefined
        ? addedUp(one.inOrder(order), entryOf, entries)
        : multiplied(one.same, weights);
    }),
    groups: new Groups(),
  };
}

/** A subset of the entries, ascending; values of other entries only stay, with no rows. */
export function countedSome(counted: Counted, chosen: Uint32Array): Counted {
  const { weights, entryOf, measures } = counted;
  const chosenWeights = weights && chosen32(weights, chosen);
  return {
    rows:
      chosenWeights === undefined ? chosen.length : chosenWeights.reduce((sum, n) => sum + n, 0),
    entries: chosen.length,
    weights: chosenWeights,
    entryOf: entryOf && (() => renumbered(entryOf(), chosen, counted.entries)),
    dimensions: ofEntries(counted.dimensions, chosen),
    measures: measures.map((measure) => {
      const values = measure && chosen64(measure.values, chosen);
      return values && (entryOf === undefined ? measured(values) : measuredSums(values));
    }),
    groups: new Groups(),
  };
}

/** Which rows or entries have each code of a dimension: what was found is kept. */
export class Groups {
  private readonly known = new Map<Dimension, Grouped>();

  of(dimension: Dimension): Grouped {
    const { codes, size } = dimension;
    const found = this.known.get(dimension) ?? groupByCode(codes, size + 1);
    this.known.set(dimension, found);
    return found;
  }
}

function ofEntries({ present, leftOut }: Dimensions, chosen: Uint32Array): Dimensions {
  return {
    present: present.map((one) => ({ ...one, codes: chosen32(one.codes, chosen) })),
    leftOut,
  };
}

// Hot loops (CONTRIBUTING.md).

export function chosen32(values: Uint32Array, places: Uint32Array): Uint32Array<ArrayBuffer> {
  const out = new Uint32Array(places.length);
  for (let i = 0; i < out.length; i++) out[i] = values[places[i]!]!;
  return out;
}

function chosen64(values: Float64Array, places: Uint32Array): Float64Array<ArrayBuffer> {
  const out = new Float64Array(places.length);
  for (let i = 0; i < out.length; i++) out[i] = values[places[i]!]!;
  return out;
}

/** Of rows of some of the entries, the place of their entry among these. */
function renumbered(entryOf: Uint32Array, chosen: Uint32Array, entries: number): Uint32Array {
  const places = new Uint32Array(entries);
  for (let i = 0; i < chosen.length; i++) places[chosen[i]!] = i + 1;
  const out = new Uint32Array(entryOf.length);
  let rows = 0;
  for (let row = 0; row < entryOf.length; row++) {
    const place = places[entryOf[row]!]!;
    if (place > 0) out[rows++] = place - 1;
  }
  return out.subarray(0, rows);
}
