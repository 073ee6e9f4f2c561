/** A database server of our own: its own folder and user, a socket only, stopped and removed at the end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { peakMemoryOf } from '../harness/child.ts';
import { cpuMsOf, measure } from '../process.ts';

const START_MS = 60_000;

export class Server {
  private child: ChildProcess | undefined;
  private readonly said: string[] = [];
  private readonly command: string;
  private readonly args: readonly string[];
  private peak = 0;

  constructor(command: string, args: readonly string[]) {
    this.command = command;
    this.args = args;
  }

  /** Starts it and waits until `ready` says so. */
  async start(ready: () => Promise<boolean>): Promise<void> {
    const child = spawn(this.command, this.args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        this.said.push(data.toString());
        if (this.said.length > 100) this.said.shift();
      });
    }
    let failure: Error | undefined;
    child.on('error', (error) => (failure = error));
    const until = performance.now() + START_MS;
    while (!(await ready())) {
      if (failure !== undefined) throw failure;
      if (child.exitCode !== null || performance.now() > until)
        throw new Error(`${this.command} does not start: ${this.said.join('').slice(-600)}`);
      await wait(100);
    }
  }

  /** Ends it as `signal` means to it and waits; after a while by force. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    this.peak = this.peakMemory();
    const closed = once(child, 'exit');
    // With `runuser` in front, the server is its child and the leader of nothing: tell the whole group.
    process.kill(-child.pid, signal);
    const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), 30_000);
    await closed;
    clearTimeout(timer);
  }

  /** Processor time of the server's processes that run now, in milliseconds. */
  cpuMs(): number {
    const root = this.child?.pid;
    if (root === undefined) return 0;
    return processesBelow(root).reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  }

  /** Most memory so far of the largest process of the server, in bytes. */
  peakMemory(): number {
    const root = this.child?.pid;
    if (root === undefined) return this.peak;
    return Math.max(this.peak, ...processesBelow(root).map(peakMemoryOf));
  }
}

/** A process and all that descend from it: PostgreSQL's are each the leader of a session. */
function processesBelow(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Words in front of a command that make it run as `user`; none where this is not root. */
export function as(user: string): string[] {
  return process.getuid?.() === 0 ? ['runuser', '-u', user, '--'] : [];
}

/** Runs a command that must succeed. */
export async function must(command: string, args: readonly string[]): Promise<string> {
  const run = await measure(command, args);
  if (run.exit !== 0) throw new Error(`${command} failed: ${(run.err + run.out).slice(-600)}`);
  return run.out;
}
