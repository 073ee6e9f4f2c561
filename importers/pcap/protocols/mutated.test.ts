import { expect, it } from 'vitest';
import { CONVERSATIONS } from './testing/conversations.ts';
import { chance, readMutated } from './testing/mutated.ts';

const SEEDS = 400;

it.each(Object.keys(CONVERSATIONS))('survives whatever becomes of %s', (name) => {
  let events = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      events += readMutated(name, chance(seed));
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
  // Most changes leave something to be read.
  expect(events).toBeGreaterThan(SEEDS / 4);
});
