/**
 * Conditions of a filter on single dimensions, as rollups meet them: which values of a dimension match, and whether
 * rows without a value do.
 */
import type { PlaceRange, Restriction } from '../../index/rollup/rollup-groups.ts';
import type { DistinctValues } from '../../index/values/dimensions.ts';
import {
  type Filter,
  type LeafFilter,
  conjuncts,
  isLeaf,
  operatorOf,
} from '../../query/filters/filter.ts';
import { keyFlags } from '../../query/filters/key-flags.ts';
import type { AddressCondition, KeyCondition } from '../../query/filters/operator.ts';
import { ip6Bytes } from '../../query/values/ip6-bytes.ts';
import type { SegmentAccess } from './segment-access.ts';

export type Condition = Restriction | AddressCondition;

export function isAddress(condition: Condition): condition is AddressCondition {
  return 'range' in condition;
}

/**
 * The same for dimensions whose values are all stored, as in merged rollups; otherwise, they are a segment's own.
 */
export function amongValues({ dim, range }: AddressCondition): Restriction {
  const isOne = range.low === range.high;
  return { dim, isOne, choose: (values) => placesOf(values(), range) };
}

function placesOf({ numbers, ip6 }: DistinctValues, range: AddressCondition['range']): PlaceRange {
  if (range.version === 4)
    return {
      from: countBelow(numbers.length, (at) => numbers[at]! < range.low),
      to: countBelow(numbers.length, (at) => numbers[at]! <= range.high),
    };
  const [low, high] = [ip6Bytes(range.low), ip6Bytes(range.high)];
  const order = (at: number, other: Uint8Array) =>
    Buffer.compare(ip6.subarray(at * other.length, (at + 1) * other.length), other);
  const count = ip6.length / low.length;
  return {
    from: numbers.length + countBelow(count, (at) => order(at, low) < 0),
    to: numbers.length + countBelow(count, (at) => order(at, high) <= 0),
  };
}

/** Number of indexes below `n` for which `holds` is true. */
function countBelow(n: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const kept = new WeakMap<Filter, Condition | 'none'>();

/** The same object for the same filter; undefined if it is not a condition on one dimension. */
export function conditionOf(filter: Filter): Condition | undefined {
  let found = kept.get(filter);
  if (found === undefined) {
    found = conditionOn(filter) ?? 'none';
    kept.set(filter, found);
  }
  return found === 'none' ? undefined : found;
}

function conditionOn(filter: Filter): Condition | undefined {
  const found = isLeaf(filter) ? operatorOf(filter).groups?.(filter) : combined(filter);
  if (found === undefined || 'range' in found) return found;
  const { dim, presence, flags } = found;
  // The index alone tells whether there is a value: no value need be read.
  if (isLeaf(filter) && presence === true)
    return { dim, presence, choose: (_, size) => ({ from: 0, to: size }) };
  return { dim, presence, choose: (values, size) => flags(values(), size) };
}

function keyCondition(filter: Filter): KeyCondition | undefined {
  if (!isLeaf(filter)) return combined(filter);
  const found = operatorOf(filter).groups?.(filter);
  return found === undefined || 'range' in found ? undefined : found;
}

/** AND, OR and NOT of conditions on one dimension. */
function combined(filter: Exclude<Filter, LeafFilter>): KeyCondition | undefined {
  switch (filter.filter) {
    case 'all':
      return undefined;
    case 'not': {
      const of = keyCondition(filter.item);
      return (
        of && {
          ...{ dim: of.dim, presence: of.presence },
          flags: (values, size) => of.flags(values, size).map((flag) => 1 - flag),
        }
      );
    }
    case 'and':
    case 'or': {
      const items = filter.items.flatMap((item) => keyCondition(item) ?? []);
      const [first] = items;
      if (first === undefined || items.length < filter.items.length) return undefined;
      if (items.some(({ dim }) => dim !== first.dim)) return undefined;
      const every = filter.filter === 'and';
      return {
        ...{ dim: first.dim, presence: items.every(({ presence }) => presence === true) },
        flags: (values, size) => {
          const all = items.map((item) => item.flags(values, size));
          return keyFlags(size, (place) =>
            every ? all.every((one) => one[place] === 1) : all.some((one) => one[place] === 1),
          );
        },
      };
    }
  }
}

/**
 * Whether rollups count the events of a filter faster than its rows are found: it asks for values that many events
 * have. The rows of an address are on one page.
 */
export function isCountedByRollup(filter: Filter): boolean {
  const conditions = conjuncts(filter)
    .map(conditionOf)
    .filter((one) => one !== undefined);
  return conditions.length > 0 && !conditions.some(isAddress);
}

/** Conditions as a segment's rollup meets them; undefined if the matching values are unknown. */
export function restrictionsIn(
  conditions: readonly Condition[],
  { indexes: { values } }: SegmentAccess,
): Restriction[] | undefined {
  const out: Restriction[] = [];
  for (const condition of conditions) {
    if (!isAddress(condition)) {
      out.push(condition);
      continue;
    }
    const { dim, range } = condition;
    const places =
      range.version === 4
        ? values?.placesOfIp4(dim, range.low, range.high)
        : values?.placesOfIp6(dim, ip6Bytes(range.low), ip6Bytes(range.high));
    if (places === undefined) return undefined;
    out.push({ dim, choose: () => places });
  }
  return out;
}
