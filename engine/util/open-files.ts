/** How many files this process may have open at a time. */
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

/** How many of them the side files of a case may be. */
export function mostSideFiles(limit: number): number {
  return Math.min(1000, Math.floor(limit / 4));
}
