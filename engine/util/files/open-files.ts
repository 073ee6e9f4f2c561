/** The limit of files that this process may have open at a time, and its division. */
import { readFileSync } from 'node:fs';

/** Used if the limit is unknown; Windows has none, macOS this one. */
const USUAL = 10_240;

/** The system's limit for this process: Node raises the soft limit to the hard one on start. */
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

/** Number of them available for the side files of a case. */
export function mostSideFiles(limit: number): number {
  return Math.min(1000, Math.floor(limit / 4));
}
