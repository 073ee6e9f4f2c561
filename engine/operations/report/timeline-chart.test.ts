import { expect, it } from 'vitest';
import { timelineChart, timelineFigures } from './timeline-chart.ts';

const buckets = [
  { start: '2026-03-04T10:00:00.000000Z', count: 3 },
  { start: '2026-03-04T10:00:01.000000Z', count: 0 },
  { start: '2026-03-04T10:00:02.000000Z', count: 12 },
];

it('draws a bar for each interval with events, none higher than the drawing, and names it', () => {
  const { markup } = timelineChart('t', 'A <b>title</b>', buckets);
  const bars = [...markup.matchAll(/<rect[^>]*y="([\d.]+)"[^>]*height="([\d.]+)"/g)];
  expect(bars).toHaveLength(2);
  const heights = bars.map(([, , height]) => Number(height));
  expect(heights[1]! / heights[0]!).toBeCloseTo(4, 1);
  for (const [, y] of bars) expect(Number(y)).toBeGreaterThanOrEqual(8);
  expect(markup).toContain('aria-labelledby="t-title"');
  expect(markup).toContain('A &lt;b&gt;title&lt;/b&gt;');
  expect(markup).toContain('2026-03-04T10:00:02.000000Z: 12</title>');
  // Intervals of a second are told apart on the axis.
  expect(markup).toContain('>2026-03-04 10:00:01</text>');
});

it('has its figures as a list, without empty intervals', () => {
  const { markup } = timelineFigures('t', 'Title', buckets);
  expect(markup).toContain('3 intervals, 2 of them with events');
  expect([...markup.matchAll(/<b>(\d+)<\/b>/g)].map(([, n]) => n)).toEqual(['3', '12']);
  expect(markup).toContain('id="t-figures"');
});
