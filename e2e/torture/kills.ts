/**
 * `kill -9` of everything that writes: import, its resumption, compact, delete, retime and tag. Afterwards
 * the case opens, `verify` finds nothing, what was changed is as before or as after, and going on ends where
 * a run that nobody killed ends.
 */
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { generateEvidence } from '../../fixtures/generate.ts';
import type { Random } from '../../fixtures/evidence/random.ts';
import type { Attack, Prepared, Run } from './attack.ts';
import { contents, crash, daybook, start, verify, type Contents } from './command.ts';

const ENV = {
  DAYBOOK_CHUNK_ROWS: '1500',
  DAYBOOK_PIECE_LINES: '750',
  // What is not read in pieces is stored by a thread of its own.
  DAYBOOK_STORE_BYTES: '1',
};
const SSHD = 'program:sshd';
const ZONE = 'America/New_York';

/** What changes a case that is whole. */
const CHANGES: Readonly<Record<string, (folder: string) => string[]>> = {
  compact: (folder) => ['compact', folder],
  delete: (folder) => ['delete', folder, SSHD, '--reason', 'torture'],
  retime: (folder) => ['retime', folder, 'syslog/auth.log', '--tz', ZONE],
  tag: (folder) => ['tag', folder, SSHD, 'seen'],
};

export const kills: Attack = {
  name: 'kills',
  unit: 'rounds of kills',
  runs: { short: 1, usual: 60, long: 1000 },
  async prepare(folder, seed): Promise<Prepared> {
    const evidence = path.join(folder, 'evidence');
    generateEvidence(folder, 0.1, seed % 1000);
    const whole = path.join(folder, 'whole.daybook');
    const importing = (into: string, jobs: string) =>
      ['import', into, evidence, '--recursive', '--jobs', jobs] as const;
    const before = performance.now();
    const first = await daybook(importing(whole, '1'), ENV);
    const importMs = performance.now() - before;
    if (first.status !== 0) throw new Error(`the import that nobody kills fails: ${first.err}`);
    const want = await contents(whole);
    /** What each change leads to, and how long it takes. */
    const changed = new Map<string, { contents: Contents; ms: number }>();

    async function afterChange(name: string): Promise<{ contents: Contents; ms: number }> {
      const known = changed.get(name);
      if (known !== undefined) return known;
      const copy = path.join(folder, `${name}.daybook`);
      cpSync(whole, copy, { recursive: true });
      const from = performance.now();
      const ended = await daybook(CHANGES[name]!(copy), ENV);
      const ms = performance.now() - from;
      if (ended.status !== 0) throw new Error(`${name} fails: ${ended.err}`);
      const found = { contents: await contents(copy), ms };
      changed.set(name, found);
      return found;
    }

    async function wholeAfterKill(run: Run, at: string, what: string): Promise<boolean> {
      const { findings, ok, problem } = await verify(at);
      for (const { level } of findings) run.tally(`verify after a kill: ${level}`);
      if (!ok) run.fail(`verify after killing ${what}: ${problem}`);
      return ok;
    }

    /** Kills the case's first import, or what resumes it, then lets it run through. */
    async function killImport(run: Run): Promise<void> {
      const at = path.join(run.folder, 'killed.daybook');
      let kills = 0;
      // Now and then the resumption is killed, too, and its resumption.
      for (let times = run.random.between(1, 3); times > 0; times--) {
        const jobs = run.random.oneOf(['1', '3']);
        const how = await killAt(run.random, [...importing(at, jobs)], at, importMs);
        if (how === undefined) continue;
        run.tally(`${kills === 0 ? 'import' : 'resumption'} killed by ${how}`);
        kills += 1;
        if (!existsSync(path.join(at, 'case.sqlite'))) {
          run.tally('killed before there was a case');
          continue;
        }
        const days = await daybook(['days', at, '--json']);
        if (days.status === 0) {
          if (!(await wholeAfterKill(run, at, 'an import'))) return;
        } else if (/is not a Daybook case/.test(days.err))
          run.tally('killed before there was a case');
        else return run.fail(`the case does not open: ${days.err}`);
      }
      if (kills === 0) run.tally('had ended before the kill');
      run.tally('kills', kills);
      const ended = await daybook(importing(at, run.random.oneOf(['1', '3'])), ENV);
      if (ended.status !== 0) return run.fail(`the resumption fails: ${ended.err}`);
      if (kills > 0) same(run, 'resumption', await contents(at), want);
      await wholeAfterKill(run, at, 'an import that was resumed');
    }

    async function killChange(run: Run, name: string): Promise<void> {
      const at = path.join(run.folder, 'changed.daybook');
      cpSync(whole, at, { recursive: true });
      const after = await afterChange(name);
      const command = CHANGES[name]!(at);
      const how = await killAt(run.random, command, at, after.ms);
      if (how === undefined) run.tally('had ended before the kill');
      else run.tally(`${name} killed by ${how}`);
      run.tally('kills', how === undefined ? 0 : 1);
      if (!(await wholeAfterKill(run, at, name))) return;
      const now = JSON.stringify(await contents(at));
      const states = [JSON.stringify(want), JSON.stringify(after.contents)];
      if (!states.includes(now))
        return run.fail(`after killing ${name} the case is neither as before nor as after: ${now}`);
      if (how !== undefined && states[0] !== states[1])
        run.tally(`${name}: as ${now === states[0] ? 'before' : 'after'}`);
      const again = await daybook(command, ENV);
      const problem = crash(again);
      if (problem !== undefined) return run.fail(`${name} once more: ${problem}`);
      same(run, `${name} once more`, await contents(at), after.contents);
      await wholeAfterKill(run, at, `${name} that ran again`);
    }

    return {
      async run(run) {
        const name = run.random.oneOf(['import', 'import', ...Object.keys(CHANGES)]);
        await (name === 'import' ? killImport(run) : killChange(run, name));
      },
    };
  },
};

function same(run: Run, what: string, found: Contents, want: Contents): void {
  if (JSON.stringify(found) !== JSON.stringify(want))
    run.fail(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(want)}`);
}

/**
 * Starts a command and kills it at a moment of chance: after some time, or when so many files are staged,
 * or the catalog's log has grown so far. Resolves to what decided, or undefined when it ended before.
 */
async function killAt(
  random: Random,
  command: readonly string[],
  folder: string,
  ms: number,
): Promise<string | undefined> {
  const by = random.oneOf(['time', 'staged files', 'segments', 'log of the catalog']);
  const least = random.next() ** 2;
  const had = filesBelow(path.join(folder, 'days'));
  const log = sizeOf(path.join(folder, 'case.sqlite-wal'));
  const reached = (): boolean => {
    switch (by) {
      case 'staged files':
        return filesBelow(path.join(folder, 'staging')) > least * 6;
      case 'segments':
        return filesBelow(path.join(folder, 'days')) > had + least * 20;
      default:
        return sizeOf(path.join(folder, 'case.sqlite-wal')) > log + least * 400_000;
    }
  };
  const { child, ended } = start(command, ENV);
  let killed = false;
  const kill = (): void => {
    killed = child.kill('SIGKILL');
  };
  let delay: NodeJS.Timeout | undefined;
  if (by === 'time') delay = setTimeout(kill, random.next() * ms);
  else {
    delay = setInterval(() => {
      if (!reached()) return;
      clearInterval(delay);
      kill();
    }, 1);
  }
  const { signal } = await ended;
  clearInterval(delay);
  return killed && signal === 'SIGKILL' ? by : undefined;
}

function filesBelow(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true }).length;
  } catch {
    // Not there yet, or no longer.
    return 0;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
