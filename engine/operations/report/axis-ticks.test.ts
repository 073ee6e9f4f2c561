import { expect, it } from 'vitest';
import { axisTicks } from './axis-ticks.ts';

const at = (from: string, stepMs: number, n: number): string[] =>
  Array.from({ length: n }, (_, i) => new Date(Date.parse(from) + i * stepMs).toISOString());

it.each([
  ['1985-02-24T07:16:00Z', 30 * 86_400_000, 500, ['1990', '2000', '2010', '2020']],
  ['2026-01-20T07:16:00Z', 86_400_000, 100, ['2026-02', '2026-03', '2026-04']],
  ['2026-03-04T10:07:00Z', 3_600_000, 72, ['2026-03-05', '2026-03-06', '2026-03-07']],
])('labels round times from %s', (from, step, n, labels) => {
  const ticks = axisTicks(at(from, step, n));
  expect(ticks.map(({ label }) => label)).toEqual(labels);
  for (const { place } of ticks) expect(place).toBeGreaterThan(0);
});

it('puts a label at its time between two intervals', () => {
  const [tick] = axisTicks([
    '2026-03-04T22:00:00Z',
    '2026-03-05T06:00:00Z',
    '2026-03-05T14:00:00Z',
  ]);
  expect(tick).toEqual({ place: 0.25, label: '2026-03-05 00:00' });
});

it('labels the start where no round time is in the span', () => {
  expect(axisTicks(['2026-03-04T10:07:03.5Z'])).toEqual([
    { place: 0, label: '2026-03-04 10:07:03' },
  ]);
  expect(axisTicks([])).toEqual([]);
});
