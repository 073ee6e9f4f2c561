import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR, MAX_HOURS, MAX_MINUTES, MINUTE } from './sets.ts';
import { hoursAmong, hoursOf, minutesOf, minutesWithout } from './spans.ts';

const DAY = 1_793_232_000_000_000;
const arbitrary = fc
  .tuple(
    fc.array(
      fc.nat(4 * 3_600_000).map((ms) => DAY + ms * 1000),
      { maxLength: 40 },
    ),
    fc.nat(3),
  )
  .map(([times, undated]) =>
    Float64Array.from([...times.sort((a, b) => a - b), ...Array<number>(undated).fill(NaN)]),
  );

/** How many there are of each, undated ones as NaN. */
function countsOf(times: Float64Array, span: number): [number, number][] {
  const counts = new Map<number, number>();
  for (const time of times) {
    const key = Math.floor(time / span);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts];
}

function hoursBack(times: Float64Array, some?: Uint32Array): [number, number][] {
  const all = hoursOf(times, times.filter((time) => !Number.isNaN(time)).length)!;
  const { numbers, starts, undated } = some === undefined ? all : hoursAmong(all, some);
  expect(starts).toHaveLength(numbers.length + (undated ? 2 : 1));
  return [...starts.subarray(1)].map((end, part) => [numbers[part] ?? NaN, end - starts[part]!]);
}

function minutesBack({
  first,
  counts,
}: {
  first: number;
  counts: Uint32Array;
}): [number, number][] {
  return [...counts].flatMap((n, i): [number, number][] => (n === 0 ? [] : [[first + i, n]]));
}

it('finds hours and minutes of all rows and of some', () => {
  fc.assert(
    fc.property(arbitrary, fc.infiniteStream(fc.boolean()), (times, flags) => {
      const rows = Uint32Array.from(times.keys());
      const some = rows.filter(() => flags.next().value === true);
      const someTimes = Float64Array.from(some, (row) => times[row]!);
      expect(hoursBack(times)).toEqual(countsOf(times, HOUR));
      expect(hoursBack(times, some)).toEqual(countsOf(someTimes, HOUR));
      const minutes = minutesOf(times)!;
      const own = minutesOf(times, some)!;
      const dated = (list: Float64Array) =>
        countsOf(
          list.filter((t) => !Number.isNaN(t)),
          MINUTE,
        );
      expect(minutesBack(minutes)).toEqual(dated(times));
      expect(minutesBack(own)).toEqual(dated(someTimes));
      const rest = rows.filter((row) => !some.includes(row));
      expect(minutesWithout(minutes, own)).toEqual(minutesOf(times, rest));
    }),
  );
});

it('says so where there are too many', () => {
  const spread = (n: number, span: number) =>
    Float64Array.from({ length: n }, (_, i) => DAY + i * span);
  expect(hoursOf(spread(MAX_HOURS, HOUR), MAX_HOURS)?.numbers).toHaveLength(MAX_HOURS);
  expect(hoursOf(spread(MAX_HOURS + 1, HOUR), MAX_HOURS + 1)).toBeUndefined();
  expect(minutesOf(spread(MAX_MINUTES, MINUTE))?.counts).toHaveLength(MAX_MINUTES);
  expect(minutesOf(spread(MAX_MINUTES + 1, MINUTE))).toBeUndefined();
});
