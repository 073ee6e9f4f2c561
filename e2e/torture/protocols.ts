/** Conversations of every protocol that is read from packets, changed by chance, cut, mixed up, repeated and lost. */
import { CONVERSATIONS } from '../../importers/pcap/protocols/testing/conversations.ts';
import { chance, readMutated } from '../../importers/pcap/protocols/testing/mutated.ts';
import type { Attack, Prepared } from './attack.ts';

const CONVERSATIONS_OF_EACH = 500;

export const protocols: Attack = {
  name: 'protocols',
  unit: `${CONVERSATIONS_OF_EACH} conversations of each protocol`,
  runs: { short: 1, usual: 20, long: 1000 },
  prepare(): Promise<Prepared> {
    return Promise.resolve({
      run(run) {
        for (const name of Object.keys(CONVERSATIONS))
          for (let n = 0; n < CONVERSATIONS_OF_EACH; n++) {
            const seed = run.random.between(1, 1e9);
            try {
              run.tally(`events of ${name}`, readMutated(name, chance(seed)));
            } catch (error) {
              run.fail(`readMutated('${name}', chance(${seed})): ${String(error)}`);
            }
          }
        return Promise.resolve();
      },
    });
  },
};
