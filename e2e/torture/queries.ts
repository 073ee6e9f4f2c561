/**
 * Random queries on cases whose segments have side files: the default path compared with reading every row, and
 * some with `daybook query` in a separate process and with `daybook scan` of the evidence. A query with two answers
 * is reduced before it is shown.
 */
import path from 'node:path';
import { Commands } from '../cli/harness.ts';
import type { Attack, Prepared, Run } from './attack.ts';
import { answersAlike } from './alike.ts';
import { Asker, type Answered, type Question, type SegmentSize } from './asker.ts';
import { questionedCases, vocabulary, type QuestionedCase } from './cases.ts';
import { crash, daybook, type Ended } from './command.ts';
import {
  PlainSql,
  simplerSql,
  sqlOf,
  sqlQuestion,
  textOfSql,
  type SqlQuestion,
} from './plain-sql.ts';
import { Grammar, filterText, simpler, textOf, type Query, type Vocabulary } from './grammar.ts';

/** One query in this many is also run as a command, and by `daybook scan`. */
const ALSO = 40;
const ALSO_SCANNED = 25;
/** One command in this many has its own process; the others are run one after the other in one process. */
const OWN_PROCESS = 10;
const MOST_SIMPLER = 300;

/** A case that is held open, and the questions for it. */
interface Opened extends QuestionedCase {
  /** Undefined where rows of segments are deleted. */
  readonly sql: PlainSql | undefined;
  readonly asker: Asker;
  readonly words: Vocabulary;
  readonly segments: readonly SegmentSize[];
}

export const queries: Attack = {
  name: 'queries',
  unit: 'queries',
  runs: { short: 150, usual: 1000, long: 10_000 },
  async prepare(folder, seed, size): Promise<Prepared> {
    const opened: Opened[] = [];
    for (const one of await questionedCases(folder, seed, size)) {
      const asker = new Asker(one.folder);
      const words = await vocabulary(asker);
      const sql = one.isWhole ? await PlainSql.open(one.folder) : undefined;
      opened.push({ ...one, asker, words, sql, segments: await asker.segments() });
    }
    const commands = new Commands();
    const ofSources = new Map<string, Vocabulary>();
    return {
      summary: () => opened.map(summaryOf),
      close: async () => {
        for (const { asker, sql } of opened) {
          await asker.close();
          sql?.close();
        }
        await commands.close();
      },
      async run(run) {
        const { random } = run;
        const one = opened[Math.max(0, random.below(6) - 3)] ?? opened[0]!;
        const { asker } = one;
        const grammar = new Grammar(random, one.words);
        const query = grammar.query();
        run.tally(`asked of the ${one.name} case`);
        for (const asked of [query, grammar.view()]) {
          run.tally('questions, each asked in two ways');
          const difference = await compare(asker, asked, run);
          if (difference === undefined) continue;
          const small = await shrink(asker, asked);
          return run.fail(
            `${one.folder}: ${question(small)}\n  ${(await compare(asker, small)) ?? difference}\n  at first: ${question(asked)}`,
          );
        }
        if (one.sql !== undefined)
          await comparedWithSql(run, one.sql, asker, sqlQuestion(random, one.words));
        if (random.below(ALSO) === 0) await asCommand(run, commands, one.folder, asker, query);
        if (one.scanned.length === 0 || random.below(ALSO_SCANNED) !== 0) return;
        const source = random.oneOf(one.scanned);
        const key = `${one.name}/${source}`;
        const words = ofSources.get(key) ?? (await vocabulary(asker, path.basename(source)));
        ofSources.set(key, words);
        await scanned(run, commands, one, source, new Grammar(random, words));
      },
    };
  },
};

function summaryOf({ name, segments }: Opened): string {
  const withSideFiles = segments.filter(({ sideFile }) => sideFile).length;
  const rows = segments.map((one) => one.rows);
  const large = segments.filter((one) => one.sideFile && one.rows >= 20_000).length;
  const all = rows.reduce((sum, n) => sum + n, 0).toLocaleString('en');
  return `${name} case: ${all} events in ${segments.length} segments, ${withSideFiles} with side files, ${large} of these with 20,000 rows or more`;
}

const asQuestion = (query: Query): Question => ({ ...query.asked, text: textOf(query) });
const question = (query: Query): string => JSON.stringify(asQuestion(query));

/** The difference between the two paths; undefined: none. */
async function compare(asker: Asker, query: Query, run?: Run): Promise<string | undefined> {
  const asked = asQuestion(query);
  const usual = await asker.ask(asked);
  const scan = await asker.ask({ ...asked, path: 'scan' });
  if (usual.error === 'unexpected' || scan.error === 'unexpected')
    return `an unexpected error: ${usual.error === 'unexpected' ? usual.answer : scan.answer}`;
  if (usual.error !== undefined) run?.tally(`refused: ${usual.error}`);
  else if (asked.view === undefined) run?.tally(`answered by ${usual.path}`);
  else run?.tally(`${asked.view.of} of a window, answered by ${usual.path}`);
  if (usual.rows > 0) run?.tally('with rows');
  if (query.asked.list !== undefined) run?.tally('with a list');
  if (usual.answer === scan.answer) return undefined;
  // Sums of numbers with fractions depend on their order in the last digits.
  if (answersAlike(usual, scan)) {
    run?.tally('equal but for the last digits of a fraction');
    return undefined;
  }
  return `${usual.path}: ${excerpt(usual, scan)}\n  scan: ${excerpt(scan, usual)}`;
}

/** The position where two answers begin to differ. */
function excerpt({ answer }: Answered, other: Answered): string {
  let at = 0;
  while (at < answer.length && answer[at] === other.answer[at]) at++;
  return `…${answer.slice(Math.max(0, at - 150), at + 250)}`;
}

async function shrink(asker: Asker, failing: Query): Promise<Query> {
  let smallest = failing;
  let tried = 0;
  for (let found = true; found;) {
    found = false;
    for (const one of simpler(smallest)) {
      if (++tried > MOST_SIMPLER) return smallest;
      if ((await compare(asker, one)) === undefined) continue;
      smallest = one;
      found = true;
      break;
    }
  }
  return smallest;
}

/** Another question, of those that plain SQL answers, too. */
async function comparedWithSql(
  run: Run,
  sql: PlainSql,
  asker: Asker,
  asked: SqlQuestion,
): Promise<void> {
  const differs = async (question: SqlQuestion): Promise<string | undefined> => {
    const { answer, error, path: way } = await asker.ask({ text: textOfSql(question) });
    if (error !== undefined) return answer;
    const { rows } = JSON.parse(answer) as { rows: Record<string, unknown>[] };
    const names = [...(question.by === undefined ? [] : [question.by]), 'n', 'b', 'p'];
    const found = rows.map((row) => names.map((name) => String(row[name])).join(' ')).sort();
    const want = await sql.rows(sqlOf(question));
    run.tally(`compared with SQL, answered by ${way}`);
    return found.join('\n') === want.join('\n')
      ? undefined
      : `${found.slice(0, 5).join('; ')} instead of ${want.slice(0, 5).join('; ')}`;
  };
  let smallest = asked;
  let difference = await differs(asked);
  if (difference === undefined) return;
  for (let found = true; found;) {
    found = false;
    for (const one of simplerSql(smallest)) {
      const its = await differs(one);
      if (its === undefined) continue;
      [smallest, difference, found] = [one, its, true];
      break;
    }
  }
  run.fail(`${textOfSql(smallest)}: ${difference}\n  by: ${sqlOf(smallest)}`);
}

/** Runs one command; a fault of it is a failure of the run. */
async function command(run: Run, commands: Commands, args: readonly string[]): Promise<Ended> {
  const isOwn = run.random.below(OWN_PROCESS) === 0;
  const ended = isOwn ? await daybook(args) : { ...(await commands.run(args)), signal: null };
  const problem = crash(ended);
  if (problem !== undefined) run.fail(`${args.join(' ')}: ${problem}`);
  if (isOwn) run.tally('commands in a process of their own');
  return ended;
}

/** The same from the command line, without the caches of a longer session. */
async function asCommand(
  run: Run,
  commands: Commands,
  folder: string,
  asker: Asker,
  query: Query,
): Promise<void> {
  const { from, to, zone } = query.asked;
  const text = `${filterText(query.filter, true)} | count`;
  const view = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(zone === undefined ? {} : { zone }),
  };
  const kept = await asker.ask({ ...view, text });
  const options = [
    ...(from === undefined ? [] : ['--from', from]),
    ...(to === undefined ? [] : ['--to', to]),
    ...(zone === undefined ? [] : ['--tz', zone]),
  ];
  // A query may begin with a minus.
  const args = ['query', folder, ...options, '--json', '--', text];
  const ended = await command(run, commands, args);
  run.tally('asked as a command, too');
  if (ended.status !== 0) {
    if (kept.error === undefined) run.fail(`query ${text}: ${ended.err} instead of ${kept.answer}`);
    return;
  }
  const { count } = JSON.parse(ended.out) as { count: number };
  const want =
    kept.error === undefined ? (JSON.parse(kept.answer) as { count: number }).count : undefined;
  if (count !== want) run.fail(`query ${text}: ${count} as a command, ${kept.answer} in a session`);
}

async function scanned(
  run: Run,
  commands: Commands,
  { folder, evidence }: QuestionedCase,
  source: string,
  grammar: Grammar,
): Promise<void> {
  const filter = filterText(grammar.filter(run.random.between(0, 2)));
  // Only a case can answer these.
  if (/\b(tag|last|source):/.test(filter)) return;
  const asked = async (...args: string[]): Promise<number | undefined> => {
    const ended = await command(run, commands, args);
    return ended.status === 0 ? (JSON.parse(ended.out) as { count: number }).count : undefined;
  };
  const text = `(${filter}) | count`;
  const scan = await asked('scan', path.join(evidence, source), '--json', '--', text);
  const name = path.basename(source);
  const stored = await asked('query', folder, '--json', '--', `source:${name} ${text}`);
  // A file does not have every field of a case.
  if (scan === undefined || stored === undefined) return run.tally('refused by a scan or the case');
  run.tally('counted by a scan of the evidence, too');
  if (scan > 0) run.tally('counted by a scan of the evidence, too, and found');
  if (scan !== stored) run.fail(`${source}: ${filter}: ${scan} by scan, ${stored} in the case`);
}
