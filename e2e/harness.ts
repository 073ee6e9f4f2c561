/** Runs the product as a user does: its command line in a separate process. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

interface Run {
  status: number | null;
  out: string;
  err: string;
}

/** Runs `daybook` with `args` and waits for it. */
export function daybook(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input?: string | Uint8Array,
): Promise<Run> {
  return start([join(ROOT, 'app/cli/daybook.mjs'), ...args], env, input);
}

/** Imports files or folders into the case `target`, and returns its path. */
export async function importInto(target: string, ...sources: string[]): Promise<string> {
  const run = await daybook(['import', target, ...sources]);
  if (run.status !== 0) throw new Error(`the import failed: ${run.err}`);
  return target;
}

/** Writes the evidence that the repository generates into `folder`. */
export async function generateEvidence(folder: string, ...args: string[]): Promise<void> {
  const run = await start([join(ROOT, 'fixtures/generate.ts'), '--out', folder, ...args], {});
  if (run.status !== 0) throw new Error(`the evidence could not be generated: ${run.err}`);
}

/** Writes flows that state one number of bytes for both ways. */
export function writeTotals(folder: string): void {
  const lines = [
    'StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,TotPkts,TotBytes',
    '2026/10/13 10:00:00,1,tcp,10.9.0.7,5,->,10.9.0.8,6,CON,12,5000000',
    '2026/10/13 10:00:09,1,tcp,10.9.0.8,7,->,10.9.0.7,6,CON,3,700',
  ];
  writeFileSync(join(folder, 'totals.csv'), `${lines.join('\n')}\n`);
}

function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input?: string | Uint8Array,
): Promise<Run> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (data: Buffer) => out.push(data));
    child.stderr.on('data', (data: Buffer) => err.push(data));
    child.on('error', fail);
    child.on('close', (status) =>
      done({ status, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    );
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** A temporary folder for a test, and a function that removes it. */
export function scratch(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-e2e-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
