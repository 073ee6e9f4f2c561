/**
 * A full disk: an import, or a change of a case, on a file system that is too small. It reports that, the case is
 * intact, and with more room the same command ends as it does with room from the start.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { generateEvidence } from '../../fixtures/generate.ts';
import type { Attack, Prepared } from './attack.ts';
import { Checker, crash, daybook, verify, type Contents } from './command.ts';

const ENV = { DAYBOOK_CHUNK_ROWS: '2000' };

const CHANGES: readonly ((at: string) => string[])[] = [
  (at) => ['tag', at, 'program:sshd', 'seen'],
  (at) => ['delete', at, 'program:sshd', '--reason', 'torture'],
  (at) => ['retime', at, 'syslog/auth.log.1', '--tz', 'America/New_York'],
  (at) => ['compact', at],
];

export const disk: Attack = {
  name: 'disk',
  unit: 'full disks',
  runs: { short: 1, usual: 12, long: 60 },
  async prepare(folder, seed): Promise<Prepared | string> {
    if (!canMount(path.join(folder, 'try')))
      return 'no file system can be mounted here (it needs root)';
    generateEvidence(folder, 0.05, seed % 1000);
    const evidence = path.join(folder, 'evidence');
    const whole = path.join(folder, 'whole.daybook');
    const importing = (at: string): string[] => ['import', at, evidence, '--recursive'];
    const first = await daybook(importing(whole), ENV);
    if (first.status !== 0) throw new Error(first.err);
    const checker = new Checker();
    const { contents: want } = await checker.check(whole);
    const after = new Map<string, Contents>();
    return {
      close: () => checker.close(),
      async run(run) {
        const { random } = run;
        const mount = path.join(run.folder, 'mount');
        mkdirSync(mount);
        const at = path.join(mount, 'full.daybook');
        const change = random.oneOf([undefined, undefined, ...CHANGES]);
        const name = change === undefined ? 'import' : change('')[0]!;
        mountAt(mount, change === undefined ? random.between(100, 4000) : 64_000);
        try {
          let wanted = want;
          let command = importing(at);
          if (change !== undefined) {
            const key = `${name}.daybook`;
            const copy = path.join(folder, key);
            wanted = after.get(key) ?? (await changedCopy(copy, whole, change, checker));
            after.set(key, wanted);
            cpSync(whole, at, { recursive: true });
            command = change(at);
            remount(mount, usedKb(mount) + random.oneOf([0, 4, 16, 40, 100, 400]));
          }
          const ended = await daybook(command, ENV);
          const problem = crash(ended);
          if (problem !== undefined) run.fail(`${name} on a full disk: ${problem}`);
          run.tally(`${name}: ${ended.status === 0 ? 'had room' : 'had no room'}`);
          if (ended.status === 1 && !/space|full|disk/i.test(ended.err))
            run.fail(`${name} does not say that the disk is full: ${ended.err}`);
          remount(mount, 200_000);
          if (existsSync(path.join(at, 'case.sqlite'))) {
            const { ok, refused, problem: why } = await verify(at);
            const none = refused && /is not a Daybook case/.test(why);
            if (!ok && !none) run.fail(`verify after ${name} on a full disk: ${why}`);
          }
          const again = await daybook(command, ENV);
          if (again.status !== 0) return run.fail(`${name} with more room: ${again.err}`);
          const { contents: found } = await checker.check(at);
          if (JSON.stringify(found) !== JSON.stringify(wanted))
            run.fail(`${name}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
        } finally {
          spawnSync('umount', ['-l', mount]);
        }
      },
    };
  },
};

async function changedCopy(
  at: string,
  whole: string,
  change: (at: string) => string[],
  checker: Checker,
): Promise<Contents> {
  cpSync(whole, at, { recursive: true });
  const ended = await daybook(change(at), ENV);
  if (ended.status !== 0) throw new Error(ended.err);
  return (await checker.check(at)).contents;
}

function canMount(folder: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (status !== 0) return false;
  spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return true;
}

function mountAt(folder: string, kb: number): void {
  const { status, stderr } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${kb}k`,
    'tmpfs',
    folder,
  ]);
  if (status !== 0) throw new Error(`no file system at ${folder}: ${String(stderr)}`);
}

function remount(folder: string, kb: number): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,size=${kb}k`, folder]);
  if (status !== 0) throw new Error(`${folder} cannot be made ${kb} kB: ${String(stderr)}`);
}

function usedKb(folder: string): number {
  const { stdout } = spawnSync('df', ['-k', '--output=used', folder], { encoding: 'utf8' });
  return Number(stdout.split('\n')[1]);
}
