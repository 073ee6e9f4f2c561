/** The command line as the attacks run it: in a separate process, which may be killed at any moment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { ROOT } from '../harness.ts';
import { LineProcess } from './line-process.ts';

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Far more than any command takes here, even on a busy machine. */
const PATIENCE_MS = 300_000;

/** @param node options of Node; with any, the command has two more pipes */
export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = ROOT,
  node: readonly string[] = [],
): Started {
  const child = spawn(
    process.execPath,
    [...node, path.join(ROOT, 'app/cli/daybook.mjs'), ...args],
    {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(node.length === 0 ? [] : (['pipe', 'pipe'] as const))],
    },
  );
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (part: Buffer) => out.push(part));
  child.stderr?.on('data', (part: Buffer) => err.push(part));
  const ended = new Promise<Ended>((resolve, reject) => {
    const timer = setTimeout(() => {
      err.push(Buffer.from(`torture: killed, it did not end within ${PATIENCE_MS / 1000} s\n`));
      child.kill('SIGKILL');
    }, PATIENCE_MS);
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      resolve({
        ...{ status, signal },
        out: Buffer.concat(out).toString(),
        err: Buffer.concat(err).toString(),
      });
    });
  });
  return { child, ended };
}

export async function daybook(
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
  cwd?: string,
): Promise<Ended> {
  return start(args, env, cwd).ended;
}

/** Any fault in how a command ended, whatever its input; undefined: none. */
export function crash({ status, signal, out, err }: Ended): string | undefined {
  if (status === null) return `ended by ${signal}: ${tail(err)}`;
  if (![0, 1, 2, 3, 130].includes(status)) return `exit status ${status}: ${tail(err)}`;
  if (/^\s+at .+:\d+:\d+\)?$/m.test(err)) return `a stack trace: ${tail(err)}`;
  if (/unexpected error|bug in Daybook|node:internal/.test(err))
    return `an unexpected error: ${tail(err)}`;
  // `verify` reports its findings on standard output.
  if (status !== 0 && status !== 3 && out === '' && !/^(?:daybook: \S|\{"error":)/m.test(err))
    return `exit status ${status} without a message: ${tail(err)}`;
  return undefined;
}

const tail = (text: string): string => text.trim().slice(-700);

interface Verified {
  /** Neither the case is damaged nor the evidence another; evidence that was not read to its end is allowed. */
  readonly ok: boolean;
  readonly findings: readonly { readonly level: string; readonly message: string }[];
  /** The fault, in words. */
  readonly problem: string;
  /** It could not even report: how it ended. */
  readonly refused: boolean;
  readonly crash: string | undefined;
}

/** The parts of `verify`'s report that the attacks use. */
interface VerifyJson {
  exitStatus: number;
  case: { intact: boolean };
  evidence: { changed: number };
  sample: { differing: number };
  findings: { level: string; message: string }[];
}

export async function verify(folder: string): Promise<Verified> {
  const ended = await daybook(['verify', folder, '--json']);
  const crashed = crash(ended);
  if (!ended.out.startsWith('{')) {
    const problem = crashed ?? ended.err.trim();
    return { ok: false, findings: [], problem, refused: true, crash: crashed };
  }
  const report = JSON.parse(ended.out) as VerifyJson;
  const ok = isSound(report) && ended.status === report.exitStatus;
  return {
    ok,
    findings: report.findings,
    problem: problemOf(report),
    refused: false,
    crash: crashed,
  };
}

function isSound({ exitStatus, case: { intact }, evidence, sample }: VerifyJson): boolean {
  const passes = exitStatus === 0 || exitStatus === 3;
  return intact && evidence.changed === 0 && sample.differing === 0 && passes;
}

const problemOf = ({ findings }: VerifyJson): string =>
  findings.map(({ level, message }) => `${level}: ${message}`).join('; ');

/** The answer of `check.ts`. */
export interface Checked extends VerifyJson {
  readonly contents: Contents;
}

/** Verifies cases and reads all that they have, in one process. */
export class Checker {
  private readonly process = new LineProcess('check.ts');

  /** @throws Error when the case is damaged or cannot be read */
  async check(folder: string): Promise<Checked> {
    const answer = JSON.parse(await this.process.send(folder)) as Checked | { refused: string };
    if ('refused' in answer) throw new Error(answer.refused);
    if (!isSound(answer)) throw new Error(`verify: ${problemOf(answer)}`);
    return answer;
  }

  close(): Promise<void> {
    return this.process.close();
  }
}

/** Everything that a case answers: its events, whatever their order, and its ledgers. */
export function contentsOf(lines: readonly string[], sources: readonly SourceJson[]): Contents {
  return {
    rows: lines.length,
    digest: createHash('sha256').update(lines.toSorted().join('\n')).digest('hex'),
    sources: JSON.stringify(sources.map(ledgerOf)),
  };
}

export interface Contents {
  rows: number;
  digest: string;
  sources: string;
}

export interface SourceJson {
  source: string;
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
  byKind: Readonly<Record<string, number>>;
  sha256: string | null;
  status: string;
}

/** The part that must be the same however an import came about. */
function ledgerOf(one: SourceJson): unknown {
  const { source, read, stored, duplicate, quarantined, skipped, byKind, sha256, status } = one;
  const kinds = Object.entries(byKind).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { source, read, stored, duplicate, quarantined, skipped, kinds, sha256, status };
}

export const addsUp = (one: {
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
}): boolean => one.read === one.stored + one.duplicate + one.quarantined + one.skipped;
