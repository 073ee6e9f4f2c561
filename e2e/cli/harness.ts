/**
 * Runs the real command line in a separate process, as a script would: without a terminal, and with separate
 * standard output and error.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LineProcess } from '../torture/line-process.ts';

export { scratch } from '../harness.ts';

const ENTRY = path.resolve(import.meta.dirname, '../../app/cli/daybook.mjs');
/** Less than a test's timeout, and than a hook's; far more than a command takes on a quiet machine. */
const PATIENCE_MS = 170_000;
export const HOOK_PATIENCE_MS = 290_000;

export interface Outcome {
  /** Exit status; null when a signal ended it. */
  status: number | null;
  out: string;
  err: string;
}

interface RunOptions {
  /** Standard input; closed at once when absent. */
  input?: string | Uint8Array;
  /** Another Node than the one that runs the tests. */
  node?: string;
  /** Undefined: unset, even if it is set for the tests. */
  env?: Record<string, string | undefined>;
  /** `PATIENCE_MS` if absent. */
  patienceMs?: number;
}

export interface Running {
  child: ChildProcessWithoutNullStreams;
  outcome: Promise<Outcome>;
}

/** Starts a command; standard input stays open. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  const { patienceMs = PATIENCE_MS } = options;
  const env: NodeJS.ProcessEnv = { ...process.env, ...options.env };
  delete env['DAYBOOK_REEXEC'];
  const child = spawn(options.node ?? process.execPath, [ENTRY, ...args], { env });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => out.push(part));
  child.stderr.on('data', (part: Buffer) => err.push(part));
  // A command that does not read its input may have exited before all is written.
  child.stdin.on('error', () => {});
  const outcome = new Promise<Outcome>((resolve, reject) => {
    // A command that hangs fails its test, and is killed.
    const timer = setTimeout(() => {
      err.push(Buffer.from(`e2e: killed after ${patienceMs / 1000} s\n`));
      child.kill('SIGKILL');
    }, patienceMs);
    child.on('error', reject);
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve({ status, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() });
    });
  });
  return { child, outcome };
}

/** Runs a command to its end. */
export async function daybook(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { child, outcome } = start(args, options);
  child.stdin.end(options.input ?? '');
  return outcome;
}

/** Runs commands one after the other in one process, for tests of answers rather than of the process. */
export class Commands {
  private readonly process: LineProcess;
  private last: Promise<unknown> = Promise.resolve();

  constructor(env: NodeJS.ProcessEnv = {}) {
    this.process = new LineProcess('../cli/commands.ts', [], env);
  }

  async run(args: readonly string[]): Promise<Outcome> {
    const answer = this.last.then(() => this.process.send(args));
    this.last = answer.catch(() => undefined);
    const encoded = JSON.parse(await answer) as string;
    return JSON.parse(Buffer.from(encoded, 'base64').toString()) as Outcome;
  }

  close(): Promise<void> {
    return this.process.close();
  }
}

/**
 * Tells a test when a command handles ctrl-C: before that, the signal would end it as any program.
 * @param folder of the test
 */
export function listening(folder: string): {
  env: Record<string, string>;
  isListening: (pid: number | undefined) => boolean;
} {
  const mark = path.join(folder, 'listens-');
  const module = path.join(folder, 'listens.mjs');
  writeFileSync(
    module,
    `import { writeFileSync } from 'node:fs';
process.on('newListener', (name) => {
  if (name === 'SIGINT') writeFileSync(${JSON.stringify(mark)} + process.pid, '');
});\n`,
  );
  return {
    env: { NODE_OPTIONS: `--import=${module}` },
    isListening: (pid) => existsSync(`${mark}${pid}`),
  };
}

/** Polls until the condition holds; if it never does, the test's timeout ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The JSON document, or the documents of NDJSON, that a command printed. */
export function json<T>(outcome: Outcome): T {
  return JSON.parse(outcome.out) as T;
}
export function ndjson<T>(outcome: Outcome): T[] {
  return outcome.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/**
 * A message for people: not empty, and not a stack trace.
 * @throws otherwise
 */
export function assertClearMessage(text: string): void {
  const isClear =
    /^(?:daybook: \S|\{"error":\{"code":"(?!internal)[\w-]+","message":"[^"])/m.test(text) &&
    !/^\s+at .+:\d+:\d+\)?$/m.test(text) &&
    !/unexpected error|node:internal/.test(text);
  if (!isClear) throw new Error(`no clear message: ${JSON.stringify(text)}`);
}

/** The output of `import --json` for one source and for the whole (docs: the command line). */
export interface Ledger {
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
  byKind: Record<string, number>;
  bytes: number;
}
export interface SourceLine extends Ledger {
  source: string;
  sha256: string | null;
  format: string | null;
  dialect: string | null;
  first: string | null;
  last: string | null;
  decisions: { tz?: string; year?: number };
  status: string;
  message?: string;
  notes?: string[];
}
export interface TotalLine {
  total: Ledger;
  elapsedMs: number;
  peakRssBytes: number;
}

export function ledgerLines(outcome: Outcome): { sources: SourceLine[]; total: TotalLine } {
  const lines = ndjson<SourceLine | TotalLine>(outcome);
  const total = lines.pop();
  if (total === undefined || !('total' in total)) throw new Error(`no total: ${outcome.err}`);
  return { sources: lines.filter((line) => 'source' in line), total };
}
