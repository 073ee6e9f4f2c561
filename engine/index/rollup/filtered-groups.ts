/**
 * Filters the groups of a set by the places of their values and sums them up by the requested dimensions. Per group
 * only flags are looked up.
 */
import type { DistinctValues } from '../values/dimensions.ts';
import { Damaged, type SmallNumbers } from '../values/packing.ts';
import { addSum } from './measured.ts';
import type { PlaceRange, Restriction, RollupGroups } from './rollup-groups.ts';

/** Places that meet all of some restrictions: within a range, and flagged where there are flags. */
export interface Chosen extends PlaceRange {
  readonly flags: Uint8Array | undefined;
}

/** The values of one dimension that meet its restrictions; the place after its `size` values means none. */
export function chosenBy(
  restrictions: readonly Restriction[],
  values: () => DistinctValues,
  size: number,
): Chosen {
  let from = 0;
  let to = size + 1;
  let flags: Uint8Array | undefined;
  for (const one of restrictions) {
    const chosen = one.choose(values, size);
    if (!(chosen instanceof Uint8Array)) {
      from = Math.max(from, chosen.from);
      to = Math.min(to, chosen.to, size);
    } else if (flags === undefined) flags = chosen;
    else flags = flags.map((flag, place) => flag & chosen[place]!);
  }
  return { from, to, flags };
}

export function isChosen({ from, to, flags }: Chosen, place: number): boolean {
  return place >= from && place < to && (flags === undefined || flags[place] === 1);
}

/** Some groups of a set, those of one first key after those of another. */
export interface Part {
  /** Place of the first key. */
  readonly first: number;
  /** Groups of each first key; undefined for a set of one dimension or none: one each. */
  readonly lengths: Uint32Array | undefined;
  readonly seconds: SmallNumbers | undefined;
  readonly counts: SmallNumbers;
  /** A third key of each row, in the order of the groups. */
  readonly thirds: SmallNumbers | undefined;
  /** Where the sums of the first of the groups are. */
  readonly firstGroup: number;
}

/** By the key of the set; undefined: any. */
interface Keys {
  readonly first: Chosen | undefined;
  readonly second: Chosen | undefined;
  readonly third: Chosen | undefined;
}

/** Groups that are left of parts. */
interface Left {
  readonly firsts: Uint32Array;
  readonly seconds: Uint32Array;
  readonly counts: Uint32Array;
  /** Where its sums are. */
  readonly groups: Uint32Array;
}

export function groupsLeft(parts: readonly Part[], keys: Keys): Left {
  const left = new Collected(parts.reduce((sum, part) => sum + mostOf(part, keys.first), 0));
  for (const part of parts) addLeft(part, keys, left);
  return left.finish();
}

/** Groups of a part whose first key is chosen, at most. */
function mostOf({ first, lengths, counts }: Part, chosen: Chosen | undefined): number {
  if (lengths === undefined || chosen === undefined) return counts.length;
  let most = 0;
  const to = Math.min(lengths.length, chosen.to - first);
  for (let key = Math.max(0, chosen.from - first); key < to; key++) most += lengths[key]!;
  return most;
}

class Collected {
  private readonly firsts: Uint32Array;
  private readonly seconds: Uint32Array;
  private readonly counts: Uint32Array;
  private readonly groups: Uint32Array;
  private size = 0;

  constructor(most: number) {
    this.firsts = new Uint32Array(most);
    this.seconds = new Uint32Array(most);
    this.counts = new Uint32Array(most);
    this.groups = new Uint32Array(most);
  }

  add(first: number, second: number, count: number, group: number): void {
    this.firsts[this.size] = first;
    this.seconds[this.size] = second;
    this.counts[this.size] = count;
    this.groups[this.size++] = group;
  }

  finish(): Left {
    const trimmed = (list: Uint32Array) => list.subarray(0, this.size);
    return {
      ...{ firsts: trimmed(this.firsts), seconds: trimmed(this.seconds) },
      ...{ counts: trimmed(this.counts), groups: trimmed(this.groups) },
    };
  }
}

function addLeft(part: Part, { first, second, third }: Keys, left: Collected): void {
  const { lengths, seconds, counts, thirds } = part;
  let group = 0;
  let row = 0;
  for (let key = 0; group < counts.length; key++) {
    const end = group + (lengths?.[key] ?? 1);
    const place = part.first + key;
    if (first !== undefined && !isChosen(first, place)) {
      if (thirds !== undefined) for (; group < end; group++) row += counts[group]!;
      group = end;
      continue;
    }
    for (; group < end; group++) {
      const rows = counts[group]!;
      const other = seconds?.[group] ?? 0;
      if (second === undefined || isChosen(second, other)) {
        let count = rows;
        if (third !== undefined && thirds !== undefined) {
          count = 0;
          for (let at = row; at < row + rows; at++) if (isChosen(third, thirds[at]!)) count += 1;
        }
        if (count > 0) left.add(place, other, count, part.firstGroup + group);
      }
      row += rows;
    }
  }
}

/** The remaining groups, by one of the keys or by neither. */
export function byKey(
  left: Pick<Left, 'counts' | 'groups'>,
  keys: Uint32Array | undefined,
  size: number,
  sums: readonly Float64Array[],
): { counts: Uint32Array; sums: Float64Array[] } {
  const out = { counts: new Uint32Array(size), sums: sums.map(() => new Float64Array(size)) };
  for (let at = 0; at < left.counts.length; at++) {
    const key = keys?.[at] ?? 0;
    if (key >= size) throw new Damaged('group');
    out.counts[key]! += left.counts[at]!;
    for (let i = 0; i < sums.length; i++) addSum(out.sums[i]!, key, sums[i]![left.groups[at]!]!);
  }
  return out;
}

/** The remaining groups, by both keys. */
export function byBoth(
  left: Left,
  firsts: number,
  sums: readonly Float64Array[],
): Pick<RollupGroups, 'starts' | 'seconds' | 'counts' | 'sums'> {
  const starts = new Uint32Array(firsts + 1);
  for (const first of left.firsts) {
    if (first >= firsts) throw new Damaged('group');
    starts[first + 1]! += 1;
  }
  for (let i = 0; i < firsts; i++) starts[i + 1]! += starts[i]!;
  return {
    ...{ starts, seconds: left.seconds, counts: left.counts },
    sums: sums.map((list) => picked(list, left.groups, new Float64Array(left.groups.length))),
  };
}

/** Groups by one dimension, without the values that no group has where these are most. */
export function withoutUnused(groups: RollupGroups): RollupGroups {
  const { values, counts, starts } = groups;
  const [firstValues] = values;
  const size = groups.sizes[0] ?? 0;
  if (firstValues === undefined || starts !== undefined || groups.dims.length !== 1) return groups;
  const places = new Uint32Array(size + 1);
  let kept = 0;
  for (let place = 0; place < size; place++) if (counts[place]! > 0) places[kept++] = place;
  if (kept * 2 > size) return groups;
  places[kept] = size;
  const all = places.subarray(0, kept + 1);
  return {
    ...groups,
    sizes: [kept],
    values: [valuesAt(firstValues, all.subarray(0, kept))],
    counts: picked(counts, all, new Uint32Array(all.length)),
    sums: groups.sums.map((list) => picked(list, all, new Float64Array(all.length))),
  };
}

/** Copies the list's values at some places to `into`. */
export function picked<T extends Uint32Array | Float64Array>(
  list: SmallNumbers | Float64Array,
  places: Uint32Array,
  into: T,
): T {
  for (let i = 0; i < places.length; i++) into[i] = list[places[i]!]!;
  return into;
}

/** The values at some ascending places; the place after the last has none. */
export function valuesAt(
  { numbers, ip6, texts }: DistinctValues,
  places: Uint32Array,
): DistinctValues {
  let few = 0;
  while (few < places.length && places[few]! < numbers.length) few += 1;
  const pickedNumbers = picked(numbers, places.subarray(0, few), new Uint32Array(few));
  const others = Array.from(places.subarray(few), (place) => place - numbers.length);
  return {
    numbers: pickedNumbers,
    ip6: Buffer.concat(
      ip6.length === 0 ? [] : others.map((at) => ip6.subarray(at * 16, (at + 1) * 16)),
    ),
    texts: ip6.length > 0 ? [] : others.map((at) => texts[at]!),
  };
}
