import { describe, expect, it } from 'vitest';
import { eachOf } from './each-of.ts';

describe('eachOf', () => {
  it('does all, in order, never more than so many at once', async () => {
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await eachOf([1, 2, 3, 4, 5], 2, new AbortController().signal, async (n) => {
      begun.push(n);
      running += 1;
      most = Math.max(most, running);
      await new Promise((done) => void setImmediate(done));
      running -= 1;
    });
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it('begins no more once it is aborted', async () => {
    const controller = new AbortController();
    const begun: number[] = [];
    await eachOf([1, 2, 3, 4], 2, controller.signal, (n) => {
      begun.push(n);
      if (n === 2) controller.abort();
      return Promise.resolve();
    });
    expect(begun).toEqual([1, 2]);
  });
});
