import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Upkeep } from './upkeep.ts';

const IDLE_MS = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const imported = () => Promise.resolve('imported');

it('is done once nothing has been imported for a while, of each case', async () => {
  const done: string[] = [];
  const upkeep = new Upkeep(async (folder) => void done.push(folder), IDLE_MS);
  expect(await upkeep.around('a', imported)).toBe('imported');
  await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const long = upkeep.around('a', () => promise);
  await upkeep.around('b', imported);
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(done).toEqual([resolve('b')]);
  end();
  await long;
  await upkeep.around('a', imported);
  await vi.advanceTimersByTimeAsync(5 * IDLE_MS);
  expect(done).toEqual([resolve('b'), resolve('a')]);
});

it('is done also when the last import failed: others before it have left something', async () => {
  const done: string[] = [];
  const upkeep = new Upkeep(async (folder) => void done.push(folder), IDLE_MS);
  await upkeep.around('a', imported);
  const failed = upkeep.around('a', () => Promise.reject(new Error('cancelled')));
  await expect(failed).rejects.toThrow('cancelled');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(done).toEqual([resolve('a')]);
});

it('fails without anybody noticing', async () => {
  let tries = 0;
  const upkeep = new Upkeep(async () => {
    tries += 1;
    throw new Error('the case is gone');
  }, IDLE_MS);
  for (let i = 0; i < 2; i++) {
    await upkeep.around('a', imported);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
  }
  expect(tries).toBe(2);
});
