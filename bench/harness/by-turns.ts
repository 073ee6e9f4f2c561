/**
 * A benchmark of two checkouts' programs by turns: what a machine does a minute later says nothing of what it did before.
 * Each turn is a process of its own, and measures as this checkout's benchmark does.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MEASURED, ROOT } from './program.ts';
import { type Cell, type KeptReport, type KeptRow, Report, RESULTS } from './report.ts';
import { median } from './timing.ts';

export interface Turns {
  /** The other checkout, with what it needs installed. */
  readonly before: string;
  /** How often each program has its turn. */
  readonly turns: number;
  /** The npm script. */
  readonly script?: string;
}

interface Turn {
  readonly isBefore: boolean;
  readonly kept: Pick<KeptReport, 'input' | 'commit' | 'notes' | 'rows'>;
}

/**
 * Runs a benchmark for each program in turn, in both orders: `before, now, now, before`.
 * @param command what is run, with its arguments, below this checkout
 * @param name of its report
 */
export async function byTurns(
  command: readonly string[],
  name: string,
  { before, turns, script }: Turns,
): Promise<Report> {
  const report = new Report(name, {}, script === undefined ? {} : { script });
  const done: Turn[] = [];
  for (let turn = 0; turn < turns * 2; turn++) {
    const isBefore = turn % 4 === 0 || turn % 4 === 3;
    await run(command, isBefore ? resolve(before) : ROOT);
    const text = readFileSync(join(RESULTS, `${name}.json`), 'utf8');
    done.push({ isBefore, kept: JSON.parse(text) as KeptReport });
  }
  addTurns(report, done);
  return report;
}

/** Adds the median of each program's turns, with all of them. */
export function addTurns(report: Report, turns: readonly Turn[]): void {
  const commits = new Map<string, string>();
  for (const { isBefore, kept } of turns) {
    Object.assign(report.input, kept.input);
    commits.set(isBefore ? 'before' : 'now', kept.commit);
  }
  Object.assign(report.versions, Object.fromEntries(commits));
  const rows = new Map<string, KeptRow>();
  const found = new Map<string, Map<string, Cell[]>>();
  for (const { isBefore, kept } of turns)
    for (const row of kept.rows) {
      const key = `${row.name}/${row.unit}`;
      rows.set(key, row);
      const programs = found.get(key) ?? new Map<string, Cell[]>();
      found.set(key, programs);
      for (const [program, cell] of Object.entries(row.cells)) {
        const column = isBefore ? `${program}, before` : program;
        programs.set(column, [...(programs.get(column) ?? []), cell]);
      }
    }
  for (const [key, { name, unit, better }] of rows)
    for (const [program, cells] of found.get(key)!) {
      const runs = cells.map(({ value }) => value);
      const note = cells.at(-1)?.note;
      const cell = { value: median(runs), runs, ...(note === undefined ? {} : { note }) };
      report.add(name, unit, program, cell, better);
    }
  const notes = turns.flatMap(({ isBefore, kept }) =>
    kept.notes.map((note) => (isBefore ? `before: ${note}` : note)),
  );
  for (const note of new Set(notes)) report.note(note);
}

/** @throws Error where it fails */
function run([script, ...args]: readonly string[], program: string): Promise<void> {
  console.error(`\n== the program in ${program}`);
  const child = spawn(process.execPath, [join(ROOT, script!), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, [MEASURED]: program },
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (status) =>
      status === 0 ? done() : fail(new Error(`a turn of ${program} ended with ${status}`)),
    );
  });
}
