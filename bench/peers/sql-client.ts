/**
 * A database client as a child: statements go in, rows come out separated by tabs, and a marker that
 * the statement behind each one prints says where its answer ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import type { Answered } from './store.ts';

const MARK = 'daybook-bench-end';

export class SqlClient {
  private readonly child: ChildProcess;
  private rows: string[] = [];
  private readonly errors: string[] = [];
  private done: ((failure: Error | undefined) => void) | undefined;

  constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const { stdout, stderr, stdin } = this.child;
    if (stdout === null || stderr === null || stdin === null) throw new Error('no pipes');
    stdin.on('error', () => undefined);
    createInterface({ input: stdout }).on('line', (line) => {
      if (line === MARK) this.done?.(undefined);
      else this.rows.push(line);
    });
    stderr.on('data', (data: Buffer) => this.errors.push(data.toString()));
    this.child.on('error', (error) => this.done?.(error));
    this.child.on('close', (code) => {
      this.done?.(new Error(`${command} ended with ${code}: ${this.errors.join('').slice(-500)}`));
    });
  }

  /** Runs statements, each ended by `;` (or a client's own command), and gives the rows of all. */
  async ask(statements: string): Promise<Answered> {
    this.rows = [];
    this.errors.length = 0;
    const from = performance.now();
    const finished = new Promise<void>((resolve, reject) => {
      this.done = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    const end = /^\\/.test(statements) ? '\n' : ';\n';
    this.child.stdin?.write(`${statements}${end}SELECT '${MARK}';\n`);
    await finished;
    const ms = performance.now() - from;
    // Errors arrive through another pipe.
    await setImmediate();
    // `psql` says only of some failures that they are one.
    const failed = this.errors
      .join('')
      .split('\n')
      .filter((line) => line !== '' && !/^(NOTICE|WARNING|DETAIL|HINT)/.test(line))
      .join('\n');
    if (failed !== '') throw new Error(`${failed.slice(0, 500)}\n${statements.slice(0, 300)}`);
    return { ms, rows: this.rows.map((line) => line.split('\t')) };
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.stdin?.end();
    await closed;
  }
}
