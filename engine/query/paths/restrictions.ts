/**
 * Conditions of a filter on single dimensions, as rollups meet them: which of a dimension's values are
 * meant, and whether rows without a value are.
 */
import type { PlaceRange, Restriction } from '../../index/rollup/restricted.ts';
import type { DistinctValues } from '../../index/values/dimensions.ts';
import type { AddressFilter } from '../filters/address.ts';
import type { Filter } from '../filters/filter.ts';
import type { NumberRange } from '../filters/number.ts';
import { valueTest } from '../filters/members.ts';
import { wildcardMatcher } from '../filters/wildcard.ts';
import { type Dimension, dimensionOf } from './group-question.ts';
import { ip6Bytes } from './ip6-bytes.ts';
import type { Known } from './leaf-rows.ts';

/** One range of addresses: where it lies among a segment's values is asked of the index of values. */
export interface AddressCondition {
  readonly dim: 'src_ip' | 'dst_ip';
  readonly range: Extract<AddressFilter['ranges'][number], { readonly version: 4 | 6 }>;
}

export type Condition = Restriction | AddressCondition;

export function isAddress(condition: Condition): condition is AddressCondition {
  return 'range' in condition;
}

/** The same of values that are all there, as those of merged rollups are: each is a segment's own else. */
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

/** How many of the first `n` places `holds` is true for. */
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

/** The same object for the same filter; undefined: it is no condition on one dimension. */
export function conditionOf(filter: Filter): Condition | undefined {
  let found = kept.get(filter);
  if (found === undefined) {
    found = addressCondition(filter) ?? restrictionOf(filter) ?? 'none';
    kept.set(filter, found);
  }
  return found === 'none' ? undefined : found;
}

function addressCondition(filter: Filter): AddressCondition | undefined {
  if (filter.filter !== 'address') return undefined;
  const dim = dimensionOf(filter.field);
  const [range, ...more] = filter.ranges;
  if (range === undefined || range.version === 'mask' || more.length > 0) return undefined;
  return dim === 'src_ip' || dim === 'dst_ip' ? { dim, range } : undefined;
}

/** What decides for a row by its value of one dimension: flags of values, that of none last. */
interface Decided {
  readonly dim: Dimension;
  /** By whether it has one. */
  readonly presence?: boolean | undefined;
  flags(values: DistinctValues, size: number): Uint8Array;
}

function restrictionOf(filter: Filter): Restriction | undefined {
  if (filter.filter === 'present') {
    const dim = dimensionOf(filter.field);
    return dim && { dim, presence: true, choose: (_, size) => ({ from: 0, to: size }) };
  }
  const decided = decidedBy(filter);
  if (decided === undefined) return undefined;
  const { dim, presence } = decided;
  return { dim, presence, choose: (values, size) => decided.flags(values(), size) };
}

function decidedBy(filter: Filter): Decided | undefined {
  switch (filter.filter) {
    case 'text-value': {
      const dim = dimensionOf(filter.field);
      if (filter.field.type === 'virtual' || dim === undefined) return undefined;
      const matches =
        filter.field.type === 'attribute'
          ? valueTest(filter.text, filter.wildcard)
          : wildcardMatcher(filter.text, filter.wildcard);
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      return {
        dim,
        flags: ({ texts }, size) =>
          flagsOf(size, (place) => place < size && matches(decoder.decode(texts[place]))),
      };
    }
    case 'number': {
      const dim = dimensionOf(filter.field);
      if (filter.field.type === 'attribute') return undefined;
      return (
        dim && {
          dim,
          flags: ({ numbers }, size) =>
            flagsOf(
              size,
              (place) =>
                place < size && filter.ranges.some((range) => isWithin(numbers[place]!, range)),
            ),
        }
      );
    }
    case 'present': {
      const dim = dimensionOf(filter.field);
      return (
        dim && { dim, presence: true, flags: (_, size) => flagsOf(size, (place) => place < size) }
      );
    }
    case 'not': {
      const of = decidedBy(filter.item);
      return (
        of && {
          ...{ dim: of.dim, presence: of.presence },
          flags: (values, size) => of.flags(values, size).map((flag) => 1 - flag),
        }
      );
    }
    case 'and':
    case 'or': {
      const items = filter.items.map(decidedBy);
      const [first] = items;
      const same = items.filter((item) => item !== undefined && item.dim === first?.dim);
      if (first === undefined || same.length < items.length) return undefined;
      const every = filter.filter === 'and';
      return {
        ...{ dim: first.dim, presence: same.every((item) => item!.presence === true) },
        flags: (values, size) => {
          const all = same.map((item) => item!.flags(values, size));
          return flagsOf(size, (place) =>
            every ? all.every((one) => one[place] === 1) : all.some((one) => one[place] === 1),
          );
        },
      };
    }
    default:
      return undefined;
  }
}

function flagsOf(size: number, holds: (place: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: size + 1 }, (_, place) => Number(holds(place)));
}

function isWithin(value: number, { low, high, lowIncluded, highIncluded }: NumberRange): boolean {
  const above = low === undefined || value > low || (lowIncluded && value === low);
  return above && (high === undefined || value < high || (highIncluded && value === high));
}

/**
 * Whether rollups count the events of a filter sooner than its rows are found: it asks for values that
 * many events have. Rows of an address are found by one page.
 */
export function isCountedByRollup(filter: Filter): boolean {
  const items = filter.filter === 'and' ? filter.items : [filter];
  const conditions = items.map(conditionOf).filter((one) => one !== undefined);
  return conditions.length > 0 && !conditions.some(isAddress);
}

/** Conditions as a segment's rollup meets them; undefined where it cannot be told which values are meant. */
export function restrictionsIn(
  conditions: readonly Condition[],
  { indexes: { values } }: Known,
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
