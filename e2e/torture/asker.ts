/**
 * Asks a case many questions without a process for each. A process of its own holds the case open, as an
 * engine does; where it dies, that is said, and it is started again.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface Question {
  readonly text: string;
  readonly path?: 'scan';
  readonly from?: string;
  readonly to?: string;
  readonly zone?: string;
  readonly limit?: number;
  /** Text of a list, and the names of its columns. */
  readonly list?: { readonly text: string; readonly fields?: readonly string[] };
}

export interface Answered {
  /** What is the same by every path; an error's code and message where it is one. */
  readonly answer: string;
  readonly error?: string;
  readonly shape?: string;
  readonly rows: number;
  /** By which path it was answered. */
  readonly path?: string | undefined;
}

export interface SegmentSize {
  readonly kind: string;
  readonly rows: number;
  readonly sideFile: boolean;
}

export class Asker {
  private readonly folder: string;
  private child: ChildProcessWithoutNullStreams | undefined;
  private waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  private said = '';

  constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws Error when the process that holds the case dies */
  async ask(question: Question): Promise<Answered> {
    return JSON.parse(await this.send(question)) as Answered;
  }

  async segments(): Promise<SegmentSize[]> {
    return JSON.parse(await this.send('segments')) as SegmentSize[];
  }

  async close(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    await gone;
  }

  private send(message: unknown): Promise<string> {
    const child = (this.child ??= this.start());
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  }

  private start(): ChildProcessWithoutNullStreams {
    this.said = '';
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'ask.ts'), this.folder]);
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
      this.waiting?.reject(new Error(`the reader died: ${signal ?? status}: ${this.said}`));
      this.waiting = undefined;
    });
    return child;
  }
}
