/**
 * `kill -9` of everything that writes: import and its resumption, compact, delete, retime and tag, repeatedly on
 * the same case. After each kill the case opens, `verify` finds no damage, and each change is either complete or
 * absent; resuming ends with the same result as a run without kills.
 *
 * A command is killed before one of its steps, where it waits (steps.ts), or shortly after it continued, while
 * SQLite or DuckDB is working; and sometimes at a random moment. A command that had already ended is not counted.
 */
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { generateEvidence } from '../../fixtures/generate.ts';
import { Random } from '../../fixtures/evidence/random.ts';
import { seedOf, type Attack, type Prepared, type Run } from './attack.ts';
import { Checker, crash, daybook, start, verify, type Contents } from './command.ts';
import { STEPS, type Step } from './step-names.ts';

/** Little evidence in many small segments: each command has much to do, and is soon done. */
const ENV = {
  DAYBOOK_CHUNK_ROWS: '150',
};
const STEPWISE = ['--import', path.join(import.meta.dirname, 'steps.ts')];
/** A step that continues is killed within this time. */
const MOST_DELAY_MS = 25;
/** One check in this many is `daybook verify` itself. */
const AS_COMMAND = 40;

type Name = 'import' | 'compact' | 'delete' | 'retime' | 'tag';

interface Command {
  readonly name: Name;
  /** Arguments after the case's folder. */
  readonly rest: readonly string[];
}

interface Known {
  /** Contents of the case when it has finished. */
  readonly contents: Contents;
  /** Number of stops at each step. */
  readonly steps: ReadonlyMap<Step, number>;
  readonly ms: number;
}

/** A sequence of commands, and the result of each of them; known after a run without kills. */
interface Script {
  readonly commands: readonly Command[];
  known: Promise<readonly Known[]> | undefined;
}

export const kills: Attack = {
  name: 'kills',
  unit: 'rounds of kills',
  runs: { short: 1, usual: 5, long: 50 },
  async prepare(folder, seed, size): Promise<Prepared> {
    const evidence = makeEvidence(folder, seed);
    const random = new Random(seedOf(seed, 'kills', 'scripts'));
    const scripts = Array.from({ length: size === 1 ? 1 : 6 }, (): Script => {
      const commands = script(random, evidence, size === 1 ? 1 : 3);
      return { commands, known: undefined };
    });
    const checker = new Checker();
    const hit = new Map<string, number>();

    /** Runs a script without kills. */
    async function runThrough({ commands }: Script, at: string): Promise<readonly Known[]> {
      const known: Known[] = [];
      for (const command of commands) {
        const steps = new Map<Step, number>();
        const before = performance.now();
        await stepwise(lineOf(command, at), (step) => {
          steps.set(step, (steps.get(step) ?? 0) + 1);
          return 'go on';
        });
        const ms = performance.now() - before;
        known.push({ contents: (await checker.check(at)).contents, steps, ms });
      }
      return known;
    }

    return {
      summary: () => [
        `kills that hit ${[...hit].map(([name, n]) => `${name}: ${n}`).join(', ')}`,
        `kills: ${[...hit.values()].reduce((sum, n) => sum + n, 0)}`,
      ],
      close: () => checker.close(),
      async run(run) {
        const chosen = run.random.oneOf(scripts);
        chosen.known ??= runThrough(
          chosen,
          path.join(folder, `whole-${scripts.indexOf(chosen)}.daybook`),
        );
        const known = await chosen.known;
        const at = path.join(run.folder, 'killed.daybook');
        for (const [n, command] of chosen.commands.entries()) {
          const before = n === 0 ? undefined : known[n - 1]!.contents;
          const after = known[n]!;
          // Much of what an import does is its resumption.
          const most = command.name === 'import' ? 4 : 3;
          for (let times = run.random.between(most - 2, most), kills = 0; times > 0; times--) {
            const how = await killOnce(run.random, command, at, after);
            if (how === undefined) {
              run.tally('had ended before the kill');
              // A completed command is not repeated: another compact would have nothing to do.
              break;
            }
            kills += 1;
            const what =
              command.name === 'import' && kills > 1 ? 'resumption of an import' : command.name;
            hit.set(what, (hit.get(what) ?? 0) + 1);
            run.tally(`killed ${how}`);
            if (!isCase(at)) {
              run.tally('killed before there was a case');
              continue;
            }
            if (!(await wholeAfterKill(run, at, what, command, { before, after: after.contents })))
              return;
          }
          const ended = await daybook(lineOf(command, at), ENV);
          const problem = crash(ended) ?? (ended.status === 0 ? undefined : ended.err);
          if (problem !== undefined) return run.fail(`${command.name} after kills: ${problem}`);
          const { contents } = await checker.check(at);
          const want = JSON.stringify(after.contents);
          if (JSON.stringify(contents) !== want)
            return run.fail(
              `${command.name} after kills: ${JSON.stringify(contents)} instead of ${want}`,
            );
        }
      },
    };

    async function wholeAfterKill(
      run: Run,
      at: string,
      what: string,
      { name }: Command,
      { before, after }: { before: Contents | undefined; after: Contents },
    ): Promise<boolean> {
      if (run.random.below(AS_COMMAND) === 0) {
        run.tally('verified by the command, too');
        const { ok, problem } = await verify(at);
        if (!ok) run.fail(`verify after killing ${what}: ${problem}`);
      }
      let found: Contents;
      try {
        const checked = await checker.check(at);
        for (const { level } of checked.findings) run.tally(`verify after a kill: ${level}`);
        found = checked.contents;
      } catch (error) {
        run.fail(`after killing ${what}: ${String(error)}`);
        return false;
      }
      // An import commits piece by piece.
      if (name === 'import') return true;
      const now = JSON.stringify(found);
      if (now !== JSON.stringify(before) && now !== JSON.stringify(after)) {
        run.fail(`after killing ${what} the case is neither as before nor as after: ${now}`);
        return false;
      }
      if (JSON.stringify(before) !== JSON.stringify(after))
        run.tally(`${name}: as ${now === JSON.stringify(before) ? 'before' : 'after'}`);
      return true;
    }
  },
};

const lineOf = ({ name, rest }: Command, folder: string): string[] => [name, folder, ...rest];

/** A catalog is no case until its first transaction is on disk, at first in the log next to it. */
const isCase = (folder: string): boolean =>
  ['case.sqlite', 'case.sqlite-wal'].some((name) => {
    const found = statSync(path.join(folder, name), { throwIfNoEntry: false });
    return found !== undefined && found.size > 0;
  });

/** All commands in a random order, after a first import and between others. */
function script(random: Random, evidence: readonly string[], times: number): Command[] {
  const commands: Command[] = [];
  const imported: string[] = [];
  const importNext = (): void => {
    const next = evidence[imported.length];
    if (next === undefined) return;
    imported.push(next);
    const jobs = random.oneOf(['1', '3']);
    commands.push({ name: 'import', rest: [next, '--recursive', '--jobs', jobs] });
  };
  const zones = ['America/New_York', 'Asia/Kolkata', 'UTC'];
  // In any evidence: a name that only some has would be refused before that is imported.
  const deleted = [
    ...[
      'program:CRON',
      'kind:flow dst_port:443',
      'kind:packet src_port:22',
      'program:filterlog 53',
    ],
    ...['program:sshd 203', 'kind:flow bytes:>20000', 'dst_port:445 kind:flow'],
  ];
  const tagged = ['program:sshd OR dst_port:443', 'program:filterlog', 'kind:flow', 'kind:*'];
  const ways: Readonly<Record<Name, () => Command | undefined>> = {
    import: () => undefined,
    compact: () => ({ name: 'compact', rest: [] }),
    delete: () => {
      const query = deleted.splice(random.below(deleted.length), 1);
      return { name: 'delete', rest: [...query, '--reason', 'torture'] };
    },
    retime: () => ({ name: 'retime', rest: ['auth.log', '--tz', zones.shift() ?? 'Europe/Paris'] }),
    tag: () => ({
      name: 'tag',
      rest: [random.oneOf(tagged), 'seen', ...(random.below(3) === 0 ? ['--remove'] : [])],
    }),
  };
  importNext();
  for (let time = 0; time < times; time++) {
    const names = Object.keys(ways) as Name[];
    while (names.length > 0) {
      const [name] = names.splice(random.below(names.length), 1);
      if (name === 'import') importNext();
      const command = ways[name!]();
      if (command !== undefined) commands.push(command);
    }
  }
  return commands;
}

/** Runs a command that waits at each of its steps until `decide` returns what to do with it. */
async function stepwise(
  command: readonly string[],
  decide: (step: Step, kill: () => void) => 'go on' | 'wait',
): Promise<{ signal: NodeJS.Signals | null }> {
  const { child, ended } = start(command, ENV, undefined, STEPWISE);
  const [, , , asks, answers] = child.stdio;
  if (!(asks instanceof Readable) || !(answers instanceof Writable))
    throw new Error('the command has no pipes to be asked over');
  // It may already be dead.
  answers.on('error', () => undefined);
  asks.on('data', (part: Buffer) => {
    for (const code of part)
      if (decide(STEPS[code]!, () => void child.kill('SIGKILL')) === 'go on') answers.write('.');
  });
  const { status, signal, err } = await ended;
  if (signal === null && status !== 0) throw new Error(`${command.join(' ')}: ${status} ${err}`);
  return { signal };
}

/** Kills a command at a random moment; undefined when it ended before. */
async function killOnce(
  random: Random,
  command: Command,
  at: string,
  { steps, ms }: Known,
): Promise<string | undefined> {
  const line = lineOf(command, at);
  const way = random.below(10);
  if (way === 0 || steps.size === 0) {
    const { child, ended } = start(line, ENV);
    const timer = setTimeout(() => child.kill('SIGKILL'), random.next() * ms);
    const { signal } = await ended;
    clearTimeout(timer);
    return signal === 'SIGKILL' ? 'at some moment' : undefined;
  }
  const [step, most] = random.oneOf([...steps]);
  const which = random.below(most);
  const delay = way < 6 ? undefined : random.next() ** 2 * MOST_DELAY_MS;
  let left = which;
  const { signal } = await stepwise(line, (now, kill) => {
    if (now !== step || left-- !== 0) return 'go on';
    if (delay === undefined) {
      kill();
      return 'wait';
    }
    setTimeout(kill, delay);
    return 'go on';
  });
  if (signal !== 'SIGKILL') return undefined;
  return delay === undefined ? `before ${step}` : `within ${MOST_DELAY_MS} ms after ${step}`;
}

/** Folders that are imported one after the other, each small. */
function makeEvidence(folder: string, seed: number): string[] {
  generateEvidence(folder, 0.05, seed % 1000);
  const whole = path.join(folder, 'evidence');
  const logs = path.join(folder, 'first');
  const flows = path.join(folder, 'second');
  const rest = path.join(folder, 'third');
  for (const one of [logs, flows, rest]) mkdirSync(one);
  const linesOf = (name: string, from: number, to: number): string => {
    const text = readFileSync(path.join(whole, name), 'utf8');
    return text.split('\n').slice(from, to).join('\n') + '\n';
  };
  const write = (file: string, bytes: string | Uint8Array): void => {
    writeFileSync(file, bytes);
    utimesSync(file, 1_791_800_000, 1_791_800_000);
  };
  const cut = (name: string, into: string, lines: number): void =>
    write(path.join(into, path.basename(name)), linesOf(name, 0, lines));
  copyFileSync(path.join(whole, 'syslog/auth.log'), path.join(logs, 'auth.log'));
  write(path.join(logs, 'auth.log.2.gz'), gzipSync(linesOf('syslog/auth.log.1', 300, 700)));
  cut('syslog/fw01.log', logs, 400);
  cut('flows/conn.log', flows, 200);
  cut('flows/border.csv', flows, 250);
  const capture = readFileSync(path.join(whole, 'capture/bastion01.pcap'));
  let end = 24;
  for (let packets = 0; packets < 300; packets++) end += 16 + capture.readUInt32LE(end + 8);
  writeFileSync(path.join(rest, 'bastion01.pcap'), capture.subarray(0, end));
  cut('syslog/auth.log.1', rest, 300);
  return [logs, flows, rest];
}
