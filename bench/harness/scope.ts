/**
 * Cleanup: servers to stop, folders to remove. It runs in reverse order at the end of an experiment, and when the
 * run is interrupted.
 */
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Undo = () => void | Promise<void>;

const open = new Set<Scope>();

export class Scope {
  private readonly undo: Undo[] = [];

  constructor() {
    open.add(this);
  }

  onClose(undo: Undo): void {
    this.undo.push(undo);
  }

  /** A new folder that other users of the machine may traverse: servers run as their own users. */
  folder(parent = tmpdir()): string {
    const path = mkdtempSync(join(parent, 'daybook-peers-'));
    chmodSync(path, 0o711);
    this.onClose(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  async close(): Promise<void> {
    for (let undo = this.undo.pop(); undo !== undefined; undo = this.undo.pop()) {
      try {
        await undo();
      } catch (error) {
        console.error(
          `could not clean up: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
    open.delete(this);
  }
}

/** Ctrl-C and kill clean up before the process ends. */
export function closeWhenInterrupted(): void {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      console.error('\nstopping what was started …');
      void Promise.all([...open].map((scope) => scope.close())).then(() => process.exit(status));
    });
  }
}
