/** Runs a program and measures it as a whole: wall time and peak memory of the process itself. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Measured {
  wallMs: number;
  /** Peak resident memory of the started process, in bytes; undefined where the system does not tell. */
  peakRss: number | undefined;
  /** Processor time of the process itself and its threads, in milliseconds; 0 where the system does not tell. */
  cpuMs: number;
  exit: number | null;
  /** The last 64 KiB of standard output. */
  out: string;
  err: string;
}

const POLL_MS = 25;
const KEEP = 65_536;

/**
 * Runs `command` to its end. Standard output is read and thrown away but for its tail.
 * @param input what it reads from standard input
 */
export function measure(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = '',
): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    // Most programs end without having read it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    let peakRss: number | undefined;
    let cpuMs = 0;
    const poll = () => {
      const seen = highWater(child.pid);
      if (seen !== undefined) peakRss = Math.max(peakRss ?? 0, seen);
      cpuMs = Math.max(cpuMs, cpuMsOf(child.pid));
    };
    const timer = setInterval(poll, POLL_MS);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (data: Buffer) => keep(out, data));
    child.stderr.on('data', (data: Buffer) => keep(err, data));
    child.on('error', (error) => {
      clearInterval(timer);
      reject(error);
    });
    child.on('close', (exit) => {
      clearInterval(timer);
      resolve({
        wallMs: performance.now() - started,
        peakRss,
        cpuMs,
        exit,
        out: Buffer.concat(out).toString(),
        err: Buffer.concat(err).toString(),
      });
    });
  });
}

function keep(tail: Buffer[], data: Buffer): void {
  tail.push(data);
  let size = tail.reduce((sum, part) => sum + part.length, 0);
  while (tail.length > 1 && size - tail[0]!.length > KEEP) size -= tail.shift()!.length;
}

/** Length of the kernel's clock tick on every Linux there is. */
const TICK_MS = 10;

/** Processor time that a process has used so far, in milliseconds; 0 where the system does not tell. */
export function cpuMsOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may hold anything: state is field 3, utime 14, stime 15 (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

/** Linux's high-water mark of a process's resident memory, in bytes. */
function highWater(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? undefined : Number(match[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** Whether a program can be started here. */
export async function available(
  command: string,
  args: readonly string[] = ['--version'],
): Promise<boolean> {
  try {
    await measure(command, args);
    return true;
  } catch {
    return false;
  }
}
