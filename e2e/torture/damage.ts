/**
 * Damaged files of a case: flipped bits, zeros, swapped blocks, truncation, missing or exchanged files. `verify`
 * finds each, and until then a question is answered as before or refused, never otherwise. The catalog's pages have
 * no checksums: a change that affects none of its rows does not count as damage, and neither does a missing rollup,
 * which the next import makes again.
 */
import {
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import Database from 'better-sqlite3';
import type { Random } from '../../fixtures/evidence/random.ts';
import { answersAlike } from './alike.ts';
import type { Attack, Prepared, Run } from './attack.ts';
import { Asker, type Answered, type Question } from './asker.ts';
import { mixedCase, vocabulary } from './cases.ts';
import { verify } from './command.ts';
import { Grammar, textOf } from './grammar.ts';

const QUESTIONS = 12;
const GONE = 'gone';

/** Kinds of files, by how they are found below the case. */
const TARGETS = {
  segment: /^days\/.*\.duckdb$/,
  'side file': /^days\/.*\.idx$/,
  catalog: /^case\.sqlite$/,
  quarantine: /^quarantine\/.*\.ndjson$/,
  rollup: /^rollups\/.*\.rollup$/,
} as const;
type Target = keyof typeof TARGETS;

export const damage: Attack = {
  name: 'damage',
  unit: 'damaged files',
  runs: { short: 2, usual: 50, long: 400 },
  async prepare(folder, seed, size): Promise<Prepared> {
    const made = await mixedCase(folder, seed, Math.min(size, 2));
    const asker = new Asker(made.folder);
    const words = await vocabulary(asker);
    await asker.close();
    const files = readdirSync(made.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(path.join(made.folder, name)).isFile(),
    );
    const targets = Object.keys(TARGETS) as Target[];
    const filesOf = (target: Target): string[] =>
      files.filter((name) => TARGETS[target].test(name)).sort();
    const present = targets.filter((target) => filesOf(target).length > 0);
    const missing = targets.filter((target) => !present.includes(target));
    return {
      summary: () => (missing.length === 0 ? [] : [`the case had no ${missing.join(', ')}`]),
      async run(run) {
        const target = run.random.oneOf(present);
        const questions = askedOf(run.random, new Grammar(run.random, words));
        const at = path.join(run.folder, 'damaged.daybook');
        cpSync(made.folder, at, { recursive: true });
        const before = new Asker(at);
        const want: Answered[] = [];
        for (const question of questions) want.push(await before.ask(question));
        await before.close();

        const original = rowsOf(path.join(at, 'case.sqlite'));
        const how = harm(run.random, at, filesOf(target));
        run.tally(`${target}: tried`);
        // A missing rollup is made again, and nothing depends on it.
        const isLoss = !(target === 'rollup' && how.endsWith(GONE));
        const changed =
          isLoss && (target !== 'catalog' || rowsOf(path.join(at, 'case.sqlite')) !== original);
        const { wrong, refused } = await answers(at, questions, want, run);
        run.tally(`${target}: questions refused`, refused);
        const verified = await verify(at);
        if (verified.crash !== undefined) run.fail(`verify of ${how}: ${verified.crash}`);
        const found = !verified.ok || verified.findings.length > 0;
        if (found) run.tally(`${target}: ${verified.refused ? 'not opened' : 'found by verify'}`);
        else if (changed) run.fail(`${how} is not found by verify`);
        else
          run.tally(
            `${target}: ${target === 'rollup' ? 'gone' : 'damage that changes no row'}, and not found`,
          );
        if (wrong !== undefined) run.fail(`${how}: ${wrong}`);
      },
    };
  },
};

function askedOf(random: Random, grammar: Grammar): Question[] {
  const random_ = Array.from({ length: QUESTIONS }, () => {
    const query = grammar.query();
    return {
      ...query.asked,
      text: textOf(query),
      ...(random.below(3) === 0 ? { path: 'scan' as const } : {}),
    };
  });
  return [
    { text: 'kind:* | count' },
    { text: 'kind:* | stats count(), sum(bytes), distinct(src_ip), min(ts), max(ts)' },
    { text: 'kind:* | stats count(), sum(bytes), distinct(src_ip)', path: 'scan' },
    { text: 'kind:log | timeline 1h' },
    { text: 'tag:guess | count' },
    { text: 'kind:flow | top 10 dst_ip' },
    ...random_,
  ];
}

/** A wrong answer, if there is one, and how many questions were refused. */
async function answers(
  folder: string,
  questions: readonly Question[],
  want: readonly Answered[],
  run: Run,
): Promise<{ wrong: string | undefined; refused: number }> {
  const asker = new Asker(folder);
  let refused = 0;
  let wrong: string | undefined;
  for (const [n, question] of questions.entries()) {
    let found: Answered;
    try {
      found = await asker.ask(question);
    } catch (error) {
      run.fail(`${JSON.stringify(question)}: ${String(error)}`);
      continue;
    }
    if (answersAlike(found, want[n]!)) continue;
    if (found.error !== undefined) {
      refused += 1;
      if (found.error === 'unexpected') run.tally(`refused with an unexpected error`);
      continue;
    }
    wrong ??= `${JSON.stringify(question)} was ${want[n]!.answer.slice(0, 300)} and is ${found.answer.slice(0, 300)}`;
  }
  await asker.close();
  return { wrong, refused };
}

/** Damages one of these files; returns a description. */
function harm(random: Random, folder: string, files: readonly string[]): string {
  for (;;) {
    const name = random.oneOf(files);
    const file = path.join(folder, name);
    const bytes = readFileSync(file);
    const other = path.join(folder, random.oneOf(files));
    const at = random.below(bytes.length);
    const length = random.oneOf([1, 8, 64, 512, 4096]);
    const way = random.below(8);
    let after = Buffer.from(bytes);
    let how = `${name}: `;
    if (way <= 2) {
      after[at]! ^= 1 << random.below(8);
      how += `a bit of byte ${at} flipped`;
    } else if (way === 3) {
      after.fill(0, at, Math.min(bytes.length, at + length));
      how += `${length} bytes from ${at} zeroed`;
    } else if (way === 4) {
      const to = random.below(bytes.length);
      const piece = bytes.subarray(to, Math.min(bytes.length, to + length));
      piece.copy(after, at);
      how += `${length} bytes from ${to} put at ${at}`;
    } else if (way === 5) {
      after = after.subarray(0, at);
      how += `cut to ${at} bytes`;
    } else if (way === 6) {
      // Without a catalog there is no case.
      if (name === 'case.sqlite') continue;
      rmSync(file);
      return `${how}${GONE}`;
    } else {
      if (other === file) continue;
      const aside = `${file}.aside`;
      if (readFileSync(other).equals(bytes)) continue;
      renameSync(file, aside);
      renameSync(other, file);
      renameSync(aside, other);
      return `${how}exchanged with ${path.relative(folder, other)}`;
    }
    if (after.equals(bytes)) continue;
    writeFileSync(file, after);
    return how;
  }
}

/** The whole content of a catalog, in its order; undefined where it cannot be read. */
function rowsOf(file: string): string | undefined {
  try {
    const database = new Database(file, { readonly: true });
    try {
      const master = database
        .prepare<[], { type: string; name: string; sql: string | null }>(
          'SELECT type, name, sql FROM sqlite_master',
        )
        .all();
      const tables = master.filter(({ type }) => type === 'table').map(({ name }) => name);
      const rows = tables.map((name) =>
        database.prepare(`SELECT * FROM "${name}"`).safeIntegers(true).all(),
      );
      return JSON.stringify([master, rows], (_, value: unknown) =>
        typeof value === 'bigint'
          ? `${value}n`
          : value instanceof Uint8Array
            ? Buffer.from(value).toString('hex')
            : value,
      );
    } finally {
      database.close();
    }
  } catch {
    // Then it is changed.
    return undefined;
  }
}
