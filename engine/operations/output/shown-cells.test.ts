import { expect, it } from 'vitest';
import { csvCells, csvNames } from './shown-cells.ts';

const attributes = (n: number): string[] => Array.from({ length: n }, (_, i) => `attrs.a${i}`);

it('gives attributes a column each, and those without one a column together', () => {
  const names = ['ts', ...attributes(2), 'attrs'];
  expect(csvNames(names)).toEqual(names);
  const cells = csvCells(names);
  expect(cells({ ts: '2026-12-01', attrs: { a1: 'x', b: 'y' } })).toEqual([
    '2026-12-01',
    undefined,
    'x',
    '{"b":"y"}',
  ]);
  expect(cells({ ts: '2026-12-01', attrs: { a0: 'x' } }).at(-1)).toBeUndefined();
});

it('gives very many attributes one column, and loses none of them', () => {
  const names = ['ts', ...attributes(600), 'attrs', 'community_id'];
  expect(csvNames(names)).toEqual(['ts', 'community_id', 'attrs']);
  expect(csvCells(csvNames(names))({ ts: 't', attrs: { a1: 'x', b: 'y' } })).toEqual([
    ...['t', undefined, '{"a1":"x","b":"y"}'],
  ]);
});
