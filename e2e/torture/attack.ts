/**
 * The interface of an attack, and how its runs are counted. Run `i` of an attack draws all randomness from the
 * seed, the attack's name and `i`, so that one failed run can be repeated alone.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Random } from '../../fixtures/evidence/random.ts';

export interface Run {
  readonly random: Random;
  /** Used by this run only, and removed after a run without a failure. */
  readonly folder: string;
  /** Counts something that was tried or seen. */
  tally(what: string, n?: number): void;
  /** Keeps the largest. */
  most(what: string, n: number): void;
  /** The product did something wrong. */
  fail(what: string): void;
}

export interface Attack {
  readonly name: string;
  /** The unit of one run. */
  readonly unit: string;
  /** Number of runs: in CI, by default, and with `--long`. */
  readonly runs: { readonly short: number; readonly usual: number; readonly long: number };
  /**
   * Makes the data that all runs share; undefined and a reason where this machine lacks a requirement.
   * @param size scale of the evidence of all runs: 1 in CI, more otherwise
   */
  prepare(folder: string, seed: number, size: number): Promise<Prepared | string>;
}

export interface Prepared {
  run(run: Run): Promise<void>;
  /** A report on all runs together. */
  summary?(): string[];
  close?(): Promise<void> | void;
}

interface Outcome {
  readonly attack: string;
  readonly unit: string;
  readonly tried: number;
  readonly failures: readonly { readonly run: number; readonly what: string }[];
  readonly tallies: ReadonlyMap<string, number>;
  readonly summary: readonly string[];
  readonly skipped?: string;
  readonly seconds: number;
}

interface Options {
  readonly seed: number;
  readonly runs: number;
  /** Only this run. */
  readonly only?: number | undefined;
  readonly size: number;
  readonly folder: string;
  /** No run begins after this moment, in milliseconds of `performance.now()`. */
  readonly until?: number | undefined;
  say(text: string): void;
}

/** The seed of each run (FNV-1a over the words). */
export function seedOf(...words: (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const letter of words.join('/')) {
    hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  }
  return hash >>> 0;
}

export async function attack(one: Attack, options: Options): Promise<Outcome> {
  const started = performance.now();
  const shared = path.join(options.folder, one.name);
  mkdirSync(shared, { recursive: true });
  const tallies = new Map<string, number>();
  const failures: { run: number; what: string }[] = [];
  let tried = 0;
  const result = (more: { summary: readonly string[]; skipped?: string }): Outcome => ({
    ...{ attack: one.name, unit: one.unit, tried, failures, tallies },
    ...more,
    seconds: (performance.now() - started) / 1000,
  });
  const prepared = await one.prepare(shared, options.seed, options.size);
  if (typeof prepared === 'string') return result({ summary: [], skipped: prepared });
  try {
    const from = options.only ?? 0;
    const to = options.only === undefined ? options.runs : from + 1;
    for (let i = from; i < to; i++) {
      if (options.until !== undefined && performance.now() > options.until) break;
      const folder = path.join(shared, `run-${i}`);
      mkdirSync(folder);
      let failed = 0;
      const run: Run = {
        random: new Random(seedOf(options.seed, one.name, i)),
        folder,
        tally: (what, n = 1) => tallies.set(what, (tallies.get(what) ?? 0) + n),
        most: (what, n) => tallies.set(what, Math.max(tallies.get(what) ?? 0, n)),
        fail: (what) => {
          failed += 1;
          failures.push({ run: i, what });
          options.say(
            `FAILED ${one.name}, run ${i}: ${what}\n  again: npm run torture -- --only ${one.name} --seed ${options.seed} --run ${i} --size ${options.size}\n  files: ${folder}`,
          );
        },
      };
      try {
        await prepared.run(run);
      } catch (error) {
        run.fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
      tried += 1;
      if (failed === 0) rmSync(folder, { recursive: true, force: true });
    }
    return result({ summary: prepared.summary?.() ?? [] });
  } finally {
    await prepared.close?.();
  }
}

export function report(outcome: Outcome): string {
  const { attack: name, tried, unit, failures, seconds } = outcome;
  if (outcome.skipped !== undefined) return `${name}: skipped: ${outcome.skipped}`;
  const failed = new Set(failures.map(({ run }) => run)).size;
  const lines = [
    `${name}: ${tried} ${unit} tried, ${tried - failed} survived, ${failed} failed (${seconds.toFixed(0)} s)`,
    ...[...outcome.tallies]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([what, n]) => `  ${what}: ${n.toLocaleString('en')}`),
    ...outcome.summary.map((line) => `  ${line}`),
  ];
  return lines.join('\n');
}
