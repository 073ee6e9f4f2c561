import { describe, expect, it } from 'vitest';
import { makeColumn } from '../../../engine/contract/wire/column-batch.ts';
import { barsOf, microsOf, topsOf } from './bars.ts';

const STARTS = ['2026-10-12T00:00:00.000000Z', '2026-10-12T01:00:00.000000Z'];
const batch = (columns: Record<string, number[]>) => ({
  rows: 2,
  columns: [
    makeColumn('start', 2, (row) => STARTS[row]),
    ...Object.entries(columns).map(([name, values]) => makeColumn(name, 2, (row) => values[row])),
  ],
});

describe('microsOf', () => {
  it.each([
    ['1970-01-01T00:00:01.000002Z', 1_000_002],
    ['1970-01-01T00:00:01Z', 1_000_000],
    ['1970-01-01T02:00:01.000002+02:00', 1_000_002],
    ['yesterday', undefined],
  ])('%s', (text, expected) => {
    expect(microsOf(text)).toBe(expected);
  });
});

const COUNTS = { isMeasured: false, adds: true, by: undefined };

describe('barsOf', () => {
  it('is the counts when nothing else is asked', () => {
    const bars = barsOf(batch({ count: [3, 4] }), COUNTS);
    expect(bars).toMatchObject({ width: 3_600e6, measure: 'count', series: [{ name: 'count' }] });
    expect(bars?.starts[1]).toBe((bars?.starts[0] ?? 0) + 3_600e6);
  });
  it('stacks what it is split by', () => {
    const by = { ...COUNTS, by: 'kind' };
    const bars = barsOf(batch({ count: [3, 4], log: [1, 4], flow: [2, 0] }), by);
    expect(bars?.series.map(({ name }) => name)).toEqual(['log', 'flow']);
    expect(topsOf(bars?.series ?? []).map((one) => [...one])).toEqual([
      [1, 4],
      [3, 4],
    ]);
  });
  it.each(['bytes', 'sum(bytes)', 'b'])('shows what is measured: %s', (name) => {
    const measured = { ...COUNTS, isMeasured: true };
    const bars = barsOf(batch({ count: [3, 4], [name]: [10, 0] }), measured);
    expect(bars).toMatchObject({ measure: name, adds: true, series: [{ name }] });
    expect([...(bars?.series[0]?.values ?? [])]).toEqual([10, 0]);
  });
  it('stacks the series of a measure without its sum', () => {
    const columns = { count: [3, 4], 'sum(bytes)': [10, 5], tcp: [7, 5], udp: [3, 0] };
    const shape = { isMeasured: true, adds: true, by: 'proto' };
    const bars = barsOf(batch(columns), shape);
    expect(bars).toMatchObject({
      measure: 'sum(bytes)',
      series: [{ name: 'tcp' }, { name: 'udp' }],
    });
  });
  it('stacks no averages', () => {
    const columns = batch({ count: [3, 4], 'avg(bytes)': [10, 5], tcp: [7, 5], udp: [3, 0] });
    const averages = { isMeasured: true, adds: false, by: undefined };
    expect(barsOf(columns, averages)).toMatchObject({ adds: false, measure: 'avg(bytes)' });
    expect(barsOf(columns, { ...averages, by: 'proto' })).toBeUndefined();
  });
  it('adds up what there is no colour for', () => {
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`s${i}`, [1, 2]]));
    const by = { ...COUNTS, by: 'host' };
    const series = barsOf(batch({ count: [10, 20], ...many }), by)?.series ?? [];
    expect(series).toHaveLength(8);
    expect(series[7]).toMatchObject({ name: '3 others', rest: true });
    expect([...(series[7]?.values ?? [])]).toEqual([3, 6]);
  });
  it('is nothing without buckets', () => {
    expect(barsOf({ rows: 0, columns: [] }, COUNTS)).toBeUndefined();
  });
});
