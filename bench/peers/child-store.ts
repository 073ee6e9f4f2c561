/** A store whose engine is a library: a child process holds it (`json-session.ts` is its side). */
import { LineChild } from '../harness/child.ts';
import { bytesBelow, dropPages, filesBelow } from '../harness/disk.ts';
import type { Scope } from '../harness/scope.ts';
import { cpuMsOf } from '../process.ts';
import type { Answered, Store } from './store.ts';

interface Reply extends Answered {
  readonly error?: string;
}

interface ChildCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly versionStatement: string;
  /** The files of the store. */
  readonly files: readonly string[];
}

export class ChildStore implements Store {
  readonly name: string;
  private readonly start: ChildCommand;
  private child: LineChild;
  private peak = 0;

  constructor(start: ChildCommand, scope: Scope) {
    this.name = start.name;
    this.start = start;
    this.child = new LineChild(start.command, start.args);
    scope.onClose(() => this.child.close());
  }

  async version(): Promise<string> {
    const { rows } = await this.ask(this.start.versionStatement);
    return String(rows[0]?.[0]);
  }

  async ask(statement: string): Promise<Answered> {
    const reply = JSON.parse(await this.child.ask(JSON.stringify(statement))) as Reply;
    if (reply.error !== undefined) throw new Error(`${this.name}: ${reply.error}\n${statement}`);
    return reply;
  }

  async cold(): Promise<void> {
    this.peak = this.peakMemory();
    await this.child.close();
    await dropPages(this.present());
    this.child = new LineChild(this.start.command, this.start.args);
    // Until it answers it is still starting, which must not be measured.
    await this.ask(this.start.versionStatement);
  }

  bytes(): number {
    return bytesBelow(this.present());
  }

  cpuMs(): number {
    return cpuMsOf(this.child.process.pid);
  }

  peakMemory(): number {
    return Math.max(this.peak, this.child.peakMemory());
  }

  private present(): string[] {
    return this.start.files.flatMap((path) => {
      try {
        return filesBelow(path);
      } catch {
        return [];
      }
    });
  }
}
