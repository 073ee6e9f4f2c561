/**
 * Hostile cases: links, pipes and stray files in place of files and folders of a case. Whatever is done with such a
 * case, nothing outside of it changes, nothing hangs, and strays stay.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { generateEvidence } from '../../fixtures/generate.ts';
import type { Random } from '../../fixtures/evidence/random.ts';
import type { Attack, Prepared, Run } from './attack.ts';
import { crash, daybook } from './command.ts';

interface Trap {
  readonly what: string;
  /** Puts it into the case; returns the paths that must still exist afterwards. */
  set(folder: string, outside: string, random: Random): readonly string[];
}

const FOLDERS = ['days', 'staging', 'quarantine', 'received', 'rollups'];
const LINKED_FILES = [
  ...['writer.lock', 'case.sqlite', 'case.sqlite-wal', 'case.sqlite-shm', 'case.sqlite-journal'],
  ...[
    'quarantine/1.ndjson',
    'quarantine/2.ndjson',
    'staging/spill-AAAAAAAAAAAA',
    'staging/maintenance-AAAAAA',
  ],
  ...[
    'days/2026-10-12/00000001.duckdb',
    'days/2026-10-12/00000002.idx',
    'days/2026-10-13/0000000a.duckdb',
  ],
  ...['rollups/0011223344556677.rollup', 'received/one'],
];
const LINKED_FOLDERS = [
  'days/2020-01-01',
  'days/undated',
  'staging/spill-BBBBBBBBBBBB',
  'received/two',
];
const STRAYS = [
  '.DS_Store',
  'days/.DS_Store',
  'days/Thumbs.db',
  'staging/notes.txt',
  'quarantine/.keep',
];
const STRAY_FOLDERS = ['days/@eaDir', 'days/2026-10-12/@eaDir', 'notes', 'rollups/old'];
const PIPES = [
  'days/pipe',
  // Not with a number that the case will use: a file there would be taken for a remnant of a killed writer.
  'days/2026-10-12/00000fff.duckdb',
  'staging/pipe',
  'quarantine/3.ndjson',
  'received/pipe',
];

/** Takes the place of whatever is there. */
function makeRoom(file: string): void {
  rmSync(file, { recursive: true, force: true });
  mkdirSync(path.dirname(file), { recursive: true });
}

const TRAPS: readonly Trap[] = [
  {
    what: 'a folder of the case is a link',
    set(folder, outside, random) {
      const at = path.join(folder, random.oneOf(FOLDERS));
      // Its content may be outside, as after a move to another disk.
      const target = path.join(outside, 'folder');
      if (existsSync(at) && random.below(2) === 0) cpSync(at, target, { recursive: true });
      makeRoom(at);
      symlinkSync(target, at);
      return [at];
    },
  },
  {
    what: 'a folder within the case is a link',
    set(folder, outside, random) {
      const at = path.join(folder, random.oneOf(LINKED_FOLDERS));
      makeRoom(at);
      symlinkSync(path.join(outside, 'folder'), at);
      return [at];
    },
  },
  {
    what: 'a file of the case is a link',
    set(folder, outside, random) {
      const at = path.join(folder, random.oneOf(LINKED_FILES));
      const target = path.join(outside, random.oneOf(['thesis.doc', 'not-there', 'moved']));
      if (existsSync(at) && path.basename(target) === 'moved') renameSync(at, target);
      makeRoom(at);
      symlinkSync(target, at);
      return [at];
    },
  },
  {
    what: 'a stray file',
    set(folder, _, random) {
      const at = path.join(folder, random.oneOf(STRAYS));
      makeRoom(at);
      writeFileSync(at, 'stray');
      return [at];
    },
  },
  {
    what: 'a stray folder',
    set(folder, _, random) {
      const at = path.join(folder, random.oneOf(STRAY_FOLDERS));
      makeRoom(at);
      mkdirSync(at);
      writeFileSync(path.join(at, 'kept.txt'), 'stray');
      return [path.join(at, 'kept.txt')];
    },
  },
  {
    what: 'a pipe',
    set(folder, _, random) {
      const at = path.join(folder, random.oneOf(PIPES));
      makeRoom(at);
      spawnSync('mkfifo', [at]);
      return [at];
    },
  },
];

export const hostile: Attack = {
  name: 'hostile',
  unit: 'hostile cases',
  runs: { short: 3, usual: 40, long: 300 },
  async prepare(folder, seed): Promise<Prepared | string> {
    if (process.platform === 'win32') return 'links and pipes of this attack are those of Unix';
    generateEvidence(folder, 0.02, seed % 1000);
    const clean = path.join(folder, 'clean.daybook');
    const env = { DAYBOOK_CHUNK_ROWS: '3000' };
    const logs = path.join(folder, 'evidence/syslog');
    const more = path.join(folder, 'evidence/flows');
    const ended = await daybook(['import', clean, logs, '--recursive'], env);
    if (ended.status !== 0) throw new Error(ended.err);
    return {
      async run(run) {
        const { random } = run;
        const at = path.join(run.folder, 'hostile.daybook');
        const outside = path.join(run.folder, 'outside');
        cpSync(clean, at, { recursive: true });
        makeOutside(outside);
        const kept: string[] = [];
        const set: string[] = [];
        for (let n = random.between(1, 3); n > 0; n--) {
          const trap = random.oneOf(TRAPS);
          try {
            kept.push(...trap.set(at, outside, random));
            set.push(trap.what);
            run.tally(trap.what);
          } catch {
            // A trap that has no place next to the previous one.
            run.tally('traps without a place');
          }
        }
        const links = kept.filter(
          (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined,
        );
        const before = snapshot(outside);
        const commands = commandsFor(at, more, run);
        for (let n = random.between(2, 4); n > 0; n--) {
          const command = random.oneOf(commands);
          const outcome = await daybook(command, env, run.folder);
          run.tally(`commands, exit status ${outcome.status}`);
          const problem = crash(outcome);
          if (problem !== undefined)
            run.fail(
              `${command.join(' ')} with ${set.join(', ')} (${links.join(', ')}): ${problem}`,
            );
          const after = snapshot(outside);
          if (after !== before) {
            run.fail(
              `${command.join(' ')} with ${set.join(', ')} changed what is outside: ${links.join(', ')}:\n${changes(before, after)}`,
            );
            return;
          }
        }
        for (const file of links)
          if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
            run.fail(`${file} is gone after ${set.join(', ')}`);
      },
    };
  },
};

function commandsFor(at: string, more: string, run: Run): string[][] {
  return [
    ['import', at, more, '--recursive'],
    ['verify', at],
    ['verify', at, '--repair'],
    ['compact', at],
    ['tag', at, 'program:sshd', 'seen'],
    ['delete', at, 'program:sshd', '--reason', 'torture'],
    ['retime', at, 'auth.log', '--tz', 'Europe/Berlin'],
    ['query', at, 'kind:* | sort message', '--format', 'ndjson'],
    [
      'query',
      at,
      'kind:*',
      '--out',
      path.join(run.folder, 'rows.csv'),
      '--format',
      'csv',
      '--force',
    ],
    ['report', at, '--out', path.join(run.folder, 'report.html'), '--force'],
    ['sources', at],
  ];
}

/** A user's files next to a case, some with names that a case has, too. */
function makeOutside(folder: string): void {
  for (const name of ['folder', 'folder/2026-10-12', 'folder/old', 'docs'])
    mkdirSync(path.join(folder, name), { recursive: true });
  for (const name of [
    ...[
      'thesis.doc',
      'docs/letter.txt',
      'folder/0000000a.duckdb',
      'folder/0000000a.idx',
      'folder/1.ndjson',
    ],
    ...[
      'folder/2026-10-12/0000000c.duckdb',
      'folder/old/notes',
      'folder/part-1.duckdb',
      'folder/x.rollup',
    ],
  ])
    writeFileSync(path.join(folder, name), `mine: ${name}\n`);
}

/** Every file with its content, mode and times, except for the time of last access. */
function snapshot(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      const { mode, mtimeMs, size, nlink } = lstatSync(file);
      const type = lstatSync(file);
      const content = type.isFile()
        ? createHash('sha256').update(readFileSync(file)).digest('hex')
        : type.isSymbolicLink()
          ? readlinkSync(file)
          : '';
      return `${name} ${mode.toString(8)} ${mtimeMs} ${size} ${nlink} ${content}`;
    })
    .join('\n');
}

function changes(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `  - ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `  + ${line}`),
  ].join('\n');
}
