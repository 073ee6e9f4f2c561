import { describe, expect, it } from 'vitest';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { DaybookError } from '../../contract/errors.ts';
import { mergeRuns } from './compact.ts';

describe('segments that are too many for the memory', () => {
  const segments = Array.from({ length: 11 }, (_, id) => ({ id }) as SegmentRow);
  const tooMuch = new DaybookError('limit-exceeded', 'the query needs more memory');

  let left: string[] = [];
  async function merged(most: number, leave: boolean): Promise<number[][]> {
    const done: number[][] = [];
    const merge = (run: readonly SegmentRow[]): Promise<void> => {
      if (run.length > most) return Promise.reject(tooMuch);
      done.push(run.map(({ id }) => id));
      return Promise.resolve();
    };
    left = await mergeRuns([segments.slice(0, 8), segments.slice(8)], merge, leave);
    return done;
  }

  it('are merged in halves', async () => {
    expect(await merged(4, false)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10],
    ]);
  });

  it('are left where two are too much, if they may be, and the others are merged', async () => {
    await expect(merged(1, false)).rejects.toBe(tooMuch);
    expect(await merged(1, true)).toEqual([[8]]);
    expect(left.length).toBe(5);
    expect(left[0]).toBe('segments 0, 1 were not merged: the query needs more memory');
  });
});
