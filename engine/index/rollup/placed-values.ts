/** Values of groups as a rollup keeps them: the distinct ones, ascending, and the place of each among these. */
import type { DistinctValues } from '../values/dimensions.ts';
import type { GroupValue } from './union.ts';

interface PlacedValues {
  readonly values: DistinctValues;
  readonly size: number;
  /** Of each key the place of its value, after the last for none. */
  readonly places: Uint32Array;
}

export function placedValues(keys: readonly GroupValue[]): PlacedValues {
  return keys.every((value) => value === null || typeof value === 'number')
    ? placedNumbers(keys)
    : placedOthers(keys);
}

function placedNumbers(keys: readonly (number | null)[]): PlacedValues {
  const sorted = Uint32Array.from(keys.filter((value) => value !== null)).sort();
  const numbers = sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
  const place = new Map<number, number>();
  numbers.forEach((value, i) => place.set(value, i));
  const size = numbers.length;
  return {
    values: { numbers, ip6: new Uint8Array(0), texts: [] },
    size,
    places: Uint32Array.from(keys, (value) => (value === null ? size : place.get(value)!)),
  };
}

/** Addresses, or texts: a dimension has one of them. */
function placedOthers(keys: readonly GroupValue[]): PlacedValues {
  const nameOf = (value: Exclude<GroupValue, null>): string | number =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;
  const distinct = new Map<string | number, number | Uint8Array>();
  for (const value of keys)
    if (value !== null && !distinct.has(nameOf(value)))
      distinct.set(nameOf(value), typeof value === 'string' ? Buffer.from(value) : value);
  const sorted = [...distinct].sort(([, a], [, b]) => compare(a, b));
  const place = new Map(sorted.map(([name], i) => [name, i]));
  const bytes = sorted.map(([, value]) => value).filter((value) => typeof value !== 'number');
  const isText = keys.some((value) => typeof value === 'string');
  return {
    values: {
      numbers: Uint32Array.from(
        sorted.map(([, value]) => value).filter((value) => typeof value === 'number'),
      ),
      ip6: isText ? new Uint8Array(0) : new Uint8Array(Buffer.concat(bytes)),
      texts: isText ? bytes : [],
    },
    size: sorted.length,
    places: Uint32Array.from(keys, (value) =>
      value === null ? sorted.length : place.get(nameOf(value))!,
    ),
  };
}

/** Numbers first, then by bytes. */
function compare(a: number | Uint8Array, b: number | Uint8Array): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1;
  return typeof b === 'number' ? 1 : Buffer.compare(a, b);
}
