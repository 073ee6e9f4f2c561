/**
 * A program that answers each line of requests with one line: every measured store runs in a separate process, so
 * that it can be started cold and its memory can be measured alone.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Waiting {
  resolve(line: string): void;
  reject(error: Error): void;
}

export class LineChild {
  readonly process: ChildProcess;
  private readonly waiting: Waiting[] = [];
  private readonly stderr: string[] = [];
  private ended: Error | undefined;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.process = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      // Ctrl-C is answered by the scope, which stops this one.
      detached: true,
    });
    const { stdout, stderr, stdin } = this.process;
    if (stdout === null || stderr === null || stdin === null) throw new Error('no pipes');
    stdin.on('error', () => undefined);
    createInterface({ input: stdout }).on('line', (line) => this.waiting.shift()?.resolve(line));
    stderr.on('data', (data: Buffer) => {
      this.stderr.push(data.toString());
      if (this.stderr.length > 50) this.stderr.shift();
    });
    this.process.on('error', (error) => this.fail(error));
    this.process.on('close', (code) => {
      const said = this.stderr.join('').slice(-800);
      this.fail(new Error(`${command} ended with ${code}: ${said}`));
    });
  }

  /** Sends a line and waits for the line that answers it. */
  ask(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) {
        reject(this.ended);
        return;
      }
      this.waiting.push({ resolve, reject });
      this.process.stdin?.write(`${line}\n`);
    });
  }

  /** Peak resident memory so far, in bytes; 0 where the system does not report it. */
  peakMemory(): number {
    return peakMemoryOf(this.process.pid);
  }

  async close(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const closed = once(this.process, 'close');
    this.process.stdin?.end();
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 10_000);
    await closed;
    clearTimeout(timer);
  }

  private fail(error: Error): void {
    this.ended ??= error;
    for (const { reject } of this.waiting.splice(0)) reject(this.ended);
  }
}

/** Peak resident memory of a process so far, in bytes; 0 where the system does not report it. */
export function peakMemoryOf(pid: number | undefined): number {
  try {
    const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? 0 : Number(match[1]) * 1024;
  } catch {
    return 0;
  }
}
