/**
 * A process that answers lines of JSON, so that many questions do not need a process each. If it dies, that is
 * reported, and the next question starts another.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

export class LineProcess {
  private readonly args: readonly string[];
  private readonly env: NodeJS.ProcessEnv;
  private child: ChildProcessWithoutNullStreams | undefined;
  private waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  private said = '';

  /**
   * @param script a module of this folder
   * @param env in addition to this process's
   */
  constructor(script: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.args = [path.join(import.meta.dirname, script), ...args];
    this.env = env;
  }

  /** @throws Error when the process dies */
  send(message: unknown): Promise<string> {
    const child = (this.child ??= this.start());
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  }

  async close(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    await gone;
  }

  private start(): ChildProcessWithoutNullStreams {
    this.said = '';
    const child = spawn(process.execPath, this.args, { env: { ...process.env, ...this.env } });
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.waiting?.resolve(line);
      this.waiting = undefined;
    });
    child.stderr.on(
      'data',
      (part: Buffer) => (this.said = (this.said + String(part)).slice(-4000)),
    );
    child.stdin.on('error', () => undefined);
    child.on('close', (status, signal) => {
      this.child = undefined;
      this.waiting?.reject(new Error(`the process died: ${signal ?? status}: ${this.said}`));
      this.waiting = undefined;
    });
    return child;
  }
}
