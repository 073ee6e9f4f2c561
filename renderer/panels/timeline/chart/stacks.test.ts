/** Bars are stacked, and end at the sum of the counts. */
import { describe, expect, it } from 'vitest';
import { peakOf, stacked, stageStack, type Series } from './stacks.ts';

const series = (value: string | null, ...counts: number[]): Series => ({
  value,
  rest: false,
  counts: Float64Array.from(counts),
  total: counts.reduce((a, b) => a + b, 0),
});
const all = [
  series('flow', 1, 0, 4),
  series('log', 2, 0, 1),
  { ...series(null, 1, 1, 1), rest: true },
];

describe('stacked', () => {
  it('adds up', () => {
    const { stacks, sums } = stacked(all, 3, new Set(), (_, at) => `c${at}`);
    expect(stacks.map(({ color, tops }) => [color, [...tops]])).toEqual([
      ['c0', [1, 0, 4]],
      ['c1', [3, 0, 5]],
      ['c2', [4, 1, 6]],
    ]);
    expect([...sums]).toEqual([4, 1, 6]);
    expect(peakOf(sums)).toBe(2);
  });

  it('leaves out what is hidden; colours stay', () => {
    const { stacks, sums } = stacked(all, 3, new Set(['=flow']), (_, at) => `c${at}`);
    expect(stacks.map(({ key, color }) => [key, color])).toEqual([
      ['=log', 'c1'],
      ['rest', 'c2'],
    ]);
    expect([...sums]).toEqual([3, 1, 2]);
  });

  it('has no peak without events', () => {
    expect(peakOf(new Float64Array(3))).toBeUndefined();
  });
});

describe('stageStack', () => {
  it.each<[{ name: string; text: string }[], string | undefined]>([
    [[], undefined],
    [[{ name: 'timeline', text: 'timeline 15m by kind' }], 'kind'],
    [[{ name: 'timeline', text: 'timeline' }], undefined],
    [[{ name: 'timeline', text: 'timeline spread bytes by "Flow \\"x\\""' }], 'Flow "x"'],
    [[{ name: 'top', text: 'top 5 by bytes' }], undefined],
  ])('%j', (stages, field) => expect(stageStack(stages)).toBe(field));
});
