import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Upkeep } from './upkeep.ts';

const IDLE_MS = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('is done once nothing has been imported for a while, of each case', () => {
  const done: string[] = [];
  const upkeep = new Upkeep(async (folder) => void done.push(folder), IDLE_MS);
  upkeep.later('a');
  vi.advanceTimersByTime(IDLE_MS - 1);
  upkeep.notNow('a');
  upkeep.later('b');
  vi.advanceTimersByTime(IDLE_MS);
  expect(done).toEqual([resolve('b')]);
  upkeep.later('a');
  upkeep.later('a');
  vi.advanceTimersByTime(5 * IDLE_MS);
  expect(done).toEqual([resolve('b'), resolve('a')]);
});

it('fails without anybody noticing', async () => {
  let tries = 0;
  const upkeep = new Upkeep(async () => {
    tries += 1;
    throw new Error('the case is gone');
  }, IDLE_MS);
  upkeep.later('a');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  upkeep.later('a');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(tries).toBe(2);
});
