/** How many files this process may have open at a time, and which of them are. */
import { readFileSync } from 'node:fs';

/** Where nothing says it; Windows has no such limit, macOS this one. */
const USUAL = 10_240;

/** The limit of the system for this process: Node raises the soft one to the hard one when it starts. */
export function openFileLimit(): number {
  if (process.platform !== 'linux') return USUAL;
  try {
    const [, soft] =
      /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? USUAL : Number(soft.replace('unlimited', 'Infinity'));
  } catch {
    // There is no /proc, as in some sandboxes.
    return USUAL;
  }
}

/** Files that are open: of more than `most` the least recently used is closed. */
export class OpenFiles<T extends { close(): void }> extends Set<T> {
  private readonly most: number;

  constructor(most: number) {
    super();
    this.most = most;
  }

  /** Opened, or read again. */
  used(file: T): void {
    this.delete(file);
    this.add(file);
    for (const oldest of this) {
      if (this.size <= this.most) break;
      oldest.close();
      this.delete(oldest);
    }
  }
}

/** How many of them the side files of a case may be. */
export function mostSideFiles(limit: number): number {
  return Math.min(1000, Math.floor(limit / 4));
}
