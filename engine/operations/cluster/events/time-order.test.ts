import { expect, it } from 'vitest';
import { type Span, TimeOrder } from './time-order.ts';

const DAY = 86_400e6;
const UNDATED = 7;

/** Two hours with many events, 20,000 of them at one instant, among days with few, and days without any. */
const times = [
  ...Array.from({ length: 50_000 }, (_, i) => 40 * DAY + i * 144_000),
  ...Array.from({ length: 20_000 }, () => 40 * DAY + 3600e6),
  ...Array.from({ length: 500 }, (_, i) => ((i * 37) % 90) * DAY + i),
  ...Array.from({ length: 300 }, (_, i) => -i * 3600e6),
].toSorted((a, b) => a - b);

/** Number of events before `ts`. */
function rank(ts: number): number {
  const at = times.findIndex((time) => time >= ts);
  return at < 0 ? times.length : at;
}

/** As a statement counts them: non-empty spans that begin at multiples of `width`. */
function counted(width: number, within: Pick<Span, 'from' | 'to'>): Span[] {
  const counts = new Map<number, number>();
  for (const time of times.slice(rank(within.from), rank(within.to))) {
    const start = Math.floor(time / width) * width;
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return [...counts].map(([start, count]) => ({
    ...{ from: Math.max(start, within.from), to: Math.min(start + width, within.to) },
    count,
  }));
}

const ALL = { from: -1000 * DAY, to: 1000 * DAY };
const divide = async (span: Span, width: number) => counted(width, span);
const order = () => new TimeOrder(counted(DAY, ALL), UNDATED);

it('finds the events of any numbers, and reads not many beside them', async () => {
  const asked = order();
  expect([asked.dated, asked.undated]).toEqual([times.length, UNDATED]);
  const all = times.length + UNDATED;
  for (const from of [
    0,
    299,
    300,
    301,
    555,
    9999,
    30_000,
    45_000,
    61_000,
    70_700,
    times.length,
    all,
  ])
    for (const to of [from, from + 1, from + 200, from + 20_000]) {
      const found: (number | undefined)[] = [];
      for (const { part, offset, count } of await asked.pieces(from, to, divide)) {
        if (part === 'undated') {
          expect(offset + count).toBeLessThanOrEqual(UNDATED);
          for (let i = 0; i < count; i++) found.push(undefined);
          continue;
        }
        const [low, high] = [rank(part.from), rank(part.to)];
        // All events at one instant are read together.
        expect(high - low).toBeLessThanOrEqual(to - from + 20_000 + 2 * 16_384);
        expect(offset + count).toBeLessThanOrEqual(high - low);
        found.push(...times.slice(low + offset, low + offset + count));
      }
      const wanted = Array.from(
        { length: Math.max(0, Math.min(to, all) - from) },
        (_, i) => times[from + i],
      );
      expect(found).toEqual(wanted);
    }
});

it('counts the events before a time', async () => {
  const asked = order();
  const count = async ({ from }: Span, ts: number) => rank(ts) - rank(from);
  const some = [0, 1, 299, 5000, 45_000, times.length - 1].map((at) => times[at]!);
  for (const time of [...some, 40 * DAY + 3600e6, 200 * DAY, -200 * DAY])
    for (const ts of [time - 1, time, time + 1])
      expect(await asked.before(ts, divide, (span) => count(span, ts))).toBe(rank(ts));
});

it('divides no span twice', async () => {
  const asked = order();
  let divided = 0;
  const counting = (span: Span, width: number) => {
    divided += 1;
    return divide(span, width);
  };
  await asked.pieces(20_000, 20_200, counting);
  expect(divided).toBeGreaterThan(0);
  const before = divided;
  await asked.pieces(20_000, 20_200, counting);
  expect(divided).toBe(before);
});
