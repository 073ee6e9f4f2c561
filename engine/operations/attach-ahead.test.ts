import { expect, it } from 'vitest';
import { RowSet } from '../index/row-set.ts';
import { rowsOf } from '../query/index.ts';
import type { SegmentFile } from '../store/segment-store.ts';
import { attachAhead } from './attach-ahead.ts';

const ROWS = 100;
const segments = [1, 2, 3, 4, 5].map((id) => ({ id, file: `days/${id}.duckdb`, rows: ROWS }));

it.each([
  { name: 'as many as the first rows take', wanted: 60, counts: [30, 30, 30], attached: [1, 2] },
  { name: 'none where nothing was found', wanted: 60, counts: [0, 40, 0, 40], attached: [2, 4] },
  {
    name: 'all where there are too few',
    wanted: 60,
    counts: [1, 1, 1, 1, 1],
    attached: [1, 2, 3, 4, 5],
  },
  { name: 'none for no rows', wanted: 0, counts: [50, 50], attached: [] },
  {
    name: 'those of which nothing is known',
    wanted: 150,
    counts: [undefined, undefined],
    attached: [1, 2],
  },
])('attaches $name', ({ wanted, counts, attached }) => {
  const asked: number[] = [];
  const store = {
    attachAhead: (files: readonly SegmentFile[]) => void asked.push(...files.map(({ id }) => id)),
  };
  const ahead = attachAhead({ store }, { segments }, wanted);
  // Days come one after the other.
  counts.forEach((count, i) => {
    const segment = segments[i]!;
    const found =
      count === undefined
        ? []
        : [[segment.id, { rows: rowsOf(RowSet.range(ROWS, 0, count)) }] as const];
    ahead([[segment]], new Map(found));
  });
  expect(asked).toEqual(attached);
});

it.each([
  { descending: false, attached: [1, 2, 3] },
  { descending: true, attached: [5, 4, 3] },
])('begins where the list begins, newest first: $descending', ({ descending, attached }) => {
  const asked: number[] = [];
  const store = {
    attachAhead: (files: readonly SegmentFile[]) => void asked.push(...files.map(({ id }) => id)),
  };
  const days = [segments.slice(0, 2), segments.slice(2, 4), segments.slice(4)];
  if (descending) days.reverse();
  attachAhead({ store }, { segments }, ROWS * 3, descending)(days, new Map());
  expect(asked).toEqual(attached);
});
