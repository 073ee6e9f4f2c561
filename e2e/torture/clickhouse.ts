/**
 * Random queries on cases, and on a ClickHouse that has loaded their hand-overs: rows, counts, tops, timelines and
 * tables must be the same. Refusals are counted by reason. Without chdb the attack reports that it was skipped.
 */
import path from 'node:path';
import { clickhouseModule, whyNot } from '../provision/index.ts';
import type { Attack, Prepared } from './attack.ts';
import type { Question } from './asker.ts';
import { questionedCases, vocabulary } from './cases.ts';
import { Grammar, simpler, textOf, type Query, type Vocabulary } from './grammar.ts';
import { HandedOverCase } from './handed-over.ts';

const MOST_SIMPLER = 200;
/** Queries that are made until one has a translation. */
const MOST_TRIED = 12;

interface Loaded {
  readonly name: string;
  readonly both: HandedOverCase;
  readonly words: Vocabulary;
}

export const clickhouse: Attack = {
  name: 'clickhouse',
  unit: 'queries',
  runs: { short: 30, usual: 1000, long: 10_000 },
  async prepare(folder, seed, size): Promise<Prepared | string> {
    const module = clickhouseModule();
    if (module === undefined) return whyNot('clickhouse') ?? 'there is no chdb';
    const loaded: Loaded[] = [];
    for (const { name, folder: at } of await questionedCases(folder, seed, size)) {
      const both = await HandedOverCase.open(module, at, path.join(folder, `clickhouse-${name}`));
      loaded.push({ name, both, words: await vocabulary(both.asker) });
    }
    return {
      close: async () => {
        for (const { both } of loaded) await both.close();
      },
      async run(run) {
        const { random } = run;
        const { name, both, words } = loaded[random.below(loaded.length)]!;
        const grammar = new Grammar(random, words);
        for (let tried = 0; tried < MOST_TRIED; tried++) {
          const query = grammar.query();
          const compared = await both.compare(asQuestion(query));
          if (compared.outcome === 'refused') {
            run.tally(`refused: ${reasonOf(compared.why)}`);
            continue;
          }
          run.tally(`asked of the ${name} case`);
          if (compared.outcome === 'same') {
            run.tally(`the same: ${compared.shape}`);
            if (compared.rows > 0) run.tally('the same, with rows');
            return;
          }
          const small = await shrunk(both, query);
          const again = await both.compare(asQuestion(small));
          const { why } = again.outcome === 'different' ? again : compared;
          return run.fail(
            `${both.folder}: ${question(small)}\n  ${why}\n  at first: ${question(query)}`,
          );
        }
        run.tally('nothing of many had a translation');
      },
    };
  },
};

function asQuestion({ asked, ...query }: Query): Question {
  const { limit: _, ...rest } = asked;
  return { ...rest, text: textOf({ ...query, asked }) };
}
const question = (query: Query): string => JSON.stringify(asQuestion(query));

async function shrunk(both: HandedOverCase, failing: Query): Promise<Query> {
  let smallest = failing;
  let tried = 0;
  for (let found = true; found;) {
    found = false;
    for (const less of simpler(smallest)) {
      if (++tried > MOST_SIMPLER) return smallest;
      if ((await both.compare(asQuestion(less))).outcome !== 'different') continue;
      smallest = less;
      found = true;
      break;
    }
  }
  return smallest;
}

/** A refusal without the parts that depend on the query. */
function reasonOf(answer: string): string {
  return answer
    .replace(/ {2}.*/s, '')
    .replace(/^usage: /, '')
    .replace(/^query-syntax: .*/s, 'query-syntax')
    .replace(/ has no translation.*/s, '')
    .replace(/\(column \d+\)|".*"/g, '')
    .replace(/^the (filter|expression|attribute|field) .*/s, 'the $1 …')
    .replace(/ (of|in) .*/s, ' $1 …')
    .slice(0, 60);
}
